"""deciban itself as a subject: the committee in this process, in memory, with the default settings.

Its bar is the filter's, read from the exams of its lessons by the same rule (filter/threshold.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from deciban.committee.course import Course
from deciban.committee.evidence import Evidence, gather_evidence
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.committee.settings import Settings
from deciban.decibans import SPAM, UNSURE, is_unsure, log_odds, probability_of
from deciban.evaluate.subject import Opinion, TaughtMessage
from deciban.filter.exams import KeptExam, examined
from deciban.filter.threshold import Assurance, Threshold
from deciban.text import read


class DecibanCommittee:
    """Four witnesses and a judge; what `Filter` does with them beyond that is bookkeeping."""

    name = "deciban"

    def __init__(self, settings: Settings | None = None, threshold: Threshold | None = None) -> None:
        self._course = Course(settings)
        self._threshold = threshold or Threshold()
        self._exams: list[KeptExam] = []
        self._assurance: Assurance | None = None

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """One lesson after the other."""
        for lesson in lessons:
            exam = self._course.learn(lesson.label, features_of(read(lesson.data)))
            row = examined(lesson.label, exam.totals)
            self._exams.append(KeptExam(len(self._exams), lesson.label, row, lesson.origin, lesson.share))
            self._assurance = None

    @property
    def assurance(self) -> Assurance:
        """Where the bar lies by now, and on how much evidence."""
        if self._assurance is None:
            self._assurance = Assurance.of_exams(self._threshold, reversed(self._exams))
        return self._assurance

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The log-odds of spam against every other label; rejected above the bar of the threshold."""
        return [self._opinion(message) for message in messages]

    def explain(self, message: bytes, favoured: str, against: str) -> Sequence[Evidence]:
        """What each feature of a message says for one label against another, by what was learned so far."""
        found = read(message)
        return gather_evidence(
            self._course.committee, features_of(found), whereabouts_of(found), favoured, against
        )

    def close(self) -> None:
        """Nothing is left behind."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _opinion(self, message: bytes) -> Opinion:
        totals = self._course.score(features_of(read(message)))
        if len(totals) < 2:  # until two labels were taught it knows nothing
            return Opinion(0.0, rejected=False, probability=0.5, label=UNSURE)
        score = log_odds(totals) if SPAM in totals else 0.0
        bar = self.assurance.bar
        label = UNSURE if is_unsure(totals, bar) else max(totals, key=totals.__getitem__)
        return Opinion(score, bar is not None and score > bar, probability_of(score), totals, label)
