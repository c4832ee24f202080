"""What one column by itself tells about the label: half of the rows are learned, the other half is predicted.

>>> from deciban import Gaussian
>>> y = np.array(["a", "b"] * 20)
>>> telling, silent = np.where(y == "a", 1.0, 5.0) + np.arange(40) / 40, np.arange(40) // 2 % 5 * 1.0
>>> label_loss(Gaussian(), telling[:, None], y) < 0.1 < 0.69 < label_loss(Gaussian(), silent[:, None], y)
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import DecibanError
from deciban.families import Family
from deciban.learners.fold_tallies import each_fold, log_chances
from deciban.learners.model import Model

ROWS_TRIED = 10_000


def label_loss(family: Family, X: NDArray[Any], y: NDArray[np.str_]) -> float:
    """The held-out log-loss of the label in nats; infinite where the family does not fit the columns."""
    step = max(1, len(y) // ROWS_TRIED)
    X, y = X[::step], y[::step]
    losses = []
    try:
        settled, _ = family._welcome(X)
        for fold in each_fold(X, y, lambda block, rows: settled.tally(block, y[rows]), 2):
            joint = Model(fold.others, "bayes", 1, telling_only=True).joint(fold.block)
            losses.append(-log_chances(joint, fold.others.labels, y[fold.rows]))
    except DecibanError:
        return float("inf")
    told = np.concatenate([np.empty(0), *losses])
    return float(told.mean()) if len(told) else float("inf")


def share_loss(y: NDArray[np.str_]) -> float:
    """The log-loss of always saying how common each label is."""
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return float(-(shares * np.log(shares)).sum())
