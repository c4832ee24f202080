"""Which cell of a tally a category falls in.

Texts and sparse numbers are found by binary search among the known categories. Whole numbers in a
narrow range, the usual codes 0, 1, 2, …, are looked up in a table instead:

>>> features = Schema(["grade"], [np.array([1, 2, 4])])
>>> Cells(features).of(np.array([[4], [2], [3]])).ravel().tolist()      # 3 was never learned
[2, 1, -1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import OutsideSupport
from deciban.families.matrices import is_missing
from deciban.schema import Schema, is_numeric

MISSING, UNSEEN = -2, -1
NARROW = 2**12  # codes in a range as narrow as this are looked up in a table


class Cells:
    """Finds the cell of every value of a table."""

    def __init__(self, features: Schema) -> None:
        self._features = features
        self._low, self._table = _table_of(features)

    def one_hot(self, X: NDArray[Any]) -> dict[str, Any]:
        """T(x) of a categorical row: a one in the cell of each value, and which values were never learned."""
        cells = self.of(X)
        shape = (cells.shape[0], self._features.cells)
        if not cells.size:
            return {"count": sparse.csr_array(shape)}
        if cells.min() >= 0:
            starts = np.arange(0, cells.size + 1, cells.shape[1], dtype=np.int32)
            return {"count": sparse.csr_array((np.ones(cells.size), cells.ravel(), starts), shape=shape)}
        known = cells >= 0
        starts = np.concatenate(([0], np.cumsum(known.sum(axis=1)))).astype(np.int32)
        count = sparse.csr_array((np.ones(int(starts[-1])), cells[known], starts), shape=shape)
        return {"count": count, "unseen": (cells == UNSEEN).astype(float)}

    def of(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """The cell of each value; MISSING or UNSEEN where it has none."""
        if X.shape[1] != len(self._features):
            raise ValueError(f"Expected {len(self._features)} columns, got {X.shape[1]} instead.")
        if self._table is not None and X.dtype.kind in "iu":
            width, codes = self._table.shape[1], X.astype(np.int64, copy=False)
            # Codes below the range become huge as unsigned numbers, so one minimum catches both sides.
            place = np.minimum((codes - self._low).astype(np.uint64), np.uint64(width - 1)).astype(np.int64)
            place += np.arange(X.shape[1]) * width
            return self._table.ravel()[place]
        cells = np.empty(X.shape, dtype=np.int32)
        assert self._features.categories is not None
        for column, known in enumerate(self._features.categories):
            cells[:, column] = _search(X[:, column], known, int(self._features.starts[column]))
        return cells


def categories_in(X: NDArray[Any]) -> list[NDArray[Any]]:
    """The categories of each column, sorted, missing values left out."""
    width = X.shape[1]
    if X.dtype.kind in "iu" and X.size:
        low, high = int(X.min()), int(X.max())
        if high - low < NARROW:
            span = high - low + 1
            seen = np.zeros(width * span, dtype=bool)
            first = np.arange(width) * span - low
            step = max(1, 2**19 // width)
            for start in range(0, len(X), step):
                seen[(X[start : start + step].astype(np.int64, copy=False) + first).ravel()] = True
            return [np.flatnonzero(column) + low for column in seen.reshape(width, span)]
    return [_distinct(X[:, column], column) for column in range(width)]


def _distinct(values: NDArray[Any], column: int) -> NDArray[Any]:
    present = values[~is_missing(values)]
    try:
        return np.unique(present)
    except TypeError:
        raise OutsideSupport(
            f"Categorical needs values that sort, but column {column} mixes kinds such as "
            f"{present[0]!r} and others. Turn them all into texts first."
        ) from None


def _table_of(features: Schema) -> tuple[int, NDArray[np.int32] | None]:
    """For narrow whole-number categories: the cell of each code; the last column answers for all others."""
    categories = features.categories or ()
    if not all(known.dtype.kind in "iu" for known in categories) or not any(map(len, categories)):
        return 0, None
    low = min(int(known[0]) for known in categories if len(known))
    high = max(int(known[-1]) for known in categories if len(known))
    if high - low >= NARROW:
        return 0, None
    table = np.full((len(categories), high - low + 2), UNSEEN, dtype=np.int32)
    for row, (start, known) in enumerate(zip(features.starts[:-1], categories, strict=True)):
        table[row, known - low] = start + np.arange(len(known))
    return low, table


def _search(values: NDArray[Any], known: NDArray[Any], first: int) -> NDArray[np.int32]:
    cells = np.full(len(values), UNSEEN, dtype=np.int32)
    gaps = is_missing(values)
    cells[gaps] = MISSING
    present = values[~gaps]
    if len(known) and len(present) and is_numeric(present) == is_numeric(known):
        place = np.minimum(np.searchsorted(known, present), len(known) - 1)
        cells[~gaps] = np.where(known[place] == present, first + place, UNSEEN)
    return cells
