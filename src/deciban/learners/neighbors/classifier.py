"""NeighborsClassifier: the label that most of the nearest rows have.

>>> X, y = [[0.0], [1.0], [5.0], [6.0], [7.0]], ["ham", "ham", "spam", "spam", "spam"]
>>> model = NeighborsClassifier(k=3).fit(X, y)
>>> model.predict([[0.4], [5.5]]).tolist()
['ham', 'spam']
>>> print(model.why([[0.4]])[0])
ham, by .67 of the vote
     .33  ham  row 0, 0.4 away
     .33  ham  row 1, 0.6 away
     .33  spam  row 2, 4.6 away

Two votes each: the nearest neighbour decides, whatever the labels are called.

>>> NeighborsClassifier(k=4).fit(X, y).predict([[1.5], [4.0]]).tolist()
['ham', 'spam']
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from deciban.errors import CannotForget
from deciban.learners.distances import Floats
from deciban.learners.neighbors.neighbors import Neighbors
from deciban.learners.neighbors.neighbors_explanation import Neighbor, NeighborsExplanation


class NeighborsClassifier(ClassifierMixin, Neighbors):  # type: ignore[misc]
    """Answers with the label that most of the k nearest rows have.

    Parameters
    ----------
    k : how many neighbours vote; all rows while there are fewer.
    distance : "euclidean", "cosine", "manhattan", "chebyshev", "minkowski", "jensen_shannon",
        "kullback_leibler", "edit", "compression", one of `deciban.learners.distances`, or a function of
        (query, row).
    weights : "equal" (a majority), "distance" (one divided by it; a row at distance 0 outvotes all that
        are not), or a function from distances (queries, k) to weights.
    search : "exact", or "approximate" (a Graph with its settings) for many dense rows.

    Attributes
    ----------
    classes_ : the labels, sorted.
    sample_ : the rows that were learned, and their labels.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> model = NeighborsClassifier(k=1).fit([[0.0], [5.0]], ["ham", "spam"])
    >>> model.predict([[1.0], [4.0]]).tolist()
    ['ham', 'spam']
    """

    classes_: NDArray[Any]

    def predict_proba(self, X: Any) -> Floats:
        """The share of the vote of each label: (rows, labels), in the order of `classes_`."""
        return self._votes(*self.kneighbors(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest share; of several, that of the nearest neighbour among them."""
        distances, rows = self.kneighbors(X)
        votes = self._votes(distances, rows)
        labels = self.sample_.answers[rows]  # (queries, k), nearest first
        # Shares that should be equal may differ by rounding, by the order in which they were added.
        best = np.take_along_axis(votes, labels, axis=1) >= votes.max(axis=1, keepdims=True) * (1 - 1e-12)
        winners = np.take_along_axis(labels, best.argmax(axis=1)[:, None], axis=1).ravel()
        return np.asarray(self.classes_[winners])

    def _votes(self, distances: Floats, rows: NDArray[Any]) -> Floats:
        votes = np.zeros((len(rows), len(self.classes_)))
        queries = np.arange(len(rows))
        for place, shares in enumerate(self._shares(distances, rows).T):
            votes[queries, self.sample_.answers[rows[:, place]]] += shares
        return votes

    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        votes: dict[Any, float] = {}
        for one in neighbors:  # the first of equals is the nearest
            votes[one.answer] = votes.get(one.answer, 0.0) + one.share
        most = max(votes.values()) * (1 - 1e-12)
        label = next(label for label, share in votes.items() if share >= most)
        return NeighborsExplanation(label, votes[label], neighbors)

    def _checked_y(self, y: NDArray[Any]) -> NDArray[Any]:
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity; every label must be known.")
        check_classification_targets(y)
        return y

    # --- the sample keeps numbers of labels, so that a label is stored once -------------------

    def _begin(self, y: NDArray[Any]) -> None:
        self.classes_ = np.unique(y)

    def _welcome(self, y: NDArray[Any]) -> None:
        if (self.classes_.dtype.kind in "US") != (y.dtype.kind in "US") and "O" not in (
            self.classes_.dtype.kind,
            y.dtype.kind,
        ):
            raise ValueError(f"Labels are {self.classes_.dtype} so far and {y.dtype} now; they do not mix.")
        known = self.classes_
        self.classes_ = np.unique(np.concatenate([known, y]))
        moved = np.searchsorted(self.classes_, known)
        self.sample_ = self.sample_.answering(moved[self.sample_.answers])

    def _drop_unused(self) -> None:
        used = np.unique(self.sample_.answers)
        if len(used) < len(self.classes_):
            self.classes_ = self.classes_[used]
            self.sample_ = self.sample_.answering(np.searchsorted(used, self.sample_.answers))

    def _answers(self, y: NDArray[Any]) -> NDArray[Any]:
        return np.searchsorted(self.classes_, y)

    def _known_answers(self, y: NDArray[Any]) -> NDArray[Any]:
        unknown = sorted(set(y.tolist()) - set(self.classes_.tolist()), key=str)
        if unknown:
            raise CannotForget(
                f"Nothing with label {unknown[0]!r} was ever learned, so it cannot be forgotten."
            )
        return self._answers(y)

    def _told(self, answers: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.classes_[answers])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The checks' blobs are no counts: their shares of a row tell little.
        tags.classifier_tags.poor_score = tags.input_tags.positive_only
        return tags
