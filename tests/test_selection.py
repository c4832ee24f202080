import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from deciban import Bernoulli, Gaussian, Multinomial, SelectFeatures
from deciban.errors import UnsuitableTally
from deciban.selection import SCORES, chi2, document_frequency, information_gain, log_odds

X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
y = ["spam", "spam", "ham", "ham"]


def test_a_word_that_tells_everything_is_worth_one_bit():
    assert information_gain(Bernoulli().tally(X, y)).round(6).tolist() == [1.0, 0.0, 0.311278]


def test_log_odds_are_the_widest_gap():
    assert log_odds(Bernoulli().tally(X, y))[0] == pytest.approx(np.log(9))
    assert log_odds(Bernoulli().tally(X, y)).argmax() == 0
    assert log_odds(Multinomial().tally(X, y)).argmax() == 0


def test_document_frequency_counts_rows():
    assert document_frequency(Bernoulli(binarize=0.0).tally(7 * X, y)).tolist() == [2, 2, 1]


def test_document_frequency_needs_a_bernoulli_tally():
    with pytest.raises(UnsuitableTally, match=r"Multinomial tally has added up values.*Bernoulli"):
        document_frequency(Multinomial().tally(X, y))


@pytest.mark.parametrize("score", [chi2, log_odds])
def test_measurements_have_no_such_score(score):
    with pytest.raises(UnsuitableTally, match="not from Gaussian"):
        score(Gaussian().tally(X, y))


@pytest.mark.parametrize("score", SCORES)
def test_every_score_selects_inside_a_pipeline(score):
    model = make_pipeline(SelectFeatures(score, k=2), MultinomialNB()).fit(X, y)
    assert model.predict(X).shape == (4,)
    assert model[0].get_support().sum() == 2


def test_scores_can_be_learned_in_pieces():
    whole = SelectFeatures("chi2").fit(X, y)
    pieces = SelectFeatures("chi2").partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    assert np.array_equal(whole.scores_, pieces.scores_)


def test_any_function_of_a_tally_is_a_score():
    chosen = SelectFeatures(lambda tally: -document_frequency(tally), k=1).fit(X, y)
    assert chosen.get_support().tolist() == [False, False, True]


def test_unknown_scores_are_refused():
    with pytest.raises(ValueError, match="by must be one of chi2"):
        SelectFeatures("gini").fit(X, y)
    with pytest.raises(ValueError, match="k must be a whole number of 1 or more"):
        SelectFeatures(k=0).fit(X, y)


def test_measurements_are_scored_by_how_much_narrower_a_label_is():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(5, 1, (400, 4))
    X[:, 2] += 3 * y
    X[:, 3] = 7.3
    bits = information_gain(Gaussian().tally(X, y))
    assert bits.argmax() == 2
    assert bits[3] == 0
    # Equal halves, three standard deviations apart: ½ log2(1 + 9/4).
    assert bits[2] == pytest.approx(0.5 * np.log2(3.25), abs=0.1)
    assert bits[:2].max() < 0.02
