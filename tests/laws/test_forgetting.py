"""Law 2: what was added can be taken away, exactly; more than that cannot."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from deciban import Bernoulli, Categorical, Columns, Gaussian, Poisson
from deciban.errors import CannotForget
from samples import EXACT, FAMILIES, rows_for, samples, tally_of


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_what_was_added_can_be_taken_away(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=data.draw(st.booleans()), weighted=True))
    more = data.draw(samples(family))
    tally = tally_of(family, sample)
    settled = tally.family
    extra = settled.tally(more.X, more.y)
    back = (tally + extra) - extra
    assert back == tally if name in EXACT else back.isclose(tally)


@pytest.mark.parametrize("name", FAMILIES)
def test_forgetting_more_than_was_learned_is_an_error(name):
    family = FAMILIES[name]
    rng = np.random.default_rng(0)
    X = rows_for(family, rng, 4)
    tally = family.tally(X, ["a", "a", "b", "b"])
    with pytest.raises(CannotForget, match="More would be forgotten"):
        tally - tally.family.tally(np.vstack([X, X]), ["a", "a", "b", "b"] * 2)
    with pytest.raises(CannotForget, match="'never' was ever learned"):
        tally - tally.family.tally(X[:1], ["never"])


def test_a_variance_never_falls_below_zero():
    family = Gaussian(pivot=(0.0,))
    learned = family.tally([[1.0], [2.0], [3.0]], ["a"] * 3)
    with pytest.raises(CannotForget, match=r"variance|squares"):
        learned - family.tally([[30.0]], ["a"])
    with pytest.raises(CannotForget, match="variance"):
        learned - family.tally([[1.99], [2.01]], ["a"] * 2) - family.tally([[-1.7]], ["a"])


def test_zeros_cannot_be_forgotten_that_were_never_seen():
    with pytest.raises(CannotForget, match="zeros"):
        Bernoulli().tally([[1], [1]], ["a", "a"]) - Bernoulli().tally([[0]], ["a"])


def test_a_forgotten_label_and_category_are_gone_as_if_never_seen():
    first = Categorical().tally([["red"], ["blue"]], ["a", "a"])
    second = Categorical().tally([["green"]], ["b"])
    back = (first + second) - second
    assert back.labels.tolist() == ["a"]
    assert back.features.categories[0].tolist() == ["blue", "red"]
    assert np.array_equal(
        back.read("mean").parameters["probability"], first.read("mean").parameters["probability"]
    )


def test_declared_categories_stay_when_their_rows_are_forgotten():
    family = Categorical(categories=("blue", "red"))
    tally = family.tally([["red"], ["blue"]], ["a", "a"]) - family.tally([["red"]], ["a"])
    assert tally.features.categories[0].tolist() == ["blue", "red"]


def test_columns_forget_in_every_group():
    family = Columns({0: Poisson(), 1: Categorical()})
    tally = family.tally([[1, 7], [2, 8]], ["a", "a"])
    rest = tally - tally.family.tally([[2, 8]], ["a"])
    assert rest.parts[0].sums["sum"].tolist() == [[1]]
    assert rest.parts[1].features.categories[0].tolist() == [7]
