"""Columns: a family made of families, so that every column can be what it is.

Given the label, columns are independent: their tallies stand side by side, their log-likelihoods add.

>>> from deciban import Gaussian, Poisson
>>> people = np.array([[1.70, 0], [1.82, 1], [1.65, 0], [1.90, 3]])
>>> family = Columns({0: Gaussian(), 1: Poisson()})
>>> tally = family.tally(people, ["a", "b", "a", "b"], features=["height", "visits"])
>>> tally.parts[1].sums["sum"].tolist()
[[0], [4]]

Columns are named or numbered; a family may take several at once (and then share a variance over
them), and `rest` takes all that were not named:

>>> Columns([(["height", "weight"], Gaussian(shared="features"))], rest=Poisson())
Columns([(('height', 'weight'), Gaussian(shared='features', ddof=0, pivot=None))], rest=Poisson())
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import BadPrior, DifferentFamilies, NoSuchFeature
from deciban.families.family import Family
from deciban.families.matrices import columns_of, is_frame, names_of
from deciban.families.reading import Breakdown, Floats, Reading
from deciban.families.urns import STEPS, TOLERANCE
from deciban.membership import Matrix, Membership
from deciban.schema import Schema
from deciban.tally import Tally

Group = tuple[tuple[Hashable, ...], Family]


@dataclass(frozen=True, init=False, repr=False)
class Columns(Family):
    """A family for each column or group of columns.

    Parameters
    ----------
    groups : a mapping from a column, or a tuple of columns, to its family; or pairs of both.
    rest : the family of all other columns; None refuses them.
    settled : the groups with every column placed, which the first rows fix.

    Examples
    --------
    >>> from deciban import Categorical, Gaussian, NaiveBayes
    >>> family = Columns({0: Categorical()}, rest=Gaussian())
    >>> rows = np.array([["red", 1.0], ["red", 1.5], ["blue", 7.0], ["blue", 8.0]], dtype=object)
    >>> NaiveBayes(family).fit(rows, ["a", "a", "b", "b"]).predict(rows[:1]).tolist()
    ['a']
    """

    groups: tuple[Group, ...]
    rest: Family | None
    settled: tuple[Group, ...] | None  # the groups with every column placed and every pivot fixed

    def __init__(
        self,
        groups: Mapping[Any, Family] | Iterable[tuple[Any, Family]],
        rest: Family | None = None,
        settled: tuple[Group, ...] | None = None,
    ) -> None:
        pairs = groups.items() if isinstance(groups, Mapping) else groups
        placed = tuple((_as_columns(columns), family) for columns, family in pairs)
        for family in (*(family for _, family in placed), *([] if rest is None else [rest])):
            if not isinstance(family, Family):
                raise ValueError(f"Columns needs families such as Gaussian(), got {family!r} instead.")
        named = [column for columns, _ in placed for column in columns]
        twice = next((column for column in named if named.count(column) > 1), None)
        if twice is not None:
            raise ValueError(f"Column {twice!r} was given two families; give it one.")
        object.__setattr__(self, "groups", placed)
        object.__setattr__(self, "rest", rest)
        object.__setattr__(self, "settled", settled)

    def __repr__(self) -> str:
        rest = "" if self.rest is None else f", rest={self.rest!r}"
        return f"Columns({list(self.groups)!r}{rest})"

    # --- learning ----------------------------------------------------------------------------

    def _admit(self, X: Any, names: Any = None) -> list[Any]:
        """One admitted table for each group."""
        if not hasattr(X, "shape"):
            X = as_array(X)
        if len(X.shape) != 2:
            raise ValueError(
                f"Expected a table of rows and columns, got {len(X.shape)} dimension(s) instead."
            )
        known = names_of(X) or (None if names is None else list(names))
        tables = []
        for columns, family in self._placed(known, X.shape[1]):
            keys = columns if is_frame(X) else [_place(column, known, X.shape[1]) for column in columns]
            tables.append(family._admit(columns_of(X, keys), columns))
        return Tables(tables, X.shape[0])

    def _placed(self, names: list[Hashable] | None, width: int) -> tuple[Group, ...]:
        """The groups, with the columns that were not named added for `rest`."""
        if self.settled is not None:
            return self.settled
        everything: list[Hashable] = list(range(width)) if names is None else names
        groups = tuple(
            (tuple(everything[_place(column, names, width)] for column in columns), family)
            for columns, family in self.groups
        )
        taken = {column for columns, _ in groups for column in columns}
        others = tuple(column for column in everything if column not in taken)
        if not others:
            return groups
        if self.rest is None:
            raise NoSuchFeature(
                f"No family was given for column {others[0]!r}"
                + (f" and {len(others) - 1} more" if len(others) > 1 else "")
                + ". Name them all, or give Columns(…, rest=Gaussian())."
            )
        return (*groups, (others, self.rest))

    def _welcome(self, X: Any, names: Any = None) -> tuple[Family, Any]:
        """A first batch: every column gets its place, every group settles by itself."""
        known = list(names) if names is not None else names_of(X)
        width = X.shape[1] if hasattr(X, "shape") else len(X[0])
        family = replace_settled(self, self._placed(known, width))
        tables = family._admit(X, known)
        return family._settle(tables), tables

    def _settle(self, X: Any) -> Columns:
        """Every group settles by itself."""
        assert self.settled is not None
        pairs = zip(self.settled, X, strict=True)
        return replace_settled(self, tuple((columns, family._settle(t)) for (columns, family), t in pairs))

    def _unsettled(self) -> Columns:
        """The same columns in the same families, pivots aside."""
        groups = tuple((columns, family._unsettled()) for columns, family in self.settled or self.groups)
        return Columns(groups, None if self.settled else self.rest)

    def _gather(self, X: Any, membership: Membership, names: Any = None) -> Tally:  # noqa: ARG002
        """Each group's tally under the same labels."""
        assert self.settled is not None
        parts = tuple(
            family._gather(table, membership, columns)
            for (columns, family), table in zip(self.settled, X, strict=True)
        )
        features = Schema([name for part in parts for name in part.features.names])
        return Tally(self, membership.labels, features, membership.rows(), {}, parts)

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:
        """Each group has statistics of its own."""
        raise NotImplementedError("The statistics of Columns are those of its groups.")

    # --- imagining ---------------------------------------------------------------------------

    def _imagine(self, prior: Any, tally: Tally) -> Tally:
        """Each group imagines for itself."""
        if isinstance(prior, Tally):
            return super()._imagine(prior, tally)
        if isinstance(prior, (np.ndarray, list, tuple)) and np.ndim(prior):
            raise BadPrior(
                "α for each feature is not clear for Columns: give one number, or an imagined Tally."
            )
        parts = tuple(part.family._imagine(prior, part) for part in tally.parts)
        return tally.imagined({}, parts)

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α in each group."""
        return self._imagine(float(alpha), tally)

    def _imagine_empirical(self, tally: Tally, tolerance: float = TOLERANCE, steps: int = STEPS) -> Tally:
        """Each group estimates for itself."""
        parts = tuple(part.family._imagine_empirical(part, tolerance, steps) for part in tally.parts)
        return tally.imagined({}, parts)

    def _alpha_of(self, imagined: Tally) -> list[Any]:
        """That of each group."""
        return [part.family._alpha_of(part) for part in imagined.parts]

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """The same values in each group."""
        parts = tuple(part.family._imagine_values(part, n, mean, variance) for part in tally.parts)
        return tally.imagined({}, parts)

    # --- reading -----------------------------------------------------------------------------

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:
        """Each group read by the same rule."""
        parts = tuple(
            part.family._read_posterior(part, dream, rule)
            for part, dream in zip(posterior.parts, imagined.parts, strict=True)
        )
        return ColumnsReading(self, posterior.labels, posterior.features, parts)

    def _log_base(self, X: Any) -> Floats:
        """The groups' together."""
        assert self.settled is not None
        parts = [family._log_base(t) for (_, family), t in zip(self.settled, X, strict=True)]
        return np.asarray(np.sum(parts, axis=0))

    def _log_prior(self, reading: Reading, imagined: Tally, rule: str) -> float:
        """The groups' together."""
        assert isinstance(reading, ColumnsReading)
        pairs = zip(reading.parts, imagined.parts, strict=True)
        return sum(part.family._log_prior(part, dream, rule) for part, dream in pairs)

    def _free_parameters(self, tally: Tally) -> int:
        """The groups' together."""
        return sum(part.family._free_parameters(part) for part in tally.parts)

    # --- the likelihood of everything together ------------------------------------------------

    def _log_evidence(self, tally: Tally, imagined: Tally) -> float:
        """The groups' together."""
        pairs = zip(tally.parts, imagined.parts, strict=True)
        return sum(part.family._log_evidence(part, dream) for part, dream in pairs)

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:
        """The groups' together."""
        pairs = zip(posterior.parts, imagined.parts, strict=True)
        return sum(part.family._log_integral(part, dream) for part, dream in pairs)

    # --- drawing ------------------------------------------------------------------------------

    def _sample(
        self, tally: Tally, numbers: NDArray[np.intp], rule: str, prior: Any, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Each group's values side by side, in the order of the features, or of numbered columns."""
        dreams = prior.parts if isinstance(prior, Tally) else (prior,) * len(tally.parts)
        pairs = zip(tally.parts, dreams, strict=True)
        tables = [part.family._sample(part, numbers, rule, dream, rng) for part, dream in pairs]
        names = tally.features.names
        numbered = sorted(names, key=str) == sorted(range(len(names)), key=str)
        kind = object if any(table.dtype.kind == "O" for table in tables) else np.result_type(*tables)
        wide = np.hstack([table.astype(kind) for table in tables])
        return wide[:, np.argsort(np.array(names))] if numbered else wide

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """Each group has parameters of its own."""
        raise NotImplementedError("The parameters of Columns are those of its groups.")

    # --- keeping the algebra honest ----------------------------------------------------------

    def _adopt(self, other: Tally) -> Tally:
        """Tallies of the same columns and families; their parts move to one pivot when they are added."""
        there = other.family
        if self._unsettled() != there._unsettled():
            raise DifferentFamilies(f"Tallies of different families do not add: {self} here, {there} there.")
        assert self.settled is not None
        pairs = zip(self.settled, other.parts, strict=True)
        parts = tuple(family._adopt(part) for (_, family), part in pairs)
        return replace(other, family=self, parts=parts)

    def _refuse_impossible(self, rest: Tally, before: Tally) -> None:
        """No group may lose more than it has."""
        super()._refuse_impossible(rest, before)
        for part, whole in zip(rest.parts, before.parts, strict=True):
            part.family._refuse_impossible(part, whole)

    def _without_leftovers(self, tally: Tally) -> Tally:
        """Each group cleans up after itself."""
        return replace(tally, parts=tuple(part.family._without_leftovers(part) for part in tally.parts))

    def _slice(self, tally: Tally, selection: Any) -> Tally:
        """Fewer columns, each still in its group."""
        kept, _ = tally.features.pick(selection)
        names = [[name for name in part.features.names if name in kept.names] for part in tally.parts]
        parts = tuple(part[chosen] for part, chosen in zip(tally.parts, names, strict=True) if chosen)
        family = replace_settled(self, tuple((tuple(part.features.names), part.family) for part in parts))
        features = Schema([name for part in parts for name in part.features.names])
        return replace(tally, family=family, features=features, parts=parts)


class Tables(list[Any]):
    """One table a group, cut by rows like a single one."""

    def __init__(self, tables: Iterable[Any], rows: int) -> None:
        super().__init__(tables)
        self.shape = (rows,)


@dataclass(frozen=True, eq=False)
class ColumnsReading(Reading):
    """The readings of all groups, added."""

    family: Columns
    labels: NDArray[Any]
    features: Schema
    parts: tuple[Reading, ...]

    @property
    def parameters(self) -> Mapping[str, NDArray[Any]]:  # type: ignore[override]
        """The parameters of each group, under the names of its columns."""
        return {
            f"{', '.join(map(str, part.features.names))}: {name}": values
            for part in self.parts
            for name, values in part.parameters.items()
        }

    def score(self, X: Any) -> Floats:
        """The sum of the groups' log-likelihoods."""
        parts = [part.score(table) for part, table in zip(self.parts, X, strict=True)]
        return np.asarray(np.sum(parts, axis=0))

    def explain(self, X: Any) -> Breakdown:
        """The groups' evidence side by side."""
        told = [part.explain(table) for part, table in zip(self.parts, X, strict=True)]
        return Breakdown(
            np.sum([one.intercept for one in told], axis=0),
            np.concatenate([one.features for one in told], axis=2),
        )


def replace_settled(family: Columns, settled: tuple[Group, ...]) -> Columns:
    """The same columns with other settled groups."""
    return Columns(family.groups, family.rest, settled)


def _as_columns(columns: Any) -> tuple[Hashable, ...]:
    if isinstance(columns, (str, int)) or not isinstance(columns, Iterable):
        return (columns,)
    return tuple(columns)


def _place(column: Hashable, names: list[Hashable] | None, width: int) -> int:
    if names is not None and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and -width <= column < width:
        return int(column) % width
    known = ", ".join(map(str, names)) if names else f"0 to {width - 1}"
    raise NoSuchFeature(f"There is no column {column!r}: the columns are {known}.")


def as_array(rows: Any) -> NDArray[Any]:
    """Rows as an array in which texts and numbers stay what they are."""
    mixed = any(isinstance(value, str) or value is None for row in rows for value in row)
    return np.asarray(rows, dtype=object) if mixed else np.asarray(rows)
