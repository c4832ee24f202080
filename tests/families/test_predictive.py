"""The compiled predictive distributions against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import gammaln

from deciban import Gaussian, Multinomial
from deciban.families.gaussian import log_student
from deciban.families.reading import finite_log

RNG = np.random.default_rng(1)


def texts(rows, width):
    counts = RNG.geometric(0.4, (rows, width)) * (RNG.random((rows, width)) < 0.3)
    counts[0, :4] = [1, 40, 1000, 3]
    return counts.astype(float)


def urn_of(tally, alpha, X):
    inside, whole = tally.sums["count"] + alpha, (tally.sums["count"] + alpha).sum(axis=1)
    rise = (gammaln(inside[None] + X[:, None]) - gammaln(inside[None])).sum(axis=2)
    lengths = X.sum(axis=1, keepdims=True)
    return rise - (gammaln(whole + lengths) - gammaln(whole))


@pytest.mark.parametrize("scale", [1.0, 0.37], ids=["whole", "fractions"])
@pytest.mark.parametrize("alpha", [0.01, 1, 2.5])
def test_the_urn_is_that_of_gamma_functions(alpha, scale):
    X = texts(40, 25)
    tally = Multinomial().tally(X, np.arange(40) % 3)
    reading = tally.read("bayes", alpha)
    expected = urn_of(tally, alpha, scale * X)
    for _ in range(2):  # what was found first is kept for the second time
        for kind in (np.asarray, sparse.csr_array):
            assert np.allclose(reading.log_likelihood(kind(scale * X)), expected, rtol=1e-9)


@pytest.mark.parametrize("labels", [1, 2, 4, 7, 9])
@pytest.mark.parametrize("weight", [None, 0.3], ids=["counts", "fractions"])
def test_long_rows_and_any_number_of_labels_are_read(labels, weight):
    X = texts(40, 700)
    y = np.arange(40) % labels
    tally = Multinomial().tally(X, y, weight=None if weight is None else weight + RNG.random(40))
    expected = urn_of(tally, 0.1, X)
    for kind in (np.asarray, sparse.csr_array):
        assert np.allclose(tally.read("bayes", 0.1).log_likelihood(kind(X)), expected, rtol=1e-9)


def test_logarithms_that_are_kept_are_those_of_their_numbers():
    numbers = np.concatenate([RNG.random(5000), np.arange(3000) / 7, [0.0, 5e-324, 1e300]])
    numbers = RNG.permutation(np.tile(numbers, 3))
    expected = np.log(numbers, out=np.zeros(len(numbers)), where=numbers > 0)
    assert np.allclose(finite_log(numbers), expected, rtol=1e-14, atol=1e-16)
    assert finite_log(numbers.reshape(3, -1).T).shape == (len(numbers) // 3, 3)


def test_explicit_zeros_and_missing_counts_add_nothing():
    X = texts(30, 8)
    reading = Multinomial().tally(X, np.arange(30) % 2).read("bayes", 1)
    entries = sparse.csr_array((np.array([2.0, 0.0, np.nan]), np.array([0, 1, 2]), np.array([0, 3])), (1, 8))
    plain = np.zeros((1, 8))
    plain[0, 0] = 2
    assert np.allclose(reading.log_likelihood(entries), reading.log_likelihood(plain))


def test_a_word_of_which_the_urn_has_none_is_impossible():
    reading = Multinomial().tally([[3, 0], [1, 2]], ["a", "b"]).read("bayes", 0)
    for row in ([[1, 1]], [[0, 3]], [[0, 9]]):
        assert np.isinf(reading.log_likelihood(row)[0]).tolist() == [True, False]


@pytest.mark.parametrize("width", [1, 2, 7, 300])
def test_student_of_many_features_is_the_sum_of_each(width):
    X = RNG.normal(0, 3, (50, width))
    reading = Gaussian().tally(X, np.arange(50) % 3).read("bayes", 1)
    fresh = RNG.normal(0, 30, (20, width))
    fresh[0] = 1e80  # a product of these is beyond any float
    fresh[1, 0] = np.nan
    each = log_student(fresh[:, None], *reading.parameters.values())
    assert np.allclose(reading.log_likelihood(fresh), np.nansum(each, axis=2), rtol=1e-10)
    assert np.allclose(reading.log_likelihood(sparse.csr_array(fresh)), np.nansum(each, axis=2), rtol=1e-10)


def test_features_of_different_freedom_are_read_one_by_one():
    X = RNG.normal(0, 1, (30, 3))
    X[:5, 1] = np.nan
    reading = Gaussian().tally(X, np.arange(30) % 2).read("bayes", 1)
    assert len(np.unique(reading.parameters["freedom"])) > 1
    each = log_student(X[10:, None], *reading.parameters.values())
    assert np.allclose(reading.log_likelihood(X[10:]), each.sum(axis=2))
