"""Neighbours in a file: the sample and the settings, in the format of `learners/model_file.py`.

The graph of an approximate search is not written: it is built anew from the rows, so that reading a file runs
nothing but numpy, and nothing that was forgotten is left in it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from sklearn.base import is_classifier

from deciban.learners import model_file
from deciban.learners.distances import DISTANCES, Distance, OfFunction
from deciban.learners.neighbors.approximate import Graph
from deciban.learners.neighbors.sample import Sample, canonical

if TYPE_CHECKING:
    from deciban.learners.neighbors.neighbors import Neighbors

Kind = TypeVar("Kind", bound="Neighbors")
KINDS: dict[str, type] = {kind.__name__: kind for kind in (*DISTANCES.values(), Graph)}


def save(learner: Neighbors, path: Path) -> None:
    """Write a fitted learner; the file appears whole or not at all."""
    arrays: list[NDArray[Any]] = []
    header = {
        "settings": {name: _setting_out(value) for name, value in learner.get_params(deep=False).items()},
        "names": [str(name) for name in getattr(learner, "feature_names_in_", [])],
        "width": getattr(learner, "n_features_in_", None),
        "labels": _labels_out(getattr(learner, "classes_", None), arrays),
        "declared": _labels_out(getattr(learner, "declared_", None), arrays),
        "answers": model_file.array_out(learner.sample_.answers, arrays),
        "rows": _rows_out(learner.sample_.rows, arrays),
        "weight": None
        if learner.sample_.weight is None
        else model_file.array_out(learner.sample_.weight, arrays),
    }
    model_file.write(path, learner, header, arrays)


def load(kind: type[Kind], path: Path) -> Kind:
    """Read a learner that `save` wrote."""
    return model_file.read_learner(path, kind, _learner_in)


def _learner_in(kind: type[Kind], header: dict[str, Any], arrays: Any) -> Kind:
    learner = kind(**{name: _setting_in(value) for name, value in header["settings"].items()})
    learner._check_settings()
    if header["width"] is not None:
        model_file.names_in(learner, header)
    rows, answers = _rows_in(header["rows"], arrays), model_file.array_in(header["answers"], arrays)
    if is_classifier(learner) != (header["labels"] is not None):
        raise ValueError("labels are there for a regressor, or missing for a classifier")
    if header["labels"] is not None:
        learner.classes_ = _labels_in(header["labels"], arrays)
    _check_answers(learner, rows, answers)
    _check_distance(learner._distance(), rows)
    weight = None if header.get("weight") is None else model_file.array_in(header["weight"], arrays)
    if weight is not None and not (
        weight.shape == answers.shape[:1] and (weight > 0).all() and np.isfinite(weight).all()
    ):
        raise ValueError(
            f"{weight.shape} weights of {answers.shape} answers, each of which should be above 0"
        )
    learner.sample_ = Sample(rows, answers, weight=weight)
    if header.get("declared") is not None:
        learner.declared_ = _labels_in(header["declared"], arrays)
        _check_declared(learner)
    return learner


def _check_answers(learner: Any, rows: Any, answers: NDArray[Any]) -> None:
    """Refuse rows of another width, and answers that are not one of a label or a number for each row."""
    count = len(rows) if isinstance(rows, list) else rows.shape[0]
    if answers.shape[:1] != (count,) or answers.dtype.kind not in "if":
        raise ValueError(f"{count} rows have {answers.shape} answers of {answers.dtype}")
    if not isinstance(rows, list) and (
        rows.dtype.kind != "f" or rows.shape != (count, learner.n_features_in_)
    ):
        raise ValueError(f"{learner.n_features_in_} columns, but rows of shape {rows.shape}, {rows.dtype}")
    model_file.refuse_strange_numbers(answers)
    if not isinstance(rows, list):
        model_file.refuse_strange_numbers(rows.data if sparse.issparse(rows) else rows)
    classes = getattr(learner, "classes_", None)
    if answers.ndim > 2:
        raise ValueError(f"answers of shape {answers.shape}")
    if classes is not None:
        _check_labels(classes, answers)


def _check_labels(classes: Any, answers: NDArray[Any]) -> None:
    """Refuse answers that are not the numbers of labels, and labels that are not sorted."""
    if answers.dtype.kind != "i" or isinstance(classes, list) != (answers.ndim == 2):
        raise ValueError(f"answers of {answers.dtype} and {answers.shape} are no places of labels")
    outputs = zip(classes, answers.T, strict=True) if isinstance(classes, list) else [(classes, answers)]
    for labels, numbers in outputs:
        model_file.refuse_unsorted(labels)
        if not np.isin(numbers, np.arange(len(labels))).all():
            raise ValueError(f"answers that are none of {labels.shape} labels")


def _check_declared(learner: Any) -> None:
    """Refuse declared labels that are not among the labels of their output."""
    classes = learner.classes_ if isinstance(learner.classes_, list) else [learner.classes_]
    for declared, labels in zip(learner.declared_, classes, strict=True):
        model_file.refuse_unsorted(declared)
        if not np.isin(declared, labels).all():
            raise ValueError("declared labels are not among the labels")


def _check_distance(distance: Distance, rows: Any) -> None:
    """Refuse rows that the distance cannot be measured between."""
    if isinstance(rows, list) != (distance.takes == "texts"):
        raise ValueError(f"{type(distance).__name__} takes {distance.takes}, but the rows are something else")
    distance.admit(rows)


def _labels_out(labels: Any, arrays: list[NDArray[Any]]) -> Any:
    """The labels, or a list of those of each output."""
    if isinstance(labels, list):
        return [model_file.array_out(one, arrays) for one in labels]
    return None if labels is None else model_file.array_out(labels, arrays)


def _labels_in(data: Any, arrays: Any) -> Any:
    if isinstance(data, list):
        return [model_file.array_in(one, arrays) for one in data]
    return model_file.array_in(data, arrays)


def _rows_out(rows: Any, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    if isinstance(rows, list):
        return {"texts": [_text_out(row) for row in rows]}
    if sparse.issparse(rows):
        parts = [model_file.array_out(part, arrays) for part in (rows.data, rows.indices, rows.indptr)]
        return {"sparse": parts, "shape": list(rows.shape)}
    return {"dense": model_file.array_out(rows, arrays)}


def _rows_in(data: dict[str, Any], arrays: Any) -> Any:
    if "texts" in data:
        return [
            bytes.fromhex(text["bytes"]) if isinstance(text, dict) else str(text) for text in data["texts"]
        ]
    if "sparse" in data:
        parts = tuple(model_file.array_in(part, arrays) for part in data["sparse"])
        if any(part.dtype.kind != "i" for part in parts[1:]):
            raise ValueError("places in a sparse table are not whole numbers")
        # scipy's own check trusts everything else where the last of these is 0.
        if (np.diff(parts[2]) < 0).any():
            raise ValueError("rows of a sparse table end before they begin")
        rows = sparse.csr_array(parts, shape=tuple(data["shape"]))
        rows.check_format(full_check=True)
        return canonical(rows)
    return model_file.array_in(data["dense"], arrays)


def _text_out(row: Any) -> Any:
    if isinstance(row, str):
        return row
    if isinstance(row, bytes):
        return {"bytes": row.hex()}
    raise ValueError(f"A row of {type(row).__name__} cannot be saved: only numbers and texts can.")


def _setting_out(value: Any) -> Any:
    if callable(value) or isinstance(value, OfFunction):
        raise ValueError("A function cannot be saved: a file that held code could do anything.")
    if isinstance(value, (Distance, Graph)):
        if type(value) not in KINDS.values():
            raise ValueError(f"{type(value).__name__} cannot be saved: only deciban's own distances can.")
        return {"kind": type(value).__name__, "fields": dataclasses.asdict(value)}  # type: ignore[arg-type]
    return model_file.plain(value)


def _setting_in(data: Any) -> Any:
    return KINDS[data["kind"]](**data["fields"]) if isinstance(data, dict) else data
