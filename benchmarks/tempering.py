"""How well probabilities are calibrated: tempered, recalibrated by isotonic regression, and left as they are.

Log-loss in nats per row on the nine tables (nine_tables.py), in ten folds, with the family of each column as
`deciban table` guesses it. Isotonic regression is scikit-learn's CalibratedClassifierCV(ensemble=False): five
folds inside each of the ten, refitted. It says "never" of some labels that come all the same, which counts as
1e-15; a second column grants every label one row in n + 2. The shares of the labels are what one knows
without any column. Last comes the accuracy, plain and tempered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV

from benchmarks.measure import Table, show
from benchmarks.nine_tables import LabelledTable, nine_tables
from deciban import Columns, NaiveBayes
from deciban.folds import deal
from deciban.tables.guess import DROP, FAMILIES, guess_families

FOLDS = 10
SEED = 1
Floats = NDArray[np.float64]


def family_of(labelled: LabelledTable) -> Columns:
    """The family of each column, as it is guessed."""
    guesses = guess_families(labelled.table, labelled.labels)
    return Columns({one.name: FAMILIES[one.family] for one in guesses if one.family != DROP})


def rows_of(labelled: LabelledTable, family: Columns) -> NDArray[np.object_]:
    """The columns that are learned from, categories as texts."""
    rows = np.empty((len(labelled.labels), len(family.groups)), dtype=object)
    for place, ((name,), kind) in enumerate(family.groups):
        as_text = kind == FAMILIES["categorical"]
        rows[:, place] = labelled.table.texts(name) if as_text else labelled.table.numbers(name)
    return rows


def each_way(family: Columns) -> dict[str, Callable[[], NaiveBayes | CalibratedClassifierCV]]:
    """What is compared."""
    numbered = Columns({place: kind for place, (_, kind) in enumerate(family.groups)})
    return {
        "plain": lambda: NaiveBayes(numbered),
        "tempered": lambda: NaiveBayes(numbered, temper="cv"),
        "isotonic": lambda: CalibratedClassifierCV(
            NaiveBayes(numbered), method="isotonic", cv=5, ensemble=False
        ),
    }


def log_chances(labelled: LabelledTable) -> dict[str, Floats]:
    """log p(label | row) of every row by each way, held out: (rows, labels)."""
    family = family_of(labelled)
    X, y = rows_of(labelled, family), labelled.labels
    labels = np.unique(y)
    fold = np.array(deal(y.tolist(), FOLDS, seed=SEED))
    told = {name: np.zeros((len(y), len(labels))) for name in (*each_way(family), "shares")}
    for number in range(FOLDS):
        learned, asked = fold != number, fold == number
        for name, make in each_way(family).items():
            model = make().fit(X[learned], y[learned])
            if isinstance(model, NaiveBayes):
                told[name][asked] = model.predict_log_proba(X[asked])
            else:
                told[name][asked] = np.log(np.maximum(model.predict_proba(X[asked]), 1e-15))
        told["shares"][asked] = np.log([(y[learned] == label).mean() for label in labels])
    told["isotonic, at least 1 in n"] = np.maximum(told["isotonic"], -np.log(len(y) + 2))
    return told


def rows() -> Iterator[tuple[str | float | int, ...]]:
    for labelled in nine_tables():
        told, y = log_chances(labelled), labelled.labels
        labels, truth = np.unique(y, return_inverse=True)
        losses = {name: -log_p[np.arange(len(y)), truth] for name, log_p in told.items()}
        worse = losses["tempered"] - losses["shares"]
        yield (
            labelled.name,
            len(y),
            *(losses[name].mean() for name in ("plain", "tempered", "isotonic", "isotonic, at least 1 in n")),
            losses["tempered"].mean() / losses["isotonic"].mean(),
            losses["shares"].mean(),
            worse.mean() / (worse.std() / np.sqrt(len(y))),
            *((labels[told[name].argmax(axis=1)] == y).mean() for name in ("plain", "tempered")),
        )


def main() -> list[Table]:
    columns = (
        "",
        "rows",
        "plain",
        "tempered",
        "isotonic",
        "at least 1 in n",
        "tempered / isotonic",
        "shares",
    )
    more = ("standard errors above shares", "accuracy", "tempered")
    return [Table("log-loss on nine tables, ten folds", (*columns, *more), list(rows()))]


if __name__ == "__main__":
    show(main())
