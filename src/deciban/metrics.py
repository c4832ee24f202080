"""How good scores and probabilities are: ROC area, error rates, calibration, and how sure one can be of them.

Everything here takes plain sequences, one entry a message: ``scores`` or ``probabilities`` (the larger, the
more likely spam), ``spam`` (whether it truly was) and ``rejected`` (what the filter said). No numpy, because
``deciban status`` shows some of these; n log n at most. Formulas and reasons are in docs/evaluation.md.

Four good mails and two spams, of which one is ranked below a good mail, so that 1 of the 8 pairs is wrong:

>>> spam = [False, False, False, False, True, True]
>>> scores = [0.1, 0.2, 0.3, 0.8, 0.7, 0.9]
>>> roc_loss(scores, spam)
12.5
>>> spam_missed(scores, spam, ham_lost=0.1), spam_missed(scores, spam, ham_lost=0.25)
(50.0, 0.0)
>>> errors = misclassified([score > 0.5 for score in scores], spam)
>>> errors.ham, errors.spam, round(errors.lam, 1)
(25.0, 0.0, 0.0)
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import itemgetter, mul

from deciban.errors import BadSetting, NotEnoughValues
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random
    from typing import TypeVar

    Score = TypeVar("Score", float, float | None)


# What becomes of a promise.
KEPT, NOT_REFUTED, BROKEN = "kept", "not refuted yet", "broken"


class Errors(Value):
    """Misclassified ham and spam in percent, and TREC's logistic average of the two."""

    ham: float
    spam: float

    @property
    def lam(self) -> float:
        """lam%: the rate whose logit is the mean of both logits, so that no threshold flatters it."""
        return 100 * logistic_average(self.ham / 100, self.spam / 100)


class Bin(Value):
    """Verdicts of about the same probability: how many, what was said in the mean, what share was spam."""

    count: int
    said: float
    seen: float


class Difference(Value):
    """First minus second, with the limits between which 95% of the resamples lie."""

    mean: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether zero lies outside the limits."""
        return self.low > 0 or self.high < 0


def roc_loss(scores: Sequence[float], spam: Sequence[bool]) -> float:
    """1-ROCA%: in how many of 100 pairs of a ham and a spam the ham scores higher; a tie counts one half.

    >>> roc_loss([0.5, 0.5], [False, True])
    50.0
    """
    return RocRanking(scores, spam).loss()


def misclassified(rejected: Sequence[bool], spam: Sequence[bool]) -> Errors:
    """The share of good mail that was rejected and of spam that was not, in percent."""
    _both_kinds(spam)
    lost = sum(1 for said, true in zip(rejected, spam, strict=True) if said and not true)
    missed = sum(1 for said, true in zip(rejected, spam, strict=True) if true and not said)
    spams = sum(map(bool, spam))
    return Errors(ham=100 * lost / (len(spam) - spams), spam=100 * missed / spams)


def logistic_average(first: float, second: float) -> float:
    """The rate whose logit is the mean of the logits of two rates.

    Written without logarithms, so that a rate of 0 gives 0 unless the other is 1:

    >>> round(logistic_average(0.01, 0.04), 4), logistic_average(0.0, 0.3), logistic_average(0.0, 1.0)
    (0.0201, 0.0, 0.5)
    """
    wrong, right = math.sqrt(first * second), math.sqrt((1 - first) * (1 - second))
    return wrong / (wrong + right) if wrong + right else 0.5


def spam_missed(scores: Sequence[float], spam: Sequence[bool], ham_lost: float) -> float:
    """The spam missed, in percent, at the lowest threshold that loses at most the share ``ham_lost``."""
    if not 0 <= ham_lost < 1:
        raise BadSetting(f"ham_lost must be a share from 0 to below 1, got {ham_lost!r} instead.")
    hams, spams = _by_kind(scores, spam)
    # 1e-9: .001 · 3000 is a little more than 3 in binary, and .07 · 100 a little more than 7.
    allowed = int(ham_lost * len(hams) + 1e-9)
    threshold = sorted(hams, reverse=True)[allowed]
    return 100 * sum(1 for score in spams if score <= threshold) / len(spams)


def log_loss(probabilities: Sequence[float], spam: Sequence[bool]) -> float:
    """The mean of -ln p of what was true, in nats; p is at least 1e-15, so that one sure error is finite.

    >>> round(log_loss([0.9, 0.2], [True, False]), 4)
    0.1643
    """
    _some(spam)
    floor = 1e-15
    return -math.fsum(
        math.log(max(p if true else 1 - p, floor)) for p, true in zip(probabilities, spam, strict=True)
    ) / len(spam)


def brier(probabilities: Sequence[float], spam: Sequence[bool]) -> float:
    """The mean squared distance of the probabilities from what was true.

    >>> round(brier([0.9, 0.2], [True, False]), 4)
    0.025
    """
    _some(spam)
    return math.fsum((p - true) ** 2 for p, true in zip(probabilities, spam, strict=True)) / len(spam)


def reliability(probabilities: Sequence[float], spam: Sequence[bool], bins: int = 15) -> list[Bin]:
    """At most ``bins`` groups of about as many verdicts each, by rising probability.

    Equal mass, because nearly all verdicts are within .01 of 0 or 1, where bins of equal width would put all
    of them into two. Equal probabilities stay together, so the order of the messages does not matter.

    >>> reliability([0.1, 0.1, 0.5, 1.0], [False, False, True, True], bins=2)
    [Bin(count=2, said=0.1, seen=0.0), Bin(count=2, said=0.75, seen=1.0)]
    """
    _some(spam)
    if bins < 1:
        raise BadSetting(f"bins must be at least 1, got {bins!r} instead.")
    pairs = sorted(zip(probabilities, spam, strict=True))
    return [_bin(pairs[start:end]) for start, end in _equal_mass(pairs, bins)]


def calibration_error(probabilities: Sequence[float], spam: Sequence[bool], bins: int = 15) -> float:
    """The expected calibration error: how far what was said is from what was seen, in the mean over verdicts.

    >>> round(calibration_error([0.1, 0.1, 0.8, 0.9], [False, False, True, True], bins=2), 3)
    0.125
    """
    groups = reliability(probabilities, spam, bins)
    return math.fsum(group.count * abs(group.said - group.seen) for group in groups) / len(spam)


def lower_limit(hits: int, trials: int, confidence: float = 0.95) -> float:
    """The least rate that ``hits`` in ``trials`` leave plausible (one-sided, Clopper and Pearson).

    >>> round(lower_limit(15, 1000), 5)
    0.00927
    """
    _counts(hits, trials, confidence)
    return 0.0 if hits == 0 else _beta_quantile(1 - confidence, hits, trials - hits + 1)


def upper_limit(hits: int, trials: int, confidence: float = 0.95) -> float:
    """The largest rate that ``hits`` in ``trials`` leave plausible: 3 / trials when nothing was hit.

    >>> round(upper_limit(0, 1000), 5)
    0.00299
    """
    _counts(hits, trials, confidence)
    return 1.0 if hits == trials else _beta_quantile(confidence, hits + 1, trials - hits)


def standing(lost: int, good: int, promise: float) -> str:
    """What became of the promise to lose at most this share of good mail.

    It is kept if no larger share was lost, and broken if the loss cannot be chance: its lower limit is above
    the promise. In between it is not refuted yet.

    >>> [standing(lost, 1000, promise=0.01) for lost in (10, 11, 15, 16)]
    ['kept', 'not refuted yet', 'not refuted yet', 'broken']
    """
    if not good:
        return NOT_REFUTED
    if lost <= promise * good + 1e-9:  # .29 · 100 is a little less than 29 in binary
        return KEPT
    return BROKEN if lower_limit(lost, good) > promise else NOT_REFUTED


def clopper_pearson(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Both limits at once, each with half of the doubt."""
    side = (1 + confidence) / 2
    return lower_limit(hits, trials, side), upper_limit(hits, trials, side)


def paired_bootstrap(
    first: Sequence[Sequence[float | None]],
    second: Sequence[Sequence[float | None]],
    spam: Sequence[bool],
    rounds: int = 1000,
    seed: int = 0,
) -> Difference:
    """How much the 1-ROCA% of two filters differs, and how much of that is the luck of which mail was there.

    ``first`` and ``second`` hold one sequence of scores a run (a seed of the shuffle), each in the *same
    order of messages* as ``spam``. A resample draws messages, ham and spam apart, and the same ones for both
    filters and all runs: what is hard is hard in every shuffle, so runs are no independent witnesses.
    A message that a run did not classify (because it learned it) has the score None there.

    >>> spam = [False, False, False, True, True, True]
    >>> good, bad = [1, 2, 3, 4, 5, 6], [4, 5, 6, 1, 2, 3]
    >>> paired_bootstrap([good], [bad], spam, rounds=50)
    Difference(mean=-100.0, low=-100.0, high=-100.0)
    """
    from random import Random  # 5 ms that no other measure needs

    if not first or not second or rounds < 1:
        raise NotEnoughValues("A bootstrap needs a run of each filter and at least one round.")
    rankings = [[RocRanking(scores, spam) for scores in runs] for runs in (first, second)]
    rng = Random(seed)
    spams = sum(map(bool, spam))
    hams = len(spam) - spams
    draws = sorted(_difference(rankings, draw(rng, hams), draw(rng, spams)) for _ in range(rounds))
    edge = round(0.025 * (rounds - 1))
    return Difference(_difference(rankings, None, None), draws[edge], draws[-1 - edge])


class RocRanking:
    """Where each spam stands among the hams; ranks are found once, then any weights cost a linear pass."""

    def __init__(self, scores: Sequence[float | None], spam: Sequence[bool]) -> None:
        all_hams, all_spams = _by_kind(scores, spam)
        hams = sorted((score, place) for place, score in enumerate(all_hams) if score is not None)
        spams = [(score, place) for place, score in enumerate(all_spams) if score is not None]
        if not hams or not spams:
            raise NotEnoughValues("The ROC area needs the scores of at least one ham and one spam.")
        ranked = [score for score, _ in hams]
        # A getter of one index gives no tuple, so each has one more, and what that gets is dropped.
        self._hams = itemgetter(*(place for _, place in hams), 0)
        self._spams = itemgetter(*(place for _, place in spams), 0)
        self._below = itemgetter(*(bisect_left(ranked, score) for score, _ in spams), 0)
        self._not_above = itemgetter(*(bisect_right(ranked, score) for score, _ in spams), 0)
        self.sizes = len(all_hams), len(all_spams)

    def loss(self, hams: Sequence[int] | None = None, spams: Sequence[int] | None = None) -> float:
        """1-ROCA% with each ham and each spam taken so many times (once, unless told otherwise)."""
        ham_times = self._hams(hams or (1,) * self.sizes[0])[:-1]
        spam_times = self._spams(spams or (1,) * self.sizes[1])[:-1]
        sums = list(accumulate(ham_times, initial=0))
        pairs: int = sums[-1] * sum(spam_times)
        right = sum(map(mul, spam_times, self._below(sums)))
        right_or_tied = sum(map(mul, spam_times, self._not_above(sums)))
        # Whole numbers until here, so that .0005% is not lost in 1 - .999995. Without a pair none is wrong.
        return 100 * (2 * pairs - right - right_or_tied) / (2 * pairs) if pairs else 0.0


def _difference(
    rankings: list[list[RocRanking]], hams: Sequence[int] | None, spams: Sequence[int] | None
) -> float:
    first, second = (math.fsum(run.loss(hams, spams) for run in runs) / len(runs) for runs in rankings)
    return first - second


def draw(rng: Random, size: int) -> list[int]:
    """How often each of ``size`` messages comes up in as many draws with replacement."""
    times = [0] * size
    for place in rng.choices(range(size), k=size):
        times[place] += 1
    return times


def _by_kind(scores: Sequence[Score], spam: Sequence[bool]) -> tuple[list[Score], list[Score]]:
    _both_kinds(spam)
    if any(score != score for score in scores):
        raise BadSetting("A score is not a number (nan), so it cannot be ranked.")
    pairs = list(zip(scores, spam, strict=True))
    return [score for score, true in pairs if not true], [score for score, true in pairs if true]


def _equal_mass(pairs: list[tuple[float, bool]], bins: int) -> Iterator[tuple[int, int]]:
    """The borders of at most ``bins`` groups, moved up past equal probabilities."""
    start = 0
    for number in range(1, bins + 1):
        end = max(round(number * len(pairs) / bins), start)
        while start < end < len(pairs) and pairs[end][0] == pairs[end - 1][0]:
            end += 1
        if end > start:
            yield start, end
            start = end


def _bin(pairs: list[tuple[float, bool]]) -> Bin:
    said = math.fsum(p for p, _ in pairs) / len(pairs)
    return Bin(len(pairs), said, sum(1 for _, true in pairs if true) / len(pairs))


def _beta_quantile(share: float, a: float, b: float) -> float:
    """The x below which Beta(a, b) has ``share`` of its mass; 60 halvings reach the last bits of a double."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _beta_mass_below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta_mass_below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The fraction converges fast below the mean only; above it, take the other side.
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_mass_below(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _beta_fraction(x, a, b))


def _beta_fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + …)) by Lentz's method, with d as in the handbook of functions, 26.5.8."""
    tiny = 1e-300
    value = ahead = 1.0
    behind = 0.0
    for number in range(1, 100_000):  # about sqrt(max(a, b)) of them are needed
        m = number // 2
        if number % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        ahead = 1 + d / ahead or tiny
        behind = 1 / (1 + d * behind or tiny)
        value *= ahead * behind
        if abs(ahead * behind - 1) < 1e-15:
            break
    return value


def _some(spam: Sequence[bool]) -> None:
    if not spam:
        raise NotEnoughValues("There are no verdicts to measure.")


def _both_kinds(spam: Sequence[bool]) -> None:
    if not any(spam) or all(spam):
        raise NotEnoughValues("Error rates and the ROC area need at least one ham and one spam.")


def _counts(hits: int, trials: int, confidence: float) -> None:
    if not 0 <= hits <= trials or trials < 1:
        raise BadSetting(f"hits must be from 0 to trials, and trials at least 1; got {hits!r} of {trials!r}.")
    if not 0 < confidence < 1:
        raise BadSetting(f"confidence must be between 0 and 1, got {confidence!r} instead.")
