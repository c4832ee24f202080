"""Cross-validation of estimators over tables and texts; by subtraction if what they learn are counts.

A `NaiveBayes` learns a tally, and tallies subtract: the model of all folds but one is `total − fold`, so k
folds cost two passes over the data (all of it, then each fold) instead of k − 1. Every other estimator is
fitted anew for each fold. Folds are stratified by label, and rows of one group (duplicates, one author) are
on one side.

>>> import numpy as np
>>> from deciban import Multinomial, NaiveBayes
>>> X, y = np.array([[3, 0], [2, 1], [0, 2], [1, 4], [4, 1], [0, 3]]), np.array(list("aabbab"))
>>> found = cross_validate(NaiveBayes(Multinomial()), X, y, folds=3)
>>> found.accuracy, found.by_subtraction
(100.0, True)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from deciban.folds import deal
from deciban.learners import NaiveBayes
from deciban.learners.fold_tallies import held_out
from deciban.value import Value


class CrossValidation(Value):
    """What was said of each row by a model that had not seen it."""

    truth: NDArray[Any]
    predicted: NDArray[Any]
    log_probability: NDArray[np.float64] | None
    """ln p of the true label; nan where no other fold has it, None where no probability is claimed."""
    fold: NDArray[np.intp]
    by_subtraction: bool

    @property
    def accuracy(self) -> float:
        """The share of right answers, in percent."""
        return float(100 * np.mean(self.truth == self.predicted))

    @property
    def log_loss(self) -> float | None:
        """−mean ln p of the true label, in nats, p ≥ 1e-15."""
        if self.log_probability is None:
            return None
        return float(-np.nanmean(np.maximum(self.log_probability, np.log(1e-15))))


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    folds: int = 5,
    groups: Sequence[Hashable] | None = None,
    seed: int | None = None,
) -> CrossValidation:
    """Predict each fold by a model that has learned the others."""
    truth = np.asarray(y)
    fold = np.array(deal(truth.tolist(), folds, groups, seed), dtype=np.intp)
    subtracts = isinstance(estimator, NaiveBayes) and estimator.prior != "cv"
    predicted = np.empty_like(truth)
    log_probability = np.full(len(truth), np.nan)
    claimed = True
    models = (
        _by_subtraction(estimator, X, truth, fold) if subtracts else _by_fitting(estimator, X, truth, fold)
    )
    for held, block, model in models:
        predicted[held] = model.predict(block)
        if not hasattr(model, "predict_log_proba"):
            claimed = False
            continue
        place = {label: column for column, label in enumerate(model.classes_.tolist())}
        known = [row for row, label in enumerate(truth[held].tolist()) if label in place]
        columns = [place[label] for label in truth[held][known].tolist()]
        with np.errstate(divide="ignore"):
            log_probability[held[known]] = np.asarray(model.predict_log_proba(block))[known, columns]
    return CrossValidation(truth, predicted, log_probability if claimed else None, fold, subtracts)


Held = tuple[NDArray[np.intp], Any, Any]


def _by_subtraction(estimator: NaiveBayes, X: Any, y: NDArray[Any], fold: NDArray[np.intp]) -> Iterator[Held]:
    """Learn everything once; for each fold, a copy forgets that fold, and the whole model stays as it is."""
    whole = clone(estimator).fit(X, y)
    for held, block in held_out(X, fold):
        yield held, block, copy(whole).forget(block, y[held])


def _by_fitting(estimator: Any, X: Any, y: NDArray[Any], fold: NDArray[np.intp]) -> Iterator[Held]:
    for held, block in held_out(X, fold):
        others = np.flatnonzero(~np.isin(np.arange(len(y)), held))
        yield held, block, clone(estimator).fit(_safe_indexing(X, others), y[others])
