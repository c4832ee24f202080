"""SelectFeatures: keep the features that tell labels apart, judged from a tally.

>>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
>>> chosen = SelectFeatures("information_gain", k=1).fit(X, ["spam", "spam", "ham", "ham"])
>>> chosen.get_support().tolist()
[True, False, False]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from deciban.families import Bernoulli, Family, Gaussian
from deciban.learners.all_or_nothing import all_or_nothing
from deciban.learners.labels import checked_labels
from deciban.learners.whole_setting import whole_setting
from deciban.selection import SCORES
from deciban.tally import Tally


class SelectFeatures(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the k features with the highest score.

    Parameters
    ----------
    by : the score: "chi2", "information_gain", "log_odds", "document_frequency", or a function from a
        tally to one number per feature.
    k : how many features to keep; all of them if there are fewer.
    family : what is tallied. Unless told, the first rows decide: Bernoulli(binarize=0.0), which asks whether
        a value is above zero, where all are whole numbers and none is negative; otherwise Gaussian(), from
        which only "information_gain" can be read. Multinomial() weighs counts.

    Attributes
    ----------
    scores_ : the score of each column.
    tally_ : what was learned.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> rows, labels = [[1, 1], [1, 0], [0, 1], [0, 0]], ["a", "a", "b", "b"]
    >>> SelectFeatures(k=1).fit(rows, labels).get_support().tolist()
    [True, False]
    """

    tally_: Tally

    def __init__(
        self,
        by: str | Callable[[Tally], NDArray[Any]] = "information_gain",
        *,
        k: int = 1000,
        family: Family | None = None,
    ) -> None:
        self.by = by
        self.k = k
        self.family = family

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> SelectFeatures:
        """Tally labelled rows and score their features."""
        if hasattr(self, "tally_"):
            del self.tally_
        return self.partial_fit(X, y)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any) -> SelectFeatures:
        """Tally further rows and score again."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        first = not hasattr(self, "tally_")
        X = validate_data(self, X, reset=first, accept_sparse="csr", ensure_all_finite="allow-nan")
        y = checked_labels(y, X.shape[0])
        whole_setting("k", self.k)
        family = self._family(X) if first else self.tally_.family
        tally = family.tally(X, y)
        self.tally_ = tally if first else self.tally_ + tally
        self.scores_ = self._score(self.tally_)
        return self

    def _family(self, X: Any) -> Family:
        if self.family is not None:
            return self.family
        values = X.data if sparse.issparse(X) else X
        counted = bool(np.all((values >= 0) & (values == np.rint(values)) | np.isnan(values)))
        return Bernoulli(binarize=0.0) if counted else Gaussian()

    def _score(self, tally: Tally) -> NDArray[Any]:
        if callable(self.by):
            return np.asarray(self.by(tally))
        if self.by not in SCORES:
            raise ValueError(f"by must be one of {', '.join(SCORES)} or a function, got {self.by!r}.")
        return SCORES[self.by](tally)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        best = np.argsort(-self.scores_, kind="stable")[: self.k]
        mask = np.zeros(len(self.scores_), dtype=bool)
        mask[best] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags
