"""A tally read as a classifier: log p(label) + log p(row | label).

Everything that classifies by a tally goes through here, in one batch or for one row: predictions,
cross-validation by subtraction and explanations cannot disagree.

With `complement`, a label is judged by how badly everything *else* explains the row (Rennie et al.,
2003): −log p(row | not the label), read from `total − own`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import BadPrior, ImpossibleRows
from deciban.families.reading import Floats, Reading
from deciban.learners.explanation import Explanation, FeatureEvidence
from deciban.tally import Tally

DECIBANS_A_NAT = 10 / np.log(10)


class Model:
    """A tally, a rule and two priors, ready to classify."""

    def __init__(
        self, tally: Tally, rule: str, prior: Any, label_prior: Any = None, complement: bool = False
    ) -> None:
        self.tally = tally
        self._rule, self._prior = rule, prior
        self._label_prior, self._complement = label_prior, complement

    @cached_property
    def reading(self) -> Reading:
        """What the tally says about each label, or about everything else."""
        tally = self.tally.complement() if self._complement else self.tally
        return tally.read(self._rule, self._prior)

    @cached_property
    def log_prior(self) -> Floats:
        """log p(label), before any feature is seen."""
        rows = np.asarray(self.tally.rows, dtype=float)
        given = self._label_prior
        if given is None and self._complement:
            return np.zeros(len(rows))  # as ComplementNB: what is not of a label says nothing of its share
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(label_chances(given, self.tally.labels, rows)))

    def joint(self, X: Any) -> Floats:
        """log p(label, row), up to what is the same for every label: (rows, labels)."""
        return self._joint(self.reading.admit(X))

    def _joint(self, X: Any) -> Floats:
        likelihood = self.reading.score(X)
        joint = self.log_prior + (-likelihood if self._complement else likelihood)
        lost = ~(joint > -np.inf).any(axis=1) if joint.size else np.zeros(len(joint), dtype=bool)
        if lost.any():
            warnings.warn(
                f"{int(lost.sum())} of {len(lost)} rows are impossible under every label and were given the "
                "label prior. A prior above 0 avoids this.",
                ImpossibleRows,
                stacklevel=4,
            )
            joint[lost] = self.log_prior
        return joint

    def explain(self, X: Any) -> list[Explanation]:
        """Winner against runner-up, feature by feature, for each row."""
        admitted = self.reading.admit(X)
        joint = self._joint(admitted)
        told = self.reading.explain(admitted)
        sign = -DECIBANS_A_NAT if self._complement else DECIBANS_A_NAT
        explanations = []
        for row, scores in enumerate(joint):
            ranked = np.argsort(-scores, kind="stable")
            first, second = ranked[0], ranked[min(1, len(ranked) - 1)]
            with np.errstate(invalid="ignore"):
                each = sign * (told.features[row, first] - told.features[row, second])
                rest = sign * (told.intercept[row, first] - told.intercept[row, second])
                prior = DECIBANS_A_NAT * (self.log_prior[first] - self.log_prior[second])
            if np.isnan(each).any():  # impossible under both: the label prior decided alone
                each, rest = np.zeros(len(each)), 0.0
            order = np.argsort(-np.abs(each), kind="stable")
            names = self.reading.features.names
            explanations.append(
                Explanation(
                    label=self.tally.labels[first],
                    runner_up=self.tally.labels[second],
                    prior=float(prior),
                    intercept=float(rest),
                    features=tuple(FeatureEvidence(names[i], float(each[i])) for i in order),
                )
            )
        return explanations


def label_chances(given: Any, labels: NDArray[Any], rows: Floats) -> Floats:
    """p(label): as counted (None), smoothed by a number, uniform, or as given."""
    if given is None:
        return rows / rows.sum()
    if isinstance(given, str):
        if given != "uniform":
            raise BadPrior(f"label_prior must be None, a number, 'uniform' or chances, got {given!r} instead.")
        return np.full(len(rows), 1 / len(rows))
    if isinstance(given, Mapping):
        missing = [label for label in labels.tolist() if label not in given]
        if missing:
            raise BadPrior(f"label_prior says nothing about label {missing[0]!r}.")
        given = [given[label] for label in labels.tolist()]
    chances = np.asarray(given, dtype=float)
    if chances.ndim == 0:
        if not chances >= 0:
            raise BadPrior(f"label_prior must not be negative, got {given!r} instead.")
        return (rows + chances) / (rows + chances).sum()
    if chances.shape != rows.shape:
        raise BadPrior(f"Number of priors must match number of classes: {len(rows)} labels, {chances.size} chances.")
    if (chances < 0).any() or not np.isclose(chances.sum(), 1.0):
        raise BadPrior(f"The label prior must be chances that sum to 1, got {chances.tolist()}.")
    return chances
