"""What a tally says about new rows: log-likelihoods, and the evidence of each feature behind them.

A reading answers two questions, and the answers agree (law 4):

    log_likelihood(X)   log p(x | label) of each row and label
    evidence(X)         an intercept a row and label, and what each feature adds to it

`PointReading` has fixed parameters, so that log p is linear in the statistics T(x): one matrix
product. `ElementwiseReading` has none (they were integrated out) and asks a function of each value.

Impossible values need care, because -inf times the zeros of a matrix product is NaN. So weights stay
finite, and a second linear form counts how many values of a row the label makes impossible; where it
is above zero the answer is -inf.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.families._predictive import take_logs
from deciban.families.matrices import cut, observed
from deciban.schema import Schema

if TYPE_CHECKING:
    from deciban.families.family import Family

ELEMENTS = 2**20  # how many numbers (rows × labels × features) an elementwise reading holds at once

# Of these there is one for each cell; of all others, one for each feature.
BY_CELL = ("count", "probability")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Breakdown:
    """What each feature adds to the log-likelihood of each label."""

    intercept: Floats  # (rows, labels)
    features: Floats  # (rows, labels, features)

    def total(self) -> Floats:
        """The log-likelihood again: the intercept and all features together."""
        return np.asarray(self.intercept + self.features.sum(axis=2))


class Late(Mapping[str, NDArray[Any]]):
    """Arrays by name, each made when somebody asks for it.

    >>> Late({"ones": partial(np.ones, 2)})["ones"].tolist()
    [1.0, 1.0]
    """

    def __init__(self, makers: Mapping[str, Callable[[], NDArray[Any]]]) -> None:
        self._makers, self._made = makers, dict[str, NDArray[Any]]()

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Reading(ABC):
    """A tally that was read by a rule."""

    family: Family
    labels: NDArray[Any]
    features: Schema
    parameters: Mapping[str, NDArray[Any]]

    def log_likelihood(self, X: Any) -> Floats:
        """log p(x | label), up to what no parameter touches: (rows, labels)."""
        return self.score(self.admit(X))

    def evidence(self, X: Any) -> Breakdown:
        """The same, told apart by feature."""
        return self.explain(self.admit(X))

    def log_density(self, X: Any) -> Floats:
        """log p(x | label) in full, as a density or mass that sums to one."""
        X = self.admit(X)
        return self.score(X) + self.family._log_base(X)[:, None]

    def admit(self, X: Any) -> Any:
        """The family's door, with the names of the features at hand for an error."""
        return self.family._admit(X, self.features.names)

    @abstractmethod
    def score(self, X: Any) -> Floats:
        """The log-likelihood of rows that were admitted."""

    @abstractmethod
    def explain(self, X: Any) -> Breakdown:
        """The evidence of rows that were admitted."""

    def picked(self, columns: NDArray[np.intp]) -> Reading | None:  # noqa: ARG002
        """The reading of only some features, for sparse rows; only if each feature speaks for itself."""
        return None

    def absence(self) -> Floats | None:
        """What a zero of each feature says, (labels, features); None if nothing."""
        return None

    def silenced(self, silent: NDArray[np.bool_]) -> Reading:
        """The same, but some features say nothing, whatever their value."""
        raise NotImplementedError(f"{type(self).__name__} needs all of its features.")


@dataclass(frozen=True, eq=False)
class Form:
    """A linear form in the statistics: Σ weight · T(x) + Σ offset over the features that are there."""

    weights: Mapping[str, Floats]  # (labels, cells) each
    offset: Floats  # (labels, features)

    def of(self, statistics: Mapping[str, Any], missing: Any) -> Floats:
        """The form's value for a block of rows: (rows, labels)."""
        # scipy transposes the weights each time, which helps: the product then finds them in the cache and
        # takes 65 ms. With weights that were transposed beforehand it takes 77 ms.
        products = [statistic @ self.weights[name].T for name, statistic in statistics.items()]
        value = np.asarray(products[0])
        for product in products[1:]:
            value += product
        value += self.offset.sum(axis=1)
        if missing is not None:
            value -= missing @ self.offset.T
        return value

    def by_feature(self, statistics: Mapping[str, Any], missing: Any, features: Schema) -> Floats:
        """The same before it is summed: (rows, labels, features)."""
        there = 1.0 if missing is None else 1.0 - _filled(missing)[:, None, :]
        value = self.offset[None] * there
        for name, statistic in statistics.items():
            terms = _filled(statistic)[:, None, :] * self.weights[name][None]
            value = value + (features.add_up(terms) if name in BY_CELL else terms)
        return value


@dataclass(frozen=True, eq=False)
class PointReading(Reading):
    """Fixed parameters: log p is linear in the statistics."""

    family: Family
    labels: NDArray[Any]
    features: Schema
    parameters: Mapping[str, NDArray[Any]]
    form: Form
    impossible: Form | None = None  # counts the values of a row that cannot be

    def score(self, X: Any) -> Floats:
        """log p(x | label) as a matrix product, block by block."""
        blocks = self.family._blocks(X)
        parts = [self._block(cut(X, rows)) for rows in blocks]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty((0, len(self.labels)))

    def _block(self, X: Any) -> Floats:
        # A missing value makes its row NaN, so we look for gaps after the product: that saves a pass.
        statistics, missing = self._look(X, gaps=False)
        value = self.form.of(statistics, missing)
        if np.isnan(value.min(initial=0.0)):
            statistics, missing = self._look(X)
            value = self.form.of(statistics, missing)
        if self.impossible is None:
            return value
        return np.where(self.impossible.of(statistics, missing) > 0, -np.inf, value)

    def explain(self, X: Any) -> Breakdown:
        """What each feature adds: weight · T(x) + offset."""
        statistics, missing = self._look(X)
        value = self.form.by_feature(statistics, missing, self.features)
        if self.impossible is not None:
            never = self.impossible.by_feature(statistics, missing, self.features) > 0
            value = np.where(never, -np.inf, value)
        return Breakdown(np.zeros((X.shape[0], len(self.labels))), value)

    def picked(self, columns: NDArray[np.intp]) -> Reading | None:
        """Some columns of every weight."""
        if not self.family._zero_adds_nothing:
            return None

        def of(form: Form) -> Form:
            weights = {name: values[:, columns] for name, values in form.weights.items()}
            return Form(weights, form.offset[:, columns])

        features, _ = self.features.pick(columns)
        never = None if self.impossible is None else of(self.impossible)
        return replace(self, features=features, parameters={}, form=of(self.form), impossible=never)

    def absence(self) -> Floats | None:
        """The offsets, where they say anything."""
        return self.form.offset if self.form.offset.any() else None

    def silenced(self, silent: NDArray[np.bool_]) -> Reading:
        """Weights and offsets of zero."""

        def of(form: Form) -> Form:
            weights = {name: self._hushed(name, values, silent) for name, values in form.weights.items()}
            return Form(weights, self._hushed("offset", form.offset, silent))

        parameters = Late({name: partial(self._unknown, name, silent) for name in self.parameters})
        never = None if self.impossible is None else of(self.impossible)
        return replace(self, parameters=parameters, form=of(self.form), impossible=never)

    def _hushed(
        self, name: str, values: NDArray[Any], silent: NDArray[np.bool_], fill: float = 0.0
    ) -> Floats:
        quiet = silent[self.features.owner] if name in BY_CELL else silent
        values = values if values.flags.writeable else values.copy()
        values[:, np.flatnonzero(quiet)] = fill  # a reading that was just made belongs to nobody else yet
        return values

    def _unknown(self, name: str, silent: NDArray[np.bool_]) -> Floats:
        """A parameter, and NaN where features are silent."""
        return self._hushed(name, self.parameters[name].astype(float), silent, np.nan)

    def _look(self, X: Any, gaps: bool = True) -> tuple[Mapping[str, Any], Any]:
        """The statistics of a block, and where values are missing if there may be gaps."""
        dense = self.family._dense(X)
        values, missing = observed(dense) if gaps else (dense, None)
        return self.family._statistics(values, missing), missing


@dataclass(frozen=True, eq=False)
class ElementwiseReading(Reading):
    """Parameters integrated out, feature by feature: log p is a function of each value.

    Sparse rows are cheap where the family allows it: every row starts from the evidence of all zeros,
    and only the values that are not zero are looked at.
    """

    family: Family
    labels: NDArray[Any]
    features: Schema
    parameters: Mapping[str, NDArray[Any]]  # (labels, features) each, in the order of the function
    log_p: Callable[..., Floats]
    hidden: tuple[NDArray[Any], ...] = field(default=())  # further arguments, (labels, features, …)
    silent: NDArray[np.bool_] | None = None  # features that say nothing

    def score(self, X: Any) -> Floats:
        """log p(x | label), summed over the features."""
        if sparse.issparse(X) and self.family._zero_adds_nothing:
            return self._sparse(X)
        depth = max([1, *(values[0, 0].size for values in self.hidden if values.size)])
        step = max(1, ELEMENTS // max(1, depth * len(self.labels) * X.shape[1]))
        parts = [self.explain(X[i : i + step]).total() for i in range(0, X.shape[0], step)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.labels)))

    def explain(self, X: Any) -> Breakdown:
        """log p of each value, nothing where it is missing."""
        values = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
        gaps = np.isnan(values) if self.silent is None else np.isnan(values) | self.silent
        terms = self.log_p(np.where(gaps, 1.0, values)[:, None, :], *self._arguments())
        return Breakdown(np.zeros((len(values), len(self.labels))), np.where(gaps[:, None, :], 0.0, terms))

    def picked(self, columns: NDArray[np.intp]) -> Reading | None:
        """Some columns of every parameter."""
        if not self.family._zero_adds_nothing:
            return None
        features, _ = self.features.pick(columns)
        parameters = {name: values[:, columns] for name, values in self.parameters.items()}
        hidden = tuple(values[:, columns] for values in self.hidden)
        silent = None if self.silent is None else self.silent[columns]
        return replace(self, features=features, parameters=parameters, hidden=hidden, silent=silent)

    def absence(self) -> Floats | None:
        """log p of a zero."""
        return np.asarray(self.explain(np.zeros((1, len(self.features)))).features[0])

    def silenced(self, silent: NDArray[np.bool_]) -> Reading:
        """Their values are as good as missing."""
        return replace(self, silent=silent)

    def _arguments(self) -> list[NDArray[Any]]:
        return [*(np.asarray(values) for values in self.parameters.values()), *self.hidden]

    def _sparse(self, X: Any) -> Floats:
        total = np.empty((X.shape[0], len(self.labels)))
        gaps = np.isnan(X.data)
        if self.silent is not None:
            gaps |= self.silent[X.indices]
        values = np.where(gaps, 0.0, X.data)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        for label in range(len(self.labels)):
            arguments = [values[label] for values in self._arguments()]
            zeros = self.log_p(np.zeros(X.shape[1]), *arguments)
            if self.silent is not None:
                zeros = np.where(self.silent, 0.0, zeros)
            there = [argument[X.indices] for argument in arguments]
            extra = np.where(gaps, 0.0, self.log_p(values, *there)) - zeros[X.indices]
            total[:, label] = zeros.sum() + np.bincount(rows, weights=extra, minlength=X.shape[0])
        return total


@dataclass(frozen=True, eq=False)
class NarrowReading(Reading):
    """A reading of fewer features than a row has: the silent ones are cut off before they are looked at."""

    inner: Reading
    features: Schema
    silent: NDArray[np.bool_]

    @property
    def family(self) -> Family:  # type: ignore[override]
        """The family of the wider rows is the same but for its pivot."""
        return self.inner.family._unsettled()

    @property
    def labels(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels."""
        return self.inner.labels

    @property
    def parameters(self) -> Mapping[str, NDArray[Any]]:  # type: ignore[override]
        """Those of the features that speak; NaN for the others."""
        return {name: self._wide(values, np.nan) for name, values in self.inner.parameters.items()}

    def score(self, X: Any) -> Floats:
        """log p of the features that speak."""
        return self.inner.score(X[:, ~self.silent])

    def explain(self, X: Any) -> Breakdown:
        """Nothing is told of the silent ones."""
        told = self.inner.explain(X[:, ~self.silent])
        return Breakdown(told.intercept, self._wide(told.features, 0.0))

    def _wide(self, values: NDArray[Any], fill: float) -> Floats:
        wide = np.full((*values.shape[:-1], len(self.features)), fill)
        wide[..., ~self.silent] = values
        return wide


def _filled(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=float)


def finite_log(probability: NDArray[Any]) -> Floats:
    """log p, with 0 where p is 0: such cells are counted as impossible instead."""
    logs = np.empty(probability.shape)
    take_logs(np.ascontiguousarray(probability, dtype=float).ravel(), logs.ravel())
    return logs


def counting(impossible: Mapping[str, NDArray[Any]], offset: NDArray[Any]) -> Form | None:
    """The form that counts impossible values, or None where every value is possible."""
    if not offset.any() and not any(cells.any() for cells in impossible.values()):
        return None
    weights = {name: cells.astype(float) for name, cells in impossible.items()}
    return Form(weights, offset.astype(float))
