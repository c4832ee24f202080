"""What both kinds of neighbours share: the sample, the search over it, and who is near.

Neighbours differ from other learners: there are no sums to learn, the sample itself is what was learned. They
can still learn and forget row by row; after that it is as if the forgotten rows had never been seen.

Ties never depend on chance. Rows at the same distance come in the order in which they were learned; labels
with the same share of the vote are decided by the nearest neighbour among them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from deciban.errors import BadSetting, NotEnoughValues, NotTexts
from deciban.learners.distances import Distance, Floats, as_distance
from deciban.learners.neighbors import file
from deciban.learners.neighbors.approximate import ApproximateSearch, as_graph
from deciban.learners.neighbors.exact import ExactSearch
from deciban.learners.neighbors.neighbors_explanation import Neighbor, NeighborsExplanation
from deciban.learners.neighbors.ranking import Rows
from deciban.learners.neighbors.sample import Sample, canonical
from deciban.learners.whole_setting import whole_setting

Weights = str | Callable[[Floats], Floats]


class Neighbors(BaseEstimator):  # type: ignore[misc]
    """Learns rows by heart, and looks up the k nearest; classifier and regressor make an answer of them."""

    sample_: Sample

    def __init__(
        self, k: int = 5, *, distance: Any = "euclidean", weights: Weights = "equal", search: Any = "exact"
    ) -> None:
        self.k = k
        self.distance = distance
        self.weights = weights
        self.search = search

    # --- learning ----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these rows and nothing else; a row of weight 2 counts as two rows."""
        given = self._weighed(*self._validate(X, y, first=True), sample_weight)
        self._begin(given.answers)
        self.sample_ = given.answering(self._answers(given.answers))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn further rows; labels that were never seen are welcome.

        `classes` may be given, as scikit-learn's contract has it, and must then contain every label. They
        stay among the classes, even those of which nothing was learned yet.
        """
        first = not hasattr(self, "sample_")
        more = self._weighed(*self._validate(X, y, first=first), sample_weight)
        declared = self._declare(classes, more.answers)
        if first:
            self._begin(more.answers)
            self.sample_ = more.answering(self._answers(more.answers))
        self._welcome(more.answers, declared)
        if first:
            return self
        search = self.sample_.search
        self.sample_ = self.sample_.with_more(more.rows, self._answers(more.answers), more.weight)
        if isinstance(search, ApproximateSearch):
            search.learn(self.sample_.rows, more.rows)
            self.sample_.search = search
        return self

    def forget(self, X: Any, y: Any) -> Self:
        """Unlearn rows, as if they had never been seen; an error if one of them never was."""
        check_is_fitted(self, "sample_")
        rows, y = self._validate(X, y, first=False)
        kept = self.sample_.find(rows, self._known_answers(y))
        search = self.sample_.search
        self.sample_ = self.sample_.only(kept)
        if isinstance(search, ApproximateSearch) and len(self.sample_):
            search.forget(self.sample_.rows, kept)
            self.sample_.search = search
        self._drop_unused()
        return self

    # --- looking around ----------------------------------------------------------------------

    def kneighbors(self, X: Any = None, k: int | None = None) -> tuple[Floats, Rows]:
        """Distances and positions of the k nearest rows of each query, nearest first: (queries, k) each.

        Positions count the rows that are kept in the order in which they were learned. Without queries the
        rows themselves are asked about, and no row is its own neighbour.
        """
        check_is_fitted(self, "sample_")
        k = whole_setting("k", self.k if k is None else k)
        if X is None:
            return self._of_each_other(k)
        return self._nearest(self._validate_rows(X, first=False), k)

    def kneighbors_graph(self, X: Any = None, k: int | None = None, mode: str = "connectivity") -> Any:
        """The k nearest rows of each query as a sparse table, (queries, rows that were learned).

        An entry is 1 (`mode="connectivity"`) or the distance (`mode="distance"`). Without queries it is the
        graph of the rows themselves, in which no row is its own neighbour.
        """
        if mode not in ("connectivity", "distance"):
            raise BadSetting(f"mode must be 'connectivity' or 'distance', got {mode!r} instead.")
        distances, rows = self.kneighbors(X, k)
        values = distances if mode == "distance" else np.ones(distances.shape)
        ends = np.arange(len(rows) + 1) * rows.shape[1]
        return sparse.csr_array((values.ravel(), rows.ravel(), ends), shape=(len(rows), len(self.sample_)))

    def _of_each_other(self, k: int) -> tuple[Floats, Rows]:
        if len(self.sample_) < 2:
            raise NotEnoughValues("A row has no neighbours while it is the only one: learn some more.")
        distances, rows = self._nearest(self.sample_.rows, k + 1)
        own = rows == np.arange(len(rows))[:, None]
        own[~own.any(axis=1), -1] = True  # more than k rows equal it and come first, so it is not among them
        shape = (len(rows), rows.shape[1] - 1)
        return distances[~own].reshape(shape), rows[~own].reshape(shape)

    def _nearest(self, rows: Any, k: int) -> tuple[Floats, Rows]:
        if not len(self.sample_):
            raise NotEnoughValues("Everything was forgotten: learn some rows first.")
        if self.sample_.search is None:
            self.sample_.search = self._new_search()
        search: ExactSearch | ApproximateSearch = self.sample_.search
        return search.nearest(rows, min(k, len(self.sample_)))

    def why(self, X: Any) -> list[Any]:
        """For each row, the neighbours behind its answer; their shares add up to one.

        With several outputs there is a tuple of explanations for each row, one for each output.
        """
        distances, rows = self.kneighbors(X)
        shares = self._shares(distances, rows)
        each = [self._explanations(rows, answers[rows], distances, shares) for answers in self._told()]
        return list(zip(*each, strict=True)) if self.sample_.answers.ndim == 2 else each[0]

    def _explanations(self, *columns: NDArray[Any]) -> list[NeighborsExplanation]:
        """The explanation of each query from positions, answers, distances and shares, (queries, k) each."""
        each = zip(*(column.tolist() for column in columns), strict=True)
        return [self._explained(tuple(Neighbor(*one) for one in zip(*query, strict=True))) for query in each]

    # --- keeping -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to a file that holds numbers and texts, and cannot execute code."""
        check_is_fitted(self, "sample_")
        file.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that was saved."""
        return file.load(cls, Path(path))

    # --- what classifier and regressor say each in their own way ------------------------------

    @abstractmethod
    def _checked_y(self, y: Any, rows: int) -> NDArray[Any]:
        """Answers as one for each row, or as (rows, outputs); refused if they are of the wrong kind."""

    @abstractmethod
    def _told(self) -> list[NDArray[Any]]:
        """The answers of the sample as users gave them: for each output, one per row."""

    @abstractmethod
    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        """The answer of these neighbours."""

    def _begin(self, y: NDArray[Any]) -> None:
        """Know nothing but these answers."""

    def _declare(self, classes: Any, y: NDArray[Any]) -> list[NDArray[Any]] | None:  # noqa: ARG002
        """The labels that there may be, for each output; an error if another one is among the answers."""
        return None

    def _welcome(self, y: NDArray[Any], declared: list[NDArray[Any]] | None) -> None:
        """Make room for answers that were never seen."""

    def _drop_unused(self) -> None:
        """Leave no trace of answers whose last row was forgotten."""

    def _answers(self, y: NDArray[Any]) -> NDArray[Any]:
        """Answers as the sample keeps them."""
        return y

    def _known_answers(self, y: NDArray[Any]) -> NDArray[Any]:
        """The same for rows that are to be forgotten."""
        return y

    # --- inner workings ----------------------------------------------------------------------

    def _distance(self) -> Distance:
        return as_distance(self.distance)

    def _new_search(self) -> ExactSearch | ApproximateSearch:
        graph, distance = as_graph(self.search), self._distance()
        if graph is None:
            return ExactSearch(distance, self.sample_.rows)
        graph.check(distance)
        return ApproximateSearch(graph, distance, self.sample_.rows)

    def _weighed(self, rows: Any, y: NDArray[Any], sample_weight: Any) -> Sample:
        """The rows that weigh anything, with their weights."""
        if sample_weight is None:
            return Sample(rows, y)
        weight = _check_sample_weight(sample_weight, y, ensure_non_negative=True)
        return Sample(rows, y, weight=weight).only(weight > 0)

    def _shares(self, distances: Floats, rows: Rows) -> Floats:
        """What each neighbour has of the vote: (queries, k), rows sum to one."""
        votes = self._votes_by_distance(distances)
        if self.sample_.weight is not None:
            # A row of weight 2 is two rows: together the nearest count for k of them, and no more.
            weight = self.sample_.weight[rows]
            before = np.cumsum(weight, axis=1) - weight
            votes = votes * np.clip(max(self.k, 1) - before, 0.0, weight)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _votes_by_distance(self, distances: Floats) -> Floats:
        if callable(self.weights):
            weights = np.asarray(self.weights(distances), dtype=np.float64)
            if weights.shape != distances.shape or not (weights >= 0).all() or not weights.any(axis=1).all():
                raise BadSetting(
                    "The weights function must return a weight of 0 or more for each distance, and one "
                    "above 0 for each query."
                )
        elif self.weights == "distance":
            # Divided by the least of them first, so that no weight overflows.
            nearest = distances[:, :1]
            with np.errstate(invalid="ignore", divide="ignore"):
                weights = np.where(nearest == 0, distances == 0, nearest / distances)
        else:
            weights = np.ones_like(distances)
        return np.asarray(weights, dtype=np.float64)

    def _check_settings(self) -> None:
        whole_setting("k", self.k)
        if not callable(self.weights) and self.weights not in ("equal", "distance"):
            raise BadSetting(
                f"weights must be 'equal', 'distance' or a function of distances, got {self.weights!r}."
            )
        graph, distance = as_graph(self.search), self._distance()
        if graph is not None:
            graph.check(distance)

    def _validate(self, X: Any, y: Any, *, first: bool) -> tuple[Any, NDArray[Any]]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        self._check_settings()
        rows = self._validate_rows(X, first=first)
        count = len(rows) if isinstance(rows, list) else rows.shape[0]
        return rows, self._checked_y(y, count)

    def _validate_rows(self, X: Any, *, first: bool) -> Any:
        distance = self._distance()
        if distance.takes == "texts" or (distance.takes == "anything" and _is_list_of_things(X)):
            items = _items(X, texts=distance.takes == "texts")
            distance.admit(items)
            return items
        rows = validate_data(
            self, X, reset=first, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        distance.admit(rows)
        return canonical(rows) if sparse.issparse(rows) else rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            distance = self._distance()
        except BadSetting:
            return tags
        tags.input_tags.sparse = isinstance(self.search, str) and self.search == "exact"
        tags.input_tags.positive_only = hasattr(distance, "smoothing")
        tags.input_tags.two_d_array = distance.takes != "texts"
        tags.input_tags.string = distance.takes == "texts"
        return tags


def _is_list_of_things(X: Any) -> bool:
    """Whether X is a list of things that are no numbers, and no table of numbers."""
    if sparse.issparse(X) or hasattr(X, "columns"):
        return False
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "OSU"
    return isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], (str, bytes, dict, set, frozenset))


def _items(X: Any, texts: bool) -> list[Any]:
    if isinstance(X, (str, bytes)) or not np.iterable(X) or sparse.issparse(X) or getattr(X, "ndim", 1) != 1:
        raise NotTexts("Expected a list of texts, one for each row, got something else instead.")
    items = X.tolist() if hasattr(X, "tolist") else list(X)
    wrong = [item for item in items if not isinstance(item, (str, bytes))] if texts else []
    if wrong:
        raise NotTexts(f"Expected texts (str or bytes), got {type(wrong[0]).__name__} instead.")
    if not items:
        raise NotEnoughValues("Found no rows; at least one is needed.")
    return items
