"""Empirical Bayes for counts: the α under which what was counted is likeliest.

Each label's counts c over k cells are one draw from Pólya's urn with α in each cell.
Minka's fixed point raises the likelihood of all draws with every step ("Estimating a Dirichlet
distribution", 2000, revised 2012):

    α ← α · Σ_draws Σ_cells [ψ(c + α) − ψ(α)]  /  Σ_draws k · [ψ(N + kα) − ψ(kα)]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

TOLERANCE = 1e-6
STEPS = 10_000


def likeliest_alpha(
    counts: NDArray[Any], *, symmetric: bool, tolerance: float = TOLERANCE, steps: int = STEPS
) -> NDArray[np.float64]:
    """The most likely α of each cell for draws (rows of counts); all the same if symmetric.

    >>> rng = np.random.default_rng(0)
    >>> urns = rng.dirichlet([0.3] * 50, size=40)
    >>> draws = np.array([rng.multinomial(2000, urn) for urn in urns])
    >>> likeliest_alpha(draws, symmetric=True)[0].round(2)
    np.float64(0.3)
    """
    cells = counts.shape[1]
    draws = np.asarray(counts, dtype=float)[counts.any(axis=1)]
    alpha = np.ones(1 if symmetric else cells)
    if len(draws) == 0 or cells < 2:
        return np.ones(cells)
    # Equal counts add equal terms, so each count is computed once: of 2 million cells of Twenty
    # Newsgroups 1,300 are different, and a step takes 30 µs instead of .1 s.
    columns = [draws] if symmetric else list(draws.T)
    seen = [np.unique(column, return_counts=True) for column in columns]
    drawn = np.unique(draws.sum(axis=1), return_counts=True)
    for _ in range(steps):
        whole = alpha.sum() * (cells if symmetric else 1)
        rise = np.array([_rise(*column, a) for column, a in zip(seen, alpha, strict=True)])
        better = alpha * rise / (_rise(*drawn, whole) * (cells if symmetric else 1))
        better = np.clip(better, 1e-10, 1e6)
        moved = np.abs(better - alpha) > tolerance * alpha
        alpha = better
        if not moved.any():
            break
    return np.broadcast_to(alpha, cells)


def _rise(counts: NDArray[Any], times: NDArray[Any], alpha: Any) -> float:
    """Σ [ψ(c + α) − ψ(α)] over counts that came so many times."""
    return float((times * (psi(counts + alpha) - psi(alpha))).sum())
