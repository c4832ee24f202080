"""The rows that were learned, in their order: what neighbours have in place of a tally.

Rows are vectors (dense or sparse) or a list of anything. They can be added, found by value, and taken away.
If several rows and their answers are equal, the one learned last is taken away: so learning a row and
forgetting it again leaves everything as it was.

>>> sample = Sample(np.array([[1.0], [2.0], [1.0]]), np.array([0, 0, 0]))
>>> sample.find(np.array([[1.0]]), np.array([0])).tolist()
[True, True, False]
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import CannotForget, OutsideSupport


class Sample:
    """Rows and an answer (the number of a label, or a value) for each, and how many rows each counts as."""

    def __init__(
        self, rows: Any, answers: NDArray[Any], search: Any = None, weight: NDArray[np.float64] | None = None
    ) -> None:
        self.rows = rows
        self.answers = answers
        self.weight = weight  # None where each counts as one
        self.search = search  # made when it is first needed, and kept as long as the rows are

    def answering(self, answers: NDArray[Any]) -> Sample:
        """The same rows with other answers."""
        return Sample(self.rows, answers, self.search, self.weight)

    def __len__(self) -> int:
        return len(self.answers)

    def with_more(
        self, rows: Any, answers: NDArray[Any], weight: NDArray[np.float64] | None = None
    ) -> Sample:
        """These rows, then further ones."""
        if isinstance(self.rows, list) != isinstance(rows, list):
            raise OutsideSupport("Texts and vectors cannot be learned together.")
        whole: Any
        if isinstance(rows, list):
            whole = self.rows + rows
        elif sparse.issparse(self.rows):
            whole = canonical(sparse.vstack([self.rows, sparse.csr_array(rows)]))
        else:
            whole = np.concatenate([self.rows, rows.toarray() if sparse.issparse(rows) else rows])
        if self.weight is not None or weight is not None:
            old, new = self.weight, weight
            old, new = (
                np.ones(len(self)) if old is None else old,
                np.ones(len(answers)) if new is None else new,
            )
            weight = np.concatenate([old, new])
        return Sample(whole, np.concatenate([self.answers, answers]), weight=weight)

    def only(self, kept: NDArray[np.bool_]) -> Sample:
        """The rows that are kept."""
        weight = None if self.weight is None else self.weight[kept]
        rows = _take(self.rows, np.flatnonzero(kept)) if isinstance(self.rows, list) else self.rows[kept]
        return Sample(rows, self.answers[kept], weight=weight)

    def find(self, rows: Any, answers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rows are left when these are taken away, each once; an error if one was never learned."""
        kept = np.ones(len(self), dtype=bool)
        if not isinstance(rows, list) and sparse.issparse(self.rows):
            rows = sparse.csr_array(rows)
        wanted = list(zip(_keys(rows), map(_key, answers.tolist()), strict=True))
        places: defaultdict[Any, list[int]] = defaultdict(list)
        likely = self._likely(rows)
        for place, key in zip(likely.tolist(), _keys(_take(self.rows, likely)), strict=True):
            places[key, _key(self.answers[place].tolist())].append(place)
        for number, key in enumerate(wanted):
            if not places[key]:
                raise CannotForget(
                    f"Row {number} was never learned with this answer, or is to be forgotten more often than "
                    "it was learned. Nothing was forgotten."
                )
            kept[places[key].pop()] = False
        return kept

    def _likely(self, rows: Any) -> NDArray[np.intp]:
        """The places of rows that may equal one of those asked for: the same sum of their scrambled bits.

        One pass over all rows, however many are asked for.
        """
        if isinstance(self.rows, list):
            return np.arange(len(self))
        if not isinstance(rows, list) and sparse.issparse(rows) and not sparse.issparse(self.rows):
            rows = rows.toarray()
        return np.flatnonzero(np.isin(_fingerprints(self.rows), _fingerprints(rows)))


def canonical(rows: Any) -> Any:
    """Sparse rows with sorted columns, each once, and no zeros written out: equal rows have equal entries."""
    rows = sparse.csr_array(rows)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # what was given may be shared with the user
        rows.sum_duplicates()
        rows.eliminate_zeros()
    if rows.indices.dtype != np.int32 and max(rows.nnz, *rows.shape) < 2**31:  # scikit-learn takes no others
        parts = (rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        rows = sparse.csr_array(parts, shape=rows.shape)
    return rows


def _fingerprints(rows: Any) -> NDArray[np.uint64]:
    odd = np.random.default_rng(0).integers(0, 2**63, rows.shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    if sparse.issparse(rows):
        rows = canonical(rows)
        running = np.cumsum(_bits(rows.data) * odd[rows.indices], dtype=np.uint64)
        ends = np.concatenate([np.zeros(1, np.uint64), running])[rows.indptr]
        return np.asarray(np.diff(ends))
    step = max(1, 2**20 // max(1, rows.shape[1]))
    pieces = (_bits(rows[start : start + step]) @ odd for start in range(0, len(rows), step))
    return np.concatenate([np.empty(0, np.uint64), *pieces])


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    numbers = values.astype(np.float64) + 0.0  # −0 becomes 0
    return numbers.view(np.uint64) ^ (numbers.view(np.uint64) >> np.uint64(29))


def _take(rows: Any, places: NDArray[np.intp]) -> Any:
    return [rows[place] for place in places.tolist()] if isinstance(rows, list) else rows[places]


def _keys(rows: Any) -> list[Any]:
    """Something hashable for each row, equal for equal rows."""
    if isinstance(rows, list):
        return [row if isinstance(row, (str, bytes)) else _hashable(row) for row in rows]
    if sparse.issparse(rows):
        rows = canonical(rows)
        return [
            (rows.indices[start:end].tobytes(), _bits(rows.data[start:end]).tobytes())
            for start, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
        ]
    return [row.tobytes() for row in np.ascontiguousarray(_bits(rows))]


def _key(answer: Any) -> Any:
    return tuple(answer) if isinstance(answer, list) else answer


def _hashable(row: Any) -> Any:
    try:
        hash(row)
    except TypeError:
        return (type(row).__name__, repr(row))
    return row
