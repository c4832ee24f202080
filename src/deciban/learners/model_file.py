"""A model in a file: its tally and its settings, as numbers and names.

The file is a NumPy `.npz`: a zip of plain arrays. One of them, `header`, is JSON text that says how
the others belong together. Reading it evaluates nothing: families and priors are looked up by name in
the tables below, and arrays of objects are refused (array_file.py). Whatever is wrong with a file, the error
is `UnreadableModel`; `python -m fuzz.models` looks for exceptions.

    header    {"format": 1, "learner": "NaiveBayes", "settings": {...}, "tally": {...}}
    a0, a1 …  the sums, in the order in which the header mentions them
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from deciban import families, smoothing
from deciban.errors import NoMode, NotEnoughValues, UnreadableModel
from deciban.families import Columns, Family
from deciban.learners.array_file import ArrayFile
from deciban.schema import Schema
from deciban.tally import ROUNDING, Tally
from deciban.whole_file import WholeFile

Answer = TypeVar("Answer")
Kind = TypeVar("Kind", bound=Callable[..., Any])

FORMAT = 1
FAMILIES = {name: getattr(families, name) for name in families.__all__ if name != "Family"}
PRIORS = {kind.__name__: kind for kind in (smoothing.Laplace, smoothing.Jeffreys, smoothing.Beta)} | {
    kind.__name__: kind for kind in (smoothing.Values, smoothing.Empirical, smoothing.EmpiricalWords)
}
NOT_SAVED = ("family", "callback")  # a family is written by itself; code is not written at all


class Learner(Protocol):
    """An estimator that keeps a tally, and perhaps more that it learned."""

    _LEARNED: ClassVar[tuple[str, ...]]  # the names of what it learned beside the tally
    family: Family | None
    tally_: Tally
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, as scikit-learn's contract has it."""

    def _hold(self, tally: Tally) -> Any:
        """Keep a tally as what was learned."""


def save(learner: Learner, path: Path, about: dict[str, Any] | None = None) -> None:
    """Write a fitted learner, and what else is to be known about it; the file appears whole or not at all."""
    arrays: list[NDArray[Any]] = []
    header = {
        "family": None if learner.family is None else _family_out(learner.family),
        "settings": {
            name: _value_out(value, arrays)
            for name, value in learner.get_params(deep=False).items()
            if name not in NOT_SAVED
        },
        "learned": {
            name: _value_out(getattr(learner, name), arrays)
            for name in learner._LEARNED
            if hasattr(learner, name)
        },
        "names": [str(name) for name in getattr(learner, "feature_names_in_", [])],
        "width": int(learner.n_features_in_),
        "tally": _tally_out(learner.tally_, arrays),
        "about": about or {},
    }
    write(path, learner, header, arrays)


def load(kind: Callable[..., Any], path: Path) -> Any:
    """Read a learner that `save` wrote."""
    return read_learner(path, kind, _learner_in)


def about(path: Path) -> dict[str, Any]:
    """What `save` was told about a learner besides itself."""
    return read(path, lambda header, _: dict(header.get("about", {})))


def write(path: Path, learner: Any, header: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write a header and the arrays that it mentions; the file appears whole or not at all."""
    header = {"format": FORMAT, "learner": type(learner).__name__, **header}
    content: dict[str, Any] = {f"a{number}": array for number, array in enumerate(arrays)}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with WholeFile(path) as file:
        np.savez(file, **content)


def read(path: Path, answer: Callable[[dict[str, Any], Any], Answer]) -> Answer:
    """Read a file that `write` wrote, by a function of its header and arrays."""
    with open(path, "rb") as file:
        try:
            arrays = ArrayFile(file)
            header = json.loads(bytes(arrays["header"]).decode())
            if header["format"] > FORMAT:
                raise UnreadableModel(
                    f"{path} has format {header['format']}, this deciban reads up to {FORMAT}: upgrade it."
                )
            return answer(header, arrays)
        except UnreadableModel:
            raise
        except Exception as error:  # a hostile file can make a learner trip over anything
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise UnreadableModel(
                f"{path} is not a model that deciban saved, or it is damaged ({reason})."
            ) from None


def read_learner(path: Path, kind: Kind, learner_in: Callable[[Kind, dict[str, Any], Any], Answer]) -> Answer:
    """Read a learner of a kind, by a function that makes one of its header and arrays."""

    def answer(header: dict[str, Any], arrays: Any) -> Answer:
        if header["learner"] != kind.__name__:
            raise UnreadableModel(f"This file holds a {header['learner']}, not a {kind.__name__}.")
        return learner_in(kind, header, arrays)

    return read(path, answer)


def _learner_in(kind: Callable[..., Any], header: dict[str, Any], arrays: Any) -> Any:
    family = None if header["family"] is None else _family_in(header["family"])
    settings = {name: _value_in(value, arrays) for name, value in header["settings"].items()}
    learner = kind(family, **settings)
    for name in set(learner._LEARNED) & set(header["learned"]):
        setattr(learner, name, _value_in(header["learned"][name], arrays))
    names_in(learner, header)
    tally = _tally_in(header["tally"], arrays)
    if len(tally.features) != learner.n_features_in_:
        raise ValueError(f"{learner.n_features_in_} columns, but sums of {len(tally.features)}")
    if type(tally.family) is not type(learner._family()):
        raise ValueError(f"sums of {tally.family}, but the family is {learner.family}")
    learner._hold(tally)
    learner._check_settings()
    # A model may have been saved before it had learned enough; it says so when it is asked.
    with contextlib.suppress(NotEnoughValues, NoMode):
        _ = learner.model_.log_prior
        if not np.array_equal(learner.model_.reading.labels, tally.labels):
            raise ValueError("a prior has labels that were never learned")
    return learner


def names_in(learner: Any, header: dict[str, Any]) -> None:
    """The number of columns, and their names."""
    width, names = header["width"], header["names"]
    if type(width) is not int or width < 0 or (names and len(names) != width):
        raise ValueError(f"{width!r} is not a number of columns for {len(names)} names")
    learner.n_features_in_ = width
    if names:
        learner.feature_names_in_ = np.array([str(name) for name in names], dtype=object)


# --- tallies ---------------------------------------------------------------------------------


def _tally_out(tally: Tally, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    features = tally.features
    return {
        "family": _family_out(tally.family),
        "labels": array_out(tally.labels, arrays),
        "names": len(features) if isinstance(features.names, range) else [plain(n) for n in features.names],
        "categories": features.categories and [array_out(known, arrays) for known in features.categories],
        "rows": array_out(tally.rows, arrays),
        "sums": {name: array_out(values, arrays) for name, values in tally.sums.items()},
        "parts": [_tally_out(part, arrays) for part in tally.parts],
    }


def _tally_in(data: dict[str, Any], arrays: Any) -> Tally:
    categories = data["categories"] and [array_in(known, arrays) for known in data["categories"]]
    tally = Tally(
        _family_in(data["family"]),
        array_in(data["labels"], arrays),
        Schema(data["names"], categories),
        array_in(data["rows"], arrays),
        {name: array_in(values, arrays) for name, values in data["sums"].items()},
        tuple(_tally_in(part, arrays) for part in data["parts"]),
    )
    for known in (tally.labels, *(tally.features.categories or ())):
        refuse_unsorted(known)
    _check_shapes(tally)
    _check_numbers(tally)
    return tally


def refuse_unsorted(names: NDArray[Any]) -> None:
    """Refuse labels or categories that are not sorted, or that repeat each other."""
    if names.ndim != 1 or not np.array_equal(np.unique(names), names):
        raise ValueError("labels or categories are not a sorted list without repetitions")


def _check_numbers(tally: Tally) -> None:
    """Refuse sums that no rows can have."""
    for values in (tally.rows, *tally.sums.values()):
        refuse_strange_numbers(values)
    for name, values in (
        ("rows", tally.rows),
        *((n, tally.sums[n]) for n in tally.family._never_negative(tally)),
    ):
        if values.min(initial=0) < -ROUNDING * max(1.0, float(values.max(initial=0))):
            raise ValueError(f"{name} are negative")


def refuse_strange_numbers(values: NDArray[Any]) -> None:
    """Refuse what is no number, or not finite."""
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise ValueError("an array has something else than finite numbers")


def _check_shapes(tally: Tally) -> None:
    """Refuse sums that do not fit the labels, and more features than there are sums for."""
    count = len(tally.labels)
    known = tally.features.categories
    if not count or (known is not None and len(known) != len(tally.features)):
        raise ValueError(f"{len(tally.features)} features of {count} labels have other categories")
    for name, values in tally.sums.items():
        if values.shape[1:] != (() if name in tally.family._of_labels else (tally.features.cells,)):
            raise ValueError(f"the sums are not those of {tally.features.cells} cells")
    if tally.rows.shape != (count,) or any(values.shape[:1] != (count,) for values in tally.sums.values()):
        raise ValueError(f"the sums are not those of {count} labels")
    if any(not np.array_equal(part.labels, tally.labels) for part in tally.parts):
        raise ValueError("parts of a tally have other labels")
    if isinstance(tally.family, Columns) or tally.parts:
        _check_groups(tally)
    cells = sum(len(part.features) for part in tally.parts)
    if len(tally.features) > max([cells, *(math.prod(v.shape[1:]) for v in tally.sums.values())]):
        raise ValueError(f"there are no sums for {len(tally.features)} features")


def _check_groups(tally: Tally) -> None:
    """Refuse parts that are not those of the groups of columns."""
    parts = tuple((tuple(part.features.names), part.family) for part in tally.parts)
    if not isinstance(tally.family, Columns) or tally.family.settled != parts:
        raise ValueError("parts of a tally are not those of its family")
    if tuple(tally.features.names) != tuple(name for names, _ in parts for name in names):
        raise ValueError("parts of a tally have other features")


def array_out(values: NDArray[Any], arrays: list[NDArray[Any]]) -> Any:
    """What the header says about an array, which joins the others unless it holds objects."""
    if values.dtype.kind == "O":  # texts and other simple objects go into the header
        return {"objects": [plain(value) for value in values.tolist()]}
    arrays.append(np.asarray(values))
    return len(arrays) - 1


def array_in(data: Any, arrays: Any) -> NDArray[Any]:
    """The array that `array_out` wrote."""
    if isinstance(data, dict):
        values = np.empty(len(data["objects"]), dtype=object)
        values[:] = data["objects"]
        return values
    return np.asarray(arrays[f"a{int(data)}"])


# --- families, priors and other settings -----------------------------------------------------


def _family_out(family: Family) -> dict[str, Any]:
    if isinstance(family, Columns):
        return {
            "kind": "Columns",
            "groups": _groups_out(family.groups),
            "rest": None if family.rest is None else _family_out(family.rest),
            "settled": None if family.settled is None else _groups_out(family.settled),
        }
    assert dataclasses.is_dataclass(family)
    values = {field.name: getattr(family, field.name) for field in dataclasses.fields(family)}
    simple = {
        name: [plain(v) for v in value] if isinstance(value, tuple) else value
        for name, value in values.items()
    }
    return {"kind": type(family).__name__, **simple}


def _family_in(data: dict[str, Any]) -> Family:
    kind = FAMILIES[data["kind"]]
    if kind is Columns:
        rest = None if data["rest"] is None else _family_in(data["rest"])
        settled = None if data["settled"] is None else _groups_in(data["settled"])
        return Columns(_groups_in(data["groups"]), rest, settled)
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items() if name != "kind"}
    family: Family = kind(**values)
    return family


def _groups_out(groups: Any) -> list[Any]:
    return [[[plain(column) for column in columns], _family_out(family)] for columns, family in groups]


def _groups_in(data: list[Any]) -> tuple[Any, ...]:
    return tuple((tuple(columns), _family_in(family)) for columns, family in data)


def _value_out(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, Tally):
        return {"tally": _tally_out(value, arrays)}
    if type(value) in PRIORS.values():
        fields = {name: plain(v) for name, v in dataclasses.asdict(value).items()}
        return {"prior": type(value).__name__, "fields": fields}
    if isinstance(value, np.ndarray):
        return {"array": array_out(value, arrays)}
    if isinstance(value, dict):
        return {"pairs": [[plain(key), plain(v)] for key, v in value.items()]}
    return plain(value)


def _value_in(data: Any, arrays: Any) -> Any:
    if not isinstance(data, dict):
        return data
    if "tally" in data:
        return _tally_in(data["tally"], arrays)
    if "prior" in data:
        return PRIORS[data["prior"]](**data["fields"])
    if "array" in data:
        return array_in(data["array"], arrays)
    return dict(data["pairs"])


def plain(value: Any) -> Any:
    """A value as JSON has it; anything else cannot be saved."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise ValueError(f"{value!r} cannot be saved: only numbers, texts and deciban's own priors can.")
