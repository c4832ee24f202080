"""Which values a family gives any probability, checked once at the door.

>>> positive = Support("x > 0", lambda x: x > 0, "Drop them, or use Poisson().", zero=False)
>>> positive.check("Gamma", np.array([[1.0, 2.0], [3.0, 0.0]]), ["age", "size"])
Traceback (most recent call last):
...
deciban.errors.OutsideSupport: Gamma needs x > 0, but column 'size' has 1 zero (first in row 1). Drop them, or use Poisson().
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import OutsideSupport


@dataclass(frozen=True)
class Support:
    """The values that a family can have seen."""

    words: str  # "x > 0"
    allows: Callable[[NDArray[Any]], NDArray[np.bool_]]
    way_out: str  # what a user can do about the others
    zero: bool = True  # whether 0 is inside, so that sparse data need no look at what they leave out

    def check(self, family: str, X: Any, names: Any = None) -> None:
        """Refuse X where a value is outside; missing values (NaN) are always inside."""
        if sparse.issparse(X):
            if not self.zero and X.nnz < X.shape[0] * X.shape[1]:
                X = X.toarray()
            elif self._all_inside(X.data):
                return
            else:
                X = X.tocsc()
        elif all(self._all_inside(X[rows : rows + 4096]) for rows in range(0, len(X), 4096)):
            return
        self._refuse(family, X, names)

    def _all_inside(self, values: NDArray[Any]) -> bool:
        with np.errstate(invalid="ignore"):
            fine = self.allows(values) & np.isfinite(values)
            return bool(fine.all()) or bool((fine | np.isnan(values)).all())

    def _refuse(self, family: str, X: Any, names: Any) -> None:
        for column in range(X.shape[1]):
            values = X[:, [column]].toarray().ravel() if sparse.issparse(X) else X[:, column]
            with np.errstate(invalid="ignore"):
                outside = ~(self.allows(values) & np.isfinite(values)) & ~np.isnan(values)
            if outside.any():
                bad = values[outside]
                name = column if names is None else names[column]
                raise OutsideSupport(
                    f"{family} needs {self.words}, but column {name!r} has {_count(bad)} "
                    f"(first in row {int(np.argmax(outside))}). {self.way_out}"
                )


def _count(bad: NDArray[Any]) -> str:
    """How many values are outside, and of which kind: '3 zeros', '1 negative value', …"""
    kinds = {
        "infinite value": np.isinf(bad),
        "zero": bad == 0,
        "negative value": bad < 0,
        "fraction": bad != np.rint(bad),
        "other value": bad == bad,
    }
    kind = next(name for name, which in kinds.items() if which.all())
    return f"{len(bad)} {kind}{'' if len(bad) == 1 else 's'}"
