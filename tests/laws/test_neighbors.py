"""Laws 2 to 4 over neighbours: forgetting, a batch of one, and shares that add up to what was computed."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings

from deciban import NeighborsClassifier, NeighborsRegressor
from deciban.errors import CannotForget
from deciban.learners.neighbors import Graph

DISTANCES = ["euclidean", "cosine", "manhattan", "jensen_shannon", "kullback_leibler"]
LABELS = np.array(["ham", "spam", "work"])


@st.composite
def tables(draw):
    """Rows of counts with many ties, in any of the kinds that are learned."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(3, 60))
    X = rng.poisson(1, (count, 4)) + np.eye(4)[rng.integers(0, 4, count)]
    kind = draw(st.sampled_from(["float64", "float32", "sparse"]))
    X = sparse.csr_array(X) if kind == "sparse" else X.astype(kind)
    return X, LABELS[rng.integers(0, 3, count)], rng


def same(one, other, queries):
    assert np.array_equal(one.sample_.answers, other.sample_.answers)
    assert abs(one.sample_.rows - other.sample_.rows).max() == 0
    for left, right in zip(one.kneighbors(queries), other.kneighbors(queries), strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("distance", DISTANCES)
@given(table=tables())
def test_what_was_learned_can_be_forgotten(distance, table):
    X, y, rng = table
    half = X.shape[0] // 2
    before = NeighborsClassifier(distance=distance).fit(X[:half], y[:half])
    model = NeighborsClassifier(distance=distance).fit(X[:half], y[:half]).partial_fit(X[half:], y[half:])
    order = rng.permutation(X.shape[0] - half) + half
    model.forget(X[order], y[order])
    same(model, before, X)
    assert np.array_equal(model.classes_, before.classes_)
    assert np.array_equal(model.predict_proba(X), before.predict_proba(X))


@given(table=tables())
def test_forgetting_any_rows_leaves_what_the_rest_would_have_taught(table):
    X, y, rng = table
    gone = rng.random(len(y)) < 0.4
    gone[0] = False
    if not gone.any():
        return
    model = NeighborsClassifier(k=3).fit(X, y).forget(X[gone], y[gone])
    # Of equal rows the last is forgotten, so which of them is left may differ, never what they say.
    rest = NeighborsClassifier(k=3).fit(X[~gone], y[~gone])
    assert np.array_equal(model.classes_, rest.classes_)
    assert np.array_equal(model.kneighbors(X)[0], rest.kneighbors(X)[0])


def test_forgetting_what_was_never_learned_is_an_error_and_forgets_nothing():
    X, y = np.array([[1.0], [2.0], [2.0]]), ["a", "b", "a"]
    for kind in (np.asarray, sparse.csr_array):
        model = NeighborsClassifier(k=1).fit(kind(X), y)
        with pytest.raises(CannotForget, match="Row 1 was never learned"):
            model.forget(kind([[1.0], [3.0]]), ["a", "a"])
        with pytest.raises(CannotForget, match="more often"):
            model.forget(kind([[1.0], [1.0]]), ["a", "a"])
        with pytest.raises(CannotForget, match="'never' was ever learned"):
            model.forget(kind([[1.0]]), ["never"])
        assert len(model.sample_) == 3
        model.forget(kind([[2.0]]), ["b"])
        assert model.classes_.tolist() == ["a"]
        assert model.predict(kind([[2.0]])).tolist() == ["a"]


def test_zero_and_minus_zero_are_one_value():
    model = NeighborsRegressor().fit([[0.0, 1.0], [5.0, 5.0]], [1.0, 2.0])
    assert len(model.forget([[-0.0, 1.0]], [1.0]).sample_) == 1


@pytest.mark.parametrize("distance", DISTANCES)
@given(table=tables())
def test_one_row_is_a_batch_of_one(distance, table):
    X, y, _ = table
    model = NeighborsClassifier(k=4, distance=distance, weights="distance").fit(X, y)
    batch = model.kneighbors(X)
    for query in range(X.shape[0]):
        one = model.kneighbors(X[[query]])
        assert np.array_equal(one[0][0], batch[0][query])
        assert np.array_equal(one[1][0], batch[1][query])


def test_one_row_is_a_batch_of_one_where_products_round_differently():
    rng = np.random.default_rng(6)
    rows, queries = rng.normal(size=(5000, 97)).astype(np.float32), rng.normal(size=(600, 97))
    rows[1::2] = (
        rows[::2] + rng.normal(size=(2500, 97)) * 1e-6
    )  # twins that single precision cannot tell apart
    model = NeighborsRegressor(k=9).fit(rows, rng.normal(size=5000))
    distances, found = model.kneighbors(queries)
    for query in range(0, 600, 37):
        one = model.kneighbors(queries[[query]])
        assert np.array_equal(one[0][0], distances[query])
        assert np.array_equal(one[1][0], found[query])


@pytest.mark.parametrize("weights", ["equal", "distance"])
@given(table=tables())
def test_the_neighbours_shares_add_up_to_the_answer(weights, table):
    X, y, rng = table
    model = NeighborsClassifier(k=5, weights=weights).fit(X, y)
    for why, label, chances in zip(model.why(X), model.predict(X), model.predict_proba(X), strict=True):
        assert why.answer == label
        told = [sum(one.share for one in why.neighbors if one.answer == each) for each in model.classes_]
        assert np.allclose(told, chances, atol=1e-12)
        assert np.isclose(why.share, chances.max())
    values = rng.normal(size=len(y))
    means = NeighborsRegressor(k=5, weights=weights).fit(X, values)
    for why, mean in zip(means.why(X), means.predict(X), strict=True):
        assert np.isclose(why.answer, mean)
        assert np.isclose(why.answer, sum(one.share * one.answer for one in why.neighbors))


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_graph_never_finds_what_was_forgotten(seed):
    pytest.importorskip("faiss")
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    model = NeighborsClassifier(k=5, search=Graph(breadth=200)).fit(X[:300], y[:300])
    model.kneighbors(X[:1])
    model.partial_fit(X[300:], y[300:])
    exact = NeighborsClassifier(k=5).fit(X, y)
    for gone in (slice(0, 40), slice(40, 200)):  # few: skipped in the graph; many: it is built anew
        model.forget(X[gone], y[gone])
        exact.forget(X[gone], y[gone])
        (distances, rows), (true_distances, true_rows) = model.kneighbors(X), exact.kneighbors(X)
        assert np.mean(rows == true_rows) > 0.95  # a missing neighbour moves those behind it
        assert np.array_equal(distances[rows == true_rows], true_distances[rows == true_rows])
