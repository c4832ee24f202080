"""NaiveBayes against scikit-learn's five classes: the same data, one run, interleaved.

Models are measured with the rule that computes scikit-learn's own numbers, and with the default rule, which
integrates parameters out. Time is CPU time, the median of interleaved repetitions, memory the peak beyond the
data; both as deciban divided by scikit-learn, so below 1 is better. Words are measured at three widths, in
one batch and row by row: what one row costs should not depend on how many words there are. The last table
says which goals are met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn import naive_bayes as peers

from benchmarks.measure import Goal, Table, goals_table, interleaved_cpu, peak_memory, show
from deciban import Bernoulli, Categorical, Gaussian, Multinomial, NaiveBayes

LABELS = 5
WIDTHS = (1_000, 50_000, 2**20)
SINGLE_ROWS = 50
GOALS = {  # with the default rule, the time of ours ÷ theirs: at most
    ("Multinomial", "predict"): 1.5,
    ("Multinomial", "predict one row"): 1.0,
    ("complement", "predict"): 1.5,
    ("complement", "predict one row"): 1.0,
    ("Bernoulli", "fit"): 1.0,
    ("Gaussian", "predict_proba"): 0.5,
}


Measured = tuple[str, float, float, float, float]


class Case(NamedTuple):
    """Two models that learn the same rows, and what is asked of them."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    rows: Any
    steps: tuple[str, ...]
    same: bool = False  # whether the two compute the same numbers


def words(rng: np.random.Generator, rows: int, width: int, each: int = 100) -> Any:
    columns = np.sort(rng.integers(0, width, (rows, each)), axis=1).astype(np.int32).ravel()
    counts = rng.geometric(0.7, rows * each).astype(float)
    starts = np.arange(0, rows * each + 1, each, dtype=np.int32)
    texts = sparse.csr_matrix((counts, columns, starts), shape=(rows, width))
    texts.sum_duplicates()
    return texts


def same_numbers(rng: np.random.Generator) -> Iterator[Case]:
    """Rules under which both compute the same."""
    text = words(rng, 100_000, 50_000)
    numbers = rng.normal(rng.normal(0, 2, 100), 1, (200_000, 100))
    codes = rng.integers(0, 8, (200_000, 50))
    steps = ("fit", "partial_fit", "predict")
    of_words = "CSR 100k × 50k"
    yield Case(
        f"Multinomial mean, {of_words}",
        lambda: NaiveBayes(Multinomial(), rule="mean"),
        peers.MultinomialNB,
        text,
        steps,
        same=True,
    )
    yield Case(
        f"Bernoulli mean, {of_words}",
        lambda: NaiveBayes(Bernoulli(binarize=0.0), rule="mean"),
        peers.BernoulliNB,
        text,
        steps,
        same=True,
    )
    yield Case(
        "Gaussian mle, 200k × 100",
        lambda: NaiveBayes(Gaussian(), rule="mle"),
        peers.GaussianNB,
        numbers,
        steps,
        same=True,
    )
    yield Case(
        "Categorical mean, 200k × 50",
        lambda: NaiveBayes(Categorical(range(8)), rule="mean"),
        peers.CategoricalNB,
        codes,
        steps,
        same=True,
    )


def default_rule(rng: np.random.Generator) -> Iterator[Case]:
    """What a user gets who names no rule."""
    asked = ("fit", "predict", "predict one row")
    for width in WIDTHS:
        text, of_words = words(rng, 20_000, width), f"CSR 20k × {width:,}"
        yield Case(
            f"Multinomial, {of_words}", lambda: NaiveBayes(Multinomial()), peers.MultinomialNB, text, asked
        )
        yield Case(
            f"complement, {of_words}",
            lambda: NaiveBayes(Multinomial(), complement=True),
            peers.ComplementNB,
            text,
            asked[1:],
        )
        yield Case(
            f"Bernoulli, {of_words}",
            lambda: NaiveBayes(Bernoulli(binarize=0.0)),
            peers.BernoulliNB,
            text,
            asked,
        )
    for width in (10, 100):
        numbers = rng.normal(rng.normal(0, 2, width), 1, (50_000, width))
        name = f"Gaussian, 50k × {width}"
        yield Case(name, NaiveBayes, peers.GaussianNB, numbers, ("fit", "predict_proba"))


def calls_of(case: Case, y: Any) -> Iterator[tuple[str, dict[str, Callable[[], Any]]]]:
    makers = {"deciban": case.ours, "peer": case.theirs}
    fitted = {name: make().fit(case.rows, y) for name, make in makers.items()}
    if case.same:
        agree = np.mean(fitted["deciban"].predict(case.rows) == fitted["peer"].predict(case.rows))
        assert agree > 0.999, f"the two models agree on only {agree:.2%} of rows"
    classes, X = np.unique(y), case.rows
    single = [X[row : row + 1] for row in range(SINGLE_ROWS)]
    doing: dict[str, Callable[[str], Any]] = {
        "fit": lambda name: makers[name]().fit(X, y),
        "partial_fit": lambda name: makers[name]().partial_fit(X, y, classes=classes),
        "predict": lambda name: fitted[name].predict(X),
        "predict one row": lambda name: [fitted[name].predict(row) for row in single],
        "predict_proba": lambda name: fitted[name].predict_proba(X),
    }
    for step in case.steps:
        yield step, {name: (lambda name=name, step=step: doing[step](name)) for name in makers}  # type: ignore[misc]


def measured(cases: Iterator[Case]) -> Iterator[Measured]:
    for case in cases:
        y = np.random.default_rng(1).integers(0, LABELS, case.rows.shape[0])
        for step, calls in calls_of(case, y):
            times = interleaved_cpu(calls)
            memory = {key: peak_memory(call) for key, call in calls.items()}
            each = SINGLE_ROWS if step == "predict one row" else 1
            yield (
                f"{case.name}, {step}",
                times["deciban"] / times["peer"],
                times["deciban"] / each,
                times["peer"] / each,
                memory["deciban"] / memory["peer"],
            )


def main() -> Iterator[Table]:
    rng = np.random.default_rng(0)
    columns = ("", "time ratio", "deciban s", "scikit-learn s", "memory ratio")
    note = "CPU time; below 1 deciban is better."
    yield Table(
        "NaiveBayes ÷ scikit-learn: the same numbers", columns, list(measured(same_numbers(rng))), note
    )
    found = list(measured(default_rule(rng)))
    yield Table("NaiveBayes ÷ scikit-learn: the default rule", columns, found, note)
    yield goals_table(goals(found))


def goals(found: Sequence[Measured]) -> Iterator[Goal]:
    """The worst ratio over all widths, for each goal."""
    for (model, step), most in GOALS.items():
        ratios = [row[1] for row in found if row[0].startswith(model) and row[0].endswith(f", {step}")]
        yield Goal(f"{model}, {step}, the slowest width", max(ratios), at_most=most)


if __name__ == "__main__":
    show(main())
