"""What the filter says about a message, in decibans: 10 · log10 of an odds ratio.

>>> verdict = Verdict.of({"spam": 3.0, "ham": -1.0})
>>> verdict.label, round(verdict.probability, 3), round(verdict.decibans, 1), verdict.unsure
('spam', 0.982, 17.4, False)

Until two labels were taught there is nothing to choose between, and every verdict is unsure:

>>> verdict = Verdict.of({"ham": 0.0})
>>> verdict.label, verdict.probability, verdict.decibans, verdict.unsure
('ham', None, 0.0, True)
>>> Verdict.of({}).label
''
"""

from __future__ import annotations

from deciban._exponentials import exp
from deciban.decibans import DECIBANS_A_NAT, UNSURE, probabilities_of, runner_up
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deciban.committee.evidence import Evidence


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
    otherwise: Verdict | None = None
    """What the filter would have said if the allow list had not decided; the evidence is for this verdict."""
    subtotals: dict[str, float] | None = None
    """What each view and the prior say against the runner-up, if asked for; they add up to `decibans`."""

    @property
    def decision(self) -> str:
        """One word for what to do with the message: its label, or unsure."""
        return UNSURE if self.unsure else self.label

    @classmethod
    def of(cls, totals: Mapping[str, float], label: str = "") -> Verdict:
        """The verdict of the judge's totals, in nats, by label; a ``label`` that is given wins anyway."""
        if len(totals) == 2 and not label:
            return cls._of_two(totals)
        ranked = sorted(totals, key=totals.__getitem__, reverse=True)
        if len(ranked) < 2:
            return cls(ranked[0] if ranked else "", None, 0.0, {}, unsure=True)
        label = label or ranked[0]
        probabilities = probabilities_of(totals)
        decibans = DECIBANS_A_NAT * (totals[label] - totals[runner_up(totals, label)])
        # All of them by position, which takes a third of the time: this is done for every message.
        return cls(label, probabilities[label], decibans, probabilities, False, (), None, None)

    def weighed(self, subtotals: dict[str, float]) -> Verdict:
        """The same with its subtotals."""
        return Verdict(
            self.label, self.probability, self.decibans, self.probabilities,
            self.unsure, self.evidence, self.otherwise, subtotals,
        )  # fmt: skip

    @classmethod
    def _of_two(cls, totals: Mapping[str, float]) -> Verdict:
        """The same for the usual two labels, in a third of the time.

        >>> Verdict._of_two({"spam": 1.0, "ham": 2.0}) == Verdict.of({"spam": 1.0, "ham": 2.0}, "ham")
        True
        """
        (first, high), (second, low) = totals.items()
        share = exp(-abs(high - low))
        more, less = 1 / (1 + share), share / (1 + share)
        if high >= low:
            return cls(
                first, more, DECIBANS_A_NAT * (high - low), {first: more, second: less}, False, (), None, None
            )
        return cls(
            second, more, DECIBANS_A_NAT * (low - high), {first: less, second: more}, False, (), None, None
        )
