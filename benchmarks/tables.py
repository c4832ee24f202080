"""Nine real tables: `deciban table` beside GaussianNB, logistic regression and gradient boosting.

Ten folds, the same for all. `deciban table` sees each training part as it would see a file: it guesses what
each column is, makes columns of dates, reads names by their words, tempers, and knows nothing of the rows
that are held out. The others are scikit-learn's with their default settings, over what one would prepare for
them: the same columns made of dates, texts as indicators (of categories, or of the words of names), gaps
filled by the median, and for logistic regression all columns on one scale (and 2,000 steps). Gradient
boosting is HistGradientBoostingClassifier, which leaves gaps as they are.

Accuracy is in percent, log-loss in nats per row; a label to which nothing at all is granted counts as 1e-15.
*Majority* always says the commonest label, *shares* how common each is. *Plain* is deciban with
`--temper none`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from benchmarks import measure
from benchmarks.nine_tables import LabelledTable, nine_tables
from deciban.folds import deal
from deciban.tables import Table, TableModel
from deciban.tables.dates import find_dates, with_dates

FOLDS = 10
SEED = 1
FEW = 30  # texts with so many different values are categories
LEAST = 1e-15
LABEL = "the label"
Floats = NDArray[np.float64]
Way = Callable[[Table, NDArray[np.str_], Table, NDArray[np.str_]], Floats]


def deciban(temper: str | None) -> Way:
    """`deciban table fit`, then `predict`."""

    def ask(learned: Table, y: NDArray[np.str_], asked: Table, labels: NDArray[np.str_]) -> Floats:
        columns = {name: learned.values(name) for name in learned.columns}
        codes = [f"label {place:03}" for place in np.searchsorted(labels, y)]
        model = TableModel.fit(Table(columns | {LABEL: codes}), LABEL, temper=temper, folds=2)
        assert len(model.learner.classes_) == len(labels)
        return np.asarray(model.learner.predict_proba(model.admit(asked)))

    return ask


def peer(make: Callable[[], Any], scaled: bool = False, filled: bool = True) -> Way:
    """One of scikit-learn's, over columns that were prepared for it."""

    def ask(learned: Table, y: NDArray[np.str_], asked: Table, labels: NDArray[np.str_]) -> Floats:
        dates = find_dates(learned, {})
        train, test = (_frame(with_dates(table, dates)) for table in (learned, asked))
        numbers = [name for name in train.columns if train[name].dtype.kind == "f"]
        texts = [name for name in train.columns if name not in numbers]
        steps = [SimpleImputer(strategy="median", keep_empty_features=True)] if filled else []
        parts: list[tuple[str, Any, Any]] = [
            ("numbers", make_pipeline(*steps) if steps else "passthrough", numbers)
        ]
        for name in texts:
            if train[name].nunique() <= FEW:
                parts.append((name, OneHotEncoder(handle_unknown="ignore", sparse_output=False), [name]))
            else:
                parts.append((name, CountVectorizer(binary=True, min_df=2), name))
        scale = [MinMaxScaler()] if scaled else []
        columns = ColumnTransformer(parts, sparse_threshold=0)
        model = make_pipeline(columns, *scale, make()).fit(train, y)
        assert model.classes_.tolist() == labels.tolist()
        return np.asarray(model.predict_proba(test))

    return ask


def _frame(table: Table) -> pd.DataFrame:
    columns = {name: table.values(name) for name in table.columns}
    return pd.DataFrame(
        {name: pd.Series(v).fillna("") if v.dtype == object else v for name, v in columns.items()}
    )


WAYS: dict[str, Way] = {
    "deciban": deciban("cv"),
    "plain": deciban(None),
    "GaussianNB": peer(GaussianNB),
    "logistic regression": peer(lambda: LogisticRegression(max_iter=2000), scaled=True),
    "gradient boosting": peer(lambda: HistGradientBoostingClassifier(random_state=0), filled=False),
}


def chances(labelled: LabelledTable) -> dict[str, Floats]:
    """p(label | row) of every row by each way, held out: (rows, labels)."""
    y = labelled.labels
    labels = np.unique(y)
    fold = np.array(deal(y.tolist(), FOLDS, seed=SEED))
    told = {name: np.zeros((len(y), len(labels))) for name in (*WAYS, "shares")}
    for number in range(FOLDS):
        learned, asked = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for name, way in WAYS.items():
            told[name][asked] = way(labelled.table[learned], y[learned], labelled.table[asked], labels)
        told["shares"][asked] = [(y[learned] == label).mean() for label in labels]
    return told


def rows() -> Iterator[tuple[str | int, ...]]:
    tables = list(nine_tables(numbers_only=False))
    with ProcessPoolExecutor(len(tables)) as processes:
        told_of_each = list(processes.map(chances, tables))
    for labelled, told in zip(tables, told_of_each, strict=True):
        y = labelled.labels
        labels, truth = np.unique(y, return_inverse=True)
        right = {name: (labels[p.argmax(axis=1)] == y).mean() for name, p in told.items()}
        loss = {
            name: -np.log(np.maximum(p[np.arange(len(y)), truth], LEAST)).mean() for name, p in told.items()
        }
        yield (
            labelled.name,
            len(y),
            len(labels),
            *(f"{100 * right[name]:.1f}" for name in ("shares", *WAYS)),
            *(f"{loss[name]:.3f}" for name in ("shares", *WAYS)),
        )


def main() -> list[measure.Table]:
    columns = ("", "rows", "labels", "majority %", *(f"{name} %" for name in WAYS), "shares", *WAYS)
    return [
        measure.Table("accuracy (%) and log-loss (nats) on nine tables, ten folds", columns, list(rows()))
    ]


if __name__ == "__main__":
    measure.show(main())
