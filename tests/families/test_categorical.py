import numpy as np
import pandas as pd
import pytest

from deciban import Categorical
from deciban.errors import BadPrior, NotEnoughValues, OutsideSupport


def test_texts_numbers_and_missing_values_are_told_apart_by_column():
    frame = pd.DataFrame({"coat": ["red", None, "blue"], "grade": [3, 1, 3], "paid": [True, False, True]})
    tally = Categorical().tally(frame, ["a", "a", "b"])
    assert [known.tolist() for known in tally.features.categories] == [["blue", "red"], [1, 3], [False, True]]
    assert tally.sums["count"].tolist() == [[0, 1, 1, 1, 1, 1], [1, 0, 0, 1, 0, 1]]


@pytest.mark.parametrize("values", [[0, 5000, 5000], [-7, -7, 90210], [0.5, 0.5, 1.5]])
def test_codes_may_be_far_apart_negative_or_fractions(values):
    tally = Categorical().tally(np.array(values)[:, None], ["a"] * 3)
    assert sorted(tally.sums["count"].ravel().tolist()) == [1, 2]
    assert np.allclose(np.exp(tally.read("mle").log_likelihood(np.unique(values)[:, None])).sum(), 1)


def test_a_number_of_categories_declares_all_of_them():
    tally = Categorical(categories=4).tally([[1], [1]], ["a", "a"])
    assert tally.sums["count"].tolist() == [[0, 2, 0, 0]]
    assert tally.read("mean", 1).parameters["probability"].tolist() == [[1 / 6, 3 / 6, 1 / 6, 1 / 6]]


def test_an_unseen_category_is_impossible_without_a_prior():
    reading = Categorical().tally([["x"]], ["a"]).read("mle")
    assert reading.log_likelihood([["y"]]).tolist() == [[-np.inf]]
    assert reading.evidence([["y"]]).total().tolist() == [[-np.inf]]


def test_a_category_of_another_kind_is_unseen():
    reading = Categorical().tally([["1"], ["2"]], ["a", "a"]).read("mean", 1)
    assert np.exp(reading.log_likelihood(np.array([[1]])))[0, 0] == pytest.approx(1 / 5)


@pytest.mark.parametrize("rule", ["map", "mean", "bayes"])
@pytest.mark.parametrize("alpha", [1, 2.5])
def test_room_for_something_new_is_reserved(rule, alpha):
    reading = Categorical().tally([["x"], ["y"], ["y"]], ["a"] * 3).read(rule, alpha)
    masses = np.exp(reading.log_likelihood([["x"], ["y"], ["new"]])).ravel()
    assert masses.sum() == pytest.approx(1)
    assert masses[2] == pytest.approx(reading.parameters["unseen"][0, 0])
    assert (masses[2] > 0) == (rule != "map" or alpha > 1)


def test_where_categories_are_declared_nothing_is_reserved_and_another_says_nothing():
    reading = Categorical(["x", "y"]).tally([["x"], ["y"], ["y"]], ["a", "a", "b"]).read("mean", 1)
    assert np.exp(reading.log_likelihood([["x"], ["y"]])).sum(axis=0) == pytest.approx([1, 1])
    assert reading.log_likelihood([["new"]]).tolist() == [[0.0, 0.0]]


def test_a_column_without_a_single_value_says_nothing():
    rows = np.array([["x", None], ["y", None]], dtype=object)
    reading = Categorical().tally(rows, ["a", "b"]).read("mean", 1)
    alone = Categorical().tally(rows[:, :1], ["a", "b"]).read("mean", 1)
    assert np.array_equal(reading.log_likelihood([["x", "?"]]), alone.log_likelihood([["x"]]))


def test_kinds_that_do_not_sort_are_refused():
    with pytest.raises(OutsideSupport, match="column 0 mixes kinds"):
        Categorical().tally(np.array([["a"], [1]], dtype=object), ["x", "x"])


def test_a_label_without_any_value_needs_a_prior():
    rows = np.array([["x"], [None]], dtype=object)
    with pytest.raises(NotEnoughValues, match="Label 'b' has no value of feature 0"):
        Categorical().tally(rows, ["a", "b"]).read("mle")
    assert np.isfinite(Categorical().tally(rows, ["a", "b"]).read("mean", 1).log_likelihood([["x"]])).all()


def test_categories_have_no_mean():
    from deciban import Values

    with pytest.raises(BadPrior, match="no mean"):
        Categorical().tally([["x"]], ["a"]).read("mean", Values(1, 0))
