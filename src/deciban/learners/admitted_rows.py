"""Rows that a family admitted: which of their columns are silent, and the same rows without these.

A column is silent if it is the same in every row, or missing in all of them (telling.py). Rows know more than
their sums: Poisson sums cannot tell 7, 7, 7 from 6, 7, 8.

>>> from deciban import Poisson
>>> family, values = Poisson()._welcome(np.array([[6, 7], [7, 7], [8, 7]]))
>>> rows = AdmittedRows(family, values)
>>> rows.silent(np.ones(3)).tolist()
[False, True]
>>> rows.without(np.array([False, True])).values.tolist()
[[6], [7], [8]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.families import Columns, Family
from deciban.families.columns import Tables
from deciban.families.reading import Floats
from deciban.families.telling import silent_features
from deciban.membership import Matrix, Membership
from deciban.tally import Tally

ONE = np.array([0])


@dataclass(frozen=True, eq=False)
class AdmittedRows:
    """Rows, their family, and what their columns are called."""

    family: Family  # settled
    values: Any  # admitted by the family
    names: Any = None

    def gather(self, shares: Matrix, labels: NDArray[Any]) -> Tally:
        """The tally of the rows by their shares in some labels."""
        return self.family._gather(self.values, Membership.expected(shares, labels), self.names)

    def taken(self, places: NDArray[np.intp]) -> AdmittedRows:
        """Some of the rows, in this order."""
        return AdmittedRows(self.family, _taken(self.values, places), self.names)

    def silent(self, weight: Floats) -> NDArray[np.bool_]:
        """Which features are silent, in the order of a tally; rows without weight do not count."""
        return _silent(self.family, self.values, weight)

    def without(self, silent: NDArray[np.bool_]) -> AdmittedRows:
        """The same rows with the other features only."""
        if not silent.any():
            return self
        nothing = self.gather(np.zeros((self.values.shape[0], 1)), ONE)[~silent]
        return AdmittedRows(nothing.family, without_columns(self.values, silent), nothing.features.names)


def without_columns(values: Any, silent: NDArray[np.bool_]) -> Any:
    """Admitted values without the silent columns; groups of which nothing is left are gone."""
    if not isinstance(values, Tables):
        return values[:, np.flatnonzero(~silent)]
    starts = np.cumsum([table.shape[1] for table in values])[:-1]
    pairs = zip(values, np.split(silent, starts), strict=True)
    return Tables([without_columns(table, mine) for table, mine in pairs if not mine.all()], values.shape[0])


def _taken(values: Any, places: NDArray[np.intp]) -> Any:
    if isinstance(values, Tables):
        return Tables([_taken(table, places) for table in values], len(places))
    return values[places]


def _silent(family: Family, values: Any, weight: Floats) -> NDArray[np.bool_]:
    if isinstance(family, Columns):
        assert family.settled is not None
        groups = zip(family.settled, values, strict=True)
        parts = [_silent(member, table, weight) for (_, member), table in groups]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])
    crowd = AdmittedRows(family, values).gather(weight[:, None], ONE)
    counted = values if weight.all() else values[np.flatnonzero(weight)]
    return np.asarray(silent_features(crowd) | family._repeats(counted))
