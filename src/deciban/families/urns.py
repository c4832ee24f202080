"""Empirical Bayes for counts: the α under which what was counted is likeliest.

Each label's counts c over k cells are one draw from Pólya's urn with α in each cell.
Minka's fixed point raises the likelihood of all draws with every step ("Estimating a Dirichlet
distribution", 2000, revised 2012):

    α ← α · Σ_draws Σ_cells [ψ(c + α) − ψ(α)]  /  Σ_draws k · [ψ(N + kα) − ψ(kα)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    if symmetric:
        return np.broadcast_to(likeliest_alphas([counts], tolerance=tolerance, steps=steps), cells)
    draws = _drawn(counts)
    alpha = np.ones(cells)
    if len(draws) == 0 or cells < 2:
        return alpha
    seen, drawn = _Rises.of(list(draws.T)), _Rises.of([draws.sum(axis=1)])
    for _ in range(steps):
        better = np.clip(alpha * seen.at(alpha) / drawn.at(alpha.sum(keepdims=True)), 1e-10, 1e6)
        moved = np.abs(better - alpha) > tolerance * alpha
        alpha = better
        if not moved.any():
            break
    return alpha


def likeliest_alphas(
    urns: Sequence[NDArray[Any]], *, tolerance: float = TOLERANCE, steps: int = STEPS
) -> NDArray[np.float64]:
    """For each of several urns the likeliest α, the same for all its cells; 1 where nothing was drawn.

    All urns take each step together, until they have arrived: 60 columns of 30 rows take .5 s, one after the
    other 7.

    >>> likeliest_alphas([np.array([[9, 1], [1, 9]]), np.array([[5, 1], [1, 3]]), np.zeros((2, 0))]).round(2)
    array([0.67, 2.31, 1.  ])
    """
    alphas = np.ones(len(urns))
    draws = [_drawn(urn) for urn in urns]
    going = np.array([k for k, each in enumerate(draws) if len(each) and each.shape[1] > 1], dtype=int)
    cells = np.array([urn.shape[1] for urn in urns], dtype=float)
    seen = _Rises.of([draws[k].ravel() for k in going])
    drawn = _Rises.of([draws[k].sum(axis=1) for k in going])
    for _ in range(steps):
        if not len(going):
            break
        alpha, width = alphas[going], cells[going]
        better = np.clip(alpha * seen.at(alpha) / (drawn.at(alpha * width) * width), 1e-10, 1e6)
        alphas[going] = better
        moved = np.abs(better - alpha) > tolerance * alpha
        if not moved.all():
            going, seen, drawn = going[moved], seen.only(moved), drawn.only(moved)
    return alphas


def _drawn(counts: NDArray[Any]) -> NDArray[np.float64]:
    """The draws in which anything was counted."""
    return np.asarray(counts, dtype=float)[counts.any(axis=1)]


@dataclass(frozen=True)
class _Rises:
    """Σ [ψ(c + α) − ψ(α)] over the counts c of each of several groups, none of them empty.

    Equal counts add equal terms, so each is computed once: of 2 million cells of Twenty Newsgroups 1,300
    are different, and a step takes 30 µs instead of .1 s.
    """

    counts: NDArray[np.float64]
    """Those that are different, group by group …"""
    times: NDArray[np.int64]
    """… how often each came …"""
    sizes: NDArray[np.int64]
    """… and how many of them each group has."""

    @classmethod
    def of(cls, groups: Sequence[NDArray[np.float64]]) -> _Rises:
        each = [np.unique(group, return_counts=True) for group in groups]
        counts, times = (np.concatenate([one[k] for one in each] or [np.empty(0)]) for k in (0, 1))
        return cls(counts, times, np.array([len(one) for one, _ in each], dtype=np.int64))

    def at(self, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums, for an α of each group."""
        rises = psi(self.counts + np.repeat(alpha, self.sizes)) - np.repeat(psi(alpha), self.sizes)
        return np.add.reduceat(self.times * rises, np.cumsum(self.sizes) - self.sizes)

    def only(self, groups: NDArray[np.bool_]) -> _Rises:
        """Those of some groups."""
        of_groups = np.repeat(groups, self.sizes)
        return _Rises(self.counts[of_groups], self.times[of_groups], self.sizes[groups])
