"""A model of a table: what each column is, `NaiveBayes` over them, and how good that is.

>>> from deciban.tables import Table
>>> table = Table({"fever": [39.5, 36.8, 40.1, 36.5, 39.0, 37.0], "cough": [1, 0, 1, 1, 1, 0],
...                "ill": ["flu", "no", "flu", "no", "flu", "no"]})
>>> model = TableModel.fit(table, "ill", folds=3)
>>> [(column.name, column.family) for column in model.columns]
[('fever', 'gaussian'), ('cough', 'bernoulli')]
>>> model.predict(Table({"fever": [39.8], "cough": [1.0]}))[0].label
'flu'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from deciban.decibans import DECIBANS_A_NAT
from deciban.errors import NoSuchFeature, NoSuchSource, UnreadableModel, WrongUsage
from deciban.families import Columns, Family
from deciban.learners import NaiveBayes, model_file
from deciban.learners.explanation import Explanation
from deciban.learners.model import Model
from deciban.learners.temper import Temper
from deciban.smoothing import EmpiricalWords
from deciban.tables.dates import DATE, DateColumn, find_dates, with_dates
from deciban.tables.guess import (
    ABOVE_ZERO,
    CATEGORICAL,
    DROP,
    FAMILIES,
    OF_TEXTS,
    TEXT,
    Guess,
    guess_families,
    values_for,
)
from deciban.tables.table import Table
from deciban.tables.table_figures import TableFigures
from deciban.tables.table_trial import FOLDS, Progress, TableTrial
from deciban.tally import Tally
from deciban.value import Value

KIND = "table"
LABELS_SHARE = 0.5  # a column with a larger share of different values can hardly be the label


class Prediction(Value):
    """What a row is taken for."""

    label: str
    probability: float
    decibans: float
    """The label against the runner-up."""


class TableModel:
    """What was learned from a table."""

    def __init__(
        self,
        learner: NaiveBayes,
        label: str,
        columns: Sequence[Guess],
        figures: TableFigures,
        unlabelled: int = 0,
        dates: Sequence[DateColumn] = (),
        trial: TableTrial | None = None,
    ) -> None:
        self.learner = learner
        self.label = label
        self.columns = tuple(columns)
        self.figures = figures
        self.unlabelled = unlabelled
        self.dates = tuple(dates)
        self.trial = trial  # what was said about held-out rows; not saved

    @classmethod
    def fit(
        cls,
        table: Table,
        label: str,
        families: Mapping[str, str] | None = None,
        *,
        rule: str = "bayes",
        prior: Any = 1,
        label_prior: Any = None,
        temper: float | str | None = "cv",
        folds: int = FOLDS,
        progress: Progress = lambda _: None,
    ) -> TableModel:
        """Guess the families that were not given, measure, and learn all rows that have a label.

        `progress` is told what is being done, in a few words.
        """
        progress("looking at the columns")
        labelled, y = _labelled(table, label)
        dates = find_dates(labelled, dict(families or {}))
        labelled = with_dates(labelled, dates)
        columns = guess_families(labelled, y, families, dates)
        used = _used(columns)
        if not used:
            raise WrongUsage("No column is left to learn from. Give one a family, such as name=gaussian.")
        X = _prepared(labelled, used)
        progress("learning")
        if isinstance(prior, (int, float)) and any(column.family == TEXT for column in used):
            prior = EmpiricalWords(float(prior))
        settings = {"rule": rule, "prior": prior, "label_prior": label_prior, "temper": temper}
        learner = NaiveBayes(_family(used), **settings).fit(X, y)
        trial = _tried(learner, X, y, folds, progress)
        return cls(learner, label, columns, trial.figures(), len(table) - len(y), dates, trial)

    @property
    def used(self) -> list[Guess]:
        """The columns that were learned from; those made of a date, not the date."""
        return _used(self.columns)

    @property
    def shares(self) -> dict[str, float]:
        """How common each label was."""
        rows = self.learner.tally_.rows
        return {
            str(label): float(n) / float(rows.sum())
            for label, n in zip(self.learner.classes_, rows, strict=True)
        }

    # --- asking ------------------------------------------------------------------------------

    def predict(self, table: Table) -> list[Prediction]:
        """What each row is taken for."""
        joint = self.learner.predict_joint_log_proba(self.admit(table))
        posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        predictions = []
        for scores, chances in zip(joint, posterior, strict=True):
            first, second = np.argsort(-scores, kind="stable")[:2]
            decibans = DECIBANS_A_NAT * (scores[first] - scores[second])
            label = str(self.learner.classes_[first])
            predictions.append(Prediction(label, float(chances[first]), float(decibans)))
        return predictions

    def why(self, table: Table) -> list[Explanation]:
        """The evidence of each column for each row, in decibans, which add up."""
        explanations: list[Explanation] = self.learner.why(self.admit(table))
        return explanations

    def admit(self, table: Table) -> Table:
        """The columns that were learned from, each as its family wants it; refused if one is not there.

        A number that the family of a column cannot have says nothing, such as a 2 where 0 and 1 were learned.
        """
        rows = self._as_wanted(table)
        outside = self._outside(rows)
        if not outside:
            return rows
        columns = {name: rows.values(name) for name in rows.columns}
        for name, strange in outside.items():
            columns[name] = np.where(strange, np.nan, columns[name])
        return Table(columns, len(table))

    def impossible(self, table: Table) -> dict[str, int]:
        """How many numbers of each column its family cannot have: they say nothing."""
        outside = self._outside(self._as_wanted(table))
        return {name: int(strange.sum()) for name, strange in outside.items()}

    def _outside(self, rows: Table) -> dict[str, NDArray[np.bool_]]:
        found: dict[str, NDArray[np.bool_]] = {}
        for column in self.used:
            if column.family not in OF_TEXTS and column.family != ABOVE_ZERO:
                values = rows.numbers(column.name)
                strange = ~FAMILIES[column.family]._support.allows(values) & ~np.isnan(values)
                found |= {column.name: strange} if strange.any() else {}
        return found

    def _as_wanted(self, table: Table) -> Table:
        made = {part: date.name for date in self.dates for part in date.parts}
        wanted = dict.fromkeys(made.get(column.name, column.name) for column in self.used)
        missing = [name for name in wanted if name not in table.columns]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise NoSuchFeature(
                f"The table has no column {missing[0]!r}{more}, from which the model learned. "
                "Add it; its values may be empty."
            )
        dates = [date for date in self.dates if date.name in wanted]
        return _prepared(with_dates(table, dates), self.used)

    def never_learned(self, table: Table) -> dict[str, list[str]]:
        """The categories in each column that the model never saw: they weigh no more than the prior."""
        rows, strange = self.admit(table), {}
        known = {
            name: set(categories.tolist())
            for part in self.learner.tally_.parts
            for name, categories in zip(part.features.names, part.features.categories or (), strict=False)
        }
        for column in self.used:
            if column.family == CATEGORICAL:
                found = {text for text in rows.values(column.name) if text is not None}
                if found - known[column.name]:
                    strange[column.name] = sorted(found - known[column.name])
        return strange

    # --- keeping -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to a file of numbers and names; `NaiveBayes.load` reads it as well."""
        about = {
            "kind": KIND,
            "label": self.label,
            "columns": [[column.name, column.family, column.why] for column in self.columns],
            "figures": self.figures.record(),
            "unlabelled": self.unlabelled,
            "dates": [[date.name, date.order, date.newest] for date in self.dates],
        }
        model_file.save(self.learner, Path(path), about)

    @classmethod
    def load(cls, path: str | Path) -> TableModel:
        """Read a model that was saved."""
        if not Path(path).is_file():
            raise NoSuchSource(f"There is no model {str(path)!r}. Make one: deciban table fit.")
        about = model_file.about(Path(path))
        if about.get("kind") != KIND:
            raise UnreadableModel(f"{path} holds no model of a table. Make one: deciban table fit.")
        try:
            columns = [Guess(*map(str, column)) for column in about["columns"]]
            figures = TableFigures(**about["figures"])
            dates = [DateColumn(*date) for date in about.get("dates", [])]
            model = cls(
                NaiveBayes.load(path), str(about["label"]), columns, figures, about["unlabelled"], dates
            )
            model._refuse_strange_columns()
        except (KeyError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UnreadableModel(f"{path} is damaged: {reason} is not as it should be.") from None
        return model

    def _refuse_strange_columns(self) -> None:
        """Check that the described columns are those that were learned."""
        learned = {
            str(name): part.family for part in self.learner.tally_.parts for name in part.features.names
        }
        said = {column.name: FAMILIES[column.family] for column in self.used}
        if {name: type(family) for name, family in learned.items()} != {n: type(f) for n, f in said.items()}:
            raise ValueError("what a column is")


def _tried(learner: NaiveBayes, X: Table, y: NDArray[np.str_], folds: int, progress: Progress) -> TableTrial:
    """How a learner does on rows that it did not learn; its α and a given temper are not found again."""
    tempered = learner.temper == "cv"

    def model_of(tally: Tally) -> Model:
        given = None if tempered else learner.temper
        temper = None if given is None else Temper(float(given), np.zeros(len(tally.labels)))
        prior = learner.model_.prior
        return Model(tally, learner.rule, prior, learner.label_prior, telling_only=True, temper=temper)

    return TableTrial.of(
        X, y, learner.tally_.family, model_of, folds=folds, tempered=tempered, progress=progress
    )


def _labelled(table: Table, label: str) -> tuple[Table, NDArray[np.str_]]:
    """The rows that have a label, without it, and their labels."""
    texts = table.texts(label)
    known = np.array([text is not None for text in texts], dtype=bool)
    y = texts[known].astype(str)
    labels = np.unique(y)
    if len(labels) < 2:
        found = f"only {str(labels[0])!r}" if len(labels) else "nothing"
        raise WrongUsage(f"Column {label!r} holds {found}: to tell rows apart it takes two labels.")
    if len(labels) > 2 and len(labels) > LABELS_SHARE * len(y):
        raise WrongUsage(
            f"Column {label!r} has {len(labels):,} different values in {len(y):,} rows, too many for labels. "
            "Name another column, or cut its values into classes."
        )
    return table.without([label])[known], y


def _used(columns: Sequence[Guess]) -> list[Guess]:
    return [column for column in columns if column.family not in (DROP, DATE)]


def _prepared(table: Table, columns: Sequence[Guess]) -> Table:
    """Texts for categories, numbers for everything else."""
    return Table({column.name: values_for(table, column) for column in columns}, len(table))


def _family(columns: Sequence[Guess]) -> Columns:
    """Columns of one family together, which is faster than each by itself."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        groups.setdefault(column.family, []).append(column.name)
    families: list[tuple[list[str], Family]] = [(names, FAMILIES[name]) for name, names in groups.items()]
    return Columns(families)
