"""scikit-learn's GaussianMixture and KMeans are what Mixture is, for their kinds of Gaussians."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import BernoulliNB

from deciban import Bernoulli, Gaussian, Mixture, MixtureClassifier, Multinomial, NaiveBayes


def heaps(seed, count=4, each=40, width=3):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 4, (count, width))
    return np.vstack(
        [rng.normal(centre, rng.uniform(0.5, 2, width), (each, width)) for centre in centres]
    ), rng


@pytest.mark.parametrize(("shared", "kind"), [(None, "diag"), ("features", "spherical")])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_gaussian_em_equals_gaussian_mixture_from_the_same_start(shared, kind, seed):
    X, rng = heaps(seed)
    start = rng.permutation(len(X)) % 4
    variance = np.array([X[start == k].var(axis=0) for k in range(4)])
    precisions = 1 / (variance if kind == "diag" else variance.mean(axis=1))
    theirs = GaussianMixture(
        4,
        covariance_type=kind,
        reg_covar=0,
        max_iter=20,
        tol=0,
        means_init=[X[start == k].mean(axis=0) for k in range(4)],
        weights_init=np.bincount(start) / len(X),
        precisions_init=precisions,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neither may have converged after so few steps, and both say so
        theirs.fit(X)
        assume(theirs.covariances_.min() > 1e-9)  # it shrank to one point, and there is no likeliest variance
        ours = Mixture(Gaussian(shared=shared), 4, rule="mle", init=start, steps=21, tolerance=0).fit(X)
    assert ours.score_samples(X) == pytest.approx(theirs.score_samples(X), rel=1e-6, abs=1e-6)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-6)
    assert ours.bic(X) == pytest.approx(theirs.bic(X))
    assert ours.aic(X) == pytest.approx(theirs.aic(X))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_hard_em_of_gaussians_with_one_variance_is_k_means(seed):
    X, rng = heaps(seed)
    centres = X[rng.choice(len(X), 4, replace=False)]
    theirs = KMeans(4, init=centres, n_init=1, tol=0).fit(X)
    nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    settings = {"hard": True, "rule": "mle", "label_prior": "uniform", "tolerance": 0}
    ours = Mixture(Gaussian(shared="all"), 4, init=nearest, **settings).fit(X)
    inertia = ours.reading_.parameters["variance"][0, 0] * X.size
    assert inertia == pytest.approx(theirs.inertia_)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_seeds_are_as_good_as_k_means_plus_plus():
    # One start each: our seeds against KMeans's, which tries several candidates for every seed.
    found, settings = [], {"hard": True, "rule": "mle", "label_prior": "uniform", "tolerance": 0}
    for seed in range(20):
        X, _ = heaps(seed, count=6)
        ours = Mixture(Gaussian(shared="all"), 6, random_state=seed, **settings).fit(X)
        theirs = KMeans(6, n_init=1, random_state=seed).fit(X)
        any_rows = KMeans(6, n_init=1, init="random", random_state=seed).fit(X)
        inertia = ours.reading_.parameters["variance"][0, 0] * X.size
        found.append([inertia / theirs.inertia_, any_rows.inertia_ / theirs.inertia_])
    ours_on_average, any_on_average = np.exp(np.log(found).mean(axis=0))
    assert ours_on_average < min(1.1, any_on_average)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_without_hidden_labels_a_mixture_classifier_is_naive_bayes(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.poisson(2, (60, 5)), np.arange(60) % 3
    for family in (Multinomial(), Gaussian(), Bernoulli(binarize=1.0)):
        one = MixtureClassifier(family).fit(X, y)
        other = NaiveBayes(family).fit(X, y)
        assert one.predict_joint_log_proba(X) == pytest.approx(other.predict_joint_log_proba(X))


def test_digits_of_several_shapes_are_read_better_than_by_bernoullinb():
    from sklearn.datasets import load_digits

    digits = load_digits()
    X, y = digits.data > 7, digits.target
    learned, asked = slice(0, 1200), slice(1200, None)
    theirs = BernoulliNB().fit(X[learned], y[learned]).score(X[asked], y[asked])
    alone = NaiveBayes(Bernoulli()).fit(X[learned], y[learned]).score(X[asked], y[asked])
    several = MixtureClassifier(Bernoulli(), 5, random_state=0).fit(X[learned], y[learned])
    assert alone == pytest.approx(theirs)
    assert several.score(X[asked], y[asked]) > alone + 0.03
