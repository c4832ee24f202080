"""How much of each figure is luck: 95% limits by drawing messages with replacement, ham and spam apart.

Ham and spam are drawn apart because their shares say nothing about the filter. One draw serves all figures. A
round is a linear pass: ranks are found once, and a resample only changes how often each message counts.

>>> spam = [False] * 8 + [True] * 4
>>> scores = [0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.9, 0.2, 0.8, 0.95, 0.99]
>>> limits = Resampling(scores, [score > 0.5 for score in scores], spam).limits(rounds=200)
>>> limits["ham_lost"]
(0.0, 50.0)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import log
from operator import mul
from random import Random

from deciban.errors import BadSetting
from deciban.metrics import RocRanking, draw, logistic_average

Times = Sequence[int]
Limits = tuple[float, float]


class Resampling:
    """The figures of a trial as functions of how often each ham and each spam counts."""

    def __init__(
        self,
        scores: Sequence[float],
        rejected: Sequence[bool],
        spam: Sequence[bool],
        probabilities: Sequence[float] | None = None,
    ) -> None:
        self._ranking = RocRanking(scores, spam)
        hams = [place for place, true in enumerate(spam) if not true]
        spams = [place for place, true in enumerate(spam) if true]
        self._sizes = len(hams), len(spams)
        self._lost = [number for number, place in enumerate(hams) if rejected[place]]
        self._missed = [number for number, place in enumerate(spams) if not rejected[place]]
        self._hams_from_above = sorted(
            ((scores[place], number) for number, place in enumerate(hams)), reverse=True
        )
        by_score = sorted((scores[place], number) for number, place in enumerate(spams))
        self._spam_scores = [score for score, _ in by_score]
        self._spam_order = [number for _, number in by_score]
        self._losses = None if probabilities is None else _losses(probabilities, hams, spams)

    def limits(
        self, rounds: int = 1000, seed: int = 0, progress: Callable[[int], object] | None = None
    ) -> dict[str, Limits]:
        """Between which 95% of the resamples lie, by the name of the figure."""
        if rounds < 1:
            raise BadSetting(f"rounds must be at least 1, got {rounds!r} instead.")
        rng = Random(seed)
        drawn: dict[str, list[float]] = {}
        for number in range(1, rounds + 1):
            figures = self.figures(draw(rng, self._sizes[0]), draw(rng, self._sizes[1]))
            for name, value in figures.items():
                drawn.setdefault(name, []).append(value)
            if progress:
                progress(number)
        edge = round(0.025 * (rounds - 1))
        return {
            name: (ranked[edge], ranked[-1 - edge])
            for name, ranked in ((name, sorted(values)) for name, values in drawn.items())
        }

    def figures(self, hams: Times, spams: Times) -> dict[str, float]:
        """The figures if each message counted so many times."""
        lost = sum(hams[number] for number in self._lost) / self._sizes[0]
        missed = sum(spams[number] for number in self._missed) / self._sizes[1]
        below = list(accumulate((spams[number] for number in self._spam_order), initial=0))
        found = {
            "roc_loss": self._ranking.loss(hams, spams),
            "ham_lost": 100 * lost,
            "spam_missed": 100 * missed,
            "lam": 100 * logistic_average(lost, missed),
            "missed_at_one_in_1000": self._missed_at(0.001, hams, below),
            "missed_at_one_in_10000": self._missed_at(0.0001, hams, below),
        }
        if self._losses:
            size = sum(self._sizes)
            for name, (of_hams, of_spams) in self._losses.items():
                found[name] = (sum(map(mul, of_hams, hams)) + sum(map(mul, of_spams, spams))) / size
        return found

    def _missed_at(self, ham_lost: float, hams: Times, below: list[int]) -> float:
        """As `metrics.spam_missed`: the threshold is the highest score of a ham that may not be lost."""
        allowed = int(ham_lost * self._sizes[0] + 1e-9)
        threshold = self._hams_from_above[-1][0]
        for score, number in self._hams_from_above:
            allowed -= hams[number]
            if allowed < 0:
                threshold = score
                break
        return 100 * below[bisect_right(self._spam_scores, threshold)] / self._sizes[1]


def _losses(
    probabilities: Sequence[float], hams: Sequence[int], spams: Sequence[int]
) -> dict[str, tuple[list[float], list[float]]]:
    """Log-loss and Brier score of each ham and each spam."""
    of_hams = [probabilities[place] for place in hams]
    of_spams = [probabilities[place] for place in spams]
    floor = 1e-15
    return {
        "log_loss": ([-log(max(1 - p, floor)) for p in of_hams], [-log(max(p, floor)) for p in of_spams]),
        "brier": ([p**2 for p in of_hams], [(1 - p) ** 2 for p in of_spams]),
    }
