"""A tally read as a classifier: log p(label) + log p(row | label).

Everything that classifies by a tally goes through here, in one batch or for one row: predictions,
cross-validation by subtraction and explanations cannot disagree.

With `complement`, a label is judged by how badly everything *else* explains the row (Rennie et al.,
2003): −log p(row | not the label), read from `total − own`.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.decibans import DECIBANS_A_NAT
from deciban.errors import BadPrior, ImpossibleRows
from deciban.families.reading import Floats, Reading
from deciban.families.telling import read_telling
from deciban.learners.explanation import Explanation, FeatureEvidence
from deciban.tally import Tally


class Model:
    """A tally, a rule and two priors, ready to classify; perhaps only by features that tell labels apart."""

    def __init__(
        self,
        tally: Tally,
        rule: str,
        prior: Any,
        label_prior: Any = None,
        complement: bool = False,
        telling_only: bool = False,
    ) -> None:
        self.tally, self.telling_only = tally, telling_only
        self.rule, self.prior = rule, prior
        self.label_prior, self.complement = label_prior, complement

    @cached_property
    def reading(self) -> Reading:
        """What the tally says about each label, or about everything else."""
        tally = self.tally.complement() if self.complement else self.tally
        if not self.telling_only:
            return tally.read(self.rule, self.prior)
        return read_telling(tally, self.rule, self.prior, self.tally)

    @cached_property
    def log_prior(self) -> Floats:
        """log p(label), before any feature is seen."""
        rows = np.asarray(self.tally.rows, dtype=float)
        given = self.label_prior
        if given is None and self.complement:
            return np.zeros(len(rows))  # as ComplementNB: what is not of a label says nothing of its share
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(label_chances(given, self.tally.labels, rows)))

    def joint(self, X: Any) -> Floats:
        """log p(label, row), up to what is the same for every label: (rows, labels)."""
        return self._joint(self.reading.admit(X))

    def _joint(self, X: Any) -> Floats:
        joint = self.reading.score(X)
        if self.complement:
            np.negative(joint, out=joint)
        joint += self.log_prior
        if joint.size and joint.min() == -np.inf:
            self._rescue(joint)
        return joint

    def _rescue(self, joint: Floats) -> None:
        """Give rows that no label can explain the label prior."""
        lost = np.asarray(joint.max(axis=1) == -np.inf)
        if lost.any():
            warnings.warn(
                f"{int(lost.sum())} of {len(lost)} rows are impossible under every label and were given the "
                "label prior. A prior above 0 avoids this.",
                ImpossibleRows,
                stacklevel=5,
            )
            joint[lost] = self.log_prior

    def explain(
        self,
        X: Any,
        names: Sequence[Hashable] | None = None,
        owner: NDArray[np.intp] | None = None,
        labels: NDArray[Any] | None = None,
    ) -> list[Explanation]:
        """Winner against runner-up, feature by feature, for each row.

        Where the tally's rows are components that belong to labels (`owner`), features speak for the
        likeliest component of each label, and what its others add belongs to no feature.
        """
        names = self.reading.features.names if names is None else names
        admitted = self.reading.admit(X)
        joint = self._joint(admitted)
        told = self.reading.explain(admitted)
        owner = np.arange(joint.shape[1]) if owner is None else owner
        labels = self.tally.labels if labels is None else labels
        whole = np.logaddexp.reduceat(joint, np.searchsorted(owner, np.arange(len(labels))), axis=1)
        sign = -DECIBANS_A_NAT if self.complement else DECIBANS_A_NAT
        explanations = []
        for row, scores in enumerate(whole):
            ranked = np.argsort(-scores, kind="stable")[:2]
            best = [int(np.argmax(np.where(owner == label, joint[row], -np.inf))) for label in ranked]
            (first, second), (winner, runner_up) = (best * 2)[:2], (ranked.tolist() * 2)[:2]
            with np.errstate(invalid="ignore"):
                each = sign * (told.features[row, first] - told.features[row, second])
                rest = sign * (told.intercept[row, first] - told.intercept[row, second])
                prior = DECIBANS_A_NAT * (self.log_prior[first] - self.log_prior[second])
                others = (scores[winner] - joint[row, first]) - (scores[runner_up] - joint[row, second])
            rest += DECIBANS_A_NAT * np.nan_to_num(others)
            if np.isnan(each).any():  # impossible under both: the label prior decided alone
                each, rest = np.zeros(len(each)), 0.0
            order = np.argsort(-np.abs(each), kind="stable")
            explanations.append(
                Explanation(
                    label=labels[winner],
                    runner_up=labels[runner_up],
                    prior=float(prior),
                    intercept=float(rest),
                    features=tuple(FeatureEvidence(names[i], float(each[i])) for i in order),
                )
            )
        return explanations


def label_chances(given: Any, labels: NDArray[Any], rows: Floats) -> Floats:
    """p(label): as counted (None), smoothed by a number, uniform, or as given."""
    if given is None:
        return np.asarray(rows / rows.sum())
    if isinstance(given, str):
        if given != "uniform":
            raise BadPrior(
                f"label_prior must be None, a number, 'uniform' or chances, got {given!r} instead."
            )
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
        return np.asarray((rows + chances) / (rows + chances).sum())
    if chances.shape != rows.shape:
        raise BadPrior(
            f"Number of priors must match number of classes: {len(rows)} labels, {chances.size} chances."
        )
    if (chances < 0).any() or not np.isclose(chances.sum(), 1.0):
        raise BadPrior(f"The label prior must be chances that sum to 1, got {chances.tolist()}.")
    return chances
