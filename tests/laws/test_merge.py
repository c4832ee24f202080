"""Law 1: the tally of the whole is the sum of the tallies of its parts, in any order and any split."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from deciban import Bernoulli, Gaussian, Multinomial, Poisson
from deciban.errors import DifferentFamilies, NoSuchFeature
from samples import EXACT, FAMILIES, samples, tally_of


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_the_whole_is_the_sum_of_its_parts(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=data.draw(st.booleans()), weighted=data.draw(st.booleans())))
    owner = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(sample), max_size=len(sample))))
    parts = [tally_of(family, sample[owner == part]) for part in range(3) if (owner == part).any()]
    whole = tally_of(family, sample)
    for order in (parts, parts[::-1]):
        merged = sum(order)
        assert merged == whole if name in EXACT else merged.isclose(whole)


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_scaling_a_tally_is_weighting_its_rows(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family))
    twice = family.tally(sample.X, sample.y, weight=2 * sample.weight)
    assert (2 * tally_of(family, sample)).isclose(twice)
    assert tally_of(family, sample) + tally_of(family, sample) == 2 * tally_of(family, sample)


def test_labels_and_features_are_matched_by_name():
    first = Poisson().tally([[1, 2]], ["a"], features=["x", "y"])
    second = Poisson().tally([[10, 20]], ["b"], features=["y", "z"])
    both = first + second
    assert both.labels.tolist() == ["a", "b"]
    assert both["y"].sums["sum"].tolist() == [[2], [10]]
    assert both["x"].sums["n"].tolist() == [[1], [0]]
    assert both == second + first


def test_tallies_of_different_families_do_not_add():
    with pytest.raises(DifferentFamilies, match=r"Poisson.* here, Multinomial"):
        Poisson().tally([[1]], ["a"]) + Multinomial().tally([[1]], ["a"])
    with pytest.raises(DifferentFamilies):
        Bernoulli().tally([[1]], ["a"]) + Bernoulli(binarize=0.0).tally([[1]], ["a"])


def test_features_without_names_are_matched_by_number_only():
    with pytest.raises(NoSuchFeature, match="1 here and 2 there"):
        Poisson().tally([[1]], ["a"]) + Poisson().tally([[1, 2]], ["a"])


def test_numbers_and_texts_are_never_confused_as_labels():
    with pytest.raises(NoSuchFeature, match="Numbers and texts"):
        Poisson().tally([[1]], [1]) + Poisson().tally([[1]], ["1"])


@given(st.floats(-1e9, 1e9), st.floats(0.01, 100), st.integers(0, 2**32 - 1))
def test_gaussian_tallies_with_different_pivots_are_moved_to_one(centre, width, seed):
    values = np.random.default_rng(seed).normal(centre, width, (40, 2))
    halves = [Gaussian().tally(values[rows], ["a"] * 20) for rows in (slice(0, 20), slice(20, 40))]
    far = Gaussian(pivot=(0.0, 0.0)).tally(values[20:], ["a"] * 20)
    whole = (halves[0] + halves[1]).read("mle").parameters
    assert np.allclose(whole["mean"], values.mean(axis=0), rtol=1e-12, atol=1e-9)
    assert np.allclose(whole["variance"], values.var(axis=0), rtol=1e-6)
    if abs(centre) < 1e3:  # counted from zero, squares of large numbers have cancelled already
        moved = (halves[0] + far).read("mle").parameters
        assert np.allclose(moved["variance"], values.var(axis=0), rtol=1e-5)


def test_large_numbers_close_together_keep_their_variance():
    values = 1e9 + np.array([[0.0], [1.0], [2.0]])
    variance = Gaussian().tally(values, ["a"] * 3).read("mle").parameters["variance"]
    assert variance == pytest.approx(2 / 3, rel=1e-12)


def test_counts_are_integers_even_from_floats():
    tally = Multinomial().tally(np.array([[1.0, 2.0], [3.0, 0.0]]), ["a", "a"])
    assert tally.sums["count"].dtype == np.int64
    half = Multinomial().tally(np.array([[0.5, 2.0]]), ["a"])
    assert (tally + half).sums["count"].tolist() == [[4.5, 4.0]]


def test_a_tally_cannot_be_changed_by_its_users():
    tally = Poisson().tally([[1]], ["a"])
    with pytest.raises(ValueError, match="read-only"):
        tally.sums["sum"][0, 0] = 7
    with pytest.raises(TypeError):
        tally.sums["sum"] = 7
    with pytest.raises(AttributeError):
        tally.rows = 7
