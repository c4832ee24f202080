"""Every `bayes` against a brute-force integral over its parameters, every `map` and `mean` likewise.

The posterior is written down here from likelihood and prior alone, on a fine grid, and knows nothing of
the closed forms that the families use.
"""

import numpy as np
import pytest
import scipy.stats as stats

from deciban import Bernoulli, Beta, Categorical, Gamma, Gaussian, Geometric, Multinomial, Poisson, Values

UNIT = (np.arange(200_000) + 0.5) / 200_000  # a grid over probabilities


def normalised(log_weights):
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def read(family, data, rule, prior):
    column = np.asarray(data)[:, None]
    return family.tally(column, ["a"] * len(data)).read(rule, prior)


def likelihood_of(reading, x):
    return float(np.exp(reading.log_density(np.array([[x]])))[0, 0])


def test_beta_bernoulli():
    data, a, b = [1, 1, 0, 1], 2.5, 1.5
    posterior = normalised(stats.beta.logpdf(UNIT, a, b) + 3 * np.log(UNIT) + np.log(1 - UNIT))
    assert likelihood_of(read(Bernoulli(), data, "bayes", Beta(a, b)), 1) == pytest.approx(
        (posterior * UNIT).sum(), abs=1e-8
    )
    mode = read(Bernoulli(), data, "map", Beta(a, b)).parameters["probability"][0, 0]
    assert mode == pytest.approx(UNIT[posterior.argmax()], abs=1e-5)


def test_dirichlet_categorical():
    p, q = (grid.ravel() for grid in np.meshgrid(UNIT[::500], UNIT[::500]))
    inside = p + q < 1
    p, q = p[inside], q[inside]
    chances = np.stack([p, q, 1 - p - q])
    alpha = np.array([1.5, 1.2, 2.0])
    posterior = normalised(((alpha - 1 + [2, 1, 1])[:, None] * np.log(chances)).sum(axis=0))
    reading = read(Categorical(categories=3), [0, 0, 1, 2], "bayes", alpha)
    for category in range(3):
        assert likelihood_of(reading, category) == pytest.approx(
            (posterior * chances[category]).sum(), abs=1e-4
        )


def test_dirichlet_multinomial():
    text, alpha = np.array([[2, 1]]), 0.7
    posterior = normalised((alpha - 1 + 3) * np.log(UNIT) + (alpha - 1 + 1) * np.log(1 - UNIT))
    reading = Multinomial().tally([[3, 1]], ["a"]).read("bayes", alpha)
    expected = (posterior * stats.binom.pmf(2, 3, UNIT)).sum()
    assert np.exp(reading.log_density(text))[0, 0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("x", [0, 1, 4, 11])
def test_gamma_poisson(x):
    rates = (np.arange(400_000) + 0.5) / 10_000
    data = [2, 5, 3]
    posterior = normalised(
        stats.gamma.logpdf(rates, 3.0, scale=1 / 2.0)
        + stats.poisson.logpmf(np.array(data)[:, None], rates).sum(axis=0)
    )
    prior = Values(n=2.0, mean=1.5)  # Gamma(3, 2)
    expected = (posterior * stats.poisson.pmf(x, rates)).sum()
    assert likelihood_of(read(Poisson(), data, "bayes", prior), x) == pytest.approx(expected, abs=1e-7)
    assert read(Poisson(), data, "mean", prior).parameters["rate"][0, 0] == pytest.approx(
        (posterior * rates).sum()
    )
    mode = read(Poisson(), data, "map", prior).parameters["rate"][0, 0]
    assert mode == pytest.approx(rates[posterior.argmax()], abs=1e-3)


@pytest.mark.parametrize("x", [0, 2, 9])
def test_beta_geometric(x):
    data, a, b = [0, 3, 1], 1.5, 2.5
    posterior = normalised(stats.beta.logpdf(UNIT, a, b) + 3 * np.log(UNIT) + 4 * np.log(1 - UNIT))
    expected = (posterior * UNIT * (1 - UNIT) ** x).sum()
    assert likelihood_of(read(Geometric(), data, "bayes", Beta(a, b)), x) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("x", [-2.0, 1.0, 6.0])
def test_student_t_is_the_gaussian_integrated_out(x):
    data = np.array([0.5, 1.5, 2.0, 4.0])
    mean, log_v = np.meshgrid(np.linspace(-60, 60, 2401), np.linspace(-6, 12, 1801))
    v = np.exp(log_v)
    n, m0, v0 = 2.0, 1.0, 3.0
    imagined = -0.5 * n * (np.log(v) + (v0 + (m0 - mean) ** 2) / v)
    observed = stats.norm.logpdf(data[:, None, None], mean, np.sqrt(v)).sum(axis=0)
    posterior = normalised(imagined + observed)  # the grid is even in log v, which is the measure dv/v
    expected = (posterior * stats.norm.pdf(x, mean, np.sqrt(v))).sum()
    prior = Values(n, m0, v0)
    assert likelihood_of(read(Gaussian(), data, "bayes", prior), x) == pytest.approx(expected, rel=1e-4)
    assert read(Gaussian(), data, "mean", prior).parameters["variance"][0, 0] == pytest.approx(
        (posterior * v).sum(), rel=1e-2
    )
    per_v = imagined + observed - log_v  # the mode is that of the density per v
    at = np.unravel_index(per_v.argmax(), per_v.shape)
    found = read(Gaussian(), data, "map", prior).parameters
    assert found["variance"][0, 0] == pytest.approx(v[at], rel=2e-2)
    assert found["mean"][0, 0] == pytest.approx(mean[at], abs=5e-2)


def test_a_variance_shared_over_features_is_integrated_jointly():
    X = np.array([[0.0, 10.0], [1.0, 12.0], [3.0, 11.0]])
    row = np.array([2.0, 9.0])
    log_v = np.linspace(-8, 14, 20_001)
    v = np.exp(log_v)
    means, n = X.mean(axis=0), len(X)
    scatter = ((X - means) ** 2).sum()
    # The two means integrate out by hand: each leaves v^(-(n-1)/2), and a new value scatters by v(1 + 1/n).
    posterior = normalised(-0.5 * 2 * (n - 1) * log_v - 0.5 * scatter / v)
    densities = np.prod([stats.norm.pdf(row[j], means[j], np.sqrt(v * (1 + 1 / n))) for j in (0, 1)], axis=0)
    reading = Gaussian(shared="features").tally(X, ["a"] * 3).read("bayes", prior=0)
    assert np.exp(reading.log_density(row[None]))[0, 0] == pytest.approx(
        (posterior * densities).sum(), rel=1e-6
    )


@pytest.mark.parametrize("x", [0.3, 2.0, 9.0])
@pytest.mark.parametrize("data", [[1.0, 2.5, 4.0], [2.9, 3.0, 3.1, 3.0, 2.95]], ids=["wide", "narrow"])
def test_gamma_with_shape_and_rate_integrated_out(x, data):
    data = np.array(data)
    n0, mean, variance = 1.0, 2.0, 4.0  # an exponential with mean 2
    from scipy.special import gammaln, psi

    n, total = len(data) + n0, data.sum() + n0 * mean
    logs = np.log(data).sum() + n0 * (psi(1.0) - np.log(0.5))
    log_a, log_b = np.meshgrid(np.linspace(-8, 9, 1701), np.linspace(-9, 9, 1801))
    a, b = np.exp(log_a), np.exp(log_b)
    weights = (a - 1) * logs - b * total + n * (a * log_b - gammaln(a)) + log_a + log_b
    posterior = normalised(weights)
    expected = (posterior * np.exp(stats.gamma.logpdf(x, a, scale=1 / b))).sum()
    prior = Values(n0, mean, variance)
    assert likelihood_of(read(Gamma(), data, "bayes", prior), x) == pytest.approx(expected, rel=1e-4)
    parameters = read(Gamma(), data, "mean", prior).parameters
    assert parameters["shape"][0, 0] == pytest.approx((posterior * a).sum(), rel=1e-3)
    assert parameters["rate"][0, 0] == pytest.approx((posterior * b).sum(), rel=1e-3)
    per_ab = weights - log_a - log_b
    at = np.unravel_index(per_ab.argmax(), per_ab.shape)
    mode = read(Gamma(), data, "map", prior).parameters
    assert mode["shape"][0, 0] == pytest.approx(a[at], rel=5e-2)
    assert mode["rate"][0, 0] == pytest.approx(b[at], rel=5e-2)
