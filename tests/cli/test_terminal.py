import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.cli.terminal import harmless, harmless_lines

# Categories that a terminal may act upon or hide: controls, formats (bidi, zero width), surrogates, ends.
DANGEROUS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
NASTY = st.text(
    st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]) | st.characters(categories=["L", "N", "Zs"])
)


@given(NASTY | st.text(st.characters()))
def test_nothing_that_a_terminal_acts_upon_is_left(text):
    assert not {unicodedata.category(char) for char in harmless(text)} & DANGEROUS


@given(NASTY | st.text(st.characters()))
def test_lines_stay_lines_and_are_harmless(text):
    lines = harmless_lines(text)
    assert len(lines) == text.count("\n") + 1
    assert not {unicodedata.category(char) for line in lines for char in line} & DANGEROUS


INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe0f\ufe00\U000e0100\U000e01ef"


@pytest.mark.parametrize("char", INVISIBLE)
def test_what_shows_nothing_is_escaped(char):
    assert harmless(f"a{char}b") == f"a{char.encode('unicode_escape').decode()}b"


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters=INVISIBLE)))
def test_ordinary_text_is_left_as_it_is(text):
    assert harmless(text) == text


@given(st.text(st.characters()))
def test_making_harmless_twice_is_making_harmless_once(text):
    assert harmless(harmless(text)) == harmless(text)


@given(NASTY)
def test_what_is_harmless_can_be_encoded(text):
    harmless(text).encode("utf-8")
