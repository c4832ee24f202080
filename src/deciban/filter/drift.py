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

**Words lag behind.** A word is known if one of 1,000 lessons has it, but not of the last 100: mail of another
kind would otherwise make its own words known within a few messages. For the same reason a share of known
words is not compared with the last 25 of its kind.

The rate of false alarms holds if lessons could have come in any order. (Because of the lag, words depend on
each other a little. In 1,000 simulated streams of 2,000 lessons with a lag of 50, none raised an alarm.)
Words are so; exams are not quite. A filter that learns is
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
# The last words that are not known yet. Mail of another kind would soon make its own words known: without a
# lag, SpamAssassin after Enron is not told within 300 messages; with it, after 5 to 13.
LAG = 100
# The last shares of known words of a kind are not compared with yet. Where there are few others, new mail
# would soon be compared with itself.
KIND_LAG = 25
# With fewer lessons than these nearly every word is new.
LEAST_WORDS = 50
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

    def __init__(self, slack: float, lag: int = 0, warming_up: int = 0) -> None:
        """The last ``lag`` numbers of a kind are not compared with; the first ones raise no alarm."""
        self._slack, self._warming_up = slack, warming_up
        self._seen = 0
        self._kinds = {False: _Ranks(lag), True: _Ranks(lag)}
        self._stakes = [0.0] * len(EXPONENTS)
        self._bounds = [bound(exponent, slack) for exponent in EXPONENTS]

    def see(self, is_spam: bool, value: float) -> bool:
        """Whether one more number raises the alarm."""
        self._seen += 1
        rank = self._kinds[is_spam].add(value)
        if rank is None or self._seen < self._warming_up:
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


class ExamWatch(Watch):
    """A watch over exams: the log-odds of the true label, before it was learned."""

    def __init__(self) -> None:
        super().__init__(EXAM_SLACK, warming_up=WARMING_UP)


class WordWatch:
    """A watch over the words of lessons."""

    def __init__(self) -> None:
        self._known, self._watch = KnownWords(), Watch(WORDS_SLACK, KIND_LAG)

    def see(self, is_spam: bool, words: list[int]) -> bool:
        """Whether the words of one more lesson raise the alarm."""
        is_enough = len(self._known) >= LEAST_WORDS
        share = self._known.known_share(words)
        return is_enough and self._watch.see(is_spam, share)


class KnownWords:
    """The words of 1,000 lessons, by their hashes: not of the last 100, but of those before them.

    >>> words = KnownWords(lag=1)
    >>> [words.known_share(lesson) for lesson in ([1, 2], [2, 3], [1, 2, 3, 4], [4])]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, lag: int = LAG) -> None:
        self._lag = lag
        self._new: deque[list[int]] = deque()
        self._lessons: deque[list[int]] = deque()
        self._counts: dict[int, int] = {}

    def __len__(self) -> int:
        """How many lessons it knows the words of."""
        return len(self._lessons)

    def known_share(self, words: list[int]) -> float:
        """The share of the words of one more lesson that are known."""
        counts = self._counts
        known = sum(1 for word in words if word in counts)
        self._new.append(words)
        if len(self._new) > self._lag:
            self._lessons.append(self._new.popleft())
            for word in self._lessons[-1]:
                counts[word] = counts.get(word, 0) + 1
        if len(self._lessons) > REFERENCE:
            for word in self._lessons.popleft():
                counts[word] -= 1
                if not counts[word]:
                    del counts[word]
        return known / len(words) if words else 1.0


class _Ranks:
    """The last values of one kind, but for the very last."""

    def __init__(self, lag: int) -> None:
        self._lag = lag
        self._new: deque[float] = deque()
        self._values: deque[float] = deque()
        self._sorted: list[float] = []

    def add(self, value: float) -> float | None:
        """The rank of a value among those before it, above 0 and up to 1; None while there are too few."""
        count = len(self._sorted)
        rank = (bisect_right(self._sorted, value) + 1) / (count + 1)
        self._new.append(value)
        if len(self._new) > self._lag:
            self._values.append(self._new.popleft())
            insort(self._sorted, self._values[-1])
        if len(self._sorted) > REFERENCE:
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
