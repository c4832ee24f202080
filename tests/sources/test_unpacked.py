import bz2
import gzip
import lzma
from collections.abc import Callable
from io import BytesIO

import pytest

from deciban.errors import DamagedSource, UnpacksTooMuch
from deciban.sources import Bounds
from deciban.sources.stream import Stream
from deciban.sources.unpacked import unpacked_stream

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
TEXT = bytes(range(256)) * 500


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_pieces_one_after_the_other_are_read_as_one(kind):
    packed = PACKERS[kind](TEXT) + PACKERS[kind](b"") + PACKERS[kind](TEXT)
    assert unpacked_stream(Stream(BytesIO(packed).read), kind, Bounds()).read_exactly(1 << 20) == TEXT + TEXT


@pytest.mark.parametrize("kind", PACKERS)
def test_padding_behind_the_packed_data_is_ignored(kind):
    packed = PACKERS[kind](TEXT) + bytes(1024)
    assert unpacked_stream(Stream(BytesIO(packed).read), kind, Bounds()).read_exactly(1 << 20) == TEXT


@pytest.mark.parametrize("kind", PACKERS)
def test_no_more_than_asked_for_is_unpacked_at_once(kind):
    stream = unpacked_stream(Stream(BytesIO(PACKERS[kind](bytes(10_000_000))).read), kind, Bounds())
    assert 0 < len(stream.read(100)) <= 100


@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_is_left_before_it_unpacks(kind):
    bounds = Bounds(unpacked_ratio=20, unpacked_grace=100_000)
    stream = unpacked_stream(Stream(BytesIO(PACKERS[kind](bytes(5_000_000))).read), kind, bounds)
    with pytest.raises(UnpacksTooMuch, match="more than 20 times its size"):
        stream.skip_rest()


@pytest.mark.parametrize("kind", PACKERS)
def test_truncated_and_damaged_data_are_an_error_that_says_so(kind):
    packed = PACKERS[kind](TEXT)
    with pytest.raises(DamagedSource, match="end too early"):
        unpacked_stream(Stream(BytesIO(packed[:-20]).read), kind, Bounds()).skip_rest()
    broken = packed[:20] + bytes(20) + packed[40:]
    with pytest.raises(DamagedSource, match="damaged"):
        unpacked_stream(Stream(BytesIO(broken).read), kind, Bounds()).skip_rest()


def test_an_xz_header_cannot_ask_for_gigabytes_of_memory():
    greedy = lzma.compress(TEXT, preset=None, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    with pytest.raises(DamagedSource, match="emory"):
        unpacked_stream(Stream(BytesIO(greedy).read), "xz", Bounds()).skip_rest()
