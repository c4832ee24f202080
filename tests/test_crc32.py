"""CRC-32: the numbers of `binascii`, whatever the length and wherever it is cut."""

import random
from binascii import crc32 as of_zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban._crc32 import by_tables, crc32

SIZES = [*range(200), 255, 256, 257, 1000, 4095, 4096, 5317, 100_003]


@pytest.mark.parametrize("own", [crc32, by_tables])
def test_lengths_of_all_remainders(own: object) -> None:
    rng = random.Random(1)
    for size in SIZES:
        data, before = rng.randbytes(size), rng.getrandbits(32)
        assert own(data) == of_zlib(data)  # type: ignore[operator]
        assert own(data, before) == of_zlib(data, before)  # type: ignore[operator]


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_anything_cut_anywhere(data: bytes, cut: int, before: int) -> None:
    assert crc32(data[cut:], crc32(data[:cut], before)) == of_zlib(data, before)
    assert crc32(memoryview(data)[cut:]) == of_zlib(data[cut:])


def power(exponent: int) -> int:
    """The remainder of a power of x by the polynomial of CRC-32; bit 31 - i is the factor of x^i."""
    remainder = 0x80000000
    for _ in range(exponent):
        remainder = remainder >> 1 ^ (0xEDB88320 if remainder & 1 else 0)
    return remainder


def test_the_powers_by_which_blocks_are_folded_are_those_they_are_said_to_be() -> None:
    # A product of two reversed polynomials is one bit short, so that each factor stands one bit higher.
    assert [power(exponent) << 1 for exponent in (512 + 32, 512 - 32, 128 + 32, 128 - 32)] == [
        0x154442BD4,
        0x1C6E41596,
        0x1751997D0,
        0x0CCAA009E,
    ]
