"""The unit and the odds: from totals, in nats, to probabilities, decibans and what is to be done.

A deciban is 10 · log10 of an odds ratio: 10 dB are odds of 10 to 1, 20 dB of 100 to 1.

>>> totals = {"spam": 3.0, "ham": -1.0}
>>> round(DECIBANS_A_NAT * log_odds(totals), 1), round(probabilities_of(totals)["spam"], 3)
(17.4, 0.982)

Mail is called spam only above a bar, which is log-odds in nats, and good only if that is four times as likely
as spam. In between, nothing should be done about it:

>>> is_unsure(totals, bar=5.0), is_unsure(totals, bar=2.0), is_unsure({"spam": -1.0, "ham": 3.0}, bar=5.0)
(True, False, False)
>>> is_unsure({"spam": 0.0, "ham": 1.0}, bar=5.0)
True
"""

from __future__ import annotations

from deciban._exponentials import exp, log, log_sum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DECIBANS_A_NAT = 10 / log(10)
# The one label that is not good mail, and the word for a message about which nothing should be done.
SPAM = "spam"
UNSURE = "unsure"
# Good mail has odds of 4 : 1 against spam, or is unsure. After 20 lessons at random, on five corpora, 28% of
# the spam was called good and 9% of the good mail was not; with even odds 56% and 2%, with 9 : 1 14% and 19%.
# After 200 lessons: 2.3% and 4.3%, 5.5% and 1.9%, 1.3% and 6.6% (docs/experiments.md).
CLEARLY_GOOD = log(4)


def runner_up(totals: Mapping[str, float], label: str) -> str:
    """The label with the largest total but for this one."""
    if len(totals) == 2 and label in totals:  # the usual case, in a fifth of the time
        first, second = totals
        return second if label == first else first
    return max((other for other in totals if other != label), key=totals.__getitem__)


def probabilities_of(totals: Mapping[str, float]) -> dict[str, float]:
    """The softmax of the totals.

    >>> probabilities_of({"spam": 1000.0, "ham": 1000.0})
    {'spam': 0.5, 'ham': 0.5}
    """
    most = max(totals.values(), default=0.0)
    powers = {label: exp(total - most) for label, total in totals.items()}
    whole = sum(powers.values())
    return {label: power / whole for label, power in powers.items()}


def log_odds(totals: Mapping[str, float], label: str = SPAM) -> float:
    """log p / (1 − p) of a label, in nats, without losing what p rounds away.

    >>> round(log_odds({"spam": 50.0, "ham": 0.0, "work": 0.0}), 4)
    49.3069
    """
    if len(totals) == 2:  # log exp 0 is 0
        return totals[label] - totals[runner_up(totals, label)]
    return totals[label] - log_sum([total for other, total in totals.items() if other != label])


def probability_of(log_odds: float) -> float:
    """1 / (1 + exp(−x)) without overflow.

    >>> probability_of(0.0), probability_of(-1000.0), probability_of(1000.0)
    (0.5, 0.0, 1.0)
    """
    share = exp(-abs(log_odds))
    return share / (1 + share) if log_odds < 0 else 1 / (1 + share)


def probability_text(probability: float) -> str:
    """Four digits, and more where they would all be nines.

    >>> [probability_text(p) for p in (0.5, 0.99931, 0.99999876, 1.0)]
    ['0.5000', '0.9993', '0.9999988', '1']
    """
    if probability >= 1:
        return "1"
    digits = 4
    while round(probability, digits) == 1:
        digits += 1
    return f"{probability:.{digits if digits == 4 else digits + 1}f}"


def is_unsure(totals: Mapping[str, float], bar: float | None) -> bool:
    """Whether a message is neither clearly spam nor clearly good.

    Spam must exceed the bar; without a bar it never does. Good mail must not be too likely to be spam.
    """
    best = max(totals, key=totals.__getitem__)
    return is_doubtful(totals, best, bar)


def is_doubtful(totals: Mapping[str, float], best: str, bar: float | None) -> bool:
    """The same for who knows the label with the largest total."""
    if best == SPAM:
        return bar is None or log_odds(totals) <= bar
    return SPAM in totals and log_odds(totals) > -CLEARLY_GOOD
