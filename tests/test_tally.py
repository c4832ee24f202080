import pickle

import numpy as np
import pytest

from deciban import Bernoulli, Categorical, Columns, Gaussian, Multinomial, Poisson
from deciban.errors import DifferentFamilies, NoSuchFeature


def test_a_slice_keeps_the_totals():
    tally = Multinomial().tally([[3, 1, 4]], ["a"], features=["x", "y", "z"])
    part = tally[["x", "z"]]
    assert part.sums["count"].tolist() == [[3, 4]]
    assert part.sums["total"].tolist() == [8]
    assert part.rows.tolist() == [1]
    assert part.read("mle").parameters["probability"].tolist() == [[3 / 8, 4 / 8]]
    with pytest.raises(DifferentFamilies):
        part + tally


def test_a_slice_of_columns_keeps_each_in_its_group():
    family = Columns({"a": Poisson(), "b": Categorical(), "c": Poisson()})
    tally = family.tally(np.array([[1, 2, 3]]), ["x"], features=["a", "b", "c"])
    part = tally[["c", "b"]]
    assert list(part.features.names) == ["b", "c"]
    assert [type(piece.family).__name__ for piece in part.parts] == ["Categorical", "Poisson"]


def test_an_unknown_feature_is_refused():
    with pytest.raises(NoSuchFeature, match="no feature 'z'"):
        Poisson().tally([[1]], ["a"], features=["x"])["z"]


def test_the_complement_is_everything_else():
    tally = Poisson().tally([[1], [2], [4]], ["a", "b", "c"])
    assert tally.complement().sums["sum"].tolist() == [[6], [5], [3]]
    assert tally.total().sums["sum"].tolist() == [[7], [7], [7]]
    assert tally.total() - tally == tally.complement()


def test_a_missing_label_counts_as_zeros_when_compared():
    one = Poisson().tally([[1]], ["a"])
    assert one != Poisson().tally([[1], [1]], ["a", "b"])
    assert one + Poisson().tally([[0]], ["b"], weight=[0.0]) == one
    assert one != "a tally"


@pytest.mark.parametrize("factor", [-1, "2", None])
def test_only_numbers_of_zero_or_more_scale(factor):
    with pytest.raises(TypeError):
        Poisson().tally([[1]], ["a"]) * factor


def test_a_tally_survives_pickling_and_copying():
    tally = Gaussian().tally([[1.0, 2.0], [2.0, 5.0]], ["a", "b"])
    assert pickle.loads(pickle.dumps(tally)) == tally


def test_a_tally_shows_what_it_holds():
    tally = Bernoulli().tally([[1, 0], [1, 1]], ["ham", "spam"])
    assert repr(tally) == "<Tally of Bernoulli(binarize=None), 2 features, rows {ham: 1, spam: 1}>"


def test_tallies_only_add_to_tallies():
    with pytest.raises(TypeError):
        Poisson().tally([[1]], ["a"]) + 1
    with pytest.raises(TypeError):
        Poisson().tally([[1]], ["a"]) - 1
