"""One label in all its spellings, and nothing for a label that cannot be one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee.label import MOST_BYTES, key_of, label_of, shown, spellings, united
from deciban.errors import BadLabel


@pytest.mark.parametrize("text", ["spam", "Spam", "SPAM", " spam", "spam\n", "\tsPaM ", "\xa0spam"])
def test_spam_is_spam_however_it_is_written(text: str) -> None:
    assert label_of(text) == "spam"


@pytest.mark.parametrize(
    ("first", "second"),
    [("Work", "work"), (" work ", "WORK"), ("Straße", "STRASSE"), ("Caf\xe9", "cafe\u0301"), ("ΣΑΣ", "σας")],
)
def test_labels_are_compared_without_case_outer_space_and_composition(first: str, second: str) -> None:
    assert key_of(first) == key_of(second)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "unsure", "UnSure ", "x" * (MOST_BYTES + 1), "é" * (MOST_BYTES // 2 + 1)),
        *("a\nb", "a\x00b", "a\x1bb", "a\x7fb", "a\u200bb", "a\u2028b", "a\u2029b"),
        *("\ud800", "work\udcff", "\u202ework"),
    ],
)
def test_what_cannot_be_a_label_is_refused(text: str) -> None:
    with pytest.raises(BadLabel):
        label_of(text)


@pytest.mark.parametrize("text", ["x" * MOST_BYTES, "to do", "größer", "仕事", "a;b", "📬"])
def test_any_other_text_is_a_label(text: str) -> None:
    assert label_of(text) == text


@given(st.text())
def test_a_label_is_shown_once_and_for_all(text: str) -> None:
    assert shown(shown(text)) == shown(text)
    assert key_of(shown(text)) == key_of(text) == key_of(key_of(text))


def test_the_first_spelling_is_shown() -> None:
    assert spellings(["work", "Work", "SPAM"]) == {"work": "work", "Work": "work", "SPAM": "spam"}


def test_totals_of_one_label_are_added_as_probabilities() -> None:
    assert united({"spam": 1.0, "ham": 2.0}) == {"spam": 1.0, "ham": 2.0}
    both = united({"spam": 1000.0, "ham": -1000.0, "Spam": 1000.0})
    assert both == {"spam": pytest.approx(1000.693147), "ham": -1000.0}
