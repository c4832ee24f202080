"""Law 6: rule="mean" with α equals scikit-learn's smoothing, Gaussian mle equals GaussianNB, to 1e-9.

But for columns that are the same in every row, which move no verdict here (laws/test_constant_columns.py).
"""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import assume, given
from sklearn import naive_bayes as peers
from sklearn.feature_selection import chi2 as sklearn_chi2
from sklearn.metrics import mutual_info_score

from deciban import Bernoulli, Categorical, Gaussian, Multinomial, NaiveBayes
from deciban.selection import chi2, information_gain

TOLERANCE = 1e-9


@st.composite
def problems(draw):
    """Counts, labels, weights, α and a label prior."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels, count, width = draw(st.integers(2, 5)), draw(st.integers(10, 60)), draw(st.integers(1, 8))
    X = rng.poisson(1.5, (count, width)).astype(float)
    y = np.concatenate([np.arange(labels), rng.integers(0, labels, count - labels)])
    weight = rng.uniform(0.1, 3, count) if draw(st.booleans()) else None
    prior = rng.dirichlet(np.ones(labels)) if draw(st.booleans()) else None
    alpha = draw(st.sampled_from([0.01, 0.5, 1.0, 3.7]))
    fresh = rng.poisson(1.5, (20, width)).astype(float)
    return X, y, weight, prior, alpha, fresh


def varied(X, fresh):
    """Without the columns that are the same in every row: they say nothing here, unlike in scikit-learn."""
    telling = (X[0] != X).any(axis=0)
    assume(telling.any())
    return X[:, telling], fresh[:, telling]


def assert_same(ours, theirs, X, fresh, y, weight):
    for kind in (np.asarray, sparse.csr_matrix):
        ours.fit(kind(X), y, sample_weight=weight)
        theirs.fit(kind(X), y, sample_weight=weight)
        left, right = (m.predict_joint_log_proba(kind(fresh)) for m in (ours, theirs))
        assert np.allclose(left, right, rtol=TOLERANCE, atol=TOLERANCE)
        assert np.allclose(ours.predict_proba(kind(fresh)), theirs.predict_proba(kind(fresh)), atol=TOLERANCE)
        clear = np.abs(np.diff(np.sort(left, axis=1)[:, -2:], axis=1)).ravel() > 1e-6
        assert np.array_equal(ours.predict(fresh)[clear], theirs.predict(fresh)[clear])


@given(problems())
def test_multinomial_mean_equals_multinomialnb(problem):
    X, y, weight, prior, alpha, fresh = problem
    ours = NaiveBayes(Multinomial(), rule="mean", prior=alpha, label_prior=prior)
    assert_same(ours, peers.MultinomialNB(alpha=alpha, class_prior=prior), X, fresh, y, weight)


@given(problems())
def test_bernoulli_mean_equals_bernoullinb(problem):
    X, y, weight, prior, alpha, fresh = problem
    X, fresh = varied(np.where(X > 1, 2.0, 0.5), fresh)
    ours = NaiveBayes(Bernoulli(binarize=1.0), rule="mean", prior=alpha, label_prior=prior)
    assert_same(ours, peers.BernoulliNB(alpha=alpha, binarize=1.0, class_prior=prior), X, fresh, y, weight)


@given(problems())
def test_complement_equals_complementnb(problem):
    X, y, weight, _, alpha, fresh = problem
    ours = NaiveBayes(Multinomial(), rule="mean", prior=alpha, complement=True)
    assert_same(ours, peers.ComplementNB(alpha=alpha), X, fresh, y, weight)


@given(problems())
def test_categorical_mean_equals_categoricalnb(problem):
    X, y, weight, prior, alpha, fresh = problem
    X, fresh = varied(np.minimum(X, 4).astype(int), np.minimum(fresh, 4).astype(int))
    ours = NaiveBayes(Categorical(categories=5), rule="mean", prior=alpha, label_prior=prior)
    theirs = peers.CategoricalNB(alpha=alpha, class_prior=prior, min_categories=5)
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    left, right = (m.predict_joint_log_proba(fresh) for m in (ours, theirs))
    assert np.allclose(left, right, rtol=TOLERANCE, atol=TOLERANCE)


@given(problems())
def test_gaussian_mle_equals_gaussiannb(problem):
    X, y, weight, prior, _, fresh = problem
    rng = np.random.default_rng(X.size)
    X = np.vstack([X, X, X]) + rng.normal(0, 1, (3 * len(X), X.shape[1]))  # no label without a variance
    y = np.tile(y, 3)
    weight = None if weight is None else np.tile(weight, 3)
    ours = NaiveBayes(Gaussian(), rule="mle", label_prior=prior).fit(X, y, sample_weight=weight)
    theirs = peers.GaussianNB(priors=prior, var_smoothing=0).fit(X, y, sample_weight=weight)
    left, right = (m.predict_joint_log_proba(fresh) for m in (ours, theirs))
    assert np.allclose(left, right, rtol=1e-9, atol=1e-8)


@given(problems())
def test_partial_fit_in_pieces_equals_scikit_learns(problem):
    X, y, weight, _, alpha, fresh = problem
    ours = NaiveBayes(Multinomial(), rule="mean", prior=alpha)
    theirs = peers.MultinomialNB(alpha=alpha)
    for rows in np.array_split(np.arange(len(y)), 3):
        part = None if weight is None else weight[rows]
        ours.partial_fit(X[rows], y[rows], sample_weight=part)
        theirs.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=part)
    left, right = (m.predict_joint_log_proba(fresh) for m in (ours, theirs))
    assert np.allclose(left, right, rtol=TOLERANCE, atol=TOLERANCE)


@given(problems())
def test_chi2_equals_scikit_learns(problem):
    X, y, *_ = problem
    X = X[:, X.any(axis=0)]
    assert np.allclose(chi2(Multinomial().tally(X, y)), sklearn_chi2(X, y)[0])


@given(problems())
def test_information_gain_equals_mutual_information(problem):
    X, y, *_ = problem
    there = (X > 0).astype(int)
    bits = [mutual_info_score(there[:, column], y) / np.log(2) for column in range(X.shape[1])]
    assert np.allclose(information_gain(Bernoulli().tally(there, y)), bits, atol=1e-12)


@pytest.mark.parametrize("shared", ["labels", "all"])
def test_shared_variances_are_pooled_within_labels(shared):
    rng = np.random.default_rng(3)
    X, y = rng.normal(0, [1, 5], (50, 2)), np.arange(50) % 2
    X[y == 1] += 10
    residuals = X - np.array([X[y == label].mean(axis=0) for label in (0, 1)])[y]
    expected = (residuals**2).mean(axis=0 if shared == "labels" else None)
    found = Gaussian(shared=shared).tally(X, y).read("mle").parameters["variance"]
    assert np.allclose(found, expected)
    unbiased = Gaussian(shared=shared, ddof=1).tally(X, y).read("mle").parameters["variance"]
    values, means = (50, 2) if shared == "labels" else (100, 4)
    assert np.allclose(unbiased, expected * values / (values - means))
