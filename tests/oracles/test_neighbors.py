"""Neighbours against scikit-learn, scipy, and definitions written out."""

import math
import zlib
from functools import cache

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from scipy.spatial import distance as scipy_distance
from scipy.stats import entropy
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from threadpoolctl import threadpool_info, threadpool_limits

from deciban import NeighborsClassifier, NeighborsRegressor
from deciban.learners.distances import DISTANCES, Compression, Cosine, Edit, JensenShannon, KullbackLeibler
from deciban.learners.neighbors.exact import ExactSearch
from deciban.learners.projections import least_dimensions

COUNTS = np.random.default_rng(3).poisson(1.5, (40, 6)) + np.eye(40, 6)
QUERIES = np.random.default_rng(4).poisson(1.5, (9, 6)) + np.eye(9, 6)


def brute_force(distance, queries, rows, k):
    """The definition: all rows sorted by distance, then by the order in which they were learned."""
    found = distance.between(queries, rows)
    order = np.argsort(found, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(found, order, axis=1), order


@pytest.mark.parametrize(
    "kind", [np.float64, np.float32, sparse.csr_array], ids=["float64", "float32", "CSR"]
)
@pytest.mark.parametrize("name", ["euclidean", "cosine", "manhattan", "jensen_shannon", "kullback_leibler"])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_exact_search_finds_what_sorting_finds(name, kind, seed):
    rng = np.random.default_rng(seed)
    width, count = int(rng.integers(1, 9)), int(rng.integers(1, 300))
    # Few values and many ties: the hard case for a search that ranks in single precision.
    rows = rng.integers(0, 3, (count, width)).astype(float)
    queries = rng.integers(0, 3, (7, width)).astype(float)
    if name == "jensen_shannon":
        rows[:, 0] += 1
        queries[:, 0] += 1
    k = int(rng.integers(1, count + 1))
    distance = DISTANCES[name]()
    convert = kind if kind is sparse.csr_array else lambda values: values.astype(kind)
    distances, found = ExactSearch(distance, convert(rows)).nearest(convert(queries), k)
    expected, _ = brute_force(distance, queries, rows, k)
    assert np.allclose(distances, expected, rtol=1e-12, atol=1e-12)
    own = np.take_along_axis(distance.between(queries, rows), found, axis=1)
    assert np.allclose(own, expected, rtol=1e-12, atol=1e-12)
    assert all(len(set(row)) == k for row in found.tolist())
    if name in ("euclidean", "manhattan"):  # whole numbers: ties are exact, and go to what was learned first
        assert np.array_equal(found, brute_force(distance, queries, rows, k)[1])


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1.0, 1e6, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
def test_neither_size_nor_place_of_the_data_matters(scale, offset):
    rng = np.random.default_rng(8)
    rows = (rng.normal(size=(800, 20)) + offset) * scale
    queries = (rng.normal(size=(30, 20)) + offset) * scale
    exact = (queries[:, None] - rows[None]) / scale
    expected = np.argsort((exact**2).sum(axis=2), axis=1, kind="stable")[:, :10]
    distances, found = ExactSearch(DISTANCES["euclidean"](), rows).nearest(queries, 10)
    assert np.array_equal(found, expected)
    if scale >= 1e-3 and scale < 1e150:
        assert np.allclose(distances, np.linalg.norm(queries[:, None] - rows[found], axis=2), rtol=1e-9)


@pytest.mark.parametrize("far", [1e6, 1e20, 1e200])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_one_row_far_away_leaves_the_shortlists_of_the_others_short(far, kind, monkeypatch):
    rng = np.random.default_rng(8)
    rows, queries = rng.normal(size=(3000, 20)), rng.normal(size=(50, 20))
    rows[7] *= far
    measured = []
    search = ExactSearch(DISTANCES["euclidean"](), kind(rows))
    nearest = type(search._ranking).nearest

    def counting(self, queries, shortlists, sizes, k):
        measured.append(int(np.sum(sizes)))
        return nearest(self, queries, shortlists, sizes, k)

    monkeypatch.setattr(type(search._ranking), "nearest", counting)
    found = search.nearest(kind(queries), 5)[1]
    assert np.array_equal(found, brute_force(DISTANCES["euclidean"](), queries, rows, 5)[1])
    assert sum(measured) <= 7 * len(queries)


def test_the_number_of_threads_changes_nothing_and_is_given_back():
    rng = np.random.default_rng(8)
    search = ExactSearch(DISTANCES["euclidean"](), rng.normal(size=(9000, 5)))
    queries, found = rng.normal(size=(600, 5)), []
    for threads in (1, 4):
        with threadpool_limits(threads, user_api="blas"):
            found.append(search.nearest(queries, 3))
            assert {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"} == {threads}
    assert np.array_equal(found[0], found[1])


def test_a_query_far_out_of_reach_is_answered_too():
    rows = np.random.default_rng(0).normal(size=(100, 3))
    query = np.array([[1e60, 0.0, 0.0]])
    assert ExactSearch(DISTANCES["euclidean"](), rows).nearest(query, 1)[0][0, 0] == pytest.approx(1e60)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_digits_are_told_apart_as_by_scikit_learn(metric, weights):
    X, y = load_digits(return_X_y=True)
    ours = NeighborsClassifier(
        k=5, distance=metric, weights="equal" if weights == "uniform" else weights
    ).fit(X[:1200], y[:1200])
    theirs = KNeighborsClassifier(5, metric=metric, weights=weights, algorithm="brute").fit(
        X[:1200], y[:1200]
    )
    mine, other = ours.predict_proba(X[1200:]), theirs.predict_proba(X[1200:])
    # Where rows tie for the fifth place the two may take another one each; that is rare.
    same = np.isclose(mine, other, atol=1e-9).all(axis=1)
    assert same.mean() > 0.97
    clear = same & (np.diff(np.sort(mine, axis=1)[:, -2:], axis=1).ravel() > 1e-9)
    assert np.array_equal(ours.predict(X[1200:])[clear], theirs.predict(X[1200:])[clear])
    assert np.mean(ours.predict(X[1200:]) == y[1200:]) > 0.95


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_means_are_those_of_scikit_learn(weights):
    rng = np.random.default_rng(1)
    X, y, fresh = rng.normal(size=(200, 4)), rng.normal(size=200), rng.normal(size=(50, 4))
    fresh[:5] = X[:5]  # at distance 0
    ours = NeighborsRegressor(k=7, weights="equal" if weights == "uniform" else weights).fit(X, y)
    # The tree subtracts coordinates. Brute force multiplies matrices, and under some kernels of OpenBLAS the
    # distance of a row to itself then is 1e-8 and not 0.
    theirs = KNeighborsRegressor(7, weights=weights, algorithm="kd_tree").fit(X, y)
    assert np.allclose(ours.predict(fresh), theirs.predict(fresh), rtol=1e-9)


@pytest.mark.parametrize("name", ["euclidean", "cosine", "manhattan", "chebyshev", "jensen_shannon"])
def test_distances_are_those_of_scipy(name):
    peer = {
        "euclidean": scipy_distance.euclidean,
        "cosine": scipy_distance.cosine,
        "manhattan": scipy_distance.cityblock,
        "chebyshev": scipy_distance.chebyshev,
        "jensen_shannon": scipy_distance.jensenshannon,
    }[name]
    model = NeighborsClassifier(k=40, distance=name).fit(COUNTS, np.zeros(40, int))
    distances, rows = model.kneighbors(QUERIES)
    for query, one, where in zip(QUERIES, distances, rows, strict=True):
        assert np.allclose(one, [peer(query, COUNTS[row]) for row in where], rtol=1e-9, atol=1e-12)


def test_the_query_comes_first_in_kullback_leibler():
    def shares(counts):
        return (counts + 0.5) / (counts.sum() + 0.5 * len(counts))

    distances, rows = (
        NeighborsClassifier(k=40, distance="kullback_leibler")
        .fit(COUNTS, np.zeros(40, int))
        .kneighbors(QUERIES)
    )
    for query, one, where in zip(QUERIES, distances, rows, strict=True):
        assert np.allclose(one, [entropy(shares(query), shares(COUNTS[row])) for row in where], atol=1e-12)
    back = KullbackLeibler().between(COUNTS, QUERIES).T
    assert not np.allclose(back, KullbackLeibler().between(QUERIES, COUNTS))


def test_smoothed_jensen_shannon_is_that_of_smoothed_shares():
    smoothed = JensenShannon(smoothing=2.0).between(QUERIES, COUNTS)
    assert smoothed[2, 5] == pytest.approx(scipy_distance.jensenshannon(QUERIES[2] + 2, COUNTS[5] + 2))


def edits(left, right):
    """Levenshtein's distance by its definition."""

    @cache
    def rest(i, j):
        if i == len(left) or j == len(right):
            return len(left) - i + len(right) - j
        return min(rest(i + 1, j) + 1, rest(i, j + 1) + 1, rest(i + 1, j + 1) + (left[i] != right[j]))

    return rest(0, 0)


TEXTS = st.text("abcé", max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
def test_edit_distances_are_those_of_the_definition(queries, rows):
    expected = np.array([[edits(query, row) for row in rows] for query in queries])
    assert np.array_equal(Edit().between(queries, rows), expected)
    longer = np.array([[max(len(query), len(row), 1) for row in rows] for query in queries])
    assert np.allclose(Edit(normalized=True).between(queries, rows), expected / longer)


def test_compression_distances_are_those_of_the_definition():
    def size(text):
        return len(zlib.compress(text.encode(), 9))

    query, row = "the rain in spain " * 5, "stays mainly in the plain " * 4
    expected = (size(query + row) - min(size(query), size(row))) / max(size(query), size(row))
    assert Compression().between([query], [row])[0, 0] == expected
    same, other = Compression("lzma").between([query], [query, "1234567890 abc"])[0]
    assert same < other


def test_rows_without_a_direction_are_one_away():
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 0.0]])
    queries = np.array([[2.0, 2.0], [0.0, 0.0]])
    for kind in (np.asarray, sparse.csr_array):
        distances, found = ExactSearch(Cosine(), kind(rows)).nearest(kind(queries), 3)
        assert np.allclose(distances, [[0, 1, 1 + math.sqrt(0.5)], [1, 1, 1]])
        assert found.tolist() == [[1, 0, 2], [0, 1, 2]]


@pytest.mark.parametrize("rows", [2, 100, 10_000, 10**6])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_the_dimension_is_that_of_johnson_and_lindenstrauss(rows, epsilon):
    # scikit-learn cuts fractions off; the bound says "at least", so this rounds up.
    assert least_dimensions(rows, epsilon) - johnson_lindenstrauss_min_dim(rows, eps=epsilon) in (0, 1)
