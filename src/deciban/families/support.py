"""Which values a family gives any probability, declared as a value and checked once at the door.

>>> positive = Support("x > 0", "Drop it.", least=0, open_below=True)
>>> positive.check("Gamma", np.array([[1.0, 2.0], [3.0, 0.0]]), ["age", "size"])
Traceback (most recent call last):
...
deciban.errors.OutsideSupport: Gamma needs x > 0, but column 'size' has 1 zero (first in row 1). Drop it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import OutsideSupport

INFINITE = np.uint64(0x7FF0000000000000)  # the bits of +∞
LARGEST = 1e150  # up to here a square, and the sum of many, is still a number
PIECE = 2**16  # how many values are checked at once, so that they stay in the cache


@dataclass(frozen=True)
class Support:
    """The finite numbers between two ends, perhaps only the whole ones."""

    words: str  # "x > 0"
    way_out: str  # what a user can do about the others
    least: float = -np.inf
    most: float = np.inf
    open_below: bool = False  # the least value itself is outside
    whole: bool = False

    def check(self, family: str, X: Any, names: Any = None) -> None:
        """Refuse X where a value is outside; missing values (NaN) are always inside."""
        if sparse.issparse(X):
            full = X.nnz == X.shape[0] * X.shape[1]
            if (full or self.allows(np.zeros(1)).all()) and self._all_inside(X.data):
                return
            X = X.tocsc()
        elif self._all_inside(X):
            return
        self._refuse(family, X, names)

    def allows(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which values are inside; a missing one is not."""
        with np.errstate(invalid="ignore", over="ignore"):  # the ends may be beyond what float32 holds
            above = values > self.least if self.open_below else values >= self.least
            inside = above & (values <= self.most) & np.isfinite(values)
            return np.asarray(inside & (values == np.rint(values)) if self.whole else inside)

    def _all_inside(self, values: NDArray[Any]) -> bool:
        step = max(1, PIECE // max(1, values[:1].size))
        return all(self._inside(values[start : start + step]) for start in range(0, len(values), step))

    def _inside(self, values: NDArray[Any]) -> bool:
        # If fractions are allowed, the smallest and the largest value tell all, in half the time. If no value
        # may be negative, the largest bit pattern is enough: those of negative numbers, infinity and NaN are
        # larger than any other.
        if not self.whole and values.size:
            if values.dtype == np.float64 and self.least == 0 and not self.open_below:
                return bool(values.view(np.uint64).max() < INFINITE) or self._each_inside(values)
            if self.allows(np.array([values.min(), values.max()])).all():
                return True
        return self._each_inside(values)

    def _each_inside(self, values: NDArray[Any]) -> bool:
        return bool((self.allows(values) | np.isnan(values)).all())

    def _refuse(self, family: str, X: Any, names: Any) -> None:
        for column in range(X.shape[1]):
            values = X[:, [column]].toarray().ravel() if sparse.issparse(X) else X[:, column]
            outside = ~self.allows(values) & ~np.isnan(values)
            if outside.any():
                name = column if names is None else names[column]
                raise OutsideSupport(
                    f"{family} needs {self.words}, but column {name!r} has {_count(values[outside])} "
                    f"(first in row {int(np.argmax(outside))}). {self.way_out}"
                )


def _count(bad: NDArray[Any]) -> str:
    """How many values are outside, and of which kind: '3 zeros', '1 negative value' and so on."""
    kinds = {
        "infinite value%s": np.isinf(bad),
        "value%s beyond 1e150": np.abs(bad) > LARGEST,
        "zero%s": bad == 0,
        "negative value%s": bad < 0,
        "fraction%s": bad != np.rint(bad),
        "other value%s": bad == bad,
    }
    kind = next(name for name, which in kinds.items() if which.all())
    return f"{len(bad)} {kind % ('' if len(bad) == 1 else 's')}"
