r"""When spam is rejected: by what a lost good mail costs, or by a promise.

**Cost** c (the default): reject when p(spam) / p(not spam) > c, that is, when the log-odds are above log c.

**Promise** "at most a share r of good mail is lost": the bar is read from the most recent good mails of the
ledger, as they were judged before they were learned. It is the lowest bar that would have kept the promise
*however far back one looks*: of the last m good mails at most (m + 1) · r − 1 lie above it, for every m from
2 / r to 10 / r (split-conformal over each stretch: the 1 is the mail to come). Mail drifts, and so does a
filter that learns. A single long stretch hides what went wrong lately: it lost 2.6 times the promised rate in
a test where the loss at a fixed bar doubled with every 2 / r mails. A single short stretch hides older
mistakes that will come again. The bar of the worst stretch lost 1.0 times the promised rate in that test, and
.55 times where nothing drifts (docs/experiments.md).

Only mail that came in counts, not what the user sent or imported: a promise is about mail to come. Where
users only correct mistakes, a random share s of the good verdicts that nobody contested is taught as a
*sample*, and each mail of it stands for 1 / s. Without it the promise would rest on its mistakes alone.

A promise needs 2 / r good mails, because one of that many may lie above the bar: a single odd mail never
decides, unless it comes from a sample and stands for several. Until there are that many, what looks like spam
is *unsure*. The newest come first:

>>> judged = [3.0, 2.5] + [-1.0] * 48 + [-5.0] * 150
>>> Assurance.of(Threshold(promise=0.01), judged)
Assurance(bar=2.5, good=200, needed=200, sampled=0)
>>> Assurance.of(Threshold(promise=0.01), judged[:-1])
Assurance(bar=None, good=199, needed=200, sampled=0)

Of 500 mails 4 may lie above, but of the last 200 still only 1:

>>> Assurance.of(Threshold(promise=0.01), judged + [-5.0] * 300).bar
2.5
>>> Assurance.of(Threshold(promise=0.01), [-5.0] * 300 + judged).bar
0.0
>>> Assurance.of(Threshold(cost=1.0), judged).bar
0.0
"""

from __future__ import annotations

from itertools import count
from math import ceil, log

from deciban.decibans import SPAM
from deciban.errors import BadSetting
from deciban.ledger.lesson import INCOMING, SAMPLE
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deciban.filter.exams import KeptExam
    from deciban.ledger.records import FoldedExam

# A promise looks back over this many times the good mails that it needs at least. Older mails were judged by
# a filter that knew far less; looking back four times as far took more time and made hardly a difference.
WINDOW = 5
# 60 decibans below even odds, and 90 above: beyond that no spam would be called spam any more.
LEAST_COST = 1e-6
MOST_COST = 1_000_000_000


class Threshold(Value):
    """What must hold before a message is called spam."""

    cost: float = 9.0
    """How many missed spams one lost good mail is worth."""
    promise: float | None = None
    """The share of good mail that may be lost; None to decide by cost."""

    def _check(self) -> None:
        if not LEAST_COST <= self.cost <= MOST_COST:
            raise BadSetting(
                f"cost must be a number from {LEAST_COST:g} to {MOST_COST:,}, got {self.cost!r} instead."
            )
        if self.promise is not None and not 1e-6 <= self.promise <= 0.5:
            raise BadSetting(f"promise must be a share from 0.000001 to 0.5, got {self.promise!r} instead.")

    @property
    def needed(self) -> int:
        """How many good mails a promise needs before there is a bar."""
        return 0 if self.promise is None else ceil(2 / self.promise)

    @property
    def window(self) -> int:
        """How many of the most recent good mails a promise looks at."""
        return WINDOW * self.needed

    def may_lie_above(self, stretch: int) -> int:
        """How many of the last ``stretch`` good mails may lie above the bar of a promise.

        >>> [Threshold(promise=0.01).may_lie_above(stretch) for stretch in (1, 200, 298, 299, 400)]
        [1, 1, 1, 2, 3]
        """
        # 1e-9: 300 · .01 must be 3 in binary too. A stretch that is too short counts as the shortest allowed.
        return int((max(stretch, self.needed) + 1) * (self.promise or 0) + 1e-9) - 1

    def lowest_bar(self, highest: Iterable[tuple[float, int]]) -> float:
        """The lowest bar that would have kept a promise.

        It is given the log-odds of good mails, the highest first, each with its age: 1 for the newest. It
        stops at the first mail that would be one too many above the bar.
        """
        from bisect import insort

        above: list[int] = []
        for judged, age in highest:
            insort(above, age)
            if any(number > self.may_lie_above(oldest) for number, oldest in enumerate(above, 1)):
                # Never below even odds: mail that is more likely good than spam is not rejected.
                return max(judged, 0.0)
        raise ValueError("a bar needs more good mails than may lie above it")


class Assurance(Value):
    """Where the bar lies for now, and on how much evidence."""

    bar: float | None
    """The log-odds of spam, in nats, that must be exceeded; None while there are too few good mails."""
    good: int
    """Good mails that it was read from."""
    needed: int
    sampled: int = 0
    """How many of the good mails nobody sorted: a sample stands for them."""

    @classmethod
    def of_exams(cls, threshold: Threshold, exams: Iterable[KeptExam | FoldedExam]) -> Assurance:
        """The bar of a threshold over exams, the newest first; no more are read than it looks back on."""
        judged, sampled = good_mail(exams, threshold.window)
        return cls.of(threshold, judged).replaced(sampled=sampled)

    @classmethod
    def of(cls, threshold: Threshold, judged: Sequence[float]) -> Assurance:
        """The bar of a threshold over the log-odds of recent good mails, the newest first."""
        if threshold.promise is None:
            return cls(log(threshold.cost), len(judged), 0)
        if len(judged) < threshold.needed:
            return cls(None, len(judged), threshold.needed)
        from heapq import nlargest  # only a promise needs it

        highest = nlargest(threshold.may_lie_above(len(judged)) + 1, zip(judged, count(1), strict=False))
        return cls(threshold.lowest_bar(highest), len(judged), threshold.needed)


def good_mail(exams: Iterable[KeptExam | FoldedExam], most: int) -> tuple[list[float], int]:
    """The log-odds of spam of the first good mails that came in; and for how many of them a sample stands."""
    judged: list[float] = []
    sampled = 0
    for exam in exams:
        if len(judged) >= most:
            break
        if exam.label != SPAM and exam.row.spam is not None:
            mails = min(mails_behind(exam.origin, exam.share), most - len(judged))
            judged += [exam.row.spam] * mails
            sampled += mails if exam.origin == SAMPLE else 0
    return judged, sampled


def mails_behind(origin: str, share: float) -> int:
    """For how many mails that came in a good mail stands.

    >>> mails_behind("incoming", 1.0), mails_behind("sample", 0.1), mails_behind("sent", 1.0)
    (1, 10, 0)
    """
    return max(round(1 / share), 1) if origin in (INCOMING, SAMPLE) else 0
