"""Tempering: one exponent for the sum of evidence, so that probabilities mean what they say.

Naive Bayes takes features to be independent given the label. Where they repeat each other it counts the same
evidence several times: its labels stay good, its probabilities are too sure. Tempered, a label scores

    log p(label)  +  t · log p(row | label)  +  offset of the label

with a t below 1 where evidence is repeated. At t = 0 only the shares of the labels are left, so tempering can
always do as well as they do. The offsets make each label as common among the predictions as it is among
the rows: evidence that is counted twice also leans twice as far to one side.

Exponent and offsets are those that make log p(label | row) of held-out rows largest. There is one peak,
because that is a concave function. If every held-out row is right, they could grow without end. Two things
prevent that: one imagined row whose label is drawn by the shares, and a prior that expects offsets of about
one nat.

When two columns say the same, their evidence counts twice, and t is half as large:

>>> evidence = np.array([[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 2.0], [0.0, 2.0]])
>>> start, truth = np.log(np.full((6, 2), 0.5)), np.array([0, 0, 1, 1, 1, 0])        # right in 2 of 3
>>> once, twice = (Temper.of([HeldOut(times * evidence, start, truth, np.ones(6))]) for times in (1, 2))
>>> round(once.exponent, 3), round(twice.exponent, 3), once.offsets.round(3).tolist()
(0.294, 0.147, [0.0, 0.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp

from deciban.families.reading import Floats

LARGEST = 64.0  # an exponent this large says that no held-out row was ever wrong
PRECISION = 1e-6


class HeldOut(NamedTuple):
    """Rows that were held out, and what the others say about them."""

    evidence: Floats  # (rows, labels): log p(row | label)
    start: Floats  # (rows, labels): log p(label); −∞ where a label is impossible
    truth: NDArray[np.intp]  # (rows,): the place of each row's label
    weight: Floats  # (rows,)

    @classmethod
    def of(cls, evidence: Floats, log_prior: Floats, truth: NDArray[np.intp], weight: Floats) -> Self:
        """The rows whose own label is possible; what is impossible stays so under any exponent."""
        possible = np.isfinite(evidence) & np.isfinite(log_prior)
        kept = possible[np.arange(len(truth)), truth]
        start = np.where(possible, log_prior, -np.inf)
        return cls(np.where(possible, evidence, 0.0)[kept], start[kept], truth[kept], weight[kept])


@dataclass(frozen=True, eq=False)
class Temper:
    """An exponent for evidence, and an offset for each label."""

    exponent: float
    offsets: Floats  # (labels,), in nats

    @classmethod
    def of(cls, held_out: Sequence[HeldOut]) -> Temper:
        """The likeliest temper of held-out rows, all with the same labels."""
        rows = HeldOut(*(np.concatenate(parts) for parts in zip(*held_out, strict=True)))
        slope = _Slope(rows)
        none = np.zeros(rows.evidence.shape[1])
        alone = slope.likeliest_exponent()
        if alone == 0 or len(none) < 2:
            return cls(alone, none)
        found = minimize(slope.loss, np.array([1.0, *none]), (alone,), jac=True, method="L-BFGS-B")
        factor, *offsets = found.x
        return cls(max(0.0, alone * float(factor)), np.array(offsets))

    def log_p(self, held_out: Sequence[HeldOut]) -> float:
        """The mean log p(label | row) of held-out rows."""
        total = whole = 0.0
        for rows in held_out:
            score = self.applied(rows.evidence, rows.start)
            own = score[np.arange(len(rows.truth)), rows.truth]
            total += float(rows.weight @ (own - logsumexp(score, axis=1)))
            whole += float(rows.weight.sum())
        return total / whole

    def applied(self, evidence: Floats, log_prior: Floats) -> Floats:
        """What each label scores: (rows, labels)."""
        with np.errstate(invalid="ignore"):  # 0 · −∞: with an exponent of 0, nothing is impossible
            tempered = self.exponent * evidence if self.exponent else np.zeros(evidence.shape)
        return np.asarray(tempered + log_prior + self.offsets)


class _Slope:
    """The log-loss of tempered rows, and which way is down."""

    def __init__(self, rows: HeldOut) -> None:
        self.rows = rows
        imagined = 1 / (1 + rows.weight.sum())  # one row, drawn by the shares
        shares = np.exp(rows.start - logsumexp(rows.start, axis=1, keepdims=True))
        self.target = imagined * shares
        self.target[np.arange(len(rows.truth)), rows.truth] += 1 - imagined

    def likeliest_exponent(self) -> float:
        """The best exponent without offsets: where the slope, which only falls, is zero."""
        if (slope := self.along(0.0)) <= 0:
            return 0.0 if slope else 1.0  # where nothing depends on it, evidence stays as it is
        high = 1.0
        while high < LARGEST and self.along(high) > 0:
            high *= 2
        return float(brentq(self.along, 0.0, high, xtol=PRECISION)) if high < LARGEST else LARGEST

    def along(self, exponent: float) -> float:
        """How fast the likelihood rises with the exponent."""
        _, gap = self._gaps(exponent, 0.0)
        return float((gap * self.rows.evidence).sum())

    def loss(self, unknowns: Floats, scale: float) -> tuple[float, Floats]:
        """The loss per row and its gradient, for an exponent in units of a scale and offsets."""
        exponent, offsets = scale * unknowns[0], unknowns[1:]
        log_p, gap = self._gaps(exponent, offsets)
        told = np.multiply(self.target, log_p, out=np.zeros(log_p.shape), where=self.target > 0)
        loss = offsets @ offsets / 2 - self.rows.weight @ told.sum(axis=1)
        downhill = np.array([-scale * (gap * self.rows.evidence).sum(), *(offsets - gap.sum(axis=0))])
        whole = max(1.0, float(self.rows.weight.sum()))
        return float(loss / whole), downhill / whole

    def _gaps(self, exponent: float, offsets: Floats | float) -> tuple[Floats, Floats]:
        """log p of each label, and by how much its chance falls short of the target, times the weight."""
        score = exponent * self.rows.evidence + self.rows.start + offsets
        log_p = score - logsumexp(score, axis=1, keepdims=True)
        return log_p, (self.target - np.exp(log_p)) * self.rows.weight[:, None]
