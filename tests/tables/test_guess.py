import numpy as np
import pytest

from deciban.errors import NoSuchFeature, WrongUsage
from deciban.tables import Table, guess_families
from deciban.tables.guess import guess

ROWS = 400
RNG = np.random.default_rng(3)
Y = np.array(["a", "b"])[np.arange(ROWS) % 2]
COLUMNS = {
    "constant": ([7.0] * ROWS, "drop"),
    "empty": ([np.nan] * ROWS, "drop"),
    "numbered one by one": (np.arange(ROWS) + 17.0, "drop"),
    "patient_id": (RNG.permutation(ROWS) * 3.0, "drop"),
    "free text": ([f"note {n}" for n in range(ROWS)], "drop"),
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
    assert guess(name, Table({name: values}).values(name), Y).family == family


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
    [({"z": "gamma"}, NoSuchFeature, "no column 'z'"), ({"x": "gama"}, WrongUsage, "'gama' is no family")],
)
def test_what_cannot_be_given_is_told(given, error, words):
    with pytest.raises(error, match=words):
        guess_families(Table({"x": [1.0, 2.0]}), np.array(["u", "v"]), given)
