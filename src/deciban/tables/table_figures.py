"""How good a model of a table is: cross-validated accuracy and log-loss, beside the majority.

Each fold is predicted from the sum of the tallies of the others: the rows are tallied once, however many
folds there are. Folds are dealt out label by label, so that every fold has its share of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.families import Family
from deciban.learners.fold_tallies import each_fold, log_chances
from deciban.learners.model import Model
from deciban.tally import Tally
from deciban.value import Value

FOLDS = 10


class TableFigures(Value):
    """What was measured on rows that were not learned."""

    rows: int
    folds: int
    accuracy: float
    log_loss: float
    """Nats a row; 0 is certain and right."""
    majority_accuracy: float
    """Of always saying the commonest label."""
    majority_log_loss: float
    """Of always saying how common each label is."""

    def _check(self) -> None:
        for name, value in self.as_dict().items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"{name} = {value!r}")

    @property
    def error(self) -> float:
        """The standard error of the accuracy."""
        return math.sqrt(self.accuracy * (1 - self.accuracy) / self.rows)

    def record(self) -> dict[str, float]:
        """The figures by name."""
        return self.as_dict()

    def __str__(self) -> str:
        return (
            f"accuracy {self.accuracy:.1%} ± {self.error:.1%} in {self.folds} folds of {self.rows:,} rows; "
            f"the majority alone {self.majority_accuracy:.1%}\n"
            f"log-loss {self.log_loss:.3f} nats; the shares of the labels alone {self.majority_log_loss:.3f}"
        )


def cross_validate(
    X: Any, y: NDArray[np.str_], family: Family, model_of: Callable[[Tally], Model], folds: int = FOLDS
) -> TableFigures:
    """The figures of a family that is settled, under a rule and a prior."""
    right, losses, count = 0, [], 0
    for fold in each_fold(X, y, lambda block, rows: family.tally(block, y[rows]), folds):
        labels, truth = fold.others.labels, y[fold.rows]
        joint = model_of(fold.others).joint(fold.block)
        # A label that only this fold has cannot be predicted: it counts as wrong, and has no log-loss.
        right += int((labels[joint.argmax(axis=1)] == truth).sum())
        losses.append(-log_chances(joint, labels, truth))
        count += 1
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return TableFigures(
        rows=len(y),
        folds=count,
        accuracy=right / len(y),
        log_loss=float(np.concatenate(losses).mean()),
        majority_accuracy=float(shares.max()),
        majority_log_loss=float(-(shares * np.log(shares)).sum()),
    )
