"""Sparse codes give back what was encoded, and refuse what is no such code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee._sparse_code import decode, encode
from deciban.errors import DamagedSnapshot

UNITS = st.lists(st.sampled_from([bytes(16), b"\1" + bytes(15), bytes(15) + b"\1", b"x" * 16]), min_size=1)


@given(UNITS)
def test_any_buffer_comes_back(units: list[bytes]) -> None:
    state = b"".join(units)
    again = bytearray(len(state))
    decode(encode(state), again)
    assert again == state


@given(UNITS, st.integers(1, 40))
def test_a_code_that_is_cut_short_or_too_long_is_refused(units: list[bytes], count: int) -> None:
    state = b"".join(units)
    code = encode(state)
    for damaged in (code[: max(len(code) - count, 0)], code + b"y" * count):
        with pytest.raises(DamagedSnapshot):
            decode(damaged, bytearray(len(state)))


def test_odd_lengths_are_refused() -> None:
    for length in (0, 15, 17):
        with pytest.raises(ValueError, match="multiple of 16"):
            encode(bytes(length))
