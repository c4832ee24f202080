"""Point readings against the densities of scipy.stats."""

import numpy as np
import pytest
import scipy.stats as stats

from deciban import Bernoulli, Categorical, Gamma, Gaussian, Geometric, Multinomial, Poisson
from samples import rows_for

RNG = np.random.default_rng(5)


def parameters_and_density(family, X, rule="mle"):
    reading = family.tally(X, ["a"] * len(X)).read(rule, prior=2)
    return reading.parameters, reading.log_density(X)[:, 0]


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
def test_bernoulli(rule):
    X = rows_for(Bernoulli(), RNG, 30)
    parameters, found = parameters_and_density(Bernoulli(), X, rule)
    assert np.allclose(found, stats.bernoulli.logpmf(X, parameters["probability"]).sum(axis=1))


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
def test_poisson(rule):
    X = rows_for(Poisson(), RNG, 30)
    parameters, found = parameters_and_density(Poisson(), X, rule)
    assert np.allclose(found, stats.poisson.logpmf(X, parameters["rate"]).sum(axis=1))


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
def test_geometric(rule):
    X = rows_for(Geometric(), RNG, 30)
    parameters, found = parameters_and_density(Geometric(), X, rule)
    assert np.allclose(found, stats.geom.logpmf(X + 1, parameters["probability"]).sum(axis=1))


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
def test_multinomial(rule):
    X = rows_for(Multinomial(), RNG, 30)
    parameters, found = parameters_and_density(Multinomial(), X, rule)
    assert np.allclose(found, stats.multinomial.logpmf(X, X.sum(axis=1), parameters["probability"][0]))


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
@pytest.mark.parametrize("shared", [None, "labels", "features", "all"])
def test_gaussian(rule, shared):
    X = rows_for(Gaussian(), RNG, 30)
    parameters, found = parameters_and_density(Gaussian(shared=shared), X, rule)
    assert np.allclose(
        found, stats.norm.logpdf(X, parameters["mean"], np.sqrt(parameters["variance"])).sum(axis=1)
    )


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
def test_gamma(rule):
    X = rows_for(Gamma(), RNG, 30)
    parameters, found = parameters_and_density(Gamma(), X, rule)
    assert np.allclose(
        found, stats.gamma.logpdf(X, parameters["shape"], scale=1 / parameters["rate"]).sum(axis=1)
    )


def test_the_gamma_peak_is_scipys():
    X = np.random.default_rng(6).gamma(2.5, 3.0, (400, 1))
    shape, _, scale = stats.gamma.fit(X[:, 0], floc=0)
    found = Gamma().tally(X, ["a"] * 400).read("mle").parameters
    assert found["shape"][0, 0] == pytest.approx(shape, rel=1e-6)
    assert found["rate"][0, 0] == pytest.approx(1 / scale, rel=1e-6)


def test_student_t():
    X = rows_for(Gaussian(), RNG, 12, width=1)
    reading = Gaussian().tally(X, ["a"] * 12).read("bayes", prior=0)
    expected = stats.t.logpdf(X, 11, X.mean(), np.sqrt(X.var(ddof=1) * (1 + 1 / 12)))
    assert np.allclose(reading.log_density(X), expected)


def test_negative_binomial():
    X = np.array([[3], [0], [7]])
    reading = Poisson().tally([[2], [4]], ["a", "a"]).read("bayes", prior=0)
    assert np.allclose(reading.log_density(X), stats.nbinom.logpmf(X, 6, 2 / 3))


def test_dirichlet_multinomial():
    reading = Multinomial().tally([[3, 1, 0]], ["a"]).read("bayes", prior=1)
    text = np.array([[1, 0, 7], [0, 2, 1], [12, 3, 0]])
    expected = [stats.dirichlet_multinomial.logpmf(row, [4, 2, 1], row.sum()) for row in text]
    assert np.allclose(reading.log_density(text)[:, 0], expected)


def test_categorical_unseen_values_are_smoothed():
    reading = Categorical().tally([["x"], ["y"], ["x"]], ["a"] * 3).read("mean", prior=0.5)
    # Half a value is imagined of each category that was seen, and of something new.
    assert np.allclose(
        np.exp(reading.log_likelihood([["x"], ["y"], ["z"]]))[:, 0], [2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5]
    )
