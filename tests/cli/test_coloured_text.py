"""The message on a terminal, with colours and without."""

import re

import pytest

from deciban.cli.coloured_text import ColouredText
from deciban.cli.terminal import columns_of
from deciban.text import read
from tests.committee.test_evidence_map import MIXED, course, map_of

__all__ = ["course"]
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def lines_of(course, coloured, width=80):
    return list(ColouredText(read(MIXED), map_of(course, MIXED), coloured, width).lines())


def test_colours_change_no_word(course):
    coloured = COLOUR.sub("", " ".join(lines_of(course, True)[1:]))
    plain = re.sub(r"\[[+−][0-9.]+\]", "", " ".join(lines_of(course, False)))
    assert coloured.replace("│", "").split() == plain.replace("│", "").split()


def test_both_sides_have_a_colour_and_each_colour_ends(course):
    text = "\n".join(lines_of(course, True))
    assert "48;5;202m" in text
    assert "48;5;39m" in text
    assert text.count("\x1b[0m") == text.count("\x1b[38")


@pytest.mark.parametrize("coloured", [False, True])
def test_lines_fit_the_terminal_and_long_words_are_cut_in_the_middle(course, coloured):
    long_word = MIXED.replace(b"pills.example/buy", b"pills.example/" + b"x" * 200)
    for width in (60, 80, 120):
        for data in (MIXED, long_word):
            text = ColouredText(read(data), map_of(course, data), coloured, width)
            assert all(columns_of(COLOUR.sub("", line)) <= width for line in text.lines())
