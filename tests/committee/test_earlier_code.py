"""The code of earlier versions gives back what was encoded, and what is no such code is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee._earlier_code import decode
from deciban.errors import DamagedSnapshot

UNITS = st.lists(st.sampled_from([bytes(16), b"\1" + bytes(15), bytes(15) + b"\1", b"x" * 16]), min_size=1)


def encode(state: bytes) -> bytes:
    """The code of a state, as earlier versions made it."""
    units = [state[place : place + 16] for place in range(0, len(state), 16)]
    there = sum(1 << place for place, unit in enumerate(units) if any(unit))
    return there.to_bytes(-(-len(units) // 128) * 16, "little") + b"".join(filter(any, units))


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
            decode(bytes(16), bytearray(length))
