r"""Has the mail changed? A sequential test over exams, with a computed rate of false alarms.

Two things tell: mail that the filter is less right about than it was, and mail of other words. Each exam, and
the share of known words in each lesson, is compared with the last 1,000 of its kind, spam or good mail: its
rank, the share of them that have less or as much, is a number p. While mail is what it was, any rank is as
likely as any other, whatever the filter and its mistakes. When the mail becomes another, low ranks come one
after the other. Five gamblers bet on that, κ from .1 to .9. Each multiplies its stake by

    κ · min(1, p · slack)^(κ − 1)

and begins anew with 1 whenever it has less (CUSUM). The slack makes every bet unfair for the gambler. For the
rate of false alarms, let θ be the number above 1 for which the mean of bet^θ is 1; then a stake that begins
with 1 ever reaches A with a probability of at most A^−θ (Lundberg). With A = (10 · 20,000 / .01)^(1 / θ),
five gamblers on exams and five on words raise a false alarm within 20,000 lessons with a probability of at
most 1%:

>>> round(bound(0.5, slack=1.5), 2), round(bound(0.9, slack=1.5), 2)
(11.68, 3.19)
>>> bets = Watch(slack=1.5)
>>> calm = [bets.see(True, float(number * 37 % 101)) for number in range(2_000)]
>>> changed = [bets.see(True, float(number % 5)) for number in range(30)]
>>> any(calm), changed.index(True)
(False, 13)

That holds if lessons could have come in any order. Words are so; exams are not quite. A filter that learns is
surer of later mail, which only helps, but one sure mistake can make it less sure of everything for a while.
With a slack of 1.5, 2 of 8 orders of SMS raised an alarm for that; with 3, none.
`python -m benchmarks noticing` tries it on corpora.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from math import log

# How many exams of a kind an exam is compared with; fewer than these are not enough.
REFERENCE = 1_000
LEAST_REFERENCE = 50
# The first exams of a filter are guesses.
WARMING_UP = 200
EXAM_SLACK = 3.0
WORDS_SLACK = 1.5
EXPONENTS = (0.1, 0.3, 0.5, 0.7, 0.9)
WATCHES = 2
FALSE_ALARMS = 0.01
HORIZON = 20_000
# An alarm is news for so many exams.
NEWS = 500


class Watch:
    """Numbers one after the other, of which low ones in a row are an alarm."""

    def __init__(self, slack: float) -> None:
        self._slack = slack
        self._seen = 0
        self._kinds = {False: _Ranks(), True: _Ranks()}
        self._stakes = [0.0] * len(EXPONENTS)
        self._bounds = [bound(exponent, slack) for exponent in EXPONENTS]

    def see(self, is_spam: bool, value: float) -> bool:
        """Whether one more number raises the alarm: of an exam, the log-odds of its true label."""
        self._seen += 1
        rank = self._kinds[is_spam].add(value)
        if rank is None or self._seen < WARMING_UP:
            return False
        likely = log(min(1.0, self._slack * rank))
        self._stakes = [
            max(stake, 0.0) + log(exponent) + (exponent - 1) * likely
            for stake, exponent in zip(self._stakes, EXPONENTS, strict=True)
        ]
        alarm = any(stake >= most for stake, most in zip(self._stakes, self._bounds, strict=True))
        if alarm:
            self._stakes = [0.0] * len(EXPONENTS)
        return alarm


class KnownWords:
    """The words of the last 1,000 lessons, by their hashes.

    >>> words = KnownWords()
    >>> [words.known_share(lesson) for lesson in ([1, 2], [2, 3], [1, 2, 3, 4])]
    [0.0, 0.5, 0.75]
    """

    def __init__(self) -> None:
        self._lessons: deque[list[int]] = deque()
        self._counts: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._lessons)

    def known_share(self, words: list[int]) -> float:
        """The share of the words of one more lesson that were known before it."""
        counts = self._counts
        known = sum(1 for word in words if word in counts)
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        self._lessons.append(words)
        if len(self._lessons) > REFERENCE:
            for word in self._lessons.popleft():
                counts[word] -= 1
                if not counts[word]:
                    del counts[word]
        return known / len(words) if words else 1.0


class _Ranks:
    """The last values of one kind."""

    def __init__(self) -> None:
        self._values: deque[float] = deque()
        self._sorted: list[float] = []

    def add(self, value: float) -> float | None:
        """The rank of a value among those before it, above 0 and up to 1; None while there are too few."""
        count = len(self._sorted)
        rank = (bisect_right(self._sorted, value) + 1) / (count + 1)
        self._values.append(value)
        insort(self._sorted, value)
        if count == REFERENCE:
            del self._sorted[bisect_left(self._sorted, self._values.popleft())]
        return rank if count >= LEAST_REFERENCE else None


def bound(exponent: float, slack: float) -> float:
    """The log of the stake that is an alarm."""
    return log(WATCHES * len(EXPONENTS) * HORIZON / FALSE_ALARMS) / _lundberg(exponent, slack)


def _lundberg(exponent: float, slack: float) -> float:
    """The number above 1 for which the mean of bet^θ is 1 where ranks are equally likely, by bisection."""
    low, high = 1.0, 1 / (1 - exponent)
    for _ in range(60):
        middle = (low + high) / 2
        tail = 1 / (slack * max(1 - middle * (1 - exponent), 1e-12))
        mean = exponent**middle * (tail + 1 - 1 / slack)
        low, high = (middle, high) if mean < 1 else (low, middle)
    return low
