"""Tallies: sums of sufficient statistics, one row a label. Start reading here.

Everything deciban learns is a sum. A *family* (Bernoulli, Gaussian, …) says what to add up for one
value; a `Tally` is those sums for each label. Because sums add, a tally can be learned in pieces, on
many machines, in any order; because they subtract, it can be unlearned:

>>> from deciban import Bernoulli
>>> mail = [[1, 0], [1, 1], [0, 0]]                      # columns: "free", "meeting"
>>> tally = Bernoulli().tally(mail, ["spam", "ham", "ham"], features=["free", "meeting"])
>>> tally.sums["ones"]                                   # how many ham, how many spam had each word
array([[1, 1],
       [1, 0]])
>>> one_more = Bernoulli().tally([[1, 0]], ["spam"], features=["free", "meeting"])
>>> (tally + one_more).sums["ones"].tolist()
[[1, 1], [2, 0]]
>>> (tally + one_more) - one_more == tally               # forgotten, exactly
True

A *prior* is a tally that was imagined: with one imagined mail that has each word and one that has
not (Laplace), p(free | spam) is (1 + 1) / (1 + 2):

>>> reading = tally.read(rule="mean", prior=1)
>>> reading.parameters["probability"].round(3).tolist()
[[0.5, 0.5], [0.667, 0.333]]

Labels and features are matched by name, so tallies of different days, columns and labels still add.
Whole sums are kept as 64-bit integers: counts stay exact however often they are added and taken away. A count
that grows beyond 2^62 is refused; a sum of measurements (a Gaussian's squares) goes on as a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import BadSetting, CannotForget, DifferentFamilies, TooLarge
from deciban.membership import are_whole, are_within
from deciban.schema import Schema, merge_sorted

if TYPE_CHECKING:
    from deciban.families.family import Family
    from deciban.families.reading import Reading

WHOLE = 2.0**53  # above this a float can no longer hold every whole number
LARGEST = 2**62  # whole sums stay below, so that the sum of any two still fits into 64 bits
ROUNDING = 1e-9  # a real sum may fall this far below zero, relative to its own size, by rounding alone


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """Sums of a family's sufficient statistics, one row per label; add, subtract, scale and slice them.

    Parameters
    ----------
    family : what was added up.
    labels : the labels, sorted.
    features : the names of the columns, and their categories where they have some.
    rows : how many rows each label has.
    sums : the sums by name, (labels,) or (labels, cells) each.
    parts : a tally for each group of columns, where the family is Columns.

    Examples
    --------
    >>> from deciban import Poisson
    >>> monday = Poisson().tally([[3], [5]], ["a", "b"])
    >>> tuesday = Poisson().tally([[1]], ["a"])
    >>> (monday + tuesday).sums["sum"].tolist()
    [[4], [5]]
    """

    family: Family
    labels: NDArray[Any]  # (labels,), sorted
    features: Schema
    rows: NDArray[Any]  # (labels,): how many rows each label has: the tally of the labels themselves
    sums: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # (labels,) or (labels, cells) each
    parts: tuple[Tally, ...] = ()  # a tally for each group of columns, where the family is Columns

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self._kept("rows", self.rows))
        sums = {name: self._kept(name, values) for name, values in self.sums.items()}
        object.__setattr__(self, "sums", MappingProxyType(sums))

    def __reduce__(self) -> tuple[Any, ...]:
        return Tally, (self.family, self.labels, self.features, self.rows, dict(self.sums), self.parts)

    def __repr__(self) -> str:
        rows = ", ".join(f"{label}: {rows:g}" for label, rows in zip(self.labels, self.rows, strict=True))
        return f"<Tally of {self.family}, {len(self.features)} features, rows {{{rows}}}>"

    # --- the algebra -------------------------------------------------------------------------

    def __add__(self, other: Tally | int) -> Tally:
        if isinstance(other, int) and other == 0:  # so that sum(tallies) works
            return self
        if not isinstance(other, Tally):
            return NotImplemented
        return self._combine(other, np.add)

    __radd__ = __add__

    def __sub__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        unknown = sorted(set(other.labels[other.rows > 0].tolist()) - set(self.labels.tolist()), key=str)
        if unknown:
            raise CannotForget(
                f"Nothing with label {unknown[0]!r} was ever learned, so it cannot be forgotten."
            )
        rest = self._combine(other, np.subtract)
        rest.family._refuse_impossible(rest, before=self)
        return rest.family._without_leftovers(rest._without_empty_labels())

    def __mul__(self, factor: float) -> Tally:
        if not isinstance(factor, (int, float, np.number)) or not 0 <= factor < np.inf:
            return NotImplemented
        return self._map(lambda values: _times(values, factor))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        """Equal sums under equal names; a label that one of them lacks counts as zeros."""
        if not isinstance(other, Tally):
            return NotImplemented
        try:
            left, right = _matched(self, other)
        except (DifferentFamilies, ValueError):
            return False
        return (
            np.array_equal(left.rows, right.rows)
            and all(np.array_equal(left.sums[name], right.sums[name]) for name in left.sums)
            and left.parts == right.parts
        )

    __hash__ = None  # type: ignore[assignment]

    def isclose(self, other: Tally, tolerance: float = 1e-9) -> bool:
        """Equal up to rounding, relative to the largest sum of each kind."""
        left, right = _matched(self, other)

        def close(a: NDArray[Any], b: NDArray[Any]) -> bool:
            scale = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0), 1.0)
            return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale))

        return (
            close(left.rows, right.rows)
            and all(close(left.sums[name], right.sums[name]) for name in left.sums)
            and all(a.isclose(b, tolerance) for a, b in zip(left.parts, right.parts, strict=True))
        )

    # --- looking at it from another side -----------------------------------------------------

    def __getitem__(self, selection: Any) -> Tally:
        """The same tally seen through fewer features.

        Totals are kept: the rows of each label, and for words how many words each label has in all.
        So what is read for a feature does not depend on which others are looked at.
        """
        return self.family._slice(self, selection)

    def total(self) -> Tally:
        """All labels together, under each of the labels."""
        return self._map(lambda values: np.broadcast_to(_over_labels(values), values.shape).copy())

    def complement(self) -> Tally:
        """For each label, everything that is not of that label."""
        return self._map(lambda values: _over_labels(values) - values)

    def zeros(self) -> Tally:
        """Nothing at all, for the same labels and features: where imagining begins."""
        return self._map(np.zeros_like)

    def imagined(self, sums: Mapping[str, NDArray[Any]], parts: tuple[Tally, ...] = ()) -> Tally:
        """Sums that nobody counted, for the same labels and features: a prior. It has no rows."""
        return replace(self, rows=np.zeros(len(self.labels)), sums=sums, parts=parts)

    def with_rows(self, rows: NDArray[Any]) -> Tally:
        """The same sums under other label totals."""
        return replace(self, rows=rows, parts=tuple(part.with_rows(rows) for part in self.parts))

    def with_labels(self, labels: NDArray[Any]) -> Tally:
        """The same sums, and zeros under labels that were never seen."""
        return self._spread(merge_sorted(self.labels, np.unique(labels)), self.features)

    def keep_labels(self, kept: NDArray[np.bool_]) -> Tally:
        """Only some of the labels, as if the others had never been seen."""
        return replace(
            self,
            labels=self.labels[kept],
            rows=self.rows[kept],
            sums={name: values[kept] for name, values in self.sums.items()},
            parts=tuple(part.keep_labels(kept) for part in self.parts),
        )

    def read(self, rule: str = "bayes", prior: Any = 1) -> Reading:
        """What the tally says under a rule (mle, map, mean, bayes) and a prior.

        A prior is a number α, a tally that was imagined, or anything of `deciban.smoothing`.
        """
        return self.family._read(self, rule, prior)

    def log_marginal(self, prior: Any = 1) -> float:
        """log p of what was tallied, given the labels, with the parameters integrated out.

        Factors that no parameter touches are left out, because sums do not know them (Poisson's 1/x!, the
        orders of words): `Family.log_marginal` has the rows, and all constants.
        """
        return self.family._log_evidence(self, self.family._imagine(prior, self))

    def sample(
        self,
        n: int = 1,
        label: Any = None,
        *,
        rule: str = "bayes",
        prior: Any = 1,
        chances: NDArray[np.float64] | None = None,
        random_state: Any = None,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """n rows like those tallied, and their labels: all of one label, or of every label by its share.

        Under `bayes` parameters are drawn from the posterior, once; the rows come from them. `chances` are
        those of the labels, if they are not as counted.

        >>> from deciban import Poisson
        >>> tally = Poisson().tally([[3], [5], [90], [110]], ["few", "few", "many", "many"])
        >>> rows, labels = tally.sample(1000, label="many", rule="mle", random_state=0)
        >>> abs(rows.mean() - 100) < 1, set(labels.tolist())
        (np.True_, {'many'})
        """
        rng = np.random.default_rng(random_state)
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise BadSetting(f"n must be a whole number of 0 or more, got {n!r} instead.")
        if label is None:
            shares = np.asarray(self.rows, dtype=float) if chances is None else chances
            codes = rng.choice(len(self.labels), n, p=shares / shares.sum())
        elif label in self.labels.tolist():
            codes = np.full(n, self.labels.tolist().index(label))
        else:
            raise BadSetting(f"No rows have the label {label!r}: the labels are {self.labels.tolist()}.")
        numbers = np.bincount(codes, minlength=len(self.labels))
        rows = self.family._sample(self, numbers, rule, prior, rng)
        order = np.argsort(np.argsort(codes, kind="stable"), kind="stable")
        return rows[order], self.labels[codes]

    # --- inner workings ----------------------------------------------------------------------

    def _kept(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Sums as a tally keeps them; a count that is no longer exact is refused."""
        whole, values = np.shape(values), _whole(narrow(np.asarray(values)))
        if not _fits(values):
            if name not in self.family._measured:
                raise TooLarge(
                    f"{name!r} grew beyond 2^62 (4.6e18), above which whole numbers are not exact. "
                    "Count in a larger unit, or scale the tally first: tally * 0.001."
                )
            values = values.astype(float, copy=False)
        values = values.view() if values.shape == whole else np.broadcast_to(values, whole)
        values.flags.writeable = False
        return values

    def _map(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Tally:
        return replace(
            self,
            rows=change(self.rows),
            sums={name: change(values) for name, values in self.sums.items()},
            parts=tuple(part._map(change) for part in self.parts),
        )

    def _combine(self, other: Tally, operation: np.ufunc) -> Tally:
        left, right = _matched(self, other)
        return replace(
            left,
            rows=operation(left.rows, right.rows),
            sums={name: _apply(operation, values, right.sums[name]) for name, values in left.sums.items()},
            parts=tuple(a._combine(b, operation) for a, b in zip(left.parts, right.parts, strict=True)),
        )

    def _spread(self, labels: NDArray[Any], features: Schema) -> Tally:
        """The same sums laid out for a union of labels and features; what was not there is zero."""
        if np.array_equal(labels, self.labels) and features == self.features:
            return self
        here = np.searchsorted(labels, self.labels)
        cells = self.features.cells_in(features)

        def spread(values: NDArray[Any]) -> NDArray[Any]:
            shape = (len(labels),) if values.ndim == 1 else (len(labels), features.cells)
            wide = np.zeros(shape, dtype=values.dtype)
            if values.ndim == 1:
                wide[here] = values
            else:
                wide[here[:, None], np.arange(features.cells)[cells]] = values
            return wide

        return replace(
            self,
            labels=labels,
            features=features,
            rows=spread(self.rows),
            sums={name: spread(values) for name, values in self.sums.items()},
            parts=tuple(part._spread(labels, part.features) for part in self.parts),
        )

    def _without_empty_labels(self) -> Tally:
        """Labels of which nothing is left are gone, as if they had never been seen."""
        return self if self.rows.all() else self.keep_labels(self.rows != 0)


def _matched(left: Tally, right: Tally) -> tuple[Tally, Tally]:
    """Two tallies laid out alike: one family, one pivot, the union of labels and of features."""
    right = left.family._adopt(right)
    labels = (
        left.labels if np.array_equal(left.labels, right.labels) else merge_sorted(left.labels, right.labels)
    )
    features = left.features.union(right.features)
    return left._spread(labels, features), right._spread(labels, features)


def _whole(values: NDArray[Any]) -> NDArray[Any]:
    """The same sums, as 64-bit integers where all of them are whole and can be exact."""
    if values.dtype.kind == "f":
        exact = are_whole(np.ascontiguousarray(values, dtype=float).ravel(), WHOLE)
        return values.astype(np.int64) if exact else values
    return values.astype(float if values.dtype == np.uint64 and not _fits(values) else np.int64, copy=False)


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers without those that only repeat others (as where every label has one n for all features)."""
    if 0 not in values.strides:
        return values
    axes = zip(values.strides, values.shape, strict=True)
    return values[tuple(slice(1) if step == 0 and size else slice(None) for step, size in axes)]


def _apply(operation: np.ufunc, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """An operation on the numbers that do not repeat."""
    found: NDArray[Any] = operation(narrow(left), narrow(right))
    return found if found.shape == left.shape else np.broadcast_to(found, left.shape)


def _fits(values: NDArray[Any], times: int = 1) -> bool:
    """Whether the numbers, so many times, stay below the largest whole one that is kept."""
    if values.dtype.kind == "f":
        return are_within(np.ascontiguousarray(values, dtype=float).ravel(), LARGEST / max(abs(times), 1))
    if values.dtype == np.uint64 and values.size and values.max() >= LARGEST:
        return False  # it may be too large to be compared as what is kept
    # Compared as floats, whole numbers up to 256 below the largest would be equal to it.
    limit = -(-LARGEST // max(abs(times), 1))
    return are_within(np.ascontiguousarray(values, dtype=np.int64).ravel(), limit)


def _times(values: NDArray[Any], factor: float) -> NDArray[Any]:
    """A product that never wraps round: whole where that is exact, otherwise a float."""
    exact = values.dtype.kind == "i" and isinstance(factor, (int, np.integer)) and _fits(values, int(factor))
    return values * (int(factor) if exact else float(factor))


def _over_labels(values: NDArray[Any]) -> NDArray[Any]:
    """The sum of all labels, which never wraps round either."""
    exact = values.dtype.kind == "i" and _fits(values, len(values))
    return np.asarray(values.sum(axis=0) if exact else values.sum(axis=0, dtype=float))
