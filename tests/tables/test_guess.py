import numpy as np
import pytest

from deciban.errors import NoSuchFeature, WrongUsage
from deciban.tables import Table, guess_families
from deciban.tables.dates import find_dates, with_dates
from deciban.tables.guess import guess

ROWS = 400
RNG = np.random.default_rng(3)
Y = np.array(["a", "b"])[np.arange(ROWS) % 2]
COLUMNS = {
    "constant": ([7.0] * ROWS, "drop"),
    "empty": ([np.nan] * ROWS, "drop"),
    "numbered one by one": (np.arange(ROWS) + 17.0, "drop"),
    "patient_id": (RNG.permutation(ROWS) * 3.0, "drop"),
    "permuted numbers": (RNG.permutation(ROWS) + 5.0, "drop"),
    "numbers with a few gaps": (np.delete(np.arange(ROWS + 20), np.arange(20) * 9) + 1.0, "drop"),
    "in steps of ten": (np.arange(ROWS) * 10.0 + 1000, "drop"),
    "Customer ID": (np.append(RNG.permutation(10**6)[: ROWS - 1], 7.0), "drop"),
    "account": (RNG.choice(9 * 10**6, ROWS, replace=False) + 1e6, "drop"),
    "ticket": (np.cumsum(RNG.integers(1, 9, ROWS)).astype(float), "drop"),
    "year": (np.arange(ROWS) + 1624.0, "numbers"),
    "populations that tell": (
        np.where(Y == "a", 2e6, 8e6) + RNG.choice(10**6, ROWS, replace=False),
        "numbers",
    ),
    "numbered texts": ([f"note {n}" for n in range(ROWS)], "drop"),
    "codes": ([f"X{n:04}-{n % 7}" for n in range(ROWS)], "drop"),
    "free text": (
        [f"a {('mild', 'high')[n % 2]} fever of {n % 50} days in {n}" for n in range(ROWS)],
        "text",
    ),
    "one text": (["x"] * ROWS, "drop"),
    "towns": ([f"town {n % 30}" for n in range(ROWS)], "categorical"),
    "two texts, with gaps": ([("yes", "no", None)[n % 3] for n in range(ROWS)], "categorical"),
    "yes or no": (RNG.integers(0, 2, ROWS).astype(float), "bernoulli"),
    "yes, no and gaps": ([0.0, 1.0, np.nan, 1.0] * (ROWS // 4), "bernoulli"),
    "school grades": (RNG.integers(1, 7, ROWS).astype(float), "categorical"),
    "codes below zero": ([-1.0, 0.0, 1.0, 2.0] * (ROWS // 4), "categorical"),
    "mostly zero": (np.where(RNG.random(ROWS) < 0.7, 0, RNG.gamma(2, 3, ROWS)), "above-zero"),
    "calls an hour": (RNG.poisson(12, ROWS).astype(float), "poisson"),
    "tries until it works": (RNG.geometric(0.04, ROWS) - 1.0, "geometric"),
    "wages": (np.rint(RNG.normal(50_000, 9_000, ROWS)), "gaussian"),
    "amounts": (RNG.gamma(0.8, 100, ROWS), "gamma"),
    "body heights": (RNG.normal(170, 9, ROWS), "gaussian"),
    "temperatures": (RNG.normal(2, 9, ROWS), "gaussian"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_taken_for_what_it_is(name):
    values, family = COLUMNS[name]
    guessed = guess(name, Table({name: values}).values(name), Y).family
    assert guessed in ("gaussian", "gamma", "poisson") if family == "numbers" else guessed == family


def columns_of_dates(texts, label, given=None):
    table = Table({"when": texts})
    dates = find_dates(table, given or {})
    return {one.name: one for one in guess_families(with_dates(table, dates), label, given, dates)}


def test_a_date_becomes_columns_of_its_own():
    texts = [f"2024-{n % 12 + 1:02}-{n % 28 + 1:02} {n % 24:02}:15" for n in range(ROWS)]
    guesses = columns_of_dates(texts, Y)
    assert guesses["when"].family == "date"
    families = {name: one.family for name, one in guesses.items()}
    assert families["when.year"] == "drop"
    assert families["when.month"] == families["when.weekday"] == families["when.hour"] == "categorical"
    assert families["when.age"] == "gaussian"


def test_of_year_and_age_the_one_stays_that_tells_more():
    years = [f"{2000 + n % 4}-0{1 + n % 9}-{10 + n % 19}" for n in range(ROWS)]
    by_year = np.array([("a", "b")[n % 2] for n in range(ROWS)])  # even years against odd ones
    guesses = columns_of_dates(years, by_year)
    assert (guesses["when.year"].family, guesses["when.age"].family) == ("categorical", "drop")
    assert guesses["when.age"].why == "when.year tells the label better"
    both = columns_of_dates(years, by_year, {"when.age": "gaussian"})
    assert (both["when.year"].family, both["when.age"].family) == ("categorical", "gaussian")


def test_dates_of_whole_years_have_no_weekday():
    guesses = columns_of_dates([f"{1970 + n % 12}-01-01" for n in range(ROWS)], Y)
    assert guesses["when.weekday"].why == "whole months have no weekday"


def test_dates_whose_day_and_month_cannot_be_told_apart_are_said_to_be_so():
    guesses = columns_of_dates([f"{n % 12 + 1:02}/{n % 11 + 1:02}/2024" for n in range(ROWS)], Y)
    assert guesses["when"].family == "drop"
    assert guesses["when"].why == "dates, day or month first? Say --family when=day-first, or month-first"


def test_the_fit_is_judged_within_labels():
    """Two narrow peaks look like nothing in particular until the labels part them."""
    values = np.where(Y == "a", RNG.poisson(5, ROWS), RNG.poisson(60, ROWS)).astype(float)
    assert guess("x", values, Y).family == "poisson"


def test_a_given_family_overrules():
    table = Table({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "c"]})
    guesses = guess_families(table, np.array(["u", "v", "u"]), {"x": "gamma", "y": "drop"})
    assert [(one.family, one.why) for one in guesses] == [("gamma", "given"), ("drop", "given")]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [({"z": "gamma"}, NoSuchFeature, "no column 'z'"), ({"x": "gama"}, WrongUsage, "'gama' is not a family")],
)
def test_what_cannot_be_given_is_told(given, error, words):
    with pytest.raises(error, match=words):
        guess_families(Table({"x": [1.0, 2.0]}), np.array(["u", "v"]), given)
