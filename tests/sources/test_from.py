from hypothesis import given
from hypothesis import strategies as st

from deciban.sources._from import find_from
from tests.sanitizer import pass_under_the_sanitizer


@given(st.text("From >\n", max_size=60).map(str.encode), st.integers(0, 70))
def test_from_is_found_where_bytes_find_finds_it(buffer, start):
    assert find_from(buffer, start) == buffer.find(b"From ", start)


@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, 300))
def test_from_is_found_among_any_bytes(before, behind, start):
    buffer = before + b"From " + behind
    assert find_from(buffer, start) == buffer.find(b"From ", start)


def test_the_search_passes_under_the_sanitizer():
    pass_under_the_sanitizer("tests/sources/test_from.py", "-k", "is_found")
