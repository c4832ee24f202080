import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    Geometric,
    Mixture,
    Multinomial,
    NaiveBayes,
    Poisson,
)
from deciban.errors import BadSetting, NotEnoughValues, OutsideSupport, StillClimbing, UnreadableModel
from samples import FAMILIES, RULES, rows_for


def two_heaps(seed=0, each=100):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(0, 1, (each, 2)), rng.normal(8, 2, (2 * each, 2))])


def by_first(values):
    """Components have no order of their own; by their first parameter they have one."""
    return values[np.argsort(values[:, 0])]


KNOWN = {
    "gaussian": (Gaussian(), "mean", [[0.0, 5.0], [6.0, -5.0]], lambda rng, p: rng.normal(p, 1.0)),
    "poisson": (Poisson(), "rate", [[1.0, 9.0], [8.0, 2.0]], lambda rng, p: rng.poisson(p)),
    "bernoulli": (
        Bernoulli(),
        "probability",
        [[0.1] * 4 + [0.9] * 4, [0.8] * 4 + [0.2] * 4],
        lambda rng, p: rng.random(p.shape) < p,
    ),
    "geometric": (
        Geometric(),
        "probability",
        [[0.05] * 3 + [0.8] * 3, [0.9] * 3 + [0.1] * 3],
        lambda rng, p: rng.geometric(p) - 1,
    ),
    "multinomial": (
        Multinomial(),
        "probability",
        [[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]],
        lambda rng, p: np.array([rng.multinomial(40, row) for row in p]),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_mixture_recovers_what_it_was_made_of(name):
    family, parameter, truth, draw = KNOWN[name]
    truth, rng = np.array(truth), np.random.default_rng(4)
    origin = (rng.random(3000) < 0.7).astype(int)
    X = draw(rng, truth[origin])
    mixture = Mixture(family, 2, rule="mean", random_state=1).fit(X)
    assert by_first(mixture.reading_.parameters[parameter]) == pytest.approx(
        truth, rel=0.1, abs=0.03 * truth.max()
    )
    assert np.sort(mixture.chances_) == pytest.approx([0.3, 0.7], abs=0.03)


def test_a_mixture_of_gammas_recovers_its_means():
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.gamma(5, 1, (500, 1)), rng.gamma(20, 3, (500, 1))])
    read = Mixture(Gamma(), 2, rule="map", random_state=0).fit(X).reading_.parameters
    assert np.sort((read["shape"] / read["rate"]).ravel()) == pytest.approx([5, 60], rel=0.1)


def test_columns_of_every_kind_are_clustered_together():
    rng = np.random.default_rng(6)
    ill = np.arange(200) % 2 == 0
    people = pd.DataFrame(
        {
            "temperature": np.where(ill, rng.normal(39, 0.5, 200), rng.normal(36.6, 0.3, 200)),
            "visits": np.where(ill, rng.poisson(5, 200), rng.poisson(1, 200)),
            "cough": np.where(ill, rng.choice(["dry", "wet"], 200), rng.choice(["none", "dry"], 200)),
        }
    )
    people.loc[::17, "temperature"] = np.nan
    family = Columns({"temperature": Gaussian(), "visits": Poisson(), "cough": Categorical()})
    found = Mixture(family, 2, random_state=0, restarts=3).fit(people)
    agree = np.mean(found.labels_ == ill)
    assert max(agree, 1 - agree) > 0.95
    assert found.why(people[:1])[0].features[0].name in people.columns


def test_sparse_rows_are_clustered_as_dense_ones():
    rng = np.random.default_rng(7)
    X = np.vstack([rng.poisson(p, (50, 30)) for p in ([0.1] * 20 + [2] * 10, [2] * 10 + [0.1] * 20)])
    start = rng.integers(0, 2, 100)
    dense = Mixture(Multinomial(), 2, init=start).fit(X)
    thin = Mixture(Multinomial(), 2, init=start).fit(sparse.csr_matrix(X))
    assert thin.tally_.isclose(dense.tally_)
    assert thin.objective_ == pytest.approx(dense.objective_)
    assert thin.score_samples(sparse.csr_matrix(X)) == pytest.approx(dense.score_samples(X))


def test_the_objective_of_mle_is_the_log_likelihood():
    X = two_heaps()
    mixture = Mixture(Gaussian(), 2, rule="mle", random_state=0).fit(X)
    assert mixture.objective_ == pytest.approx(mixture.score(X) * len(X))
    assert mixture.objective_history_[-1] == mixture.objective_
    assert mixture.n_iter_ == len(mixture.objective_history_)


def test_more_starts_never_find_less():
    X = rows_for(Bernoulli(), np.random.default_rng(8), 200, width=12)
    few, many = (Mixture(Bernoulli(), 4, restarts=n, random_state=3).fit(X).objective_ for n in (1, 8))
    assert many >= few


def test_bic_finds_the_number_of_heaps():
    X = two_heaps()
    found = {k: Mixture(Gaussian(), k, restarts=3, random_state=0).fit(X).bic(X) for k in (1, 2, 3, 4)}
    assert min(found, key=found.get) == 2


@pytest.mark.parametrize(
    ("family", "free"),
    [
        (Gaussian(), 2 * 3 * 2),
        (Gaussian(shared="labels"), 6 + 3),
        (Gaussian(shared="features"), 6 + 2),
        (Gaussian(shared="all"), 6 + 1),
        (Bernoulli(binarize=1.0), 6),
        (Multinomial(), 4),
        (Categorical(categories=3), 12),
        (Poisson(), 6),
    ],
    ids=str,
)
def test_free_parameters_are_counted(family, free):
    X = np.random.default_rng(9).integers(0, 3, (60, 3))
    settings = {"prior": 2, "random_state": 0}
    assert Mixture(family, 2, **settings).fit(X).free_parameters_ == free + 1
    assert Mixture(family, 2, label_prior="uniform", **settings).fit(X).free_parameters_ == free


def test_weights_are_repetitions():
    X = two_heaps(each=20)
    start = np.arange(60) % 2
    weight = np.random.default_rng(10).integers(1, 4, 60)
    weighted = Mixture(Gaussian(), 2, init=start).fit(X, sample_weight=weight)
    repeated = Mixture(Gaussian(), 2, init=start.repeat(weight)).fit(X.repeat(weight, axis=0))
    assert weighted.tally_.isclose(repeated.tally_)


def test_progress_is_told_and_can_stop_the_climb(capsys):
    seen = []

    def stop_after_three(step):
        seen.append(step)
        return step.number == 3

    X = rows_for(Bernoulli(), np.random.default_rng(11), 200, width=12)
    told = {"callback": stop_after_three, "verbose": True}
    mixture = Mixture(Bernoulli(), 4, **told, random_state=0, tolerance=0, restarts=1)
    mixture.fit(X)
    assert [step.number for step in seen] == [1, 2, 3]
    assert mixture.n_iter_ == 3
    assert mixture.converged_
    assert capsys.readouterr().err.count("objective") == 3


def test_an_interrupted_climb_keeps_what_it_found():
    def interrupt(step):
        if step.number == 2:
            raise KeyboardInterrupt

    X = rows_for(Bernoulli(), np.random.default_rng(12), 200, width=12)
    with pytest.warns(StillClimbing, match="interrupted"):
        mixture = Mixture(Bernoulli(), 4, callback=interrupt, restarts=5, random_state=0).fit(X)
    assert len(mixture.objective_history_) == 2
    assert len(mixture.predict(X)) == 200


def test_too_few_steps_are_told():
    X = rows_for(Bernoulli(), np.random.default_rng(13), 200, width=12)
    with pytest.warns(StillClimbing, match="2 steps"):
        mixture = Mixture(Bernoulli(), 4, steps=2, tolerance=0, random_state=0).fit(X)
    assert not mixture.converged_


def test_a_start_whose_component_dies_is_not_the_end():
    X = np.array([[0.0], [0.0], [1.0], [1.1], [5.0], [5.2], [5.4]])
    with pytest.raises(NotEnoughValues, match="finds no variance"):
        Mixture(Gaussian(), 2, rule="mle", init=[0, 0, 1, 1, 1, 1, 1], variance_floor=0).fit(X)
    found = Mixture(Gaussian(), 2, rule="mle", restarts=20, variance_floor=0, random_state=0).fit(X)
    assert found.objective_ > -20


def eight_heaps(seed, width=5):
    """Eight Gaussians of different width, some of which touch; and which row is of which."""
    rng = np.random.default_rng(seed)
    centres, scales = 3.5 * rng.normal(size=(8, width)), np.exp(0.3 * rng.normal(size=(8, 1)))
    truth = rng.integers(0, 8, 1000)
    return centres[truth] + rng.normal(size=(1000, width)) * scales[truth], truth


def test_eight_heaps_are_found_from_the_seeds_drawn_by_default():
    for seed in range(6):
        X, truth = eight_heaps(seed)
        best = Mixture(Gaussian(), 8, init=truth).fit(X)
        assert Mixture(Gaussian(), 8, random_state=seed).fit(X).objective_ > best.objective_ - 1


def test_components_grow_from_the_means_that_are_given():
    X, truth = eight_heaps(1)
    means = np.array([X[truth == heap].mean(axis=0) for heap in range(8)])
    mixture = Mixture(Gaussian(), 8, means_init=means).fit(X)
    assert np.mean(mixture.labels_ == truth) > 0.98
    assert mixture.objective_history_[0] > Mixture(Gaussian(), 8, random_state=0).fit(X).objective_history_[0]
    with pytest.raises(BadSetting, match=r"means_init must have a row for every component, \(8, 5\)"):
        Mixture(Gaussian(), 8, means_init=means[:3]).fit(X)
    with pytest.raises(BadSetting, match="means_init must have no missing value"):
        Mixture(Gaussian(), 8, means_init=np.where(means > 1, np.nan, means)).fit(X)
    with pytest.raises(OutsideSupport, match="Poisson"):
        Mixture(Poisson(), 2, means_init=[[-1.0], [2.0]]).fit([[1], [2], [9]])


def test_a_warm_start_goes_on_where_the_last_fit_came_to():
    X, _ = eight_heaps(2)
    mixture = Mixture(Gaussian(), 8, warm_start=True, random_state=0).fit(X)
    before, steps = mixture.objective_, mixture.n_iter_
    assert mixture.fit(X).objective_ >= before - 1e-9
    assert mixture.n_iter_ < steps
    assert mixture.set_params(components=3).fit(X).tally_.rows.shape == (3,)
    with pytest.raises(BadSetting, match="learned 5 columns, but there are 2 now"):
        mixture.fit(X[:, :2])


@pytest.mark.parametrize("family", [Gaussian(), Columns({(0,): Gaussian()})], ids=["Gaussian", "Columns"])
def test_no_component_shrinks_to_a_point(family):
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.1], [5.0], [5.2], [5.4]])
    start = [0, 0, 0, 1, 1, 1, 1, 1]
    mixture = Mixture(family, 2, rule="mle", init=start, variance_floor=1e-3).fit(X)
    reading = mixture.reading_.parts[0] if isinstance(family, Columns) else mixture.reading_
    assert reading.parameters["variance"][0, 0] == pytest.approx(1e-3 * X.var())
    assert np.diff(mixture.objective_history_).min() >= -1e-9
    constant = np.column_stack([X, np.full(8, 7.0)])
    assert Mixture(Gaussian(), 2, rule="mle", init=start).fit(constant).labels_.tolist() == start


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"components": 0}, "components must be"),
        ({"components": 2.5}, "components must be"),
        ({"init": "far"}, "init must be"),
        ({"init": np.ones((3, 2))}, "init must have"),
        ({"restarts": 0}, "restarts must be"),
        ({"variance_floor": -1}, "variance_floor must be"),
        ({"steps": 0}, "steps must be"),
        ({"tolerance": -1}, "tolerance must be"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        Mixture(**settings).fit(two_heaps())


def test_more_components_than_rows_are_refused():
    with pytest.raises(NotEnoughValues, match="fewer components"):
        Mixture(Poisson(), 4).fit([[1], [2], [3]])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_saved_mixture_is_the_same_mixture(name, rule, tmp_path):
    family = FAMILIES[name]
    X = rows_for(family, np.random.default_rng(14), 60)
    mixture = Mixture(family, 2, rule=rule, prior=4, random_state=0, tolerance=1e-2).fit(X)
    mixture.save(tmp_path / "m")
    back = Mixture.load(tmp_path / "m")
    assert back.get_params() == mixture.get_params()
    assert np.array_equal(back.predict_joint_log_proba(X), mixture.predict_joint_log_proba(X))
    assert back.objective_history_ == mixture.objective_history_
    with pytest.raises(UnreadableModel, match="holds a Mixture"):
        NaiveBayes.load(tmp_path / "m")


@pytest.mark.parametrize("components", [0, 1.5, True, "two", None], ids=repr)
def test_a_number_of_components_that_cannot_be_meant_is_refused(components):
    with pytest.raises(BadSetting, match="components must be a whole number of 1 or more"):
        Mixture(Gaussian(), components).fit([[1.0], [2.0]])
