"""ComplementCounts: Naive Bayes over weighed words, by how badly all *other* labels explain a text.

    score(label) = −Σ x · log((others + α) / (all others + α · columns)),    others: Σ x under other labels

It is `NaiveBayes(Multinomial(), rule="mean", complement=True)` (Rennie, 2003) with the sums of a column side
by side, so that one text reads as many cells as it has words, and no table of logarithms is kept.

>>> import scipy.sparse as sparse
>>> X = sparse.csr_matrix([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])
>>> counts = ComplementCounts(features=3, alpha=1.0).learn(X, np.array([0, 1]), labels=2)
>>> counts.score(X).argmax(axis=1).tolist()
[0, 1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.families.reading import Floats

CELLS = 2**20  # logarithms that are taken at once


class ComplementCounts:
    """Sums of each feature under each label; `learn` may be called again, also with further labels."""

    def __init__(self, features: int, alpha: float) -> None:
        self.alpha = alpha
        self.sums = np.zeros((features, 0), dtype=np.float32)  # (features, labels)
        self.totals = np.zeros(0)  # (labels,)

    def learn(
        self, X: Any, labels_of_rows: NDArray[Any], labels: int, weight: NDArray[Any] | None = None
    ) -> ComplementCounts:
        """Add the rows, times their weight, to the sums of their labels."""
        missing = labels - self.sums.shape[1]
        if missing > 0:
            nothing = np.zeros((len(self.sums), missing), dtype=np.float32)
            self.sums = np.concatenate([self.sums, nothing], axis=1) if self.sums.size else nothing
            self.totals = np.append(self.totals, np.zeros(missing))
        for label in np.unique(labels_of_rows).tolist():
            mine = X[labels_of_rows == label]
            if weight is not None:
                mine.data = mine.data * np.repeat(weight[labels_of_rows == label], np.diff(mine.indptr))
            self.sums[:, label] += np.bincount(mine.indices, mine.data, minlength=len(self.sums))
            self.totals[label] += mine.data.sum(dtype=np.float64)
        return self

    def score(self, X: Any) -> Floats:
        """−log p(text | not the label): (rows, labels)."""
        scores = np.zeros((X.shape[0], self.sums.shape[1]))
        step = max(1, CELLS // max(1, self.sums.shape[1]))
        for begin in range(0, len(X.indices), step):
            some = slice(begin, begin + step)
            told = X.data[some, None] * self.weights_of(X.indices[some])
            first, last = np.searchsorted(X.indptr, [begin, begin + len(told)], side="right") - [1, 0]
            ends = np.clip(X.indptr[first : last + 1], begin, begin + len(told)) - begin
            sums = np.concatenate([np.zeros((1, told.shape[1])), np.cumsum(told, axis=0)])
            scores[first:last] += np.diff(sums[ends], axis=0)
        return scores

    def weights_of(self, columns: NDArray[Any]) -> Floats:
        """What one of each column adds to each label: (columns, labels)."""
        cells = self.sums[columns].astype(np.float64)
        others = np.maximum(cells.sum(axis=1, keepdims=True) - cells, 0.0) + self.alpha
        everything = self.totals.sum() - self.totals + self.alpha * len(self.sums)
        return np.asarray(np.log(everything) - np.log(others))
