"""Check the labels that a learner is given: one per row, none missing, all of one kind.

>>> checked_labels(["ham", None, "spam"], 3)
Traceback (most recent call last):
ValueError: Input y contains NaN or another missing label (first in row 1). Leave such rows out, or use \
MixtureClassifier, which learns from them too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from deciban.families.matrices import is_missing


def checked_labels(y: Any, rows: int) -> NDArray[Any]:
    """The labels as an array; refused where one is missing, or where they cannot be told apart."""
    labels = _checked(y, "y")
    check_classification_targets(labels)
    if len(labels) != rows:
        raise ValueError(f"Found {rows} rows but {len(labels)} labels; there must be one label per row.")
    return labels


def declared_classes(classes: Any, y: NDArray[Any]) -> NDArray[Any]:
    """The labels that there may be, sorted; refused if another one is among those that came."""
    declared = np.unique(_checked(list(classes), "classes"))
    if not np.isin(y, declared).all():
        raise ValueError(f"y has labels that are not among classes={declared.tolist()}.")
    return declared


def _checked(y: Any, name: str) -> NDArray[Any]:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    given = _as_given(y, labels)
    missing = is_missing(given)
    if missing.any():
        advice = "Leave such rows out, or use MixtureClassifier, which learns from them too."
        raise ValueError(
            f"Input {name} contains NaN or another missing label (first in row {int(np.argmax(missing))}). "
            f"{advice if name == 'y' else 'Leave it out.'}"
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"Input {name} contains infinity; every label must be known.")
    if given.dtype.kind == "O" and len({isinstance(label, str) for label in given}) > 1:
        raise ValueError(f"Input {name} mixes texts and numbers as labels. Turn them all into texts first.")
    return labels


def separate(y: NDArray[Any]) -> list[NDArray[Any]]:
    """The columns of labels that have several, each with a type of its own.

    >>> [column.dtype.kind for column in separate(np.array([["ham", 1], ["spam", 2]], dtype=object))]
    ['U', 'i']
    """
    if y.ndim == 1:
        return [y]
    return [np.asarray(column.tolist()) if y.dtype.kind == "O" else column for column in y.T]


def together(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns of labels side by side; as objects if they have different types."""
    if len({column.dtype.kind for column in columns}) == 1:
        return np.column_stack(columns)
    whole = np.empty((len(columns[0]), len(columns)), dtype=object)
    for place, column in enumerate(columns):
        whole[:, place] = column.tolist()
    return whole


def _as_given(y: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """Labels before numpy turned a list into an array, and a missing label among texts into the text nan."""
    return np.array(y, dtype=object) if isinstance(y, (list, tuple)) and labels.dtype.kind == "U" else labels
