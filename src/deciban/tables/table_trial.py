"""A trial of a model on the rows of its own table: each row is predicted by a model that never saw it.

The rows are dealt out to folds label by label, so that every fold has its share of each. Each fold is tallied
once, and predicted from the sum of the tallies of the others. A temper (learners/temper.py) is found for each
fold on the held-out rows of all other folds, so that no row helps to temper its own probabilities.

>>> from deciban import Gaussian
>>> X, y = np.array([[1.0, 1.2, 0.8, 1.1, 4.0, 4.2, 3.9, 1.1]]).T, np.array(["a"] * 4 + ["b"] * 4)
>>> trial = TableTrial.of(X, y, Gaussian(), lambda tally: Model(tally, "bayes", 1), folds=2, tempered=False)
>>> trial.confusion().tolist()              # a row is what it is, a column what it was taken for
[[4, 0], [1, 3]]
>>> trial.figures().accuracy
0.875
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import metrics
from deciban.families import Family
from deciban.families.reading import Floats
from deciban.learners.explanation import Explanation
from deciban.learners.fold_tallies import Fold, choose_temper, each_fold, hold_out
from deciban.learners.model import Model
from deciban.learners.temper import Temper
from deciban.tables.label_loss import share_loss
from deciban.tables.table_figures import TableFigures
from deciban.tally import Tally

FOLDS = 10
GROUPS = 10  # of rows that were given about the same probability
Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class TableTrial:
    """What was said about rows that were not learned."""

    labels: NDArray[np.str_]
    truth: NDArray[np.intp]  # (rows,): the place of each row's label
    log_chances: Floats  # (rows, labels): log p(label | row); −∞ for a label that the other folds do not have
    folds: Sequence[Fold]
    models: Sequence[Model]

    @classmethod
    def of(
        cls,
        X: Any,
        y: NDArray[np.str_],
        family: Family,
        model_of: Callable[[Tally], Model],
        *,
        folds: int = FOLDS,
        tempered: bool = True,
        progress: Progress = lambda _: None,
    ) -> TableTrial:
        """Try a family that is settled, under a rule and a prior."""
        labels, truth = np.unique(y, return_inverse=True)
        dealt = list(each_fold(X, y, lambda block, rows: family.tally(block, y[rows]), folds))
        models = [model_of(fold.others) for fold in dealt]
        if tempered:
            progress("tempering …")
            _temper(dealt, y, models)
        log_chances = np.full((len(y), len(labels)), -np.inf)
        for number, (fold, model) in enumerate(zip(dealt, models, strict=True)):
            progress(f"fold {number + 1} of {len(dealt)}")
            joint = model.joint(fold.block)
            known = np.searchsorted(labels, fold.others.labels)
            log_chances[np.ix_(fold.rows, known)] = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        return cls(labels, truth, log_chances, dealt, models)

    @property
    def said(self) -> NDArray[np.intp]:
        """The place of the label that each row was given."""
        return np.asarray(self.log_chances.argmax(axis=1))

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which rows were given their own label."""
        return np.asarray(self.said == self.truth)

    @property
    def probability(self) -> Floats:
        """How sure each row's label was said to be."""
        return np.asarray(np.exp(self.log_chances.max(axis=1)))

    def figures(self) -> TableFigures:
        """Accuracy and log-loss; a label that only one fold has counts as wrong, and has no log-loss."""
        own = self.log_chances[np.arange(len(self.truth)), self.truth]
        told = -own[np.isfinite(own)]
        counts = np.bincount(self.truth, minlength=len(self.labels))
        return TableFigures(
            rows=len(self.truth),
            folds=len(self.folds),
            accuracy=float(self.right.mean()),
            log_loss=float(told.mean()) if len(told) else 0.0,
            majority_accuracy=float(counts.max() / len(self.truth)),
            majority_log_loss=share_loss(self.labels[self.truth]),
        )

    def confusion(self) -> NDArray[np.intp]:
        """How many rows of each label (by row) were taken for each label (by column)."""
        count = np.zeros((len(self.labels), len(self.labels)), dtype=np.intp)
        np.add.at(count, (self.truth, self.said), 1)
        return count

    def reliability(self) -> list[metrics.Bin]:
        """Groups of rows by how sure their label was said to be, and how often it was right."""
        return metrics.reliability(self.probability.tolist(), self.right.tolist(), GROUPS)

    def why(self, rows: Sequence[int]) -> list[Explanation]:
        """The evidence of single rows, each by the model that never saw it."""
        found: dict[int, Explanation] = {}
        for fold, model in zip(self.folds, self.models, strict=True):
            here = np.flatnonzero(np.isin(fold.rows, rows))
            if len(here):
                found |= dict(zip(fold.rows[here].tolist(), model.explain(fold.block[here]), strict=True))
        return [found[row] for row in rows]


def _temper(folds: Sequence[Fold], y: NDArray[np.str_], models: Sequence[Model]) -> None:
    """Give each model the temper that is likeliest on the held-out rows of all other folds."""
    waiting = iter(models)
    held = hold_out(folds, y, None, lambda _: next(waiting))
    labels = np.unique(y)
    for number, model in enumerate(models):
        temper = choose_temper([*held[:number], *held[number + 1 :]])
        if temper is not None:
            known = np.searchsorted(labels, model.tally.labels)
            model.temper = Temper(temper.exponent, temper.offsets[known])
