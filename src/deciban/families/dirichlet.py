"""Shares of a whole under a Dirichlet prior: the arithmetic that counting families have in common.

With counts c in cells that are one of k, α imagined in each, and N = Σ (c + α):

    mle    c / Σc          mean, bayes    (c + α) / N          map    (c + α − 1) / (N − k)

>>> share(np.array([[3.0, 1.0]]), np.array([[4.0]]), 2, "map").tolist()        # 2 : 0, not 3 : 1
[[1.0, 0.0]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import NoMode


def share(count: NDArray[Any], total: NDArray[Any], cells: Any, rule: str) -> NDArray[np.float64]:
    """The probability of each cell; `count` and `total` include what was imagined."""
    if rule != "map":
        return np.asarray(count / total, dtype=float)
    refuse_boundary(count)
    spare = np.asarray(total - cells, dtype=float)
    # Nothing above the uniform prior: the posterior is flat, any share is a mode, so take the middle one.
    flat = spare <= 0
    return np.where(flat, 1.0 / np.asarray(cells), np.maximum(count - 1, 0) / np.where(flat, 1.0, spare))


def refuse_boundary(count: NDArray[Any]) -> None:
    """Refuse a mode on the boundary, where the density is infinite."""
    if bool(np.any(np.asarray(count) < 1 - 1e-12)):
        raise NoMode(
            "The posterior has no mode inside: a count and what was imagined with it stay below 1, so the "
            "density is infinite at the boundary. Use rule='mean', or a prior of at least 1."
        )
