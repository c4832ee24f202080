from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from deciban.sources.stream import CHUNK, Stream


def dripping(data: bytes, most: int) -> Stream:
    """A stream whose source gives few bytes at a time, as a pipe may."""
    file = BytesIO(data)
    return Stream(lambda size: file.read(min(size, most)))


@given(st.binary(max_size=200), st.integers(1, 20), st.lists(st.integers(0, 50)), st.integers(0, 100))
def test_looking_ahead_changes_nothing_that_is_read(data, most, peeks, size):
    stream = dripping(data, most)
    for peek in peeks:
        assert stream.peek(peek) == data[:peek]
    assert stream.read_exactly(size) == data[:size]
    assert stream.skip_rest() == len(data[size:])


@given(st.binary(max_size=200), st.integers(1, 20), st.integers(0, 300))
def test_reading_up_to_a_limit_and_exactly_are_the_same(data, most, limit):
    assert dripping(data, most).read_up_to(limit) == dripping(data, most).read_exactly(limit) == data[:limit]


@given(st.binary(max_size=200), st.integers(1, 20), st.integers(0, 300))
def test_skipping_tells_how_much_was_there(data, most, size):
    stream = dripping(data, most)
    assert stream.skip(size) == min(size, len(data))
    assert stream.read_exactly(300) == data[size:]


def test_a_long_stream_is_read_whole_up_to_the_limit():
    data = bytes(3 * CHUNK + 7)
    assert dripping(data, CHUNK // 3).read_up_to(1 << 30) == data
    assert len(dripping(data, CHUNK).read_up_to(2 * CHUNK + 1)) == 2 * CHUNK + 1
