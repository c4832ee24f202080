"""RandomProjection: fewer columns, nearly the same distances (Johnson and Lindenstrauss 1984).

Each row is multiplied by a random matrix whose entries have mean 0 and variance 1/d, d the number of columns
that are left; so a squared distance keeps its expectation. With

    d ≥ 4 log n / (ε²/2 − ε³/3)

a squared distance between two of n rows leaves the factor 1 ± ε with a probability of at most 2/n² (Dasgupta
and Gupta 2003), however many columns there were. So among all pairs at most one does, on average. 10,000 rows
and ε = .3 need 1,024 columns.

Entries are Gaussian, or sparse: ±√(1/(s·d)) for a share s of them and 0 for the rest. s = 1/3 is Achlioptas's
(2003) and loses nothing; s = 1/√columns is Li's (2006), the default, and loses next to nothing where
columns are many.

>>> least_dimensions(10_000, 0.3)
1024
>>> X = np.random.default_rng(0).normal(size=(50, 5000))
>>> RandomProjection(epsilon=0.5, random_state=0).fit_transform(X).shape
(50, 188)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from deciban.errors import BadSetting

KINDS = ("gaussian", "sparse")


def least_dimensions(rows: int, epsilon: float) -> int:
    """How many columns keep all squared distances between rows within 1 ± ε."""
    if not 0 < epsilon < 1:
        raise BadSetting(f"epsilon must be between 0 and 1, got {epsilon!r} instead.")
    return math.ceil(4 * math.log(rows) / (epsilon**2 / 2 - epsilon**3 / 3))


class RandomProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Projects rows onto random directions.

    Parameters
    ----------
    dimensions : how many columns are left, or "auto": as many as `epsilon` needs for the rows of `fit`.
    epsilon : by what share squared distances may change, where dimensions="auto".
    kind : "gaussian", or "sparse" (faster, and little memory).
    density : the share of entries that are not zero, where kind="sparse"; "auto" is 1/√columns.
    random_state : a seed, for the same projection every time.

    Attributes
    ----------
    components_ : the directions, (columns that are left, columns).
    n_components_ : how many columns are left.
    density_ : the share of entries that are not zero.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> rows = np.eye(100)
    >>> RandomProjection(20, random_state=0).fit_transform(rows).shape
    (100, 20)
    """

    def __init__(
        self,
        dimensions: int | str = "auto",
        *,
        epsilon: float = 0.1,
        kind: str = "gaussian",
        density: float | str = "auto",
        random_state: Any = None,
    ) -> None:
        self.dimensions = dimensions
        self.epsilon = epsilon
        self.kind = kind
        self.density = density
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> RandomProjection:  # noqa: ARG002, scikit-learn's contract
        """Draw the projection; of X only the number of rows and columns matters."""
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        rows, columns = X.shape
        self.n_components_ = self._dimensions(rows, columns)
        if self.kind not in KINDS:
            raise BadSetting(f"kind must be 'gaussian' or 'sparse', got {self.kind!r} instead.")
        random = check_random_state(self.random_state)
        shape = (self.n_components_, columns)
        if self.kind == "gaussian":
            self.density_ = 1.0
            matrix = random.normal(0, np.sqrt(1 / self.n_components_), shape)
        else:
            self.density_ = self._density(columns)
            matrix = self._sparse_matrix(random, shape)
        self.components_ = matrix.astype(X.dtype)
        return self

    def transform(self, X: Any) -> Any:
        """The projected rows: dense, however sparse X is."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        product = X @ self.components_.T
        return product.toarray() if sparse.issparse(product) else np.asarray(product)

    def _dimensions(self, rows: int, columns: int) -> int:
        if self.dimensions != "auto":
            wanted = self.dimensions
            if isinstance(wanted, (str, bool)) or not isinstance(wanted, (int, np.integer)) or wanted < 1:
                raise BadSetting(f"dimensions must be 'auto' or 1 or more, got {wanted!r} instead.")
            return int(wanted)
        needed = max(1, least_dimensions(rows, self.epsilon))
        if needed > columns:
            raise BadSetting(
                f"{rows} rows need {needed} dimensions to keep distances within {self.epsilon:g}, but there "
                f"are only {columns} columns. Allow a larger epsilon, or give dimensions a number."
            )
        return needed

    def _density(self, columns: int) -> float:
        density = 1 / np.sqrt(columns) if isinstance(self.density, str) else self.density
        if (isinstance(self.density, str) and self.density != "auto") or not 0 < density <= 1:
            raise BadSetting(f"density must be 'auto' or from above 0 to 1, got {self.density!r} instead.")
        return float(density)

    def _sparse_matrix(self, random: Any, shape: tuple[int, int]) -> Any:
        """Row by row, because a dense draw would not fit where the result does."""
        size = np.sqrt(1 / (self.density_ * shape[0]))
        counts = random.binomial(shape[1], self.density_, shape[0])
        columns = [np.sort(random.choice(shape[1], count, replace=False)) for count in counts]
        values = size * (2.0 * random.randint(0, 2, int(counts.sum())) - 1)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return sparse.csr_array((values, np.concatenate(columns), starts), shape=shape)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
