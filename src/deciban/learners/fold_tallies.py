"""Cross-validation of tallies: the model of all folds but one, without going through the rows again.

Every fold is tallied once, and the tally of the other folds is the sum of theirs. (`total − fold` would be
the same up to rounding, but a variance may need these last digits.) So k folds cost one pass over the data to
learn, and one more for each candidate to score.

>>> from deciban import Multinomial
>>> X, y = np.array([[3, 0], [0, 2], [1, 0], [0, 4]]), np.array(["a", "b", "a", "b"])
>>> first, second = each_fold(X, y, lambda block, rows: Multinomial().tally(block, y[rows]), folds=2)
>>> first.rows.tolist(), first.others.sums["count"].tolist()
([0, 1], [[1, 0], [0, 4]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import _safe_indexing

from deciban.families.reading import Floats
from deciban.folds import deal
from deciban.learners.model import Model
from deciban.learners.temper import HeldOut, Temper
from deciban.tally import Tally

FOLDS = 5
ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
TallyOf = Callable[[Any, NDArray[np.intp]], Tally]


class Fold(NamedTuple):
    """Rows that are held out, and what was learned from all others."""

    rows: NDArray[np.intp]
    block: Any
    others: Tally


def fold_of_each(y: NDArray[Any], folds: int) -> NDArray[np.intp]:
    """The fold of each row; where there are fewer rows than folds, each is a fold."""
    return np.array(deal(y.tolist(), max(2, min(folds, len(y)))), dtype=np.intp)


def held_out(X: Any, fold: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], Any]]:
    """The places of the rows of each fold, and the rows."""
    for number in np.unique(fold):
        rows = np.flatnonzero(fold == number)
        yield rows, _safe_indexing(X, rows)


def each_fold(X: Any, y: NDArray[Any], tally_of: TallyOf, folds: int = FOLDS) -> Iterator[Fold]:
    """Each fold with the tally of the others; `tally_of` is given rows and their places."""
    held = list(held_out(X, fold_of_each(y, folds)))
    if len(held) < 2:  # with a single row there is nothing else to learn from
        return
    tallies = [tally_of(block, rows) for rows, block in held]
    for number, (rows, block) in enumerate(held):
        first, *rest = tallies[:number] + tallies[number + 1 :]
        yield Fold(rows, block, sum(rest, first))


def log_chances(joint: Floats, labels: NDArray[Any], truth: NDArray[Any]) -> Floats:
    """ln p(true label | row) of the rows whose label was learned; no other label can be predicted."""
    known = np.flatnonzero(np.isin(truth, labels))
    own = joint[known, np.searchsorted(labels, truth[known])]
    return np.asarray(own - logsumexp(joint[known], axis=1))


def hold_out(
    folds: Sequence[Fold],
    y: NDArray[Any],
    weight: NDArray[Any] | None,
    model_of: Callable[[Tally], Model],
) -> list[HeldOut]:
    """What the models of the other folds say about the rows of each, with a column for every label of y."""
    labels = np.unique(y)
    held = []
    for fold in folds:
        here = np.searchsorted(labels, fold.others.labels)
        model = model_of(fold.others)
        evidence, log_prior = np.zeros((len(fold.rows), len(labels))), np.full(len(labels), -np.inf)
        evidence[:, here], log_prior[here] = model.evidence(fold.block), model.log_prior
        weights = np.ones(len(y)) if weight is None else weight
        truth = np.searchsorted(labels, y[fold.rows])
        held.append(HeldOut.of(evidence, log_prior, truth, weights[fold.rows]))
    return held


def choose_temper(held: Sequence[HeldOut]) -> Temper | None:
    """The likeliest temper, or none where no row could be held out."""
    return Temper.of(held) if any(len(one.truth) for one in held) else None


def choose_alpha(
    folds: Sequence[Fold],
    y: NDArray[Any],
    weight: NDArray[Any] | None,
    model_of: Callable[[Tally, float], Model],
    *,
    tempered: bool = False,
    alphas: Sequence[float] = ALPHAS,
) -> tuple[float, dict[float, float]]:
    """The α that explains held-out labels best, and the mean log p(label | row) of each that was tried."""
    scores = {float(alpha): _score(folds, y, weight, model_of, float(alpha), tempered) for alpha in alphas}
    return max(scores, key=lambda alpha: scores[alpha]), scores


def _score(
    folds: Sequence[Fold],
    y: NDArray[Any],
    weight: NDArray[Any] | None,
    model_of: Callable[[Tally, float], Model],
    alpha: float,
    tempered: bool,
) -> float:
    if tempered:
        held = hold_out(folds, y, weight, lambda tally: model_of(tally, alpha))
        temper = choose_temper(held)
        return 0.0 if temper is None else temper.log_p(held)
    found = [
        log_chances(model_of(fold.others, alpha).joint(fold.block), fold.others.labels, y[fold.rows])
        for fold in folds
        if np.isin(y[fold.rows], fold.others.labels).any()
    ]
    return float(np.concatenate(found).mean()) if found else 0.0
