"""A tally read as a classifier: log p(label) + log p(row | label).

Everything that classifies by a tally goes through here, in one batch or for one row: predictions,
cross-validation by subtraction and explanations cannot disagree.

With `complement`, a label is judged by how badly everything *else* explains the row (Rennie et al.,
2003): −log p(row | not the label), read from `total − own`. A `temper` scales what features say
(temper.py).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.decibans import DECIBANS_A_NAT
from deciban.errors import BadPrior, BadSetting, ImpossibleRows
from deciban.families.reading import Breakdown, Floats, PointReading, Reading
from deciban.families.telling import read_density, read_telling
from deciban.learners.explanation import Explanation, FeatureEvidence
from deciban.learners.temper import Temper
from deciban.tally import Tally

NORMALISED = "normalised"  # a complement whose weights sum to one
LISTED = 10  # how many absent features are listed for a sparse row


class Model:
    """A tally, a rule and two priors, ready to classify; perhaps only by features that tell labels apart."""

    def __init__(
        self,
        tally: Tally,
        rule: str,
        prior: Any,
        label_prior: Any = None,
        complement: bool | str = False,
        telling_only: bool = False,
        temper: Temper | None = None,
    ) -> None:
        self.tally, self.telling_only, self.temper = tally, telling_only, temper
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
    def density(self) -> Reading:
        """The same with every feature in it that has a density, so that chances of whole rows can be told."""
        if self.complement:
            raise BadSetting("A complement model says how a row does not look, so no row has a likelihood.")
        return read_density(self.tally, self.rule, self.prior) if self.telling_only else self.reading

    def log_density(self, X: Any) -> Floats:
        """log p(label, row) with all constants, whatever the temper: (rows, labels)."""
        return self.density.log_density(X) + self.log_prior

    @cached_property
    def log_prior(self) -> Floats:
        """log p(label), before any feature is seen."""
        rows = np.asarray(self.tally.rows, dtype=float)
        given = self.label_prior
        if given is None and self.complement:
            return np.zeros(len(rows))  # as ComplementNB: other rows do not say how common a label is
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(label_chances(given, self.tally.labels, rows)))

    def joint(self, X: Any) -> Floats:
        """log p(label, row), up to what is the same for every label: (rows, labels)."""
        return self._joint(self.reading.admit(X))

    def evidence(self, X: Any) -> Floats:
        """log p(row | label) as it counts for a label, before any temper: (rows, labels)."""
        return self._evidence(self.reading.admit(X))

    def _evidence(self, X: Any) -> Floats:
        evidence = self.reading.score(X)
        if self.complement:
            evidence *= self.signs
        return evidence

    @cached_property
    def signs(self) -> Floats:
        """What log p is multiplied by under each label: −1 for a complement, less if it is normalised.

        When normalised, the weights of all words of a label sum to one. So a label whose words depend on each
        other, and come together, does not count for more (Rennie et al., 2003; ComplementNB(norm=True)).
        """
        if self.complement != NORMALISED:
            return np.full(len(self.tally.labels), -1.0 if self.complement else 1.0)
        if not isinstance(self.reading, PointReading) or set(self.reading.form.weights) != {"count"}:
            raise BadSetting(
                "complement='normalised' needs Multinomial() and a rule that reads weights: mean, map or mle."
            )
        return np.asarray(-1.0 / np.abs(self.reading.form.weights["count"]).sum(axis=1))

    def _joint(self, X: Any) -> Floats:
        joint = self._evidence(X)
        if self.temper is None:
            joint += self.log_prior
        else:
            joint = self.temper.applied(joint, self.log_prior)
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

        If the rows of the tally are components that belong to labels (`owner`), features speak for the
        likeliest component of each label; what the other components add belongs to no feature.
        """
        names = self.reading.features.names if names is None else names
        admitted = self.reading.admit(X)
        joint = self._joint(admitted)
        owner = np.arange(joint.shape[1]) if owner is None else owner
        labels = self.tally.labels if labels is None else labels
        whole = np.logaddexp.reduceat(joint, np.searchsorted(owner, np.arange(len(labels))), axis=1)
        by_row = sparse.issparse(admitted) and self.reading.picked(np.zeros(0, dtype=np.intp)) is not None
        everything = None if by_row else self.reading.explain(admitted)
        explanations = []
        for row, scores in enumerate(whole):
            ranked = np.argsort(-scores, kind="stable")[:2]
            best = [int(np.argmax(np.where(owner == label, joint[row], -np.inf))) for label in ranked]
            (first, second), (winner, runner_up) = (best * 2)[:2], (ranked.tolist() * 2)[:2]
            with np.errstate(invalid="ignore"):
                prior = DECIBANS_A_NAT * (self.log_prior[first] - self.log_prior[second])
                others = (scores[winner] - joint[row, first]) - (scores[runner_up] - joint[row, second])
            told = self._told(admitted, row, everything, (first, second), names)
            more = DECIBANS_A_NAT * float(others) if np.isfinite(others) else 0.0
            explanations.append(
                Explanation(
                    label=labels[winner],
                    runner_up=labels[runner_up],
                    prior=float(prior),
                    intercept=told.intercept + more,
                    features=tuple(sorted(told.features, key=lambda one: -abs(one.decibans))),
                    absence=told.absence,
                )
            )
        return explanations

    def _told(
        self,
        X: Any,
        row: int,
        everything: Breakdown | None,
        pair: tuple[int, int],
        names: Sequence[Hashable],
    ) -> Told:
        """What each feature of a row says for one label and against another."""
        if everything is None:
            columns = X.indices[X.indptr[row] : X.indptr[row + 1]]
            part = self.reading.picked(columns)
            assert part is not None
            breakdown, number, absent = part.explain(X[[row]][:, columns]), 0, np.zeros(len(columns), bool)
        else:
            columns = np.arange(len(self.reading.features))
            breakdown, number, absent = everything, row, self._zeros(X, row)
        each = self._against(breakdown.features[number], *pair)
        if np.isnan(each).any():  # impossible under both: the label prior decided alone
            return Told(0.0, [FeatureEvidence(names[column], 0.0) for column in columns])
        features = [
            FeatureEvidence(names[column], float(decibans), bool(zero))
            for column, decibans, zero in zip(columns, each, absent, strict=True)
        ]
        listed, rest = self._absent(*pair).all_but(columns) if everything is None else ([], 0.0)
        features += [FeatureEvidence(names[column], decibans, True) for column, decibans in listed]
        intercept = float(self._against(breakdown.intercept[number], *pair)) + self._offset(*pair)
        return Told(intercept, features, rest)

    def _against(self, evidence: Floats, first: int, second: int) -> Floats:
        factor = DECIBANS_A_NAT * (1.0 if self.temper is None else self.temper.exponent)
        with np.errstate(invalid="ignore"):
            told = self.signs[first] * evidence[first] - self.signs[second] * evidence[second]
            return np.asarray(factor * told)

    def _offset(self, first: int, second: int) -> float:
        """What a temper adds to one label and not to another, whatever the row."""
        if self.temper is None:
            return 0.0
        return DECIBANS_A_NAT * float(self.temper.offsets[first] - self.temper.offsets[second])

    def _zeros(self, X: Any, row: int) -> NDArray[np.bool_]:
        """Which features of a row are absent, for families where a zero means that."""
        count = len(self.reading.features)
        if not self.reading.family._zero_is_absence or isinstance(X, list):
            return np.zeros(count, dtype=bool)
        values = X[[row]].toarray()[0] if sparse.issparse(X) else np.asarray(X[row])
        return np.asarray(values == 0)

    def _absent(self, first: int, second: int) -> Absence:
        """What every absent feature says for one label and against another, found once for each pair."""
        if (first, second) not in self._absences:
            absence = self.reading.absence()
            told = np.zeros(0) if absence is None else self._against(absence, first, second)
            self._absences[first, second] = Absence(told)
        return self._absences[first, second]

    @cached_property
    def _absences(self) -> dict[tuple[int, int], Absence]:
        return {}


class Told(NamedTuple):
    """Evidence in decibans: of no feature, of each listed one, and of all others that are not there."""

    intercept: float
    features: list[FeatureEvidence]
    absence: float = 0.0


class Absence:
    """What features say by not being there, strongest first."""

    def __init__(self, told: Floats) -> None:
        self.told = np.where(np.isfinite(told), told, 0.0)
        self.order = np.argsort(-np.abs(self.told), kind="stable")
        self.total = math.fsum(self.told)

    def all_but(self, present: NDArray[np.intp]) -> tuple[list[tuple[int, float]], float]:
        """The strongest that are not present, and what all others say together."""
        if not len(self.told):
            return [], 0.0
        there = set(present.tolist())
        strongest = self.order[: LISTED + len(there)].tolist()
        listed = [(i, float(self.told[i])) for i in strongest if i not in there and self.told[i]][:LISTED]
        spoken = [decibans for _, decibans in listed] + self.told[present].tolist()
        return listed, self.total - math.fsum(spoken)


def label_chances(given: Any, labels: NDArray[Any], rows: Floats) -> Floats:
    """p(label): as counted (None), smoothed by a number, uniform, or as given."""
    if given is None:
        return np.asarray(rows / rows.sum())
    if isinstance(given, str):
        refuse_unknown_chances(given)
        return np.full(len(rows), 1 / len(rows))
    if isinstance(given, Mapping):
        missing = [label for label in labels.tolist() if label not in given]
        if missing:
            raise BadPrior(f"label_prior says nothing about label {missing[0]!r}.")
        given = [given[label] for label in labels.tolist()]
    chances = _chances_of(given)
    if chances.ndim == 0:
        return np.asarray((rows + chances) / (rows + chances).sum())
    if chances.shape != rows.shape:
        raise BadPrior(
            f"Number of priors must match number of classes: {len(rows)} labels, {chances.size} chances."
        )
    return chances


def refuse_unknown_chances(given: Any) -> None:
    """Refuse a label prior that fits no labels, whatever they will be."""
    if given is None or isinstance(given, Mapping):
        return
    if isinstance(given, str):
        if given != "uniform":
            raise BadPrior(
                f"label_prior must be None, a number, 'uniform' or chances, got {given!r} instead."
            )
        return
    _chances_of(given)


def _chances_of(given: Any) -> Floats:
    """A number that smooths the counts, or chances."""
    try:
        chances = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise BadPrior(
            f"label_prior must be None, a number, 'uniform' or chances, got {given!r} instead."
        ) from None
    if chances.ndim == 0 and not 0 <= chances < np.inf:
        raise BadPrior(f"label_prior must be finite and not negative, got {given!r} instead.")
    if chances.ndim and ((chances < 0).any() or not np.isclose(chances.sum(), 1.0)):
        raise BadPrior(f"The label prior must be chances that sum to 1, got {chances.tolist()}.")
    return chances
