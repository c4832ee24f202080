"""A `TextClassifier` in a file: settings, labels, and what each witness learned (format: model_file.py).

Tables are wide and mostly empty: of 2^20 columns, a witness has touched only those that some text had. Only
these are written; all other columns are zero again when the file is read. The state of the random numbers is
written too, so that a loaded model goes on learning exactly as the saved one would have.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deciban.learners import model_file
from deciban.learners.softmax import Softmax

if TYPE_CHECKING:
    from deciban.learners.text_classifier import TextClassifier
    from deciban.learners.weighted_text import WeightedText

Kind = TypeVar("Kind", bound="TextClassifier")
Arrays = list[NDArray[Any]]


def save(learner: TextClassifier, path: Path) -> None:
    """Write a fitted classifier; the file appears whole or not at all."""
    arrays: Arrays = []
    header = {
        "settings": {name: model_file.plain(value) for name, value in learner.get_params(deep=False).items()},
        "labels": model_file.plain(learner._order),
        "classes": model_file.array_out(learner.classes_, arrays),
        "exam": [learner._squares.tolist(), learner.examined_, learner.heat_],
        "witnesses": {
            name: _witness_out(learner.views_[name], witness, arrays)
            for name, witness in learner.witnesses_.items()
        },
    }
    model_file.write(path, learner, header, arrays)


def load(kind: type[Kind], path: Path) -> Kind:
    """Read a classifier that `save` wrote."""
    return model_file.read_learner(path, kind, _learner_in)


def _learner_in(kind: type[Kind], header: dict[str, Any], arrays: Any) -> Kind:
    settings = header["settings"]
    learner = kind(**{**settings, "witnesses": tuple(settings["witnesses"])})
    learner._begin()
    labels, classes = header["labels"], model_file.array_in(header["classes"], arrays)
    model_file.refuse_unsorted(classes)
    if not labels or len(np.unique(labels)) != len(labels) or not np.isin(labels, classes).all():
        raise ValueError("labels that are not among the classes")
    learner._know(labels, classes)
    squares, learner.examined_, learner.heat_ = header["exam"]
    learner._squares = np.array(squares)
    if learner._squares.shape != (len(learner.witnesses_),):
        raise ValueError(f"exams of {learner._squares.shape} witnesses")
    model_file.refuse_strange_numbers(np.array([learner.examined_, learner.heat_]))
    model_file.refuse_strange_numbers(learner._squares)
    for name, witness in learner.witnesses_.items():
        _witness_in(header["witnesses"][name], learner.views_[name], witness, arrays, len(labels))
    return learner


def _witness_out(view: WeightedText, witness: Any, arrays: Arrays) -> dict[str, Any]:
    columns = np.flatnonzero(view.texts_with)
    kept: Arrays = [columns, view.texts_with[columns]]
    rest = {}
    if isinstance(witness, Softmax):
        kept += [witness.weights[columns], witness.squares[columns]]
        rest = {"dice": witness.dice.bit_generator.state}
    else:
        kept += [witness.sums[columns], witness.totals]
    return {
        "texts": view.texts,
        "arrays": [model_file.array_out(array, arrays) for array in kept],
        **rest,
    }


def _witness_in(data: dict[str, Any], view: WeightedText, witness: Any, arrays: Any, count: int) -> None:
    columns, texts_with, *learned = (model_file.array_in(number, arrays) for number in data["arrays"])
    for array in (columns, texts_with, *learned):
        model_file.refuse_strange_numbers(array)
    view.texts = int(data["texts"])
    if texts_with.min(initial=0) < 0 or texts_with.max(initial=0) > view.texts:
        raise ValueError(f"words that more than {view.texts} texts have, or fewer than none")
    view.texts_with[columns] = texts_with
    table, further = learned
    labels = table.shape[1]
    if labels != count:
        raise ValueError(f"a table of {labels} labels, but there are {count}")
    if isinstance(witness, Softmax):
        witness.weights = np.zeros((len(witness.squares), labels), dtype=np.float32)
        witness.weights[columns], witness.squares[columns] = table, further
        witness.dice.bit_generator.state = data["dice"]
        return
    witness.sums = np.zeros((len(witness.sums), labels), dtype=np.float32)
    witness.sums[columns], witness.totals = table, further
    if further.shape != (labels,):
        raise ValueError(f"{further.shape} totals of {labels} labels")
