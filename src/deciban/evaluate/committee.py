"""deciban itself as a subject: the committee in this process, in memory, with the default settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Self

from deciban.committee.course import Course, features_of
from deciban.committee.evidence import Evidence, gather_evidence
from deciban.committee.settings import Settings
from deciban.committee.verdict import log_odds
from deciban.evaluate.index import SPAM
from deciban.evaluate.subject import UNSURE, Lesson, Opinion
from deciban.filter.threshold import Threshold
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

    def explain(self, message: bytes, favoured: str, against: str) -> Sequence[Evidence]:
        """What each feature of a message says for one label against another, by what was learned so far."""
        return gather_evidence(self._course.committee, read(message), (), favoured, against)

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
        rejected = score > self._bar
        return Opinion(score, rejected, _probability(score), totals, _label(totals, rejected))


def _label(totals: Mapping[str, float], rejected: bool) -> str:
    """The most probable label, but unsure of what is rather spam and not worth the risk.

    >>> _label({"spam": 1.0, "ham": 0.0}, rejected=False), _label({"spam": 0.0, "ham": 1.0}, rejected=False)
    ('unsure', 'ham')
    """
    best = max(totals, key=totals.__getitem__)
    return UNSURE if best == SPAM and not rejected else best


def _probability(log_odds: float) -> float:
    """1 / (1 + exp(-x)) without overflow.

    >>> _probability(0.0), _probability(-1000.0), _probability(1000.0)
    (0.5, 0.0, 1.0)
    """
    share = exp(-abs(log_odds))
    return share / (1 + share) if log_odds < 0 else 1 / (1 + share)
