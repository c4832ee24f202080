"""Law 7: what is the same in every row, or missing in all of them, moves no verdict, whatever comes later."""

import numpy as np
import pytest
import scipy.sparse as sparse

from deciban import (
    Beta,
    Categorical,
    Gamma,
    Gaussian,
    Jeffreys,
    Mixture,
    MixtureClassifier,
    Multinomial,
    NaiveBayes,
)
from deciban.errors import BadPrior, NoMode, NotEnoughValues
from samples import FAMILIES, RULES, rows_for
from tests.effort import effort

# Multinomial has no columns of its own: a word is a share of a text, and a word in every text is a larger
# share of short ones.
SEPARATE = {name: family for name, family in FAMILIES.items() if not isinstance(family, (Multinomial,))}
CASES = [(name, rule) for name in SEPARATE for rule in RULES]
PRIORS = [1, 4, 0.5, "jeffreys", "empirical", Beta(2, 3)]


def constants_for(family, rng):
    """A value that the family can have, and another one."""
    if isinstance(family, Gaussian):
        return rng.choice([(0.0, 0.001), (0.1, 5.0), (-7.3, 1e6)])
    if isinstance(family, Gamma):
        return rng.choice([(0.1, 0.2), (1.0, 3e4), (1234.5, 1e-3)])
    return rng.permutation([0, 1])


def fitted(family, rule, prior, X, y):
    """The model, or none where the family has no such prior, no peak or no mode for what was drawn."""
    try:
        return NaiveBayes(family, rule=rule, prior=prior).fit(X, y)
    except (BadPrior, NoMode, NotEnoughValues):
        return None


@pytest.mark.parametrize(("name", "rule"), CASES)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.filterwarnings("ignore::deciban.errors.ImpossibleRows")
def test_a_constant_column_moves_no_verdict(name, rule, prior):
    rng = np.random.default_rng([len(name), RULES.index(rule)])
    where = int(rng.integers(5))
    family = SEPARATE[name]
    if name == "columns":
        where = 4  # the columns of the others are named by their numbers
    X = rows_for(family, rng, 60)
    y = np.array(["common", "rare"])[(np.arange(60) % 10 == 0).astype(int)]
    fresh = rows_for(family, rng, 9)
    constant, other = constants_for(Categorical() if name == "columns" else family, rng)
    plain = fitted(family, rule, prior, X, y)
    if plain is None:
        return
    for value in (constant, other):
        wide = np.insert(X.astype(float), [where] * 5, constant, axis=1)
        wider = np.insert(fresh.astype(float), [where] * 5, value, axis=1)
        with_constants = NaiveBayes(family, rule=rule, prior=prior).fit(wide, y)
        expected = plain.predict_log_proba(fresh)
        assert np.allclose(with_constants.predict_log_proba(wider), expected, atol=1e-7)
        if not isinstance(family, (Gamma, Categorical)) and name != "columns":
            thin = sparse.csr_array(wider)
            assert np.allclose(with_constants.predict_log_proba(thin), expected, atol=1e-7)
        told = with_constants.why(wider)[0]
        assert all(feature.decibans == 0 for feature in told.features if where <= feature.name < where + 5)


@pytest.mark.parametrize(("name", "rule"), CASES)
@pytest.mark.filterwarnings("ignore::deciban.errors.ImpossibleRows")
def test_a_column_without_values_moves_no_verdict(name, rule):
    rng = np.random.default_rng([len(name), RULES.index(rule)])
    family = SEPARATE[name]
    X, y, fresh = rows_for(family, rng, 60), np.arange(60) % 3, rows_for(family, rng, 9)
    plain = fitted(family, rule, 2, X, y)
    if plain is None:
        return
    empty = np.full((60, 1), np.nan)
    model = NaiveBayes(family, rule=rule, prior=2).fit(np.hstack([X, empty]), y)
    later = np.hstack([fresh, np.ones((9, 1))])
    assert np.allclose(model.predict_log_proba(later), plain.predict_log_proba(fresh), atol=1e-7)


@pytest.mark.parametrize(("name", "rule"), CASES)
@pytest.mark.filterwarnings("ignore::deciban.errors.ImpossibleRows")
def test_a_label_without_values_of_a_column_is_learned(name, rule):
    rng = np.random.default_rng([len(name), RULES.index(rule)])
    family = SEPARATE[name]
    X, y, fresh = rows_for(family, rng, 60).astype(float), np.arange(60) % 3, rows_for(family, rng, 9)
    if fitted(family, rule, 4, X, y) is None:
        return
    X[y == 1, 0] = np.nan
    model = NaiveBayes(family, rule=rule, prior=4).fit(X, y)
    assert np.isfinite(model.predict_proba(fresh)).all()
    without = fresh.astype(float)
    without[:, 0] = np.nan
    moved = model.predict_joint_log_proba(fresh) - model.predict_joint_log_proba(without)
    assert rule == "mle" or np.isfinite(moved).all()


def test_a_column_without_values_does_not_silence_a_category_of_another():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [0.0]]), list("aaabbb")
    alone = NaiveBayes(Categorical()).fit(X, y)
    model = NaiveBayes(Categorical()).fit(np.insert(X, 1, np.nan, axis=1), y)  # two columns, and two cells
    asked = np.array([[0.0, 5.0], [1.0, 5.0]])
    assert np.allclose(model.predict_proba(asked), alone.predict_proba(asked[:, :1]))
    told, expected = model.why(asked)[1].features, alone.why(asked[:, :1])[1].features
    assert [feature.decibans for feature in told] == pytest.approx([expected[0].decibans, 0.0])


def test_constant_columns_do_not_decide_between_a_common_and_a_rare_label():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (1000, 3)), rng.normal(1.5, 1, (20, 3))])
    y = np.array(["common"] * 1000 + ["rare"] * 20)
    row = np.array([[2.2, 2.2, 2.2]])
    chance = NaiveBayes().fit(X, y).predict_proba(row)[0, 1]
    assert chance > 0.9
    for value in (0.0, 0.001):
        wide = NaiveBayes().fit(np.hstack([X, np.zeros((1020, 5))]), y)
        assert wide.predict_proba(np.hstack([row, np.full((1, 5), value)]))[0, 1] == pytest.approx(chance)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 123.456])
def test_a_constant_learned_row_by_row_is_still_one(value):
    model, half = NaiveBayes(), NaiveBayes()
    for row in range(400):
        model.partial_fit([[float(row), value]], [row % 2])
        half.partial_fit([[float(row)]], [row % 2])
    assert np.allclose(model.predict_proba([[7.0, 2.0]]), half.predict_proba([[7.0]]))


@pytest.mark.parametrize("rule", RULES)
def test_a_word_that_nobody_used_moves_word_counts_boundedly(rule):
    X = np.array([[9, 1, 4, 0], [7, 2, 5, 0], [1, 9, 3, 0], [2, 8, 8, 0]])
    model = NaiveBayes(Multinomial(), rule=rule, prior=1.5).fit(X, list("aabb"))
    if rule != "mle":
        used, unused = ([[1, 1, 1, count]] for count in (1, 0))
        moved = np.diff(model.predict_joint_log_proba(used) - model.predict_joint_log_proba(unused))
        assert abs(moved) < 1


def test_jeffreys_prior_is_taken_as_an_object_too():
    X, y = [[0.0, 5.0], [1.0, 5.0], [4.0, 5.0], [5.0, 5.0], [6.0, 5.0]], list("aabbb")
    with_constant = NaiveBayes(prior=Jeffreys()).fit(X, y)
    alone = NaiveBayes(prior=Jeffreys()).fit(np.array(X)[:, :1], y)
    assert np.allclose(with_constant.predict_proba(X), alone.predict_proba(np.array(X)[:, :1]))


def test_constant_columns_do_not_decide_between_labels_of_a_mixture_of_gammas():
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "rare"], [1000, 20])
    X = rng.normal(10, 1, (1020, 2))
    X[y == "rare"] += 2.5
    wide = np.hstack([X, np.full((1020, 5), 10.0)])
    alone = MixtureClassifier(Gamma()).fit(X, y).predict_proba(X)
    assert np.allclose(MixtureClassifier(Gamma()).fit(wide, y).predict_proba(wide), alone, atol=1e-7)


def mixed(learner, family, rule, prior, X, y):
    """A mixture, from a start that does not depend on columns; none where it cannot be learned."""
    settings = {"rule": rule, "prior": prior, "steps": 20, "tolerance": 1e-3}
    try:
        if learner is Mixture:
            return Mixture(family, 2, init=(y == "rare").astype(int), **settings).fit(X)
        return MixtureClassifier(family, **settings).fit(X, y)
    except (BadPrior, NoMode, NotEnoughValues):
        return None


def beside(X, value, where):
    """The rows with three columns of one value among theirs."""
    return np.insert(X.astype(float), [where] * 3, value, axis=1)


@pytest.mark.parametrize("learner", [Mixture, MixtureClassifier])
@pytest.mark.parametrize(("name", "rule"), CASES)
@pytest.mark.parametrize("prior", [1, "jeffreys", "empirical"][: effort(1, 3)], ids=str)
@pytest.mark.filterwarnings("ignore::deciban.errors.ImpossibleRows", "ignore::deciban.errors.StillClimbing")
def test_a_constant_column_moves_no_verdict_of_a_mixture(learner, name, rule, prior):
    rng = np.random.default_rng([len(name), RULES.index(rule)])
    family = SEPARATE[name]
    where = 4 if name == "columns" else int(rng.integers(5))
    X, fresh = rows_for(family, rng, 60), rows_for(family, rng, 9)
    y = np.array(["common", "rare", ""])[np.arange(60) % 10 % 3 * (np.arange(60) % 4 == 0)]
    plain = mixed(learner, family, rule, prior, X, y)
    if plain is None:
        return
    constant, other = constants_for(Categorical() if name == "columns" else family, rng)
    expected = plain.predict_log_proba(fresh)
    for learned, asked in ((constant, constant), (constant, other), (np.nan, other), (np.nan, np.nan)):
        model = mixed(learner, family, rule, prior, beside(X, learned, where), y)
        assert model is not None
        assert np.allclose(model.predict_log_proba(beside(fresh, asked, where)), expected, atol=1e-6)
        assert model.objective_ == pytest.approx(plain.objective_)
        told = model.why(beside(fresh, asked, where))[0]
        assert all(feature.decibans == 0 for feature in told.features if where <= feature.name < where + 3)


@pytest.mark.parametrize("learner", [Mixture, MixtureClassifier])
@pytest.mark.parametrize("name", SEPARATE)
def test_rows_that_are_all_alike_are_learned(learner, name):
    row = rows_for(SEPARATE[name], np.random.default_rng(0), 1)
    X, y = np.repeat(row, 12, axis=0), np.repeat(["common", "rare"], [9, 3])
    for rule in RULES:
        model = mixed(learner, SEPARATE[name], rule, 2, X, y)
        assert model is not None
        assert model.predict_proba(X) == pytest.approx(np.repeat([[0.75, 0.25]], 12, axis=0))


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shared="all"), Gamma()], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_constant_columns_do_not_change_the_number_of_components_found(family, rule):
    X = np.random.default_rng(3).gamma(4.0, 1.0, (90, 2))
    X[:30] += 20
    settings = {"rule": rule, "prior": 4, "random_state": 0}
    for components in (1, 2):
        alone = Mixture(family, components, **settings).fit(X)
        wide = Mixture(family, components, **settings).fit(beside(X, 3.0, 1))
        assert wide.score(beside(X, 3.0, 1)) == pytest.approx(alone.score(X))
        assert wide.bic(beside(X, 3.0, 1)) == pytest.approx(alone.bic(X))


def test_a_constant_column_of_rates_is_known_by_its_rows():
    rng = np.random.default_rng(1)
    X, start = rng.poisson([2, 5], (40, 2)), rng.integers(0, 2, 40)
    sevens = sparse.csr_array(beside(X, 7, 0))
    settings = {"init": start, "prior": "jeffreys"}
    alone = Mixture(FAMILIES["poisson"], 2, **settings).fit(X)
    assert np.allclose(
        Mixture(FAMILIES["poisson"], 2, **settings).fit(sevens).predict_proba(sevens), alone.predict_proba(X)
    )


@pytest.mark.parametrize("name", ["gaussian", "gamma", "poisson"])
def test_means_to_start_from_may_have_constant_columns(name):
    rng = np.random.default_rng(2)
    X = np.vstack([rng.poisson(4, (30, 2)), rng.poisson(40, (30, 2))]) + 1.0
    wide = beside(X, 3.0, 1)
    alone = Mixture(SEPARATE[name], 2, means_init=X[[0, -1]]).fit(X)
    model = Mixture(SEPARATE[name], 2, means_init=wide[[0, -1]]).fit(wide)
    assert np.allclose(model.predict_proba(wide), alone.predict_proba(X))
    assert np.allclose(
        model.set_params(warm_start=True).fit(wide).predict_proba(wide), alone.predict_proba(X), atol=1e-3
    )
