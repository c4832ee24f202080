"""Which family a column is: a guess from its values, by rules that can be read and overruled.

The first rule that fits decides:

    drop         one value only, or none: it tells nothing
    drop         an id: whole numbers that only name the rows (row_ids.py)
    date         texts that are dates: year, month, weekday, hour and age become columns (dates.py)
    text         texts that are nearly all different, of words that recur: free text
    drop         other texts that are nearly all different: names, addresses, codes
    categorical  any other texts
    bernoulli    0 and 1 only
    categorical  whole numbers with few different values, each of which is common
    above-zero   0 or more, not whole, most of them 0: whether it is above zero (Bernoulli(binarize=0))
    by fit       whole numbers, 0 or more: poisson or geometric, and, if there are many different ones, also
                 gaussian and (all above 0) gamma
    by fit       above 0: gamma or gaussian
    gaussian     everything else

*By fit*: half of the rows are learned, with their labels, and the other half is predicted, both ways round.
The family that makes the column most likely wins. The year and the age of a date say much the same, so only
the one that predicts the label better is kept.

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

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from deciban.errors import DecibanError, NoSuchFeature, WrongUsage
from deciban.families import Bernoulli, Categorical, Family, Gamma, Gaussian, Geometric, Poisson, Texts
from deciban.families.texts import words_of
from deciban.learners.fold_tallies import fold_of_each
from deciban.tables.dates import DATE, EITHER, FAMILIES_OF_DATES, DateColumn, date_order
from deciban.tables.label_loss import label_loss
from deciban.tables.row_ids import id_reason
from deciban.tables.table import Table
from deciban.value import Value

FAMILIES: Mapping[str, Family] = {
    "bernoulli": Bernoulli(),
    "above-zero": Bernoulli(binarize=0.0),
    "categorical": Categorical(),
    "text": Texts(),
    "poisson": Poisson(),
    "geometric": Geometric(),
    "gamma": Gamma(),
    "gaussian": Gaussian(),
}
DROP = "drop"
CATEGORICAL, TEXT, ABOVE_ZERO = "categorical", "text", "above-zero"
OF_TEXTS = (CATEGORICAL, TEXT)  # what wants texts; everything else wants numbers

FEW = 10  # so many different whole numbers may be categories …
COMMON = 10  # … if there are so many rows of each on the average
MANY = 20  # with more different whole numbers than this they may as well be measurements
TEXTS_DIFFER = 0.5  # texts of which a larger share is different are no categories
ROWS_TRIED = 10_000  # rows on which families are compared


class Guess(Value):
    """A column, what it is taken for, and why."""

    name: str
    family: str
    """A key of FAMILIES, `date` or `drop`."""
    why: str


def guess_families(
    table: Table,
    y: NDArray[np.str_],
    given: Mapping[str, str] | None = None,
    dates: Iterable[DateColumn] = (),
) -> list[Guess]:
    """A guess for each column whose family was not given.

    `dates` are the date columns that were split into columns already.
    """
    given, made = given or {}, {part: date for date in dates for part in date.parts}
    _refuse_unknown(given, {*table.columns, *(date.name for date in made.values())})
    guesses: list[Guess] = []
    for name in table.columns:
        if name in made and name == made[name].parts[0]:
            date = made[name]
            guesses.append(Guess(date.name, DATE, f"{date.order}, up to {date.newest[:10]}"))
        if name in given:
            guesses.append(Guess(name, given[name], "given"))
        elif name in made and name == made[name].part("weekday") and made[name].whole_months(table):
            guesses.append(Guess(name, DROP, "whole months have no weekday"))
        else:
            guesses.append(guess(name, table.values(name), y, of_date=name in made))
    for date in dict.fromkeys(made.values()):
        guesses = _without_repetition(guesses, date, table, y, given)
    return guesses


def _refuse_unknown(given: Mapping[str, str], names: set[str]) -> None:
    for name, family in given.items():
        if name not in names:
            raise NoSuchFeature(f"There is no column {name!r}: the columns are {', '.join(sorted(names))}.")
        if family != DROP and family not in FAMILIES and family not in FAMILIES_OF_DATES:
            known = ", ".join((*FAMILIES, *FAMILIES_OF_DATES))
            raise WrongUsage(f"{family!r} is not a family; there are {known}, and {DROP}.")


def _without_repetition(
    guesses: list[Guess], date: DateColumn, table: Table, y: NDArray[np.str_], given: Mapping[str, str]
) -> list[Guess]:
    """Year and age would count the same evidence twice, so the one that tells less is dropped."""
    pair = [
        one for one in guesses if one.name in (date.part("year"), date.part("age")) and one.family != DROP
    ]
    if len(pair) < 2 or any(one.name in given for one in pair):
        return guesses
    year, age = (label_loss(FAMILIES[one.family], values_for(table, one)[:, None], y) for one in pair)
    better, worse = pair if year <= age else pair[::-1]
    return [
        Guess(one.name, DROP, f"{better.name} tells the label better") if one == worse else one
        for one in guesses
    ]


def values_for(table: Table, guess: Guess) -> NDArray[np.float64 | np.object_]:
    """A column as its family wants it."""
    return table.texts(guess.name) if guess.family in OF_TEXTS else table.numbers(guess.name)


def guess(
    name: str, values: NDArray[np.float64 | np.object_], y: NDArray[np.str_], of_date: bool = False
) -> Guess:
    """What one column is taken for; a column that was made from a date is neither an id nor a count."""
    if values.dtype.kind == "O":
        return Guess(name, *_guess_texts(name, [value for value in values if value is not None]))
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
    if of_date:
        few = name.endswith(".hour") or (whole and len(distinct) <= FEW)
        return Guess(name, CATEGORICAL if few else "gaussian", f"{len(distinct):,} different, of a date")
    reason = id_reason(name, numbers, y[there]) if whole else None
    if reason:
        return Guess(name, DROP, reason)
    if whole and len(distinct) <= FEW and len(numbers) >= COMMON * len(distinct):
        return Guess(name, "categorical", f"{len(distinct)} different whole numbers")
    if not whole and distinct[0] == 0 and 2 * np.count_nonzero(numbers) < len(numbers):
        share = 1 - np.count_nonzero(numbers) / len(numbers)
        return Guess(name, "above-zero", f"{share:.0%} zeros, fractions above")
    candidates, words = _candidates(distinct, whole)
    return Guess(name, _likeliest(candidates, numbers, y[there]), words)


def _guess_texts(name: str, texts: list[str]) -> tuple[str, str]:
    distinct = len(set(texts))
    if distinct < 2:
        return DROP, "one value only" if distinct else "no values"
    if date_order(texts) == EITHER:
        return DROP, f"dates, {EITHER}? Say --family {name}=day-first, or month-first"
    if distinct > FEW and distinct > TEXTS_DIFFER * len(texts):
        told = f"texts, {distinct:,} of {len(texts):,} different"
        words = [words_of(text) for text in texts[:ROWS_TRIED]]
        return (TEXT, f"{told}, of words that recur") if _are_sentences(words) else (DROP, told)
    return CATEGORICAL, f"{distinct:,} different texts"


def _are_sentences(words: list[list[str]]) -> bool:
    """Whether texts have two words or more, most of which come in other rows too."""
    rows = Counter(word for text in words for word in text)
    total = sum(rows.values())
    return total >= 2 * len(words) and 2 * sum(count for count in rows.values() if count > 1) > total


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
