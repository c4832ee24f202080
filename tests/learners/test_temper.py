import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import Bernoulli, Gaussian, Multinomial, NaiveBayes
from deciban.errors import BadPrior
from deciban.learners.fold_tallies import each_fold, fold_of_each, hold_out
from deciban.learners.temper import HeldOut, Temper


def log_loss(model, X, y):
    return -model.predict_log_proba(X)[np.arange(len(y)), y].mean()


def two_heaps(rows, seed=0, apart=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    return rng.normal(y[:, None] * apart, 1.0, (rows, 3)), y


@pytest.mark.parametrize("copies", [2, 5, 10])
def test_repeated_columns_are_counted_once(copies):
    X, y = two_heaps(2000)
    new, truth = two_heaps(2000, seed=1)
    alone = NaiveBayes().fit(X, y)
    tempered = NaiveBayes(temper="cv").fit(np.tile(X, copies), y)
    assert tempered.temper_ == pytest.approx(1 / copies, rel=0.15)
    assert log_loss(tempered, np.tile(new, copies), truth) < log_loss(alone, new, truth) + 0.005


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli(binarize=0.5), Multinomial()], ids=str)
def test_features_that_tell_nothing_cost_nothing(family):
    rng = np.random.default_rng(2)
    X, y = np.abs(rng.normal(size=(1000, 40))).round(1), (rng.random(1000) < 0.3).astype(int)
    model = NaiveBayes(family, temper="cv").fit(X[:500], y[:500])
    shares = np.bincount(y[:500]) / 500
    by_shares = -np.log(shares[y[500:]])
    assert log_loss(model, X[500:], y[500:]) < by_shares.mean() + by_shares.std() / np.sqrt(500)


def test_evidence_that_is_right_as_it_is_stays_as_it_is():
    X, y = two_heaps(4000)
    model = NaiveBayes(temper="cv").fit(X, y)
    assert model.temper_ == pytest.approx(1, abs=0.1)
    assert max(map(abs, model.offsets_.values())) < 0.1


def test_where_no_held_out_row_is_wrong_one_is_imagined():
    X, y = two_heaps(100, apart=30.0)
    model = NaiveBayes(temper="cv").fit(X, y)
    assert 1e-3 < 1 - model.predict_proba(X).max(axis=1).mean() < 0.1


@given(st.integers(0, 1000), st.integers(2, 4))
def test_nothing_near_the_temper_is_likelier(seed, labels):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, 60)
    evidence = rng.normal(0, 5, (60, labels)) + 3 * np.eye(labels)[truth]
    held = HeldOut.of(evidence, np.log(np.full(labels, 1 / labels)), truth, rng.uniform(0.5, 2, 60))
    found = Temper.of([held])

    def height(temper):
        imagined = HeldOut.of(
            *(np.repeat(part, labels, axis=0) for part in (held.evidence,)),
            held.start[0],
            np.tile(np.arange(labels), 60),
            np.repeat(held.weight, labels) / labels,
        )
        whole = held.weight.sum()
        share = 1 / (1 + whole)
        told = (1 - share) * whole * temper.log_p([held]) + share * whole * temper.log_p([imagined])
        return told - temper.offsets @ temper.offsets / 2

    best = height(found)
    for step in rng.normal(0, 0.02, (20, 1 + labels)):
        other = Temper(max(0.0, found.exponent * (1 + step[0])), found.offsets + step[1:])
        assert height(other) <= best + 1e-4


def test_a_row_of_weight_two_counts_as_two():
    rng = np.random.default_rng(3)
    truth, start = rng.integers(0, 2, 30), np.log([0.5, 0.5])
    evidence, weight = rng.normal(0, 3, (30, 2)) + 2 * np.eye(2)[truth], rng.integers(1, 4, 30)
    weighted = Temper.of([HeldOut.of(evidence, start, truth, weight.astype(float))])
    again = np.repeat(np.arange(30), weight)
    repeated = Temper.of([HeldOut.of(evidence[again], start, truth[again], np.ones(len(again)))])
    assert weighted.exponent == pytest.approx(repeated.exponent, rel=1e-4)
    assert weighted.offsets == pytest.approx(repeated.offsets, abs=1e-4)


def test_held_out_evidence_by_subtraction_is_that_of_refitting():
    rng = np.random.default_rng(4)
    X, y = rng.poisson(1.0, (60, 5)), rng.integers(0, 3, 60)
    folds = list(each_fold(X, y, lambda block, rows: Multinomial().tally(block, y[rows])))
    held = hold_out(folds, y, None, NaiveBayes(Multinomial())._model)
    fold_of = fold_of_each(y, 5)
    for number, one in enumerate(held):
        kept = fold_of != number
        refit = NaiveBayes(Multinomial()).fit(X[kept], y[kept])
        assert one.evidence + one.start == pytest.approx(refit.predict_joint_log_proba(X[~kept]))


def test_alpha_and_temper_are_found_together():
    X, y = two_heaps(300)
    model = NaiveBayes(prior="cv", temper="cv").fit(np.tile(X, 4), y)
    assert model.alpha_ == max(model.alpha_scores_, key=model.alpha_scores_.get)
    assert model.temper_ < 0.5
    assert model.alpha_scores_[model.alpha_] > np.log(0.5)


def test_impossible_values_stay_impossible():
    X, y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]] * 5), np.array(["a", "a", "b", "b"] * 5)
    model = NaiveBayes(Bernoulli(), rule="mle", temper="cv").fit(X, y)
    assert model.predict_proba([[1, 0]]).tolist() == [[1.0, 0.0]]


def test_a_label_of_one_row_can_be_learned():
    X, y = two_heaps(40)
    model = NaiveBayes(temper="cv").fit(np.vstack([X, [[50.0, 50.0, 50.0]]]), [*y, 2])
    assert model.predict([[50.0, 50.0, 50.0]]).tolist() == [2]


def test_one_row_alone_and_one_label_alone_are_learned_as_without():
    assert NaiveBayes(temper="cv").fit([[1.0]], ["a"]).temper_ == 1
    assert NaiveBayes(temper="cv").fit([[1.0], [2.0]], ["a", "a"]).predict_proba([[1.0]]).tolist() == [[1.0]]


def test_forgetting_keeps_the_temper_that_was_found():
    X, y = two_heaps(60)
    model = NaiveBayes(temper="cv").fit(X, y)
    found = model.temper_
    assert model.forget(X[:2], y[:2]).temper_ == found
    assert np.isfinite(model.predict_proba(X)).all()


def test_what_needs_all_rows_is_refused_in_pieces():
    X, y = two_heaps(20)
    model = NaiveBayes(temper="cv")
    with pytest.raises(BadPrior, match="all rows at once"):
        model.partial_fit(X, y)
    with pytest.raises(BadPrior, match="do not add"):
        model.fit(X, y) + model


@pytest.mark.parametrize("temper", [-1, float("nan"), float("inf"), "hot", True, [1.0]])
def test_a_bad_temper_is_refused(temper):
    with pytest.raises(ValueError, match="temper must be 'cv', None or a number"):
        NaiveBayes(temper=temper).fit(*two_heaps(20))
