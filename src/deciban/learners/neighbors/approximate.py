"""Nearly all of the nearest rows, many times faster: a graph of neighbours (HNSW) by faiss.

Every row is linked to some rows near it, and a search walks along the links towards the query, remembering
the best `breadth` rows on the way. It finds the true neighbours with a probability (the *recall*) that
grows with `breadth`, and takes time that hardly grows with the number of rows. What it finds is then
measured exactly, so distances and ties are those of the exact search. docs/experiments.md has the figures.

New rows are linked in. Forgotten rows are never found again, but stay in the graph as stepping stones until
they are a quarter of it; then, and whenever a model is loaded, it is built anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import BadSetting, MissingExtra
from deciban.learners.distances import Cosine, Distance, Euclidean, Floats
from deciban.learners.neighbors.ranking import DenseVectors, Rows
from deciban.learners.whole_setting import whole_setting

MOST_FORGOTTEN = 0.25


@dataclass(frozen=True)
class Graph:
    """How the graph is built and searched.

    links : neighbours that each row is linked to (8 · links bytes per row); more for many true dimensions.
    effort : candidates that are looked at to choose the links; a better graph, built more slowly.
    breadth : candidates kept during a search, at least 2 k; higher recall, searched more slowly.
    """

    links: int = 16
    effort: int = 60
    breadth: int = 64

    def check(self, distance: Distance) -> None:
        """Refuse what the index cannot do."""
        if not isinstance(distance, (Euclidean, Cosine)):
            raise BadSetting(
                f"The approximate search knows euclidean and cosine, not {type(distance).__name__}. "
                "Use search='exact'."
            )
        for name in ("links", "effort", "breadth"):
            whole_setting(name, getattr(self, name), least=2)


class ApproximateSearch:
    """A graph over the rows of a sample."""

    def __init__(self, graph: Graph, distance: Distance, rows: Any) -> None:
        if sparse.issparse(rows):
            raise BadSetting(
                "The approximate search needs dense rows. Make them dense and short with RandomProjection, "
                "or use search='exact'."
            )
        self._graph = graph
        self._distance = distance
        self._build(rows)

    def _build(self, rows: NDArray[Any]) -> None:
        faiss = import_faiss()
        self._ranking = DenseVectors(rows, directions=isinstance(self._distance, Cosine))
        self._index = faiss.IndexHNSWFlat(rows.shape[1], self._graph.links)
        self._index.hnsw.efConstruction = self._graph.effort
        self._index.add(self._ranking.factor)
        self._ranking = self._ranking.over(rows)  # faiss has copied the factor
        self._node_of_row = np.arange(len(rows), dtype=np.int64)

    def learn(self, rows: NDArray[Any], new: NDArray[Any]) -> None:
        """Link in new rows; `rows` are all rows, the new ones at the end."""
        first = self._index.ntotal
        self._index.add(self._ranking.left(new))
        self._ranking = self._ranking.over(rows)
        self._node_of_row = np.concatenate([self._node_of_row, np.arange(first, self._index.ntotal)])

    def forget(self, rows: NDArray[Any], kept: NDArray[np.bool_]) -> None:
        """Never find again what was not kept; `rows` are the rows that are left."""
        self._node_of_row = self._node_of_row[kept]
        if len(rows) < (1 - MOST_FORGOTTEN) * self._index.ntotal:
            self._build(rows)
        else:
            self._ranking = self._ranking.over(rows)

    def nearest(self, queries: Any, k: int) -> tuple[Floats, Rows]:
        """Distances and positions of k near rows of each query, nearest first."""
        faiss = import_faiss()
        wanted = min(2 * k, len(self._node_of_row))
        settings = faiss.SearchParametersHNSW(efSearch=max(self._graph.breadth, wanted))
        forgotten = len(self._node_of_row) < self._index.ntotal
        if forgotten:
            settings.sel = selector = faiss.IDSelectorBatch(self._node_of_row)  # noqa: F841, faiss keeps no reference
        _, nodes = self._index.search(self._ranking.left(queries), wanted, params=settings)
        sizes = (nodes >= 0).sum(axis=1).astype(np.int64)  # faiss fills up with -1
        rows = np.searchsorted(self._node_of_row, nodes) if forgotten else nodes
        distances, places = self._ranking.nearest(queries, np.ascontiguousarray(rows), sizes, k)
        everything = np.arange(len(self._node_of_row), dtype=np.int64)[None]
        for query in np.flatnonzero(sizes < k).tolist():  # the walk met too few that are not forgotten
            one = self._ranking.nearest(queries[[query]], everything, np.array([everything.size]), k)
            distances[query], places[query] = one[0][0], one[1][0]
        return distances, places


def import_faiss() -> Any:
    """The module faiss, or an error that says how to get it."""
    try:
        import faiss
    except ModuleNotFoundError:
        raise MissingExtra(
            "The approximate search needs faiss, which is not installed. "
            "Run: pip install 'deciban[neighbors]'"
        ) from None
    return faiss


def as_graph(search: Any) -> Graph | None:
    """The settings of an approximate search, or None for the exact one."""
    if isinstance(search, Graph):
        return search
    if isinstance(search, str) and search in ("exact", "approximate"):
        return Graph() if search == "approximate" else None
    raise BadSetting(f"search must be 'exact', 'approximate' or a Graph, got {search!r} instead.")
