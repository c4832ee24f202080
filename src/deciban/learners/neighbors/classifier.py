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

from deciban.errors import CannotForget
from deciban.learners.distances import Floats
from deciban.learners.labels import checked_labels, declared_classes, separate, together
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

    Labels may have several columns, (rows, outputs); then so has the answer.

    Attributes
    ----------
    classes_ : the labels, sorted; with several outputs a list of them.
    sample_ : the rows that were learned, and the numbers of their labels.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> model = NeighborsClassifier(k=1).fit([[0.0], [5.0]], ["ham", "spam"])
    >>> model.predict([[1.0], [4.0]]).tolist()
    ['ham', 'spam']

    Two outputs, who wrote a mail and in which language:

    >>> model = NeighborsClassifier(k=1).fit([[0.0], [5.0]], [["ham", "en"], ["spam", "de"]])
    >>> model.predict([[1.0], [4.0]]).tolist()
    [['ham', 'en'], ['spam', 'de']]
    """

    classes_: NDArray[Any] | list[NDArray[Any]]
    declared_: list[NDArray[Any]]  # of each output, if partial_fit was told its classes

    def predict_proba(self, X: Any) -> Any:
        """The share of the vote of each label: (rows, labels), in the order of `classes_`.

        With several outputs it is a list of such tables. X=None asks about the rows that were learned, each
        by the others alone.
        """
        distances, rows = self.kneighbors(X)
        shares = self._shares(distances, rows)
        each = [self._votes(shares, answers[rows], known) for answers, known in self._outputs()]
        return each if self._several else each[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest share; of several, that of the nearest neighbour among them.

        With several outputs: (rows, outputs). X=None asks about the rows that were learned, each by the
        others alone.
        """
        distances, rows = self.kneighbors(X)
        shares = self._shares(distances, rows)
        each = [known[self._winners(shares, answers[rows], known)] for answers, known in self._outputs()]
        return together(each) if self._several else np.asarray(each[0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are right; with several outputs, right in all of them."""
        if not self._several:
            return float(super().score(X, y, sample_weight))
        wanted, told = separate(np.asarray(y)), separate(self.predict(X))
        if len(wanted) != len(told):
            raise ValueError(f"y has {len(wanted)} outputs, but {len(told)} were learned.")
        right = np.all([one == other for one, other in zip(wanted, told, strict=True)], axis=0)
        return float(np.average(right, weights=sample_weight))

    def _winners(self, shares: Floats, labels: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
        votes = self._votes(shares, labels, known)
        # Shares that should be equal may differ by rounding, by the order in which they were added.
        best = np.take_along_axis(votes, labels, axis=1) >= votes.max(axis=1, keepdims=True) * (1 - 1e-12)
        return np.take_along_axis(labels, best.argmax(axis=1)[:, None], axis=1).ravel()

    def _votes(self, shares: Floats, labels: NDArray[Any], known: NDArray[Any]) -> Floats:
        """The share of each label; `labels` are those of the neighbours, (queries, k), nearest first."""
        votes = np.zeros((len(shares), len(known)))
        queries = np.arange(len(shares))
        for place, share in enumerate(shares.T):
            votes[queries, labels[:, place]] += share
        return votes

    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        votes: dict[Any, float] = {}
        for one in neighbors:  # the first of equals is the nearest
            votes[one.answer] = votes.get(one.answer, 0.0) + one.share
        most = max(votes.values()) * (1 - 1e-12)
        label = next(label for label, share in votes.items() if share >= most)
        return NeighborsExplanation(label, votes[label], neighbors)

    def _checked_y(self, y: Any, rows: int) -> NDArray[Any]:
        # As objects, because numpy would turn a missing label among texts into the text nan.
        table = np.array(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
        if table.ndim != 2 or table.shape[1] < 2:
            return checked_labels(y, rows)
        columns = table.T.tolist() if table.dtype.kind == "O" else list(table.T)
        return together([checked_labels(column, rows) for column in columns])

    # --- the sample keeps numbers of labels, so that a label is stored once -------------------

    @property
    def _several(self) -> bool:
        """Whether there are several outputs."""
        return isinstance(self.classes_, list)

    def _known(self) -> list[NDArray[Any]]:
        """The labels of each output."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _outputs(self) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """For each output the numbers that the sample keeps, and the labels that they stand for."""
        return list(zip(separate(self.sample_.answers), self._known(), strict=True))

    def _begin(self, y: NDArray[Any]) -> None:
        known = [np.unique(column) for column in separate(y)]
        self.classes_ = known if y.ndim == 2 else known[0]
        if hasattr(self, "declared_"):
            del self.declared_

    def _declare(self, classes: Any, y: NDArray[Any]) -> list[NDArray[Any]] | None:
        if classes is None:
            return None
        columns = separate(y)
        given = list(classes) if y.ndim == 2 else [classes]
        if len(given) != len(columns):
            raise ValueError(f"classes must be a list for each of {len(columns)} outputs, got {len(given)}.")
        return [declared_classes(one, column) for one, column in zip(given, columns, strict=True)]

    def _welcome(self, y: NDArray[Any], declared: list[NDArray[Any]] | None) -> None:
        known, columns = self._known(), separate(y)
        if len(known) != len(columns):
            raise ValueError(f"There were {len(known)} outputs so far and are {len(columns)} now.")
        for labels, column in zip(known, columns, strict=True):
            if (labels.dtype.kind in "US") != (column.dtype.kind in "US") and "O" not in (
                labels.dtype.kind,
                column.dtype.kind,
            ):
                raise ValueError(f"Labels are {labels.dtype} so far and {column.dtype} now; they do not mix.")
        more = (
            columns
            if declared is None
            else [np.concatenate(pair) for pair in zip(columns, declared, strict=True)]
        )
        self._renumber([np.unique(np.concatenate(pair)) for pair in zip(known, more, strict=True)])
        if declared is not None:
            self.declared_ = declared

    def _drop_unused(self) -> None:
        used = [known[np.unique(numbers)] for numbers, known in self._outputs()]
        if hasattr(self, "declared_"):
            used = [np.union1d(*pair) for pair in zip(used, self.declared_, strict=True)]
        self._renumber(used)

    def _renumber(self, labels: list[NDArray[Any]]) -> None:
        """Know these labels instead; each that has a row is among them."""
        if all(len(one) == len(known) for one, known in zip(labels, self._known(), strict=True)):
            return
        pairs = zip(labels, self._outputs(), strict=True)
        moved = [np.searchsorted(one, known)[numbers] for one, (numbers, known) in pairs]
        self.sample_ = self.sample_.answering(np.column_stack(moved) if self._several else moved[0])
        self.classes_ = labels if self._several else labels[0]

    def _answers(self, y: NDArray[Any]) -> NDArray[Any]:
        pairs = zip(self._known(), separate(y), strict=True)
        numbers = [np.searchsorted(known, column) for known, column in pairs]
        return np.column_stack(numbers) if self._several else np.asarray(numbers[0])

    def _known_answers(self, y: NDArray[Any]) -> NDArray[Any]:
        columns = separate(y)
        if len(columns) != len(self._known()):
            raise CannotForget(f"{len(self._known())} outputs were learned, not {len(columns)}.")
        for known, column in zip(self._known(), columns, strict=True):
            unknown = sorted(set(column.tolist()) - set(known.tolist()), key=str)
            if unknown:
                raise CannotForget(
                    f"Nothing with label {unknown[0]!r} was ever learned, so it cannot be forgotten."
                )
        return self._answers(y)

    def _told(self) -> list[NDArray[Any]]:
        return [np.asarray(known[numbers]) for numbers, known in self._outputs()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = True
        # The checks' blobs are no counts: their shares of a row tell little.
        tags.classifier_tags.poor_score = tags.input_tags.positive_only
        return tags
