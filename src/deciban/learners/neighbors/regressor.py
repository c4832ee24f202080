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

from deciban.errors import BadSetting
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

    Values may have several columns, (rows, outputs); so has the answer then.

    Attributes
    ----------
    sample_ : the rows that were learned, and their values.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> NeighborsRegressor(k=2).fit([[0.0], [1.0], [9.0]], [0.0, 10.0, 90.0]).predict([[0.4]]).tolist()
    [5.0]
    >>> NeighborsRegressor(k=1).fit([[0.0], [9.0]], [[1.0, 2.0], [3.0, 4.0]]).predict([[8.0]]).tolist()
    [[3.0, 4.0]]
    """

    def predict(self, X: Any) -> Floats:
        """The mean of the neighbours' values, by their shares."""
        distances, rows = self.kneighbors(X)
        shares = self._shares(distances, rows)
        return np.asarray(np.einsum("ij,ij...->i...", shares, self.sample_.answers[rows]))

    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        if neighbors and isinstance(neighbors[0].answer, list):
            raise BadSetting("why explains one output; ask models with one output each.")
        mean = math.fsum(one.share * one.answer for one in neighbors)
        return NeighborsExplanation(mean, None, neighbors)

    def _shaped(self, y: Any) -> NDArray[Any]:
        values = np.asarray(y)
        return values if values.ndim == 2 and values.shape[1] > 1 else super()._shaped(y)

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
