"""A message cut into lines for reading, each word with its evidence."""

from math import fsum

import pytest

from deciban.cli.passages import Passage, level_of, passages, peak_of
from deciban.committee.evidence import gather_evidence
from deciban.committee.evidence_map import EvidenceMap
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.text import read
from tests.committee.test_evidence_map import MAILS, MIXED, course, map_of

__all__ = ["course"]


def all_passages(course, data):
    message = read(data)
    evidence = gather_evidence(course.committee, features_of(message), whereabouts_of(message), "spam", "ham")
    return list(passages(message, EvidenceMap(message, evidence)))


def test_passages_add_up_to_the_verdict(course):
    for data in (MIXED, *(data for _, data in MAILS)):
        found = all_passages(course, data)
        total = map_of(course, data).total
        assert fsum(passage.decibans for passage in found) == pytest.approx(total, abs=1e-9)


def test_lines_are_those_of_the_text_with_their_indentation(course):
    found = all_passages(course, b"Subject: a\n\none two\n\n\n  three\r\n\tfour")
    lines = ["".join(text for text, _ in passage.pieces) for passage in found]
    start = [passage.title for passage in found].index("text")
    assert [line.rstrip() for line in lines[start : start + 4]] == ["one two", "", "  three", "    four"]


def test_nothing_that_a_terminal_acts_upon_is_left(course):
    found = all_passages(
        course, "Subject: \x1b[2J\u202e\nX-\x1b: \x07\n\n\x1b]0;t\x07 \x9b\x00 \u202e".encode()
    )
    shown = "".join(passage.title + text for passage in found for text, _ in passage.pieces)
    assert not {"\x1b", "\x07", "\x9b", "\x00", "\u202e"} & set(shown)


def test_colour_is_relative_to_a_strong_word():
    words = tuple((f"w{number}", float(number)) for number in range(9))
    assert peak_of([Passage("text", words, 36.0)]) == 4.0
    assert peak_of([]) == 0.0
    assert level_of(-4.0, 4.0) == 4
    assert level_of(1.0, 0.0) == 0
