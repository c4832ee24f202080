"""A fuzzer for model files: python -m fuzz.models [FILES] [SEED].

It saves a model of every kind, and changes the files: flipped, cut and repeated bytes; and, with every
checksum right again, another value in the header, another array, or another number in an array. A
changed file is refused with `UnreadableModel`, or read as a model that answers or has learned too little to
answer, within a bound of memory.
It stops at the first that is neither, and keeps it in build/fuzz/current-model.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    Geometric,
    Mixture,
    MixtureClassifier,
    Multinomial,
    NaiveBayes,
    NeighborsClassifier,
    NeighborsRegressor,
    Poisson,
    Texts,
)
from deciban.errors import NoMode, NotEnoughValues, UnreadableModel
from deciban.learners import TextClassifier
from deciban.smoothing import EmpiricalWords
from deciban.tables import Table, TableModel

HOME = Path(__file__).parents[1] / "build" / "fuzz"
DEEP = 5000
# Numbers at the borders of their kinds, things of another kind, and things that are too deep or too many.
VALUES: list[Any] = [
    *(None, True, 0, -1, 1, 2**20, 2**31, 2**63, 10**30, 0.5, -1e300, float("nan"), float("inf"), "", "a"),
    *([], {}, [0], [[0]], {"objects": [1]}, {"objects": 7}, {"tally": {}}, {"array": 0}, {"pairs": [[1]]}),
    *({"kind": "Gaussian"}, {"kind": "Columns"}, {"prior": "Beta"}, "Multinomial", "Categorical", [1] * 999),
]
NUMBERS = [0, -1, 1, 7, 2**20, -(2**62), 1e-300, 1e300, float("nan"), float("inf"), float("-inf")]
ARRAYS = [
    *(np.empty(0), np.zeros((0, 3)), np.zeros(7), np.full((2, 3), np.nan), np.array(1.0)),
    *(np.array(["a", "b"]), np.array([b"a"]), np.array([True, False]), np.arange(6).reshape(2, 3)),
    *(np.full((2, 3), -1), np.full((2, 3), 2**62), np.zeros((1, 1, 1, 1)), np.full((2, 3), 1e308)),
]


def models() -> Iterator[tuple[Any, Any]]:
    """One fitted model of every kind, and what to ask it."""
    X, y = np.array([[3, 1, 1], [2, 1, 2], [1, 4, 1], [1, 2, 2]]), np.array(["spam", "spam", "ham", "ham"])
    for family in (Bernoulli(0.5), Categorical(), Multinomial(), Poisson(), Geometric(), Gaussian(), Gamma()):
        yield NaiveBayes(family).fit(X, y), X
    columns = Columns({(0,): Gaussian("labels"), (1, 2): Poisson()})
    yield NaiveBayes(columns, prior=2, label_prior={"spam": 0.5, "ham": 0.5}).fit(X, y), X
    notes = np.array(
        [["buy now", "x"], ["buy", None], ["lunch now", "y x"], ["a meeting", "x"]], dtype=object
    )
    yield NaiveBayes(Texts(), prior=EmpiricalWords(0.5)).fit(notes, y), notes
    days = [f"2024-0{number + 1}-0{number + 3} 1{number}:00" for number in range(4)]
    table = {"day": days * 3, "note": [*notes[:, 0]] * 3, "size": np.arange(12) / 8, "kind": [*y] * 3}
    yield TableModel.fit(Table(table), "kind", {"note": "text"}, folds=2), Table(table)
    yield Mixture(Gaussian(), 2, random_state=0).fit(X), X
    yield MixtureClassifier(Multinomial(), random_state=0).fit(X, ["spam", "", "ham", ""]), X
    yield NeighborsClassifier().fit(X, y), X
    both = np.column_stack([y, ["en", "de", "en", "fr"]])
    declared = [["spam", "ham", "work"], ["en", "de", "fr"]]
    yield NeighborsClassifier(weights="distance").partial_fit(X, both, declared), X
    yield NeighborsRegressor(distance="cosine").fit(sparse.csr_array(X), [1.0, 2.0, 3.0, 4.0]), X
    yield NeighborsClassifier(distance="compression").fit(["a", b"b"], ["x", "y"]), ["a", b"b"]
    texts = ["buy pills", "lunch", "buy now", "a meeting"]
    yield TextClassifier(n_features=2**6).fit(texts * 3, [*y] * 3), texts


def damaged(source: random.Random, content: bytes) -> bytes:
    """A file with a few bytes changed, cut off, left out or repeated."""
    raw = bytearray(content)
    for _ in range(1 << source.randrange(4)):
        place = source.randrange(len(raw) + 1)
        match source.randrange(5):
            case 0 | 1 if place < len(raw):
                raw[place] = source.randrange(256)
            case 2:
                del raw[place : place + source.randrange(1, 40)]
            case 3:
                raw[place:place] = raw[place : place + source.randrange(1, 400)]
            case _ if source.random() < 0.1:
                del raw[place:]
    return bytes(raw)


def forged(source: random.Random, content: bytes) -> bytes:
    """A file that is whole, with other values in the header or another array."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(bytes(arrays.pop("header")))
    for _ in range(1 << source.randrange(2)):
        if arrays and source.random() < 0.4:
            name = source.choice(list(arrays))
            arrays[name] = _replaced(source, arrays[name], [*ARRAYS, *arrays.values()])
        else:
            _forge(source, header)
    text = json.dumps(header)
    if source.random() < 0.01:
        text = text.replace("[]", "[" * DEEP + "]" * DEEP, 1)
    arrays["header"] = np.frombuffer(text.encode(), dtype=np.uint8)
    packed = io.BytesIO()
    (np.savez_compressed if source.random() < 0.02 else np.savez)(packed, **arrays)
    return packed.getvalue()


def _replaced(source: random.Random, array: Any, others: list[Any]) -> Any:
    """Another array, or the same with another number in one place."""
    if not array.size or array.dtype.kind not in "iuf" or source.random() < 0.5:
        return source.choice(others)
    forged = array.astype(float) if source.random() < 0.5 else array.copy()
    numbers = NUMBERS if forged.dtype.kind == "f" else [n for n in NUMBERS if n == n and abs(n) < 2**31]
    forged.flat[source.randrange(forged.size)] = source.choice(numbers)
    return forged


def _forge(source: random.Random, data: Any) -> None:
    """Walk down to some place of the header, and put another value there."""
    while True:
        key = source.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if not isinstance(data[key], (dict, list)) or not data[key] or source.random() < 0.2:
            break
        data = data[key]
    if isinstance(data, dict) and source.random() < 0.1:
        del data[key]
    else:
        data[key] = deepcopy(source.choice(VALUES))


def bombs(content: bytes) -> Iterator[bytes]:
    """Files that say that they are far larger than they are."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.npy", bytes(2**26))
    yield bomb.getvalue()
    for shape in (b"(2**40,)", b"(999999999999999,)", b"(-1,)", b"(" * 5000):
        array = io.BytesIO()
        np.save(array, np.zeros(3))
        large = array.getvalue().replace(b"(3,)", shape[:40].ljust(4))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            file.writestr("header.npy", large)
        yield packed.getvalue()
    yield content * 2


def check(kind: type, path: Path, size: int, asked: Any) -> bool:
    """Whether a file is read as a model; AssertionError where it takes too much memory, or cannot answer."""
    told = None
    tracemalloc.start()
    try:
        model = kind.load(path)  # type: ignore[attr-defined]
        with suppress(NotEnoughValues, NoMode):  # a model may be saved before it has learned enough
            ask(model, asked)
    except UnreadableModel as error:
        told = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert told is None or "\n" not in told, "an error has more than one line"
    # Tables of a TextClassifier are as wide as it says, whatever it has learned.
    allowed = (2**30 if kind is TextClassifier else 2**22) + 100 * size
    assert peak < allowed, f"{peak:,} bytes of memory for a file of {size:,}"
    return told is None


def ask(model: Any, asked: Any) -> None:
    """Ask a model about rows, if they are as wide as it expects them."""
    width = getattr(model, "n_features_in_", None)
    if width is None or (np.shape(asked)[1:] == (width,) and not hasattr(model, "feature_names_in_")):
        model.predict(asked)


def fuzz(files: int | None, seed: int | None) -> tuple[int, int]:
    """Reads so many changed files, or goes on for ever; how many were models still, and how many refused."""
    source, told = random.Random(seed), [0, 0]
    HOME.mkdir(parents=True, exist_ok=True)
    path = HOME / "current-model"
    with tempfile.TemporaryDirectory() as folder:
        whole = []
        for number, (model, asked) in enumerate(models()):
            model.save(Path(folder) / str(number))
            whole.append((type(model), (Path(folder) / str(number)).read_bytes(), asked))
    waiting = [(kind, bomb, asked) for kind, content, asked in whole[:1] for bomb in bombs(content)]
    for number in count() if files is None else range(files):
        if number < len(waiting):
            kind, content, asked = waiting[number]
        else:
            kind, before, asked = source.choice(whole)
            content = source.choice((damaged, forged))(source, before)
        path.write_bytes(content)
        told[not check(kind, path, len(content), asked)] += 1
    return told[0], told[1]


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]] + [None, None]
    print("{} read as a model, {} refused".format(*fuzz(numbers[0], numbers[1])))
