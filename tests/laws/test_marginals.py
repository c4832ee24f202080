"""The likelihood of all rows together is the product of each one's, given those before it."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp

from deciban import (
    Bernoulli,
    Beta,
    Categorical,
    Gamma,
    Gaussian,
    Geometric,
    Multinomial,
    NaiveBayes,
    Poisson,
    Values,
)
from deciban.errors import BadPrior, BadSetting
from effort import effort
from samples import FAMILIES, samples


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=effort(15, 100))
@given(data=st.data())
def test_it_is_the_product_of_what_each_row_says_after_those_before(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family))
    whole = family.tally(sample.X, sample.y)
    prior = whole.family._imagine(3, whole)
    seen, total = whole.zeros(), 0.0
    for row, label in zip(sample.X, sample.y, strict=True):
        own = whole.labels.tolist().index(label)
        total += float(seen.read("bayes", prior).log_density(row[None])[0, own])
        seen = seen + whole.family.tally(row[None], [label])
    constants = float(whole.family._log_base(whole.family._admit(sample.X)).sum())
    assert whole.log_marginal(3) + constants == pytest.approx(total, rel=1e-6, abs=1e-6)
    assert family.log_marginal(sample.X, sample.y, 3) == pytest.approx(total, rel=1e-6, abs=1e-6)


X = np.array([[1.0], [3.0], [2.0]])
ONES = np.array([[1], [0], [1]])


def density(value, scipys):
    return np.exp(scipys(value).sum())


def test_against_the_integral_over_a_probability():
    def height(theta):
        return stats.beta(2, 3).pdf(theta) * density(ONES, stats.bernoulli(theta).logpmf)

    told = Bernoulli().log_marginal(ONES, ["a"] * 3, Beta(2, 3))
    assert np.exp(told) == pytest.approx(quad(height, 0, 1)[0])


def test_against_the_integral_over_a_chance_of_success():
    def height(p):
        return stats.beta(2, 3).pdf(p) * density(X + 1, stats.geom(p).logpmf)

    told = Geometric().log_marginal(X, ["a"] * 3, Beta(2, 3))
    assert np.exp(told) == pytest.approx(quad(height, 0, 1)[0])


def test_against_the_integral_over_a_rate():
    def height(rate):
        return stats.gamma(4, scale=1 / 2).pdf(rate) * density(X, stats.poisson(rate).logpmf)

    told = Poisson().log_marginal(X, ["a"] * 3, Values(2, 2.0))
    assert np.exp(told) == pytest.approx(quad(height, 0, 60)[0])


def test_against_the_integral_over_shares():
    texts = np.array([[2, 1], [0, 3]])

    def height(share):
        return stats.beta(2, 2).pdf(share) * density(texts[:, 0], stats.binom(3, share).logpmf)

    assert np.exp(Multinomial().log_marginal(texts, ["a"] * 2, 2)) == pytest.approx(quad(height, 0, 1)[0])


def test_against_the_integral_over_mean_and_variance():
    """Three imagined values with mean 1 and variance 4, times 1/v, is the prior."""

    def prior(mean, v):
        return (2 * np.pi * v) ** -1.5 * np.exp(-(12 + 3 * (mean - 1) ** 2) / (2 * v)) / v

    log_v, spread = np.linspace(-6, 30, 3000)[:, None], np.linspace(-12, 12, 2000)[None, :]
    means = 1 + spread * np.exp(log_v / 2)  # as wide as the variance, whose tail is long
    before = (prior(means, np.exp(log_v)) * np.exp(1.5 * log_v)).sum()
    told = np.exp(sum(stats.norm(means, np.exp(log_v / 2)).logpdf(x) for x in X.ravel()))
    after = (told * prior(means, np.exp(log_v)) * np.exp(1.5 * log_v)).sum()
    assert Gaussian().log_marginal(X, ["a"] * 3, Values(3, 1.0, 4.0)) == pytest.approx(
        np.log(after / before), abs=1e-4
    )


def test_against_the_integral_over_shape_and_rate():
    tally = Gamma().tally(X, ["a"] * 3)
    prior = Values(2, 2.0, 2.0).imagine(tally)
    n, total, logs = (float(prior.sums[name][0, 0]) for name in ("n", "sum", "logs"))
    a = np.exp(np.linspace(-9, 5, 700))[:, None]
    b = np.exp(np.linspace(-9, 6, 700))[None, :]
    before = n * (a * np.log(b) - gammaln(a)) + (a - 1) * logs - b * total + np.log(a) + np.log(b)
    after = before + sum(stats.gamma(a, scale=1 / b).logpdf(x) for x in X.ravel())
    assert tally.log_marginal(prior) == pytest.approx(logsumexp(after) - logsumexp(before), abs=1e-6)


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shared="labels")], ids=str)
def test_a_prior_that_is_no_distribution_is_refused(family):
    with pytest.raises(BadPrior, match="Give a number above 1"):
        family.log_marginal(X, ["a", "b", "a"], "jeffreys")
    with pytest.raises(BadPrior, match="Give a number above 0"):
        Poisson().log_marginal(X, ["a", "b", "a"], 0)


@pytest.mark.parametrize("rule", ["mle", "mean", "bayes"])
def test_densities_of_a_model_sum_to_one(rule):
    rows, labels = np.array([[0, 1], [2, 3], [4, 1], [1, 2], [0, 3]]), ["a", "a", "b", "b", "b"]
    model = NaiveBayes(Poisson(), rule=rule).fit(rows, labels)
    grid = np.array([[i, j] for i in range(120) for j in range(120)])
    assert np.exp(model.score_samples(grid)).sum() == pytest.approx(1, abs=1e-4)


def test_the_likelihood_of_a_model_is_that_of_rows_and_labels():
    rows, labels = np.array([[0], [2], [4], [1]]), np.array(["a", "a", "b", "b"])
    model = NaiveBayes(Poisson(), rule="mle").fit(rows, labels)
    expected = 4 * np.log(0.5) + stats.poisson([1, 1, 2.5, 2.5]).logpmf(rows.ravel()).sum()
    assert model.log_likelihood(rows, labels) == pytest.approx(expected)
    assert NaiveBayes(Poisson(), rule="mle", temper=0.2).fit(rows, labels).log_likelihood(
        rows, labels
    ) == pytest.approx(expected)
    assert model.log_likelihood([[0]], ["never learned"]) == -np.inf


def test_no_parameters_are_likelier_than_the_likeliest():
    rng = np.random.default_rng(0)
    rows, labels = rng.poisson(3, (50, 2)), np.arange(50) % 2
    best = NaiveBayes(Poisson(), rule="mle").fit(rows, labels).log_likelihood(rows, labels)
    for prior in (0.1, 1, 10):
        assert (
            NaiveBayes(Poisson(), rule="mean", prior=prior).fit(rows, labels).log_likelihood(rows, labels)
            <= best
        )


def test_a_model_knows_the_marginal_likelihood_of_what_it_learned():
    rows, labels = np.array([["red"], ["blue"], ["red"]]), ["a", "a", "b"]
    model = NaiveBayes(Categorical()).fit(rows, labels)
    assert model.log_marginal(rows, labels) == pytest.approx(Categorical().log_marginal(rows, labels))


def test_complements_have_no_likelihood():
    model = NaiveBayes(Multinomial(), complement=True).fit([[1, 2], [2, 1]], [0, 1])
    assert not hasattr(model, "score_samples")
    with pytest.raises(BadSetting, match="no row has a likelihood"):
        model.log_likelihood([[1, 2]], [0])
