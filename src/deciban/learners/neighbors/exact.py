"""The nearest rows, exactly: every row is looked at, most of them only through a matrix product.

If a matrix product can rank the rows (`ranking.py`), each block of it is read once, while it is still in the
cache. Rows that may be among the nearest go on a shortlist, and their distances are then computed exactly.
Batches of queries are shared among threads. Other distances are computed block by block. Either way the
answer is that of

    sorted(rows, key=lambda row: (distance(query, row), row))[:k]

>>> search = ExactSearch(Euclidean(), np.array([[0.0], [2.0], [2.0], [9.0]]))
>>> search.nearest(np.array([[1.0]]), 3)
(array([[1., 1., 1.]]), array([[0, 1, 2]]))
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sparse

from deciban.learners.distances import Distance, Euclidean, Floats
from deciban.learners.neighbors._nearest import keep_nearest, settle, shortlist, sort_nearest_first
from deciban.learners.neighbors.blas_threads import blas_threads
from deciban.learners.neighbors.ranking import Ranking, Rows, empty_places

__all__ = ["Euclidean", "ExactSearch"]

# A block of 256 × 2,048 products is 2 MB: it should be read again before it leaves the cache, and be large
# enough for BLAS.
QUERIES, BLOCK = 256, 2048
SPARSE_QUERIES = 64  # a sparse product comes out over all rows at once
CELLS = 2**20  # how many distances of another kind are computed at once
WORTH_A_THREAD = 2**22  # products: some milliseconds


class ExactSearch:
    """The rows of a sample, and the nearest of them."""

    def __init__(self, distance: Distance, rows: Any) -> None:
        self._distance = distance
        self._rows = rows
        self._ranking = Ranking.of(distance, rows)
        if self._ranking is not None:
            self._row_of_place = self._ranking.arrange()

    def nearest(self, queries: Any, k: int) -> tuple[Floats, Rows]:
        """Distances and positions of the k nearest rows of each query, nearest first."""
        count = len(queries) if isinstance(queries, list) else queries.shape[0]
        step = self._queries_at_once(k)
        batches = [queries[start : start + step] for start in range(0, count, step)]
        if not batches:
            return np.empty((0, k)), np.empty((0, k), dtype=np.int64)
        if self._ranking is None:
            found = [self._by_blocks(batch, k) for batch in batches]
        else:
            found = self._by_products(self._ranking, batches, k)
        return np.vstack([one for one, _ in found]), np.vstack([one for _, one in found])

    def _queries_at_once(self, k: int) -> int:
        if self._ranking is None or not sparse.issparse(self._ranking.factor):
            return max(1, min(QUERIES, CELLS // max(1, room_for(k))))
        return SPARSE_QUERIES

    def _by_blocks(self, queries: Any, k: int) -> tuple[Floats, Rows]:
        rows = self._rows
        total, queried = (len(v) if isinstance(v, list) else v.shape[0] for v in (rows, queries))
        distances, places = empty_places(queried, k)
        step = max(1, CELLS // max(1, queried))
        for start in range(0, total, step):
            block = self._distance.between(queries, rows[start : start + step])
            keep_nearest(np.ascontiguousarray(block, dtype=np.float64), start, distances, places)
        sort_nearest_first(distances, places)
        return distances, places

    def _by_products(self, ranking: Ranking, batches: list[Any], k: int) -> list[tuple[Floats, Rows]]:
        with blas_threads().taken() as threads:
            products = ranking.factor.shape[0] * sum(batch.shape[0] for batch in batches)
            workers = min(threads, len(batches), 1 + products // WORTH_A_THREAD)
            if workers == 1:
                return [self._by_product(ranking, batch, k) for batch in batches]
            with ThreadPoolExecutor(workers) as pool:
                return list(pool.map(lambda batch: self._by_product(ranking, batch, k), batches))

    def _by_product(self, ranking: Ranking, queries: Any, k: int) -> tuple[Floats, Rows]:
        total = ranking.factor.shape[0]
        shortlists, sizes = self._shortlists(ranking, ranking.left(queries), min(k, total))
        hopeless = np.flatnonzero(sizes < 0)  # too many rows within rounding of each other, or out of reach
        sizes[hopeless] = 0
        distances, rows = ranking.nearest(queries, shortlists, sizes, k)
        everything = np.arange(total, dtype=np.int64)[None]
        for query in hopeless.tolist():
            distances[query], rows[query] = (
                one[0] for one in ranking.nearest(queries[[query]], everything, np.array([total]), k)
            )
        return distances, rows

    def _shortlists(self, ranking: Ranking, left: Any, k: int) -> tuple[Rows, Rows]:
        kind, count = ranking.factor.dtype, left.shape[0]
        slopes = ranking.slopes(left).astype(kind)
        smallest = np.full((count, k), np.inf, dtype=kind)
        least = np.empty((count, room_for(k)), dtype=kind)
        places = np.zeros((count, room_for(k)), dtype=np.int64)
        sizes = np.zeros(count, dtype=np.int64)
        for start, products in blocks(left, ranking.factor):
            some = slice(start, start + products.shape[1])
            shortlist(
                products, ranking.offsets[some], ranking.lengths[some], slopes, ranking.curve, start,
                smallest, least, places, sizes,
            )  # fmt: skip
        settle(least, places, sizes, smallest)
        return self._row_of_place[places], sizes


def room_for(k: int) -> int:
    """How long a shortlist may become before it has to be pruned to k again."""
    return 4 * k + 64


def blocks(left: Any, factor: Any) -> Any:
    """The product of the two, a block of columns at a time, with the number of its first column."""
    if sparse.issparse(factor):
        yield 0, np.ascontiguousarray((left @ factor.T).toarray())
        return
    space = np.empty(left.shape[0] * min(BLOCK, max(1, len(factor))), dtype=factor.dtype)
    for start in range(0, len(factor), BLOCK):
        some = factor[start : start + BLOCK]
        products = space[: left.shape[0] * len(some)].reshape(left.shape[0], len(some))
        yield start, np.matmul(left, some.T, out=products)
