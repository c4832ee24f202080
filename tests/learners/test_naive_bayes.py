import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse
from hypothesis import given
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import ComplementNB

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    Geometric,
    Mixture,
    MixtureClassifier,
    Multinomial,
    NaiveBayes,
    Poisson,
    Values,
)
from deciban.errors import (
    BadPrior,
    CannotForget,
    ImpossibleRows,
    NoMode,
    NotEnoughValues,
    OutsideSupport,
)
from samples import FAMILIES, rows_for, samples

X = np.array([[3, 0, 1], [2, 1, 0], [0, 4, 1], [0, 2, 2]])
y = np.array(["spam", "spam", "ham", "ham"])


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_explanations_add_up_to_the_log_odds(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=True))
    rule = data.draw(st.sampled_from(["mean", "bayes"]))
    settings = {
        "complement": data.draw(st.booleans()),
        "temper": data.draw(st.sampled_from([None, 0.3, "cv"])),
    }
    model = NaiveBayes(family, rule=rule, prior=4, **settings).fit(sample.X, sample.y)
    joint = np.sort(model.predict_joint_log_proba(sample.X), axis=1)
    winners = model.predict(sample.X)
    for row, told in enumerate(model.why(sample.X)):
        odds = (joint[row, -1] - joint[row, -2]) * 10 / np.log(10)
        assert told.decibans == pytest.approx(odds, abs=1e-7)
        assert told.decibans == math.fsum([told.prior, told.intercept, *(f.decibans for f in told.features)])
        assert told.label == winners[row] or odds == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_models_of_two_halves_add_up_to_the_model_of_the_whole(name, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, least=24))
    half = len(sample) // 2
    model = NaiveBayes(family, prior=2)
    whole = NaiveBayes(family, prior=2).fit(sample.X, sample.y)
    parts = [NaiveBayes(family, prior=2).fit(part.X, part.y) for part in (sample[:half], sample[half:])]
    model.partial_fit(sample.X[:half], sample.y[:half]).partial_fit(sample.X[half:], sample.y[half:])
    expected = whole.predict_joint_log_proba(sample.X)
    assert np.allclose((parts[0] + parts[1]).predict_joint_log_proba(sample.X), expected, atol=1e-6)
    assert np.allclose(model.predict_joint_log_proba(sample.X), expected, atol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_forgotten_row_leaves_no_trace(name):
    family = FAMILIES[name]
    rng = np.random.default_rng(4)
    rows, labels = rows_for(family, rng, 30), np.arange(30) % 3
    model = NaiveBayes(family, prior=2).fit(rows[:20], labels[:20])
    before = model.predict_joint_log_proba(rows)
    model.partial_fit(rows[20:], labels[20:]).forget(rows[20:], labels[20:])
    assert np.allclose(model.predict_joint_log_proba(rows), before, atol=1e-6)


def test_new_labels_and_categories_may_come_at_any_time():
    model = NaiveBayes(Categorical()).partial_fit([["red"], ["blue"]], ["fox", "jay"])
    model.partial_fit([["green"]], ["frog"])
    assert model.classes_.tolist() == ["fox", "frog", "jay"]
    assert model.predict([["green"], ["red"]]).tolist() == ["frog", "fox"]
    assert model.predict_proba([["purple"]]).ravel() == pytest.approx([1 / 3] * 3)


def test_a_threshold_c_moves_the_decision():
    rows = np.array([[1, 0, 0]])
    plain = NaiveBayes(Multinomial()).fit(X, y)
    odds = np.divide(*plain.predict_proba(rows)[0][::-1])
    assert odds > 1
    assert NaiveBayes(Multinomial(), c=odds * 0.99).fit(X, y).predict(rows) == ["spam"]
    assert NaiveBayes(Multinomial(), c=odds * 1.01).fit(X, y).predict(rows) == ["ham"]
    assert NaiveBayes(Multinomial(), c={"spam": odds * 1.01}).fit(X, y).predict(rows) == ["ham"]
    assert NaiveBayes(Multinomial(), c={"ham": 0.99 / odds}).fit(X, y).predict(rows) == ["ham"]


@pytest.mark.parametrize("c", [0, -1, {"work": 2.0}])
def test_a_bad_c_is_refused(c):
    with pytest.raises(ValueError, match="c "):
        NaiveBayes(Multinomial(), c=c).fit(X, y).predict(X)


def test_one_c_is_for_two_labels():
    with pytest.raises(ValueError, match="two labels, but there are 3"):
        NaiveBayes(Multinomial(), c=2.0).fit(X, ["a", "b", "c", "a"]).predict(X)


def test_missing_values_say_nothing():
    model = NaiveBayes(Gaussian()).fit([[1.0, 5.0], [2.0, np.nan], [8.0, 1.0], [9.0, 2.0]], y)
    alone = NaiveBayes(Gaussian()).fit([[1.0], [2.0], [8.0], [9.0]], y)
    assert np.allclose(model.predict_proba([[1.5, np.nan]]), alone.predict_proba([[1.5]]))
    assert np.allclose(model.predict_proba([[np.nan, np.nan]]), [[0.5, 0.5]])


def test_rows_impossible_under_every_label_get_the_label_prior():
    model = NaiveBayes(Multinomial(), rule="mle").fit(X[:, :2], ["spam", "spam", "ham", "spam"])
    with pytest.warns(ImpossibleRows, match="1 of 2 rows"):
        chances = (
            NaiveBayes(Bernoulli(), rule="mle")
            .fit([[0, 1], [1, 0]], ["a", "b"])
            .predict_proba([[1, 1], [0, 1]])
        )
    assert chances.tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert np.isfinite(model.predict_joint_log_proba(X[:, :2])).any(axis=1).all()


def test_map_with_a_small_alpha_names_the_way_out():
    with pytest.raises(NoMode, match="rule='mean'"):
        NaiveBayes(Multinomial(), rule="map", prior=0.5).fit(X, y)


def test_gaussian_without_variance_is_refused_and_changes_nothing():
    model = NaiveBayes(Gaussian(), rule="mle")
    with pytest.raises(NotEnoughValues, match="are equal"):
        model.fit([[1.0], [1.0], [2.0], [3.0]], y)
    assert not hasattr(model, "tally_")


def test_values_outside_the_support_are_named():
    frame = pd.DataFrame({"age": [30.0, 40.0], "size": [0.0, 2.0]})
    with pytest.raises(
        OutsideSupport, match=r"Gamma needs x > 0, but column 'size' has 1 zero \(first in row 0\)"
    ):
        NaiveBayes(Gamma()).fit(frame, ["a", "b"])


def test_a_refused_batch_changes_nothing():
    model = NaiveBayes(Multinomial()).fit(X, y)
    before = model.tally_
    with pytest.raises(OutsideSupport):
        model.partial_fit([[-1, 0, 0]], ["ham"])
    with pytest.raises(CannotForget):
        model.forget([[100, 0, 0]], ["ham"])
    assert model.tally_ == before


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_give_every_column_its_family(kind):
    table = {
        "age": [34, 51, 29, None, 63, 47],
        "coat": ["red", "blue", None, "red", "blue", "blue"],
        "visits": [0, 3, 1, 0, 4, 2],
        "price": [1.5, 9.0, 2.5, 2.0, 11.0, 8.0],
    }
    labels = ["a", "b", "a", "a", "b", "b"]
    family = Columns({"age": Gaussian(), "coat": Categorical(), "visits": Poisson()}, rest=Gamma())
    model = NaiveBayes(family).fit(kind(table), labels)
    assert model.predict(kind(table)).tolist() == labels
    assert {told.name for told in model.why(kind(table))[0].features} == set(table)
    assert model.tally_["visits"].parts[0].sums["sum"].tolist() == [[1], [9]]


def test_columns_can_be_named_by_position_and_grouped():
    rows = np.array([[1.0, 2.0, 0.0], [2.0, 3.0, 1.0], [9.0, 8.0, 4.0], [8.0, 9.0, 6.0]])
    family = Columns([([0, 1], Gaussian(shared="features")), (-1, Poisson())])
    model = NaiveBayes(family).fit(rows, [0, 0, 1, 1])
    assert model.predict(rows).tolist() == [0, 0, 1, 1]
    assert model.predict(sparse.csr_matrix(rows)).tolist() == [0, 0, 1, 1]


def test_a_column_without_a_family_is_refused():
    with pytest.raises(ValueError, match=r"No family was given for column 'b' and 1 more"):
        NaiveBayes(Columns({"a": Gaussian()})).fit(pd.DataFrame({"a": [1.0], "b": [1], "c": [2]}), ["x"])
    with pytest.raises(ValueError, match="no column 'z': the columns are a"):
        NaiveBayes(Columns({"z": Gaussian()})).fit(pd.DataFrame({"a": [1.0]}), ["x"])
    with pytest.raises(ValueError, match="two families"):
        Columns([("a", Gaussian()), (["a", "b"], Poisson())])


def test_unknown_settings_are_refused():
    with pytest.raises(ValueError, match="rule must be one of"):
        NaiveBayes(rule="median").fit(X, y)
    with pytest.raises(BadPrior, match="'laplace'"):
        NaiveBayes(Multinomial(), prior="flat").fit(X, y)
    with pytest.raises(BadPrior, match="not negative"):
        NaiveBayes(Multinomial(), prior=-1).fit(X, y)
    with pytest.raises(ValueError, match="family must be"):
        NaiveBayes("gaussian").fit(X, y)
    with pytest.raises(BadPrior, match="says nothing about label 'ham'"):
        NaiveBayes(Multinomial(), label_prior={"spam": 1.0}).fit(X, y).predict(X)
    with pytest.raises(BadPrior, match="sum to 1"):
        NaiveBayes(Multinomial(), label_prior=[0.9, 0.9]).fit(X, y).predict(X)


def test_label_priors():
    def chances(label_prior):
        model = NaiveBayes(Multinomial(), label_prior=label_prior).fit(X, ["a", "b", "b", "b"])
        return np.exp(model.model_.log_prior)

    assert chances(None) == pytest.approx([0.25, 0.75])
    assert chances(1) == pytest.approx([2 / 6, 4 / 6])
    assert chances("uniform") == pytest.approx([0.5, 0.5])
    assert chances([0.1, 0.9]) == pytest.approx([0.1, 0.9])
    assert chances({"b": 0.7, "a": 0.3}) == pytest.approx([0.3, 0.7])


def test_a_prior_of_values_pulls_the_mean():
    model = NaiveBayes(Gaussian(), rule="mean", prior=Values(1000, 5.0, 1.0)).fit([[0.0], [1.0]], ["a", "b"])
    assert model.model_.reading.parameters["mean"] == pytest.approx(5.0, abs=0.01)


def test_declared_classes_are_the_columns_of_predict_proba():
    model = NaiveBayes(Multinomial()).partial_fit(X, y, classes=["ham", "spam", "work"])
    assert model.classes_.tolist() == ["ham", "spam", "work"]
    assert model.predict_proba(X).shape == (4, 3)
    assert model.predict_proba(X)[:, 2].tolist() == [0.0] * 4
    assert np.allclose(model.predict_proba(X)[:, :2], NaiveBayes(Multinomial()).fit(X, y).predict_proba(X))
    model.partial_fit([[0, 0, 9]], ["work"]).forget([[0, 0, 9]], ["work"])
    assert model.classes_.tolist() == ["ham", "spam", "work"]
    assert NaiveBayes(Multinomial()).partial_fit(X, y).classes_.tolist() == ["ham", "spam"]
    assert model.fit(X, y).classes_.tolist() == ["ham", "spam"]


def test_declared_classes_survive_saving(tmp_path):
    NaiveBayes(Gaussian()).partial_fit(X, y, classes=["ham", "spam", "work"]).save(tmp_path / "m")
    back = NaiveBayes.load(tmp_path / "m")
    assert back.forget(X[:1], y[:1]).classes_.tolist() == ["ham", "spam", "work"]


@pytest.mark.parametrize(
    "bad",
    [
        {"label_prior": given}
        for given in ([0.9, 0.9], "flat", -1, [1.0], np.inf, ["x", "y"], {"ham": "x"}, object)
    ]
    + [{"c": c} for c in (0, -1.0, float("nan"), "9", {"spam": -1}, {"work": 2.0})],
    ids=str,
)
def test_what_cannot_be_meant_is_refused_by_fit(bad):
    with pytest.raises(ValueError, match=r"label_prior|label prior|priors|c "):
        NaiveBayes(Multinomial(), **bad).fit(X, y)


@pytest.mark.parametrize(
    "bad",
    [{"label_prior": given} for given in ([0.9, 0.9], "flat", -1, np.inf, ["x", "y"], object)]
    + [{"prior": given} for given in (None, "flat", -1, np.nan, {}, object, [1.0, -1.0, 1.0])]
    + [{"rule": "peak"}],
    ids=str,
)
def test_what_cannot_be_meant_is_refused_by_partial_fit_too(bad):
    model = NaiveBayes(Multinomial(), **bad)
    with pytest.raises(ValueError, match=r"label_prior|label prior|prior|α|rule"):
        model.partial_fit(X, y)
    assert not hasattr(model, "tally_")


@pytest.mark.parametrize(
    "family", [Gaussian(), Multinomial(), Poisson(), Categorical(), Columns({}, rest=Gaussian())], ids=str
)
@pytest.mark.parametrize(
    "prior", [[1.0, 2.0], np.ones((3, 3)), np.ones((1, 1, 3))], ids=["few", "labels", "deep"]
)
def test_an_alpha_for_each_feature_must_be_as_many_as_there_are(family, prior):
    with pytest.raises(BadPrior, match="α"):
        NaiveBayes(family, prior=prior).fit(X, y)


def test_masked_values_are_missing():
    masked = np.ma.array(np.asarray(X), mask=np.asarray(X) == 0)
    missing = np.where(np.asarray(X) == 0, np.nan, X)
    ours, other = (NaiveBayes(prior=2).fit(rows, y) for rows in (masked, missing))
    assert ours.tally_ == other.tally_
    assert np.allclose(ours.predict_proba(masked), other.predict_proba(missing))


@pytest.mark.parametrize("kind", [">i4", ">f8"])
def test_numbers_of_either_byte_order_are_learned(kind):
    for family in (Gaussian(), Multinomial(), Bernoulli(binarize=0.0), Categorical()):
        rows = np.array(X, dtype=kind)
        foreign, usual = NaiveBayes(family).fit(rows, y), NaiveBayes(family).fit(X, y)
        assert np.allclose(foreign.predict_proba(rows), usual.predict_proba(X))


SPLIT = sparse.csr_matrix(
    (np.array([1.0, 1.0, 1.0, 2.0, 1.0]), np.array([0, 0, 1, 1, 0]), np.array([0, 2, 4, 5])), shape=(3, 2)
)


@pytest.mark.parametrize("rule", ["mean", "bayes"])
@pytest.mark.parametrize(
    "family",
    [Bernoulli(binarize=1.0), Poisson(), Geometric(), Multinomial(), Gaussian(), Categorical()],
    ids=str,
)
def test_a_value_in_several_pieces_is_one_value(family, rule):
    labels = ["a", "b", "a"]
    thin = NaiveBayes(family, rule=rule, prior=4).fit(SPLIT, labels)
    full = NaiveBayes(family, rule=rule, prior=4).fit(SPLIT.toarray(), labels)
    assert thin.tally_ == full.tally_
    assert np.allclose(thin.predict_proba(SPLIT), full.predict_proba(SPLIT.toarray()))
    assert SPLIT.nnz == 5


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("family", [Gaussian(), Multinomial(), Bernoulli(binarize=0.0), Gamma()], ids=str)
def test_numbers_of_any_precision_are_welcome(family, kind):
    rows = np.array([[1, 2], [2, 1], [3, 4]])
    ours = NaiveBayes(family).fit(rows.astype(kind), [0, 1, 1])
    full = NaiveBayes(family).fit(rows, [0, 1, 1])
    assert np.allclose(ours.predict_proba(rows.astype(kind)), full.predict_proba(rows))


def test_tables_of_pyarrow_are_frames():
    table = pa.table({"coat": ["red", "blue", None], "size": [1.0, None, 4.0]})
    family = Columns({"coat": Categorical(), "size": Gaussian()})
    model = NaiveBayes(family).fit(table, ["fox", "jay", "fox"])
    other = NaiveBayes(family).fit(table.to_pandas(), ["fox", "jay", "fox"])
    assert model.tally_ == other.tally_
    assert model.predict(table).tolist() == other.predict(table.to_pandas()).tolist()
    assert NaiveBayes().fit(table.select(["size"]), [0, 1, 1], sample_weight=[1, 1, 0]).tally_.rows.sum() == 2


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_are_validated_as_arrays_are(kind):
    with pytest.raises(ValueError, match="0 sample"):
        NaiveBayes().fit(kind({"a": np.zeros(0)}), [])
    with pytest.raises(ValueError, match="0 sample"):
        NaiveBayes().fit(kind({"a": [1.0, 2.0]}), [0, 1]).predict(kind({"a": np.zeros(0)}))


def test_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="Two columns are called 'a'"):
        NaiveBayes().fit(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), [0])


def test_one_outlier_does_not_take_the_variance_away_from_the_folds():
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 1, (60, 2))
    rows[7, 0] = 1e9
    assert NaiveBayes(prior="cv").fit(rows, np.arange(60) % 2).alpha_ > 0


def test_what_empirical_bayes_found_can_be_looked_at():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.full(60, 0.3), size=30)
    texts = np.array([rng.multinomial(2000, shares) for shares in truth])
    words = NaiveBayes(Multinomial(), prior="empirical").fit(texts, np.arange(30))
    assert words.alpha_ == pytest.approx(0.3, rel=0.1)
    assert words.prior_.sums["count"][0, 0] == words.alpha_
    yes = NaiveBayes(Bernoulli(binarize=0.0), prior="empirical").fit(texts, np.arange(30))
    assert yes.prior_.sums["ones"][0, 0] == yes.alpha_[0]
    codes = NaiveBayes(Categorical(), prior="empirical").fit(texts % 3, np.arange(30) % 2)
    assert codes.alpha_.shape == (60,)
    both = NaiveBayes(Columns([(0, Categorical())], rest=Multinomial()), prior="empirical")
    assert len(both.fit(texts % 3, np.arange(30) % 2).alpha_) == 2


def test_without_a_search_there_is_no_alpha_to_look_at():
    model = NaiveBayes(Multinomial(), prior=0.5).fit(X, y)
    assert not hasattr(model, "alpha_")
    assert model.prior_.sums["count"].tolist() == [[0.5] * 3] * 2
    assert (
        not NaiveBayes(Gaussian(), rule="mle")
        .fit(X + np.linspace(0, 1, 12).reshape(4, 3), y)
        .prior_.sums["n"]
        .any()
    )


def test_a_grid_search_can_set_the_family():
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(90, 2)) * [[1.0, 5.0]], np.arange(90) % 3
    search = GridSearchCV(
        NaiveBayes(Gaussian()), {"family__shared": [None, "labels", "all"], "prior": [1, 2]}
    )
    search.fit(rows, labels)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_estimator_.family.shared == search.best_params_["family__shared"]
    assert NaiveBayes().set_params(family__shared="all").family == Gaussian(shared="all")
    assert NaiveBayes(Gaussian(shared="all")).get_params()["family__shared"] == "all"
    assert "family__shared" not in NaiveBayes(Gaussian()).get_params(deep=False)
    with pytest.raises(ValueError, match=r"Invalid parameter 'binarize' for family Gaussian"):
        NaiveBayes(Gaussian()).set_params(family__binarize=1)
    with pytest.raises(ValueError, match="shared must be one of"):
        NaiveBayes(Gaussian()).set_params(family__shared="some")


def test_a_normalised_complement_is_scikit_learns():
    rng = np.random.default_rng(2)
    rows, labels = rng.poisson(1.0, (80, 12)), np.arange(80) % 4
    ours = NaiveBayes(Multinomial(), rule="mean", complement="normalised").fit(rows, labels)
    theirs = ComplementNB(norm=True).fit(rows, labels)
    assert ours.predict_joint_log_proba(rows) == pytest.approx(theirs.predict_joint_log_proba(rows))
    told = ours.why(rows[:5])
    joint = np.sort(ours.predict_joint_log_proba(rows[:5]), axis=1)
    for one, scores in zip(told, joint, strict=True):
        assert one.decibans == pytest.approx((scores[-1] - scores[-2]) * 10 / np.log(10))


@pytest.mark.parametrize("settings", [{}, {"rule": "mle"}], ids=str)
def test_a_complement_is_normalised_where_there_are_weights(settings):
    with pytest.raises(ValueError, match="needs Multinomial"):
        NaiveBayes(Multinomial() if not settings else Poisson(), complement="normalised", **settings).fit(
            X, y
        )


def test_an_unknown_complement_is_refused():
    with pytest.raises(ValueError, match="complement must be True, False or 'normalised'"):
        NaiveBayes(Multinomial(), complement="norm").fit(X, y)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_dates_are_told_by_their_column(kind):
    days = np.array(["2024-05-01", "2024-05-02"], dtype="datetime64[us]")
    with pytest.raises(OutsideSupport, match="column 'day' has dates or times"):
        NaiveBayes().fit(kind({"size": [1.0, 2.0], "day": days}), ["a", "b"])
    with pytest.raises(OutsideSupport, match="dates or times"):
        NaiveBayes().fit(kind({"long": days - days[0]}), ["a", "b"])
    model = NaiveBayes(Columns({"day": Categorical()})).fit(kind({"day": days}), ["a", "b"])
    assert model.predict(kind({"day": days})).tolist() == ["a", "b"]


def test_a_frame_that_was_not_read_yet_is_told_as_such():
    with pytest.raises(ValueError, match=r"LazyFrame has no rows yet.*collect"):
        NaiveBayes().fit(pl.DataFrame({"a": [1.0, 2.0]}).lazy(), ["a", "b"])


@pytest.mark.parametrize(
    "learner",
    [NaiveBayes(), NaiveBayes(prior="cv"), Mixture(random_state=0), MixtureClassifier(random_state=0)],
    ids=lambda learner: type(learner).__name__,
)
def test_a_learner_that_refuses_a_table_stays_as_it_was(learner):
    before = learner.fit(X, y).predict_proba(X)
    with pytest.raises(OutsideSupport):
        learner.fit(np.array([[1.0, np.inf], [2.0, 1.0]]), ["a", "b"])
    assert np.array_equal(learner.predict_proba(X), before)
    fresh = clone(learner)
    with pytest.raises(OutsideSupport):
        fresh.fit(np.array([[1.0, np.inf], [2.0, 1.0]]), ["a", "b"])
    assert vars(fresh) == vars(clone(learner))


def test_texts_and_numbers_may_come_in_lists():
    rows = [["red", 1.5], ["blue", 2.5], ["red", 1.0], [None, 3.0]]
    model = NaiveBayes(Columns({0: Categorical()}, rest=Gaussian())).fit(rows, ["fox", "jay", "fox", "jay"])
    assert model.predict(rows).tolist() == ["fox", "jay", "fox", "jay"]
    with pytest.raises(OutsideSupport, match="could not convert string to float: 'red'"):
        NaiveBayes(Columns({}, rest=Gaussian())).fit(rows, y)


def test_who_has_forgotten_everything_says_so():
    model = NaiveBayes().fit(X, y).forget(X, y)
    with pytest.raises(NotEnoughValues, match="Every row was forgotten"):
        model.predict(X)
    assert model.partial_fit(X, y).predict(X).tolist() == y.tolist()


def test_families_that_are_none_are_refused():
    with pytest.raises(ValueError, match="Columns needs families such as Gaussian"):
        Columns({0: "gaussian"})
    for ddof in (-1, "1", np.nan):
        with pytest.raises(ValueError, match="ddof must be a number of 0 or more"):
            Gaussian(ddof=ddof)
