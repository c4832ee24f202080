"""NaiveBayes against scikit-learn's five classes: the same model, the same data, one run.

Time is the median of 7 interleaved repetitions, memory the peak beyond the data; both as deciban
divided by scikit-learn, so below 1 is better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn import naive_bayes as peers

from benchmarks.measure import Table, interleaved, peak_memory, show
from deciban import Bernoulli, Categorical, Gaussian, Multinomial, NaiveBayes

LABELS = 5


def words(rng: np.random.Generator) -> Any:
    rows, width, each = 100_000, 50_000, 100
    columns = np.sort(rng.integers(0, width, (rows, each)), axis=1).astype(np.int32).ravel()
    counts = rng.geometric(0.7, rows * each).astype(float)
    starts = np.arange(0, rows * each + 1, each, dtype=np.int32)
    texts = sparse.csr_matrix((counts, columns, starts), shape=(rows, width))
    texts.sum_duplicates()
    return texts


def cases() -> dict[str, tuple[Callable[[], Any], Callable[[], Any], Any]]:
    rng = np.random.default_rng(0)
    text = words(rng)
    numbers = rng.normal(rng.normal(0, 2, 100), 1, (200_000, 100))
    codes = rng.integers(0, 8, (200_000, 50))
    return {
        "Multinomial, CSR 100k × 50k": (
            lambda: NaiveBayes(Multinomial(), rule="mean"),
            peers.MultinomialNB,
            text,
        ),
        "Bernoulli, CSR 100k × 50k": (
            lambda: NaiveBayes(Bernoulli(binarize=0.0), rule="mean"),
            peers.BernoulliNB,
            text,
        ),
        "Gaussian, dense 200k × 100": (lambda: NaiveBayes(Gaussian(), rule="mle"), peers.GaussianNB, numbers),
        "Categorical, 200k × 50": (
            lambda: NaiveBayes(Categorical(), rule="mean"),
            peers.CategoricalNB,
            codes,
        ),
    }


def steps(ours: Any, theirs: Any, X: Any, y: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    classes = np.unique(y)
    model, peer = ours().fit(X, y), theirs().fit(X, y)
    agree = np.mean(model.predict(X) == peer.predict(X))
    assert agree > 0.999, f"the two models agree on only {agree:.2%} of rows"
    return {
        "fit": {"deciban": lambda: ours().fit(X, y), "peer": lambda: theirs().fit(X, y)},
        "partial_fit": {
            "deciban": lambda: ours().partial_fit(X, y, classes=classes),
            "peer": lambda: theirs().partial_fit(X, y, classes=classes),
        },
        "predict": {"deciban": lambda: model.predict(X), "peer": lambda: peer.predict(X)},
    }


def main() -> list[Table]:
    rows = []
    for name, (ours, theirs, X) in cases().items():
        y = np.random.default_rng(1).integers(0, LABELS, X.shape[0])
        for step, calls in steps(ours, theirs, X, y).items():
            times = interleaved(calls)
            memory = {key: peak_memory(call) for key, call in calls.items()}
            ratios = (times["deciban"] / times["peer"], memory["deciban"] / memory["peer"])
            rows.append((f"{name}, {step}", ratios[0], times["deciban"], times["peer"], ratios[1]))
    columns = ("", "time ratio", "deciban s", "scikit-learn s", "memory ratio")
    return [Table("NaiveBayes ÷ scikit-learn", columns, rows, "Below 1 deciban is better.")]


if __name__ == "__main__":
    show(main())
