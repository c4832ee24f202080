"""Which family a column is: a guess from its values, by rules that can be read and overruled.

The first rule that fits decides:

    drop         one value only, or none: it tells nothing
    drop         an id: whole numbers, all different, and called id, or numbered one by one
    drop         texts that are nearly all different: names, addresses, free text
    categorical  any other texts
    bernoulli    0 and 1 only
    categorical  whole numbers with few different values, each of which is common
    above-zero   0 or more, not whole, most of them 0: whether it is above zero (Bernoulli(binarize=0))
    by fit       whole numbers, 0 or more: poisson or geometric, and, if there are many different ones, also
                 gaussian and (all above 0) gamma
    by fit       above 0: gamma or gaussian
    gaussian     everything else

*By fit*: half of the rows are learned, with their labels, and the other half is predicted, both ways round;
the family under which the column as it was is likeliest wins.

>>> rng = np.random.default_rng(0)
>>> y = np.array(["a", "b"] * 200)
>>> tries, sizes = rng.geometric(0.05, 400) - 1, rng.gamma(1, 9, 400)
>>> for values in ([0, 1] * 200, rng.poisson(30, 400), tries, sizes):
...     print(guess("x", np.asarray(values, dtype=float), y).family)
bernoulli
poisson
geometric
gamma
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deciban.errors import DecibanError, NoSuchFeature, WrongUsage
from deciban.families import Bernoulli, Categorical, Family, Gamma, Gaussian, Geometric, Poisson
from deciban.learners.fold_tallies import fold_of_each
from deciban.tables.table import Table
from deciban.value import Value

FAMILIES: Mapping[str, Family] = {
    "bernoulli": Bernoulli(),
    "above-zero": Bernoulli(binarize=0.0),
    "categorical": Categorical(),
    "poisson": Poisson(),
    "geometric": Geometric(),
    "gamma": Gamma(),
    "gaussian": Gaussian(),
}
DROP = "drop"

FEW = 10  # so many different whole numbers may be categories …
COMMON = 10  # … if there are so many rows of each on the average
MANY = 20  # with more different whole numbers than this they may as well be measurements
TEXTS_DIFFER = 0.5  # texts of which a larger share is different are no categories
ROWS_TRIED = 10_000  # rows on which families are compared


class Guess(Value):
    """A column, what it is taken for, and why."""

    name: str
    family: str
    """A key of FAMILIES, or `drop`."""
    why: str


def guess_families(table: Table, y: NDArray[np.str_], given: Mapping[str, str] | None = None) -> list[Guess]:
    """A guess for each column, but for those whose family was given."""
    given = given or {}
    for name, family in given.items():
        if name not in table.columns:
            raise NoSuchFeature(f"There is no column {name!r}: the columns are {', '.join(table.columns)}.")
        if family != DROP and family not in FAMILIES:
            raise WrongUsage(f"{family!r} is no family; there are {', '.join(FAMILIES)}, and {DROP}.")
    return [
        Guess(name, given[name], "given") if name in given else guess(name, table.values(name), y)
        for name in table.columns
    ]


def guess(name: str, values: NDArray[np.float64 | np.object_], y: NDArray[np.str_]) -> Guess:
    """What one column is taken for."""
    if values.dtype.kind == "O":
        return Guess(name, *_guess_texts([value for value in values if value is not None]))
    there = ~np.isnan(values.astype(float))
    numbers = values[there].astype(float)
    distinct = np.unique(numbers)
    if len(distinct) < 2:
        return Guess(name, DROP, "one value only" if len(distinct) else "no values")
    if set(distinct.tolist()) == {0.0, 1.0}:
        return Guess(name, "bernoulli", "0 and 1 only")
    if not np.isfinite(distinct).all():
        return Guess(name, "gaussian", "numbers")
    whole = bool((distinct == np.rint(distinct)).all())
    if whole and len(distinct) == len(values) and _numbers_rows(name, numbers):
        return Guess(name, DROP, "an id")
    if whole and len(distinct) <= FEW and len(numbers) >= COMMON * len(distinct):
        return Guess(name, "categorical", f"{len(distinct)} different whole numbers")
    if not whole and distinct[0] == 0 and 2 * np.count_nonzero(numbers) < len(numbers):
        share = 1 - np.count_nonzero(numbers) / len(numbers)
        return Guess(name, "above-zero", f"{share:.0%} zeros, fractions above")
    candidates, words = _candidates(distinct, whole)
    return Guess(name, _likeliest(candidates, numbers, y[there]), words)


def _guess_texts(texts: list[str]) -> tuple[str, str]:
    distinct = len(set(texts))
    if distinct < 2:
        return DROP, "one value only" if distinct else "no values"
    if distinct > FEW and distinct > TEXTS_DIFFER * len(texts):
        return DROP, f"texts, {distinct:,} of {len(texts):,} different"
    return "categorical", f"{distinct:,} different texts"


def _numbers_rows(name: str, numbers: NDArray[np.float64]) -> bool:
    """Whether different whole numbers only number the rows."""
    word = name.strip().lower()
    steps = np.diff(numbers)
    return word in ("", "id", "index") or word.endswith(("_id", " id")) or bool((steps == 1).all())


def _candidates(distinct: NDArray[np.float64], whole: bool) -> tuple[list[str], str]:
    if whole and distinct[0] >= 0:
        measured = ["gaussian", "gamma"][: 1 + (distinct[0] > 0)] if len(distinct) > MANY else []
        return ["poisson", "geometric", *measured], "whole numbers, by fit"
    if distinct[0] > 0:
        return ["gaussian", "gamma"], "above 0, by fit"
    return ["gaussian"], "numbers"


def _likeliest(candidates: list[str], numbers: NDArray[np.float64], y: NDArray[np.str_]) -> str:
    if len(candidates) == 1:
        return candidates[0]
    step = max(1, len(numbers) // ROWS_TRIED)
    tried, labels = numbers[::step, None], y[::step]
    return max(candidates, key=lambda name: _held_out(FAMILIES[name], tried, labels))


def _held_out(family: Family, X: NDArray[np.float64], y: NDArray[np.str_]) -> float:
    """The log-likelihood of each half of the rows, given their labels, after the other half."""
    half = fold_of_each(y, 2)
    total = 0.0
    for held in (0, 1):
        try:
            reading = family.tally(X[half != held], y[half != held]).read("bayes", 1)
        except DecibanError:
            return -np.inf
        rows = (half == held) & np.isin(y, reading.labels)
        own = np.searchsorted(reading.labels, y[rows])
        total += float(reading.log_density(X[rows])[np.arange(len(own)), own].sum())
    return total
