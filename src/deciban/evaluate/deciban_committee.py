"""deciban itself as a subject: the committee in this process, in memory, with the default settings."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Self

from deciban.committee.course import Course
from deciban.committee.evidence import Evidence, gather_evidence
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.committee.settings import Settings
from deciban.decibans import SPAM, UNSURE, is_unsure, log_odds, probability_of
from deciban.evaluate.subject import Opinion, TaughtMessage
from deciban.filter.threshold import Threshold
from deciban.text import read


class DecibanCommittee:
    """Four witnesses and a judge; what `Filter` does with them beyond that is bookkeeping."""

    name = "deciban"

    def __init__(self, settings: Settings | None = None) -> None:
        self._course = Course(settings)
        self._bar = log(Threshold().cost)

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """One lesson after the other."""
        for lesson in lessons:
            self._course.learn(lesson.label, features_of(read(lesson.data)))

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The log-odds of spam against every other label; rejected at the default cost."""
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
        label = UNSURE if is_unsure(totals, self._bar) else max(totals, key=totals.__getitem__)
        return Opinion(score, score > self._bar, probability_of(score), totals, label)
