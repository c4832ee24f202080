import numpy as np
import pytest
import scipy.sparse as sparse

from deciban import Bernoulli, Gaussian, MixtureClassifier, Multinomial, NaiveBayes
from deciban.errors import BadSetting, NoLabels
from deciban.learners.mixture_classifier import is_unknown


def topics(rng, count, width=60):
    """Texts of two topics that share half of their words."""
    y = np.arange(count) % 2
    chances = np.array([[2.0] * 15 + [0.5] * 15 + [1.0] * 30, [0.5] * 15 + [2.0] * 15 + [1.0] * 30])
    chances /= chances.sum(axis=1, keepdims=True)
    return np.array([rng.multinomial(12, chances[label]) for label in y]), y


def test_unlabelled_rows_make_a_classifier_better():
    gains = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = topics(rng, 1000)
        fresh, truth = topics(rng, 500)
        some = np.where(np.arange(1000) < 4, y, -1)
        alone = NaiveBayes(Multinomial()).fit(X[:4], y[:4]).score(fresh, truth)
        gains.append(MixtureClassifier(Multinomial()).fit(X, some).score(fresh, truth) - alone)
    assert np.mean(gains) > 0.1


def test_several_components_make_a_label_of_several_shapes():
    rng = np.random.default_rng(1)
    inside = rng.normal(0, 1, (200, 1))
    outside = rng.normal(0, 1, (200, 1)) + rng.choice([-6, 6], (200, 1))
    X, y = np.vstack([inside, outside]), np.repeat(["in", "out"], 200)
    one = MixtureClassifier(Gaussian(shared="labels")).fit(X, y).score(X, y)
    two = MixtureClassifier(Gaussian(shared="labels"), {"out": 2}, random_state=0).fit(X, y)
    assert one < 0.7
    assert two.score(X, y) > 0.98
    assert two.classes_[two.owner_].tolist() == ["in", "out", "out"]


@pytest.mark.parametrize(
    ("y", "unknown"),
    [
        ([0, 1, -1], [False, False, True]),
        ([0.0, np.nan, -1.0], [False, True, True]),
        (["a", "", "b"], [False, True, False]),
        (np.array(["a", None, float("nan"), -1, "b"], dtype=object), [False, True, True, True, False]),
        ([True, False], [False, False]),
    ],
)
def test_unknown_labels_have_a_mark(y, unknown):
    assert is_unknown(np.asarray(y)).tolist() == unknown


def test_every_mark_of_the_unknown_is_the_same():
    X, y = topics(np.random.default_rng(2), 60)
    hidden = np.arange(60) >= 20
    names = np.array(["ham", "spam"])[y]
    marked = [
        np.where(hidden, "", names),
        np.where(hidden, None, names),
        np.where(hidden, np.nan, names.astype(object)),
    ]
    models = [MixtureClassifier(Multinomial()).fit(X, one) for one in marked]
    models.append(MixtureClassifier(Multinomial()).fit(X, np.where(hidden, -1, y)))
    for model in models:
        assert np.array_equal(model.predict_proba(X), models[0].predict_proba(X))
        assert len(model.classes_) == 2


def test_unlabelled_rows_without_weight_change_nothing():
    X, y = topics(np.random.default_rng(3), 100)
    some = np.where(np.arange(100) < 30, y, -1)
    silent = MixtureClassifier(Multinomial(), unlabelled_weight=0).fit(X, some)
    alone = NaiveBayes(Multinomial()).fit(X[:30], y[:30])
    assert silent.predict_log_proba(X) == pytest.approx(alone.predict_log_proba(X))


def test_a_weight_below_one_lies_between():
    X, y = topics(np.random.default_rng(4), 200)
    some = np.where(np.arange(200) < 10, y, -1)
    rows = [
        MixtureClassifier(Multinomial(), unlabelled_weight=w).fit(X, some).tally_.rows.sum()
        for w in (0, 0.5, 1)
    ]
    assert rows == pytest.approx([10, 10 + 95, 200])


def test_the_weight_is_found_by_cross_validation():
    X, y = topics(np.random.default_rng(5), 600)
    some = np.where(np.arange(600) < 20, y, -1)
    model = MixtureClassifier(Multinomial(), unlabelled_weight="cv").fit(X, some)
    assert model.unlabelled_weight_ > 0
    scores = model.unlabelled_weight_scores_
    assert scores[model.unlabelled_weight_] == max(scores.values()) > scores[0.0]
    # Rows without a label that have nothing to do with the labels are no help, and are found to be none.
    noise = np.random.default_rng(6).multinomial(15, np.full(60, 1 / 60), 580)
    noise[::2, 30:] = 0
    other = MixtureClassifier(Multinomial(), unlabelled_weight="cv").fit(np.vstack([X[:20], noise]), some)
    assert other.unlabelled_weight_ < 1


def test_sparse_rows_are_learned_as_dense_ones():
    X, y = topics(np.random.default_rng(7), 100)
    some = np.where(np.arange(100) < 10, y, -1)
    dense = MixtureClassifier(Multinomial()).fit(X, some)
    thin = MixtureClassifier(Multinomial()).fit(sparse.csr_matrix(X), some)
    assert thin.tally_.isclose(dense.tally_)


def test_rows_that_nothing_explains_at_first_come_in_later():
    X = [[1, 0, 0], [0, 0, 1], [1, 1, 0], [0, 1, 0]]  # nobody with a label has the second word
    model = MixtureClassifier(Multinomial(), rule="mle", prior=0).fit(X, ["a", "b", "", ""])
    assert model.tally_.rows.sum() == pytest.approx(4)
    assert model.objective_ > model.objective_history_[1]
    assert model.objective_history_[0] == -np.inf


def test_a_label_has_no_more_components_than_rows():
    X, y = topics(np.random.default_rng(8), 20)
    some = np.where(np.arange(20) < 3, y, -1)  # labels 0, 1, 0
    assert MixtureClassifier(Multinomial(), 5, random_state=0).fit(X, some).owner_.tolist() == [0, 0, 1]


def test_a_saved_classifier_is_the_same_classifier(tmp_path):
    X, y = topics(np.random.default_rng(9), 60)
    some = np.where(np.arange(60) < 20, np.array(["ham", "spam"])[y], "")
    model = MixtureClassifier(Multinomial(), {"ham": 2}, unlabelled_weight=0.5, random_state=0).fit(X, some)
    model.save(tmp_path / "m")
    back = MixtureClassifier.load(tmp_path / "m")
    assert back.get_params() == model.get_params()
    assert back.classes_.tolist() == ["ham", "spam"]
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
    assert str(back.why(X[:1])[0]) == str(model.why(X[:1])[0])


def test_rows_without_a_single_label_are_refused():
    with pytest.raises(NoLabels, match="Use Mixture"):
        MixtureClassifier().fit([[1.0], [2.0]], [-1, -1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"components": 0}, "components must be"),
        ({"components": {"never": 2}}, "'never', which no row has"),
        ({"unlabelled_weight": -0.1}, "unlabelled_weight must be"),
        ({"unlabelled_weight": "half"}, "unlabelled_weight must be"),
        ({"init": "far"}, "init must be"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        MixtureClassifier(Bernoulli(), **settings).fit([[0], [1], [1]], ["a", "b", ""])


def test_many_labels_of_many_rows_are_no_regression_problem(recwarn):
    labels = np.arange(120) % 30
    MixtureClassifier(Bernoulli()).fit(np.eye(30)[labels], labels)
    assert [str(warning.message) for warning in recwarn] == []


def test_texts_and_numbers_do_not_mix_as_labels():
    with pytest.raises(ValueError, match="mixes texts and numbers"):
        MixtureClassifier(Gaussian()).fit([[1.0], [2.0], [3.0]], np.array(["a", 1, None], dtype=object))
