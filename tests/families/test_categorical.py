import numpy as np
import pandas as pd
import pytest

from deciban import Categorical
from deciban.errors import BadPrior, BadSetting, NoSuchFeature, NotEnoughValues, OutsideSupport


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


@pytest.mark.parametrize(
    "codes",
    [
        np.array([-128, 127], dtype=np.int8),
        np.array([0, 255], dtype=np.uint8),
        np.array([5, 6], dtype=np.uint64),
        np.array([2**63 + 5, 2**63 + 9], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([2**53, 2**53 + 1]),
    ],
    ids=lambda codes: f"{codes[0]} {codes.dtype}",
)
def test_whole_numbers_of_any_size_are_told_apart(codes):
    rows = np.tile(codes, 3)[:, None]
    tally = Categorical().tally(rows, ["a", "b"] * 3)
    assert tally.features.categories[0].tolist() == codes.tolist()
    assert tally.sums["count"].tolist() == [[3, 0], [0, 3]]
    learned = tally.read("mean", 1)
    assert np.exp(learned.log_likelihood(codes[:, None])).round(3).tolist() == [
        [0.667, 0.167],
        [0.167, 0.667],
    ]
    beside = pd.DataFrame({"code": rows.ravel(), "size": 0.5})
    assert Categorical().tally(beside, ["a", "b"] * 3).sums["count"].tolist() == [[3, 0, 3], [0, 3, 3]]


def test_codes_may_come_as_another_kind_of_whole_numbers():
    reading = Categorical().tally(np.array([[1000], [1001]]), ["a", "a"]).read("mean", 1)
    for rows in (np.array([[-128]], dtype=np.int8), np.array([[2**64 - 1]], dtype=np.uint64)):
        assert np.exp(reading.log_likelihood(rows))[0, 0] == pytest.approx(1 / 5)
    for kind in (np.int16, np.uint64, np.float64):
        assert np.exp(reading.log_likelihood(np.array([[1001]], dtype=kind)))[0, 0] == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    "bad", [0, -1, 1.5, True, "red", (), ("red", 1), ("red", None), [[3, 2], [2, 4]]], ids=repr
)
def test_categories_that_cannot_be_meant_are_refused(bad):
    with pytest.raises(BadSetting, match="categories must be"):
        Categorical(bad)
    assert Categorical(np.array([2, 3])) == Categorical((2, 3))


def test_declared_texts_and_numbers_in_rows_are_told_as_they_are_written():
    with pytest.raises(NoSuchFeature, match="'x' here, 0 there"):
        Categorical(("x", "y")).tally([[1], [0]], ["a", "b"])
