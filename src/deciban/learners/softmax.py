"""Softmax: weights of features for each label, learned a row at a time (logistic regression, any labels).

    p(label | x) = exp(w_label · x) / Σ exp(w · x)          step: w ← w − rate · gradient / √(Σ gradients²)

Naive Bayes counts each feature as if the others were not there. These weights count features that say the
same only once. So the two make different mistakes, which is why a committee hears both.

>>> import scipy.sparse as sparse
>>> X = sparse.csr_matrix([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
>>> weights = Softmax(features=3, passes=20).learn(X, np.array([0, 1]), labels=2)
>>> weights.score(X).argmax(axis=1).tolist()
[0, 1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.families.reading import Floats
from deciban.learners._softmax import take_steps

# No step where all wrong labels together have less chance than this: it would touch each feature in vain.
REST = 0.001


class Softmax:
    """One weight for each feature and label; `learn` may be called again, also with further labels."""

    def __init__(self, features: int, *, rate: float = 0.4, passes: int = 6, seed: int = 0) -> None:
        self.rate, self.passes = rate, passes
        self.weights = np.zeros((features, 0), dtype=np.float32)  # (features, labels)
        self.squares = np.zeros(features, dtype=np.float32)
        self.dice = np.random.default_rng(seed)

    def learn(
        self, X: Any, labels_of_rows: NDArray[Any], labels: int, weight: NDArray[Any] | None = None
    ) -> Softmax:
        """Several passes over the rows, each in another order; gradients are multiplied by the weights."""
        self._make_room(labels)
        X = X.tocsr()
        starts, columns = (part.astype(np.int32, copy=False) for part in (X.indptr, X.indices))
        values = X.data.astype(np.float32, copy=False)
        truth = np.ascontiguousarray(labels_of_rows, dtype=np.int32)
        importance = None if weight is None else np.ascontiguousarray(weight, dtype=np.float32)
        for _ in range(self.passes):
            order = self.dice.permutation(len(truth)).astype(np.int32)
            rows = (starts, columns, values, truth, order)
            take_steps(*rows, self.weights, self.squares, self.rate, REST, importance)
        return self

    def score(self, X: Any) -> Floats:
        """w · x for each label: (rows, labels)."""
        return np.asarray(X.astype(np.float32, copy=False) @ self.weights, dtype=float)

    def weights_of(self, columns: NDArray[Any]) -> Floats:
        """What one of each column adds to each label: (columns, labels)."""
        return np.asarray(self.weights[columns], dtype=float)

    def _make_room(self, labels: int) -> None:
        missing = labels - self.weights.shape[1]
        if missing > 0:
            nothing = np.zeros((len(self.weights), missing), dtype=np.float32)
            self.weights = np.concatenate([self.weights, nothing], axis=1) if self.weights.size else nothing
