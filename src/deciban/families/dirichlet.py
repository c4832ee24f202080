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
    # Nothing was counted beyond the uniform prior: the posterior is flat and every share is a mode. Take the
    # middle.
    flat = spare <= 0
    return np.where(flat, 1.0 / np.asarray(cells), np.maximum(count - 1, 0) / np.where(flat, 1.0, spare))


def refuse_boundary(count: NDArray[Any]) -> None:
    """Refuse a mode on the boundary, where the density is infinite."""
    if bool(np.any(np.asarray(count) < 1 - 1e-12)):
        raise NoMode(
            "The posterior has no mode inside: a count and what was imagined with it stay below 1, so the "
            "density is infinite at the boundary. Use rule='mean', or a prior of at least 1."
        )


def draw_shares(count: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
    """Shares drawn from Dirichlet(count), along the last axis; a cell without a count gets no share.

    >>> draw_shares(np.array([[3e9, 1e9, 0.0]]), np.random.default_rng(0)).round(3).tolist()
    [[0.75, 0.25, 0.0]]
    """
    some = np.where(count > 0, count, 1.0)
    # Gammas of a shape far below 1 underflow, their logarithms do not: Γ(a) is Γ(a + 1) · U^(1/a).
    logs = np.log(rng.standard_gamma(some + 1)) + np.log(rng.random(some.shape)) / some
    logs = np.where(count > 0, logs, -np.inf)
    powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
