"""What the filter says about a message, in decibans: 10 · log10 of an odds ratio.

>>> verdict = Verdict.of({"spam": 3.0, "ham": -1.0})
>>> verdict.label, round(verdict.probability, 3), round(verdict.decibans, 1), verdict.unsure
('spam', 0.982, 17.4, False)

Until two labels were taught there is nothing to choose between, and every verdict is unsure:

>>> Verdict.of({"ham": 0.0})
Verdict(label='ham', probability=None, decibans=0.0, probabilities={}, unsure=True, evidence=())
>>> Verdict.of({}).label
''
"""

from __future__ import annotations

from math import exp, log

from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deciban.committee.evidence import Evidence

SPAM = "spam"
DECIBANS_A_NAT = 10 / log(10)


class Verdict(Value):
    """The most probable label, how sure that is, and on request why."""

    label: str
    """The label with the largest total; empty if nothing was ever taught."""
    probability: float | None
    """Of the label; None until two labels were taught."""
    decibans: float
    """The winner's total against the runner-up's."""
    probabilities: dict[str, float]
    """Of every label; empty until two were taught."""
    unsure: bool
    """Whether nothing should be done about it: see threshold.py."""
    evidence: tuple[Evidence, ...] = ()
    """What it came from, strongest first, if it was asked for."""

    @classmethod
    def of(cls, totals: Mapping[str, float], label: str = "") -> Verdict:
        """The verdict of the judge's totals, in nats, by label; a ``label`` that is given wins anyway."""
        ranked = sorted(totals, key=totals.__getitem__, reverse=True)
        if len(ranked) < 2:
            return cls(ranked[0] if ranked else "", None, 0.0, {}, unsure=True)
        label = label or ranked[0]
        probabilities = probabilities_of(totals)
        decibans = DECIBANS_A_NAT * (totals[label] - totals[runner_up(totals, label)])
        return cls(label, probabilities[label], decibans, probabilities, unsure=False)


def runner_up(totals: Mapping[str, float], label: str) -> str:
    """The label with the largest total but for this one."""
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
    others = [total for other, total in totals.items() if other != label]
    if len(others) == 1:  # log exp 0 is 0
        return totals[label] - others[0]
    most = max(others)
    return totals[label] - most - log(sum(exp(total - most) for total in others))
