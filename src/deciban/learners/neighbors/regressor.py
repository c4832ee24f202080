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
from sklearn.utils.validation import column_or_1d

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
        """The mean of the neighbours' values, by their shares.

        X=None asks about the rows that were learned, each by the others alone.
        """
        distances, rows = self.kneighbors(X)
        shares = self._shares(distances, rows)
        return np.asarray(np.einsum("ij,ij...->i...", shares, self.sample_.answers[rows]))

    def _explained(self, neighbors: tuple[Neighbor, ...]) -> NeighborsExplanation:
        mean = math.fsum(one.share * one.answer for one in neighbors)
        return NeighborsExplanation(mean, None, neighbors)

    def _checked_y(self, y: Any, rows: int) -> NDArray[Any]:
        given = np.asarray(y)
        several = given.ndim == 2 and given.shape[1] > 1
        values: Floats = np.asarray(given if several else column_or_1d(given, warn=True), dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError("Input y contains NaN or infinity; every value must be known.")
        if len(values) != rows:
            raise ValueError(f"Found {rows} rows but {len(values)} values; there must be one value per row.")
        return values

    def _welcome(self, y: NDArray[Any], declared: list[NDArray[Any]] | None) -> None:  # noqa: ARG002
        if y.shape[1:] != self.sample_.answers.shape[1:]:
            raise ValueError(f"Values had shape {self.sample_.answers.shape} so far, and have {y.shape} now.")

    def _told(self) -> list[NDArray[Any]]:
        answers = self.sample_.answers
        return [answers] if answers.ndim == 1 else list(answers.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        # The checks' blobs are no counts: their shares of a row tell little.
        tags.regressor_tags.poor_score = tags.input_tags.positive_only
        return tags
