"""The records of many exams are those that one exam after the other gives, whatever labels there are."""

import pytest

from deciban.committee._committee import Committee
from deciban.committee.extraction import features_of
from deciban.committee.label import united
from deciban.committee.settings import Settings
from deciban.filter.exams import examined, read, taught
from deciban.ledger._placed import Placed
from deciban.text import read as read_mail

SETTINGS = Settings(bits=10, salt=3)


def lessons(labels: list[str]) -> list[Placed]:
    """Forty lessons, with words of their labels and of others."""
    placed = []
    for number in range(1, 41):
        label = labels[number * number % 7 % len(labels)]
        features = features_of(read_mail(f"Subject: {label} {number % 5}\n\n{number % 3} words".encode()))
        placed.append(Placed(number, b"", b"", label, features, "incoming", 1.0))
    return placed


@pytest.mark.parametrize(
    "labels",
    [
        ["spam", "ham"],
        ["ham", "work"],
        ["ham"],
        ["spam", "ham", "work"],
        ["Work", "work"],
        ["Spam", "ham", "HAM"],
    ],
)
def test_exams_are_those_of_one_lesson_after_the_other(labels: list[str]) -> None:
    alone, together = Committee.fresh(SETTINGS, 4), Committee.fresh(SETTINGS, 4)
    records = taught(together, lessons(labels))
    exams = list(read(records, together.labels))
    for lesson, exam in zip(lessons(labels), exams, strict=True):
        known = alone.labels
        totals = united(dict(zip(known, alone.learn(lesson.label, lesson.features), strict=True)))
        row = examined(lesson.label, totals)
        assert (exam.position, exam.label, exam.origin) == (lesson.position, lesson.label, lesson.origin)
        assert (exam.row.truth, exam.row.spam) == (row.truth, row.spam)
        # A state may spell a label in its own way.
        assert (exam.row.best or "").casefold() == (row.best or "").casefold()
    assert together.state() == alone.state()
