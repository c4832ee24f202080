"""The α that explains held-out labels best, by k-fold cross-validation without refitting.

A fold is forgotten by subtraction: the tally of the other folds is `total − fold`, so k folds cost one
pass over the data to learn, and one to score for each α.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import _safe_indexing

from deciban.learners.model import Model
from deciban.tally import Tally

ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


def choose_alpha(
    X: Any,
    y: NDArray[Any],
    tally_of: Callable[[Any, NDArray[np.intp]], Tally],
    model_of: Callable[[Tally, float], Model],
    *,
    folds: int = 5,
    alphas: Sequence[float] = ALPHAS,
) -> tuple[float, dict[float, float]]:
    """The best α, and the mean held-out log p(label | row) of each that was tried."""
    rows = [np.flatnonzero(assign_folds(y, folds) == fold) for fold in range(folds)]
    parts = [(held, _safe_indexing(X, held)) for held in rows if len(held)]
    tallies = [tally_of(block, held) for held, block in parts]
    total = sum(tallies[1:], tallies[0])
    scores = dict.fromkeys(map(float, alphas), 0.0)
    scored = 0
    for (held, block), tally in zip(parts, tallies, strict=True):
        rest = total - tally
        known = np.isin(y[held], rest.labels)  # a label that only this fold has cannot be predicted
        if not known.any():
            continue
        scored += int(known.sum())
        truth = np.searchsorted(rest.labels, y[held][known])
        for alpha in scores:
            joint = model_of(rest, alpha).joint(block)[known]
            log_p = joint[np.arange(len(truth)), truth] - logsumexp(joint, axis=1)
            scores[alpha] += float(log_p.sum())
    means = {alpha: score / max(scored, 1) for alpha, score in scores.items()}
    return max(means, key=lambda alpha: means[alpha]), means


def assign_folds(y: NDArray[Any], folds: int) -> NDArray[np.intp]:
    """A fold for each row: the rows of each label are dealt out in turn, so every fold has its share.

    >>> assign_folds(np.array(["a", "b", "a", "a", "b"]), 2).tolist()
    [0, 1, 1, 0, 0]
    """
    order = np.argsort(y, kind="stable")
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % folds
    return fold
