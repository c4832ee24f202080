import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given

from deciban import Bernoulli, Categorical, Columns, Empirical, Gaussian, Multinomial, Poisson
from deciban.errors import BadPrior, DifferentFamilies, NoSuchFeature, TooLarge
from deciban.schema import Schema
from deciban.tally import Tally


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


@pytest.mark.parametrize("factor", [-1, "2", None, float("nan"), float("inf")])
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


def test_large_values_taught_row_by_row_never_wrap_round():
    values = [9e7 + step for step in range(2000)]
    tally = sum(Gaussian(pivot=(0.0,)).tally([[value]], ["a"]) for value in values)
    assert tally.sums["squares"][0, 0] == pytest.approx(sum(int(value) ** 2 for value in values), rel=1e-12)
    assert tally.sums["sum"][0, 0] == sum(values)
    assert (2**40 * tally).sums["squares"][0, 0] == pytest.approx(2**40 * tally.sums["squares"][0, 0])
    forgotten = tally - Gaussian(pivot=(0.0,)).tally([[values[0]]], ["a"])
    assert forgotten.sums["squares"][0, 0] == pytest.approx(sum(int(v) ** 2 for v in values[1:]), rel=1e-12)


def test_labels_together_never_wrap_round():
    values = np.array([[1000.0], [1200.0], [1400.0], [1800.0]])
    tally = 2**40 * Gaussian(pivot=(0.0,)).tally(np.vstack([values, values / 2]), [*"abcd"] * 2)
    squares = [int(value) for value in tally.sums["squares"].ravel()]
    assert tally.total().sums["squares"][0, 0] == pytest.approx(sum(squares))
    assert tally.complement().sums["squares"][0, 0] == pytest.approx(sum(squares[1:]))
    assert tally.read("bayes", 1).parameters["scale²"].min() > 0


def count_of(number):
    return Tally(Poisson(), np.array(["a"]), Schema(1), np.array([1]), {"n": [[1]], "sum": [[number]]})


@given(st.integers(0, 2**62 - 1), st.integers(0, 2**62 - 1))
@example(2**62 - 201, 200)
def test_counts_are_exact_or_refused(left, right):
    if left + right < 2**62:
        assert (count_of(left) + count_of(right)).sums["sum"][0, 0] == left + right
        assert (count_of(left) + count_of(right)) - count_of(right) == count_of(left)
    else:
        with pytest.raises(TooLarge, match=r"'sum' grew beyond 2\^62 .* larger unit"):
            count_of(left) + count_of(right)


@given(st.integers(0, 2**62 - 1), st.integers(0, 2**40))
@example(2**62 - 200, 1)
@example(2**62 // 3, 3)
def test_counts_are_scaled_exactly_or_refused(count, factor):
    if count * factor < 2**62:
        assert (factor * count_of(count)).sums["sum"][0, 0] == count * factor
    else:
        with pytest.raises(TooLarge):
            factor * count_of(count)


@pytest.mark.parametrize("kind", [np.uint64, np.int32, np.uint8, bool])
def test_sums_of_any_kind_of_whole_numbers_are_kept_in_64_bits(kind):
    sums = {"n": np.array([[1]]), "sum": np.array([[1]], dtype=kind)}
    tally = Tally(Poisson(), np.array(["a"]), Schema(1), np.array([1]), sums)
    assert tally.sums["sum"].dtype == np.int64
    assert (2**40 * tally).sums["sum"][0, 0] == 2**40


def test_a_count_that_no_whole_number_can_hold_is_refused():
    with pytest.raises(TooLarge):
        Poisson().tally([[1e19]], ["a"])
    with pytest.raises(TooLarge):
        count_of(np.uint64(2**63))
    assert count_of(np.uint64(2**62 - 1)).sums["sum"][0, 0] == 2**62 - 1


@pytest.mark.parametrize("name", ["laplace", "jeffreys", "empirical"])
def test_priors_have_names(name):
    tally = Bernoulli().tally([[1, 0], [0, 0], [1, 1], [0, 1]], ["a", "a", "b", "b"])
    prior = {"laplace": 1, "jeffreys": 0.5, "empirical": Empirical()}[name]
    assert np.array_equal(
        tally.read("mean", name).parameters["probability"],
        tally.read("mean", prior).parameters["probability"],
    )


def test_a_tally_has_no_rows_to_validate_on():
    with pytest.raises(BadPrior, match="NaiveBayes"):
        Bernoulli().tally([[1]], ["a"]).read("mean", "cv")
    with pytest.raises(BadPrior, match="'laplace', 'jeffreys', 'empirical'"):
        Bernoulli().tally([[1]], ["a"]).read("mean", "flat")


@pytest.mark.parametrize(
    ("labels", "weight"),
    [
        (["a"], None),
        (["a", "b"], [1.0]),
        (["a", "b"], [1.0, -1.0]),
        (["a", "b"], [1.0, np.nan]),
        (["a", 1], None),
    ],
    ids=["labels", "weights", "negative", "missing", "mixed"],
)
def test_labels_and_weights_that_do_not_fit_the_rows_are_refused(labels, weight):
    with pytest.raises(ValueError, match=r"one of each per row|Weights must be|Labels mix"):
        Poisson().tally([[1], [2]], np.array(labels, dtype=object), weight=weight)
