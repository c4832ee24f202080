"""NeighborsRegressor: the mean of what the nearest rows have, perhaps weighted by how near they are.

>>> X, y = [[0.0], [1.0], [3.0]], [0.0, 10.0, 30.0]
>>> NeighborsRegressor(k=2).fit(X, y).predict([[0.25]]).tolist()
[5.0]
>>> NeighborsRegressor(k=2, weights="distance").fit(X, y).predict([[0.25]]).tolist()
[2.5]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from deciban.learners.distances import Floats
from deciban.learners.neighbors.neighbors import Neighbors
from deciban.learners.neighbors.neighbors_explanation import Neighbor, NeighborsExplanation


class NeighborsRegressor(RegressorMixin, Neighbors):  # type: ignore[misc]
    """Answers with the mean of the k nearest rows' values.

    Parameters
    ----------
    k : how many neighbours are averaged; all rows while there are fewer.
    distance, search : as in NeighborsClassifier.
    weights : "equal" (a plain average), "distance", or a function from distances to weights.
    """

    def predict(self, X: Any) -> Floats:
        """The mean of the neighbours' values, by their shares."""
        distances, rows = self.kneighbors(X)
        return np.asarray((self._shares(distances) * self.sample_.answers[rows]).sum(axis=1))

    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        mean = math.fsum(one.share * one.answer for one in neighbors)
        return NeighborsExplanation(mean, None, neighbors)

    def _checked_y(self, y: NDArray[Any]) -> NDArray[Any]:
        y = np.asarray(y, dtype=np.float64)
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity; every value must be known.")
        return y

    def _told(self, answers: NDArray[Any]) -> NDArray[Any]:
        return answers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The checks' blobs are no counts: their shares of a row tell little.
        tags.regressor_tags.poor_score = tags.input_tags.positive_only
        return tags
