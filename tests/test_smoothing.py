import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import gammaln

from deciban import (
    Bernoulli,
    Beta,
    Categorical,
    Columns,
    Empirical,
    Gamma,
    Gaussian,
    Geometric,
    Jeffreys,
    Laplace,
    Multinomial,
    Poisson,
    Texts,
    Values,
)
from deciban.errors import BadPrior


def polya_log_likelihood(draws, alpha):
    total = alpha.sum()
    each = gammaln(draws + alpha) - gammaln(alpha)
    return (gammaln(total) - gammaln(draws.sum(axis=1) + total) + each.sum(axis=1)).sum()


@settings(max_examples=15)
@given(st.sampled_from([0.05, 0.3, 1.0, 4.0]), st.integers(0, 2**32 - 1))
def test_empirical_bayes_recovers_a_known_alpha(alpha, seed):
    rng = np.random.default_rng(seed)
    draws = np.array([rng.multinomial(3000, rng.dirichlet(np.full(60, alpha))) for _ in range(60)])
    assert Empirical().estimate(draws, symmetric=True)[0] == pytest.approx(alpha, rel=0.12)


def test_empirical_bayes_recovers_a_known_beta():
    rng = np.random.default_rng(0)
    n = np.full((5, 2000), 50)
    ones = rng.binomial(n, rng.beta(0.5, 4.0, n.shape))
    rows = np.concatenate([np.stack([ones, n - ones])]).reshape(2, -1).T
    assert Empirical().estimate(rows, symmetric=False) == pytest.approx([0.5, 4.0], rel=0.05)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_fixed_point_is_a_peak_of_the_likelihood(seed, symmetric):
    rng = np.random.default_rng(seed)
    draws = np.array([rng.multinomial(40, rng.dirichlet(np.full(4, 0.8))) for _ in range(12)])
    alpha = Empirical(tolerance=1e-10).estimate(draws, symmetric=symmetric)
    if alpha.min() > 1e-3 and alpha.max() < 1e3:
        best = polya_log_likelihood(draws, alpha)
        for factor in (0.97, 1.03):
            assert polya_log_likelihood(draws, alpha * factor) < best


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 200))
def test_a_column_has_the_same_alpha_whatever_columns_stand_beside_it(seed, steps):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, [1, 2, 3, 9], (25, 4)), rng.integers(0, 3, 25)
    empirical = Empirical(steps=steps)

    def alphas(columns):
        tally = Categorical().tally(X[:, columns], y)
        return tally.family._alpha_of(empirical.imagine(tally))

    assert alphas([0, 1, 2, 3]) == pytest.approx(np.concatenate([alphas([column]) for column in range(4)]))


@pytest.mark.parametrize("family", [Bernoulli(), Categorical(), Multinomial()], ids=str)
def test_empirical_priors_are_imagined_from_the_tally_alone(family):
    tally = family.tally([[1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]], ["a", "a", "b", "b"])
    prior = Empirical().imagine(tally)
    assert prior.rows.tolist() == [0, 0]
    assert all((values > 0).any() for values in prior.sums.values())
    assert np.isfinite(tally.read("mean", prior).log_likelihood([[1, 1, 1]])).all()


def test_empirical_is_refused_where_there_is_none():
    with pytest.raises(BadPrior, match="not Gamma"):
        Gamma().tally([[1.0], [2.0]], ["a", "a"]).read("bayes", Empirical())


def test_columns_imagine_in_every_group():
    family = Columns({0: Bernoulli(), 1: Categorical()})
    tally = family.tally([[1, 2], [0, 3]], ["a", "b"])
    prior = Laplace().imagine(tally)
    assert prior.parts[0].sums["ones"].tolist() == [[1], [1]]
    assert prior.parts[1].sums["count"].tolist() == [[1, 1], [1, 1]]
    assert Empirical().imagine(tally).parts[1].sums["count"].shape == (2, 2)


@pytest.mark.parametrize(
    ("family", "row", "expected"),
    [
        (Bernoulli(), [1], {"n": 1.0, "ones": 0.5}),
        (Multinomial(), [1], {"count": 0.5, "total": 0.5}),
        (Poisson(), [1], {"n": 0, "sum": 0.5}),
        (Geometric(), [1], {"n": 0, "sum": 0.5}),
        (Gaussian(), [1.0], {"n": 0, "sum": 0, "squares": 0}),
    ],
    ids=str,
)
def test_jeffreys(family, row, expected):
    prior = Jeffreys().imagine(family.tally([row], ["a"]))
    assert {name: float(values.ravel()[0]) for name, values in prior.sums.items()} == expected


def test_jeffreys_of_a_gamma_is_refused():
    with pytest.raises(BadPrior, match="number α"):
        Jeffreys().imagine(Gamma().tally([[1.0]], ["a"]))


@pytest.mark.parametrize(
    "prior",
    [Beta(-1, 1), Values(-1, 0.5), Values(1, 2.0), Values(1, 0.5, 1.0), float("nan"), "laplace?", None],
)
def test_priors_that_cannot_be_imagined_are_refused(prior):
    with pytest.raises(BadPrior):
        Bernoulli().tally([[1]], ["a"]).read("mean", prior)


@pytest.mark.parametrize("family", [Poisson(), Multinomial(), Gaussian(), Gamma(), Categorical()], ids=str)
def test_beta_is_only_for_probabilities(family):
    with pytest.raises(BadPrior, match="Beta"):
        family.tally([[1.0]], ["a"]).read("mean", Beta(1, 1))


def test_alpha_may_differ_by_feature():
    tally = Multinomial().tally([[1, 1]], ["a"])
    assert tally.read("mean", np.array([3.0, 0.0])).parameters["probability"].tolist() == [[0.8, 0.2]]


def test_an_imagined_tally_is_a_prior_for_each_label():
    tally = Bernoulli().tally([[1], [0]], ["a", "b"])
    prior = Bernoulli().tally([[1], [1], [0]], ["a", "a", "b"])
    assert tally.read("mean", prior).parameters["probability"].tolist() == [[1.0], [0.0]]


def test_the_words_of_texts_get_an_alpha_of_their_own():
    from deciban.smoothing import EmpiricalWords

    notes = np.array([["a fever", 1.0], ["a cold", 2.0], ["a fever again", 4.0]], dtype=object)
    tally = Columns({0: Texts(), 1: Gaussian()}).tally(notes, ["flu", "no", "flu"])
    imagined = tally.family._imagine(EmpiricalWords(2), tally)
    words, sizes = tally.parts
    assert imagined.parts[0] == words.family._imagine_empirical(words)
    assert imagined.parts[1].isclose(sizes.family._imagine(2, sizes))
