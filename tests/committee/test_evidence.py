"""Evidence adds up to the verdict, and names what was seen."""

import pytest

from deciban.committee.course import Course
from deciban.committee.evidence import Evidence, gather_evidence
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict
from deciban.text import read

MAILS = [
    ("spam", b"Subject: Free money\n\nBuy cheap pills now, dear friend"),
    ("ham", b"Subject: Lunch\n\nShall we meet at one, dear Ann?"),
    ("work", b"Subject: Report\n\nThe numbers of the quarter are in the report"),
]
MESSAGE = read(b"Subject: Free lunch\n\nmeet us and buy numbers, dear Bob, dear Bob")


@pytest.fixture(scope="module")
def course() -> Course:
    course = Course(Settings(bits=12))
    for label, data in MAILS * 6:
        course.learn(label, features_of(read(data)))
    return course


def evidence_of(course: Course) -> tuple[Verdict, tuple[Evidence, ...]]:
    totals = course.score(features_of(MESSAGE))
    first, second, *_ = sorted(totals, key=totals.__getitem__, reverse=True)
    return Verdict.of(totals), gather_evidence(
        course.committee, features_of(MESSAGE), whereabouts_of(MESSAGE), first, second
    )


def test_evidence_adds_up_to_the_decibans_of_the_verdict(course: Course) -> None:
    verdict, evidence = evidence_of(course)
    assert sum(item.decibans for item in evidence) == pytest.approx(verdict.decibans, abs=1e-9)


def test_the_remainder_is_the_last_item_and_small_beside_the_evidence(course: Course) -> None:
    _, evidence = evidence_of(course)
    assert [item.name for item in evidence if item.view == "judge"] == [evidence[-1].name] == ["prior"]
    assert abs(evidence[-1].decibans) < sum(abs(item.decibans) for item in evidence[:-1])


def test_every_feature_has_a_name_and_a_place(course: Course) -> None:
    _, evidence = evidence_of(course)
    names = {item.name for item in evidence if item.view == "words"}
    assert {"subject:free", "subject:lunch", "dear bob"} <= names
    assert all(item.places for item in evidence[:-1])
