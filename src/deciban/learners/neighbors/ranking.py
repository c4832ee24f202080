"""Rows prepared so that one matrix product ranks them for every query.

For vectors |q − r|² = |q|² + |r|² − 2 q·r, and |q|² is the same for every row. So `offsets[r] − 2 q·r`
ranks the rows, and a matrix product gives it for a whole batch at the speed of BLAS. Rounding makes it a
rank within an error: a sum of d products in floating point of unit u is off by at most about d · u · |q|
|r|, in any order of summation. `slopes` and `curve` bound that; what decides in the end is `nearest`, which
measures each row of a shortlist by itself, in double precision, so that the answer depends neither on the
batch nor on the blocks.

The bound is small if the vectors are short. So dense vectors are moved until the median of a sample of them
is at the origin, and scaled so that half of the sample has a length below 1. Medians are used because a
single row far away would move a mean, and with it the length of every other row. Vectors too long for single
precision are cut off, and their error counts as infinite.

The cosine distance is half the squared distance between directions. Kullback–Leibler's Σ p log p − Σ p log s
is a product as well, of shares with logarithms.

>>> ranking = Ranking.of(Euclidean(), np.array([[0.0, 0.0], [3.0, 4.0]]))
>>> distances, rows = ranking.nearest(np.array([[3.0, 3.0]]), np.array([[0, 1]]), np.array([2]), 2)
>>> distances.round(3).tolist(), rows.tolist()
([[1.0, 4.243]], [[1, 0]])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import rel_entr

from deciban.learners.distances import (
    Cosine,
    Distance,
    Euclidean,
    Floats,
    KullbackLeibler,
    inverse_lengths,
    scaled,
    sum_of_squares,
)
from deciban.learners.neighbors._nearest import rank_shortlists
from deciban.learners.neighbors.sample import canonical

Rows = NDArray[np.int64]

# Errors beside that of the sum: rounding both vectors, the offset, their difference, and the bound itself.
FURTHER_ROUNDINGS = 10
PIECE = 2**20  # how many numbers are made ready at once
SAMPLE = 1024  # how many rows tell where the middle is
REACH = 2.0**50  # in units of a row: products of longer vectors might overflow
SHORTEST = {"f": 2.0**-40, "d": 2.0**-480}  # products of shorter rows might vanish


class Ranking(ABC):
    """The rows of a sample, one factor of the product."""

    rows: Any  # as they were learned
    factor: Any  # (rows, columns), float32 or sparse float64
    offsets: NDArray[Any]  # (rows,)
    lengths: NDArray[Any]  # (rows,): of the factor's rows; infinite where nothing is believed about it

    @staticmethod
    def of(distance: Distance, rows: Any) -> Ranking | None:
        """The ranking of rows by a distance, or None where no product gives it."""
        if isinstance(distance, (Euclidean, Cosine)):
            kind = SparseVectors if sparse.issparse(rows) else DenseVectors
            return kind(rows, directions=isinstance(distance, Cosine))
        if isinstance(distance, KullbackLeibler) and not sparse.issparse(rows):
            return Divergences(rows, distance)
        return None

    @abstractmethod
    def left(self, queries: Any) -> Any:
        """The other factor of the product."""

    @abstractmethod
    def nearest(self, queries: Any, shortlists: Rows, sizes: Rows, k: int) -> tuple[Floats, Rows]:
        """The k nearest of each query's shortlist by their exact distance, nearest first."""

    def arrange(self) -> Rows:
        """Put the factor in the order of its lengths; the row that each place then has."""
        order = np.argsort(self.lengths, kind="stable")
        self.factor, self.offsets, self.lengths = self.factor[order], self.offsets[order], self.lengths[order]
        return order

    # A row of length l has an error of at most l · (slope + curve · l).

    def slopes(self, left: Any) -> NDArray[Any]:
        """The part of the error that grows with the query."""
        terms = self.factor.shape[1] + FURTHER_ROUNDINGS
        return np.asarray(2 * terms * self.curve / FURTHER_ROUNDINGS * trusted_lengths(left))

    @property
    def curve(self) -> float:
        """The part of the error that does not."""
        return float(1.1 * FURTHER_ROUNDINGS * np.finfo(self.factor.dtype).eps / 2)


class DenseVectors(Ranking):
    """Vectors by their distance, or directions by theirs."""

    def __init__(self, rows: NDArray[Any], directions: bool) -> None:
        self.rows = np.ascontiguousarray(rows)
        self._directions = directions
        sample = self.rows[:: len(rows) // SAMPLE + 1].astype(np.float64)
        self._centre = np.zeros(rows.shape[1]) if directions else np.median(sample, axis=0)
        self._unit = 1.0 if directions else _usual_length(sample - self._centre)
        self.row_scales = self._scales(rows)
        self.factor = self._moved(self.rows, self.row_scales)
        self.lengths = trusted_lengths(self.factor)
        # A row without a direction is at right angles to every other, as if its length were one.
        self.offsets = np.ones_like(self.lengths) if directions else np.minimum(self.lengths, REACH) ** 2

    def over(self, rows: NDArray[Any]) -> DenseVectors:
        """Other rows with this centre and unit, to measure shortlists with; they have no factor."""
        other = copy(self)
        other.rows = np.ascontiguousarray(rows)
        other.row_scales = self._scales(rows)
        other.factor, other.offsets, other.lengths = self.factor[:0], self.offsets[:0], self.lengths[:0]
        return other

    def _moved(self, vectors: NDArray[Any], scales: Floats) -> NDArray[np.float32]:
        factor = np.empty(vectors.shape, dtype=np.float32)
        step = max(1, PIECE // max(1, vectors.shape[1]))
        with np.errstate(over="ignore"):
            for start in range(0, len(vectors), step):
                some = slice(start, start + step)
                moved = (vectors[some] - self._centre) * (scales[some, None] / self._unit)
                np.clip(moved, -REACH, REACH, out=factor[some], casting="same_kind")
        return factor

    def _scales(self, queries: NDArray[Any]) -> Floats:
        return inverse_lengths(queries) if self._directions else np.ones(len(queries))

    def left(self, queries: Any) -> NDArray[np.float32]:
        """The queries, moved and scaled as the rows are."""
        queries = queries.toarray() if sparse.issparse(queries) else queries
        return self._moved(queries, self._scales(queries))

    def nearest(self, queries: Any, shortlists: Rows, sizes: Rows, k: int) -> tuple[Floats, Rows]:
        """The k nearest of each shortlist."""
        queries = queries.toarray() if sparse.issparse(queries) else queries
        kind = np.result_type(queries, self.rows)
        distances, rows = empty_places(len(queries), k)
        rank_shortlists(
            np.ascontiguousarray(queries, dtype=kind),
            self.rows.astype(kind, copy=False),
            self._scales(queries),
            self.row_scales,
            shortlists,
            sizes,
            distances,
            rows,
        )
        return _told(distances, self._directions), rows


class SparseVectors(Ranking):
    """The same for sparse rows, which stay where they are: moving them would fill them."""

    def __init__(self, rows: Any, directions: bool) -> None:
        self.rows = rows
        self._directions = directions
        self.row_scales = inverse_lengths(rows) if directions else np.ones(rows.shape[0])
        self.factor = self._scaled(rows, self.row_scales)
        squares = sum_of_squares(self.factor)
        self.offsets = np.ones_like(squares) if directions else squares
        self.lengths = trusted_lengths(self.factor)

    def _scales(self, queries: Any) -> Floats:
        return inverse_lengths(queries) if self._directions else np.ones(queries.shape[0])

    def _scaled(self, rows: Any, scales: Floats) -> Any:
        rows = canonical(rows).astype(np.float64)
        return scaled(rows, scales) if self._directions else rows

    def left(self, queries: Any) -> Any:
        """The queries as sparse rows, scaled as the rows are."""
        return self._scaled(queries, self._scales(queries))

    def nearest(self, queries: Any, shortlists: Rows, sizes: Rows, k: int) -> tuple[Floats, Rows]:
        """The k nearest of each shortlist."""
        which, row = _pairs(shortlists, sizes)
        left = self.left(queries)
        squared = sum_of_squares(left[which] - self._scaled(self.rows[row], self.row_scales[row]))
        if self._directions:
            flat = (self._scales(queries)[which] == 0) | (self.row_scales[row] == 0)
            squared[flat] = 2.0
        distances, rows = _nearest_pairs(which, row, squared, left.shape[0], k)
        return _told(distances, self._directions), rows


class Divergences(Ranking):
    """Kullback–Leibler: Σ p log p is the query's alone, so −Σ p log s ranks the rows."""

    def __init__(self, rows: Any, distance: KullbackLeibler) -> None:
        self.rows = rows
        self._distance = distance
        self._shares = distance.shares(rows)
        self.factor = np.ascontiguousarray(np.log(self._shares) / 2, dtype=np.float32)
        self.offsets = np.zeros(len(self.factor), dtype=np.float32)
        self.lengths = trusted_lengths(self.factor)

    def left(self, queries: Any) -> NDArray[np.float32]:
        """The shares of the queries."""
        return self._distance.shares(queries).astype(np.float32)

    def nearest(self, queries: Any, shortlists: Rows, sizes: Rows, k: int) -> tuple[Floats, Rows]:
        """The k nearest of each shortlist."""
        which, row = _pairs(shortlists, sizes)
        shares = self._distance.shares(queries)
        found = np.empty(len(which))
        step = max(1, PIECE // max(1, shares.shape[1]))
        for start in range(0, len(which), step):
            some = slice(start, start + step)
            found[some] = rel_entr(shares[which[some]], self._shares[row[some]]).sum(axis=1)
        return _nearest_pairs(which, row, found, len(shares), k)


def empty_places(queries: int, k: int) -> tuple[Floats, Rows]:
    """Places for the k nearest of each query, farther than anything that may be offered."""
    return np.full((queries, k), np.inf), np.full((queries, k), np.iinfo(np.int64).max)


def _told(squared: Floats, directions: bool) -> Floats:
    return np.asarray(squared / 2 if directions else np.sqrt(squared))


def _usual_length(vectors: Floats) -> float:
    """The median length of the nonzero vectors, as a power of two: dividing by it is exact."""
    inverse = inverse_lengths(vectors)
    lengths = 1 / inverse[inverse > 0]
    return float(2.0 ** np.ceil(np.log2(np.median(lengths)))) if len(lengths) else 1.0


def trusted_lengths(factor: Any) -> NDArray[Any]:
    """The length of each row: infinite where it was cut off, and never so short that products vanish."""
    if sparse.issparse(factor):
        lengths = np.sqrt(sum_of_squares(factor))
    else:
        lengths = np.sqrt(np.einsum("ij,ij->i", factor, factor, dtype=np.float64))
        lengths[lengths >= REACH] = np.inf
    return np.maximum(lengths, SHORTEST[factor.dtype.char]).astype(factor.dtype)


def _pairs(shortlists: Rows, sizes: Rows) -> tuple[Rows, Rows]:
    """The shortlists as pairs of a query and a row."""
    filled = np.arange(shortlists.shape[1]) < sizes[:, None]
    return np.nonzero(filled)[0], shortlists[filled]


def _nearest_pairs(which: Rows, row: Rows, found: Floats, queries: int, k: int) -> tuple[Floats, Rows]:
    """The first k pairs of each query by distance, then by row."""
    order = np.lexsort((row, found, which))
    which, row, found = which[order], row[order], found[order]
    place = np.arange(len(which)) - np.searchsorted(which, which)
    distances, rows = empty_places(queries, k)
    kept = place < k
    distances[which[kept], place[kept]] = found[kept]
    rows[which[kept], place[kept]] = row[kept]
    return distances, rows
