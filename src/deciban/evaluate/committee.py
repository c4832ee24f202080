"""deciban itself as a subject: the committee in this process, in memory, with the default settings."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Self

from deciban.evaluate.index import SPAM
from deciban.evaluate.subject import Lesson, Opinion
from deciban.filter.course import Course, features_of
from deciban.filter.settings import Settings
from deciban.filter.threshold import Threshold
from deciban.filter.verdict import log_odds
from deciban.text import read


class DecibanCommittee:
    """Four witnesses and a judge; what `Filter` does with them beyond that is bookkeeping."""

    name = "deciban"

    def __init__(self, settings: Settings | None = None) -> None:
        self._course = Course(settings)
        self._bar = log(Threshold().cost)

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """One lesson after the other."""
        for lesson in lessons:
            self._course.learn(lesson.label, features_of(read(lesson.data)))

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The log-odds of spam against every other label; rejected at the default cost."""
        return [self._opinion(message) for message in messages]

    def close(self) -> None:
        """Nothing is left behind."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _opinion(self, message: bytes) -> Opinion:
        totals = self._course.score(features_of(read(message)))
        if SPAM not in totals or len(totals) < 2:  # until two labels were taught it knows nothing
            return Opinion(0.0, rejected=False, probability=0.5)
        score = log_odds(totals)
        return Opinion(score, score > self._bar, _probability(score))


def _probability(log_odds: float) -> float:
    """1 / (1 + exp(-x)) without overflow.

    >>> _probability(0.0), _probability(-1000.0), _probability(1000.0)
    (0.5, 0.0, 1.0)
    """
    share = exp(-abs(log_odds))
    return share / (1 + share) if log_odds < 0 else 1 / (1 + share)
