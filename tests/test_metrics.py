"""Measures against a hand-computed example, scikit-learn and scipy, and by their properties."""

import math
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given
from scipy import stats
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from deciban import metrics
from deciban.errors import BadSetting, NotEnoughValues

# By hand: the ham is above in the pairs (.6, .4), (.9, .4), (.9, .7), equal in (.4, .4): 3.5 of 12.
SCORES = [0.1, 0.4, 0.6, 0.9, 0.4, 0.7, 0.95]
SPAM = [False, False, False, False, True, True, True]


@st.composite
def rated(draw, least=2, values=None):
    """Scores with ties, and labels of which both kinds occur."""
    values = values or st.integers(0, 12).map(lambda step: step / 12)
    size = draw(st.integers(least, 60))
    scores = draw(st.lists(values, min_size=size, max_size=size))
    spam = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    spam[:2] = [True, False]
    return scores, spam


def test_the_example_that_was_computed_by_hand():
    assert metrics.roc_loss(SCORES, SPAM) == pytest.approx(100 * 3.5 / 12)
    errors = metrics.misclassified([score > 0.5 for score in SCORES], SPAM)
    assert (errors.ham, errors.spam) == (50, pytest.approx(100 / 3))
    # logit(1/2) = 0 and logit(1/3) = -ln 2, of which the mean is -ln sqrt(2).
    assert errors.lam == pytest.approx(100 / (1 + math.sqrt(2)))
    # No ham lost: the threshold is .9. One of four: .6. Two: .4, and a spam of the same score stays below it.
    assert [metrics.spam_missed(SCORES, SPAM, lost) for lost in (0, 0.1, 0.25, 0.5)] == pytest.approx(
        [200 / 3, 200 / 3, 100 / 3, 100 / 3]
    )


@given(rated())
def test_the_roc_area_is_that_of_scikit_learn(sample):
    scores, spam = sample
    assert metrics.roc_loss(scores, spam) == pytest.approx(100 * (1 - roc_auc_score(spam, scores)), abs=1e-10)


@given(rated())
def test_the_roc_area_sees_only_the_order(sample):
    scores, spam = sample
    loss = metrics.roc_loss(scores, spam)
    assert metrics.roc_loss([math.exp(5 * score) for score in scores], spam) == loss
    assert metrics.roc_loss([-score for score in scores], spam) == pytest.approx(100 - loss)
    assert metrics.roc_loss(scores[::-1], spam[::-1]) == loss


def test_a_perfect_order_has_no_loss_and_a_constant_half_of_it():
    assert metrics.roc_loss([1, 2, 3], [False, True, True]) == 0
    assert metrics.roc_loss([7, 7, 7], [False, True, True]) == 50


@given(rated(), st.floats(0, 0.99))
def test_spam_missed_keeps_to_the_ham_allowed_and_is_the_least_that_does(sample, ham_lost):
    scores, spam = sample
    hams = [score for score, true in zip(scores, spam, strict=True) if not true]

    def missed(threshold):
        return metrics.misclassified([score > threshold for score in scores], spam).spam

    allowed = [t for t in [-1.0, *scores] if sum(ham > t for ham in hams) <= ham_lost * len(hams) + 1e-9]
    assert metrics.spam_missed(scores, spam, ham_lost) == min(map(missed, allowed))


def test_a_rate_that_binary_fractions_miss_is_still_met():
    scores = [*range(100), 92.5]
    spam = [False] * 100 + [True]
    assert metrics.spam_missed(scores, spam, 0.07) == 0


@given(rated())
def test_brier_and_log_loss_are_those_of_scikit_learn(sample):
    probabilities, spam = sample
    assert metrics.brier(probabilities, spam) == pytest.approx(brier_score_loss(spam, probabilities))
    inside = [min(max(p, 0.001), 0.999) for p in probabilities]
    assert metrics.log_loss(inside, spam) == pytest.approx(sklearn_log_loss(spam, inside))


def test_one_error_that_was_certain_does_not_make_the_log_loss_infinite():
    assert metrics.log_loss([1.0], [False]) == pytest.approx(-math.log(1e-15))


@given(rated(), st.integers(1, 20))
def test_bins_hold_every_verdict_once_in_rising_order(sample, bins):
    probabilities, spam = sample
    groups = metrics.reliability(probabilities, spam, bins)
    assert 1 <= len(groups) <= bins
    assert sum(group.count for group in groups) == len(spam)
    assert sum(group.count * group.seen for group in groups) == pytest.approx(sum(spam))
    assert sum(group.count * group.said for group in groups) == pytest.approx(sum(probabilities))
    assert all(below.said < above.said for below, above in pairwise(groups))


@given(rated(), st.integers(1, 20))
def test_the_calibration_error_does_not_depend_on_the_order_of_the_messages(sample, bins):
    probabilities, spam = sample
    error = metrics.calibration_error(probabilities, spam, bins)
    assert 0 <= error <= 1
    assert metrics.calibration_error(probabilities[::-1], spam[::-1], bins) == pytest.approx(error)


def test_bins_of_distinct_probabilities_are_equally_large():
    groups = metrics.reliability([place / 100 for place in range(100)], [True, False] * 50, bins=10)
    assert [group.count for group in groups] == [10] * 10


@given(st.integers(1, 100_000), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.999]))
def test_clopper_pearson_limits_are_those_of_scipy(trials, share, confidence):
    hits = round(share * trials)
    exact = stats.binomtest(hits, trials).proportion_ci(confidence, method="exact")
    assert metrics.clopper_pearson(hits, trials, confidence) == pytest.approx(tuple(exact), rel=1e-8)


def test_one_sided_limits_are_those_of_scipy():
    for hits in (0, 1, 7, 999, 1000):
        above = stats.binomtest(hits, 1000, alternative="less").proportion_ci(0.95, method="exact").high
        below = stats.binomtest(hits, 1000, alternative="greater").proportion_ci(0.95, method="exact").low
        assert metrics.upper_limit(hits, 1000) == pytest.approx(above)
        assert metrics.lower_limit(hits, 1000) == pytest.approx(below)


def test_the_bootstrap_finds_a_clear_difference_and_none_between_equals():
    spam = [place % 2 == 0 for place in range(200)]
    good = [place + 150 * true for place, true in enumerate(spam)]
    poor = [place + 20 * true for place, true in enumerate(spam)]
    clear = metrics.paired_bootstrap([good, good], [poor, poor], spam, rounds=200)
    assert clear.mean == pytest.approx(metrics.roc_loss(good, spam) - metrics.roc_loss(poor, spam))
    assert clear.low <= clear.mean <= clear.high < 0
    assert clear.significant
    same = metrics.paired_bootstrap([good], [[2 * score for score in good]], spam, rounds=200)
    assert (same.mean, same.low, same.high, same.significant) == (0, 0, 0, False)


def test_a_run_may_have_left_messages_out():
    spam = [place % 2 == 0 for place in range(60)]
    good = [place + 40 * true for place, true in enumerate(spam)]
    poor = [place + 10 * true for place, true in enumerate(spam)]

    def half(scores, side):
        return [score if place // 2 % 2 == side else None for place, score in enumerate(scores)]

    def loss(scores, side):
        kept = [
            (score, true) for score, true in zip(half(scores, side), spam, strict=True) if score is not None
        ]
        return metrics.roc_loss(*zip(*kept, strict=True))

    found = metrics.paired_bootstrap(
        [half(good, 0), half(good, 1)], [half(poor, 0), half(poor, 1)], spam, rounds=100
    )
    assert found.mean == pytest.approx((loss(good, 0) + loss(good, 1) - loss(poor, 0) - loss(poor, 1)) / 2)
    assert found.significant


@given(rated(least=6), st.integers(0, 5))
def test_the_bootstrap_repeats_itself_and_turns_round_with_its_arguments(sample, seed):
    scores, spam = sample
    others = scores[1:] + scores[:1]
    there = metrics.paired_bootstrap([scores], [others], spam, rounds=41, seed=seed)
    back = metrics.paired_bootstrap([others], [scores], spam, rounds=41, seed=seed)
    assert there == metrics.paired_bootstrap([scores], [others], spam, rounds=41, seed=seed)
    assert (back.mean, back.low, back.high) == pytest.approx((-there.mean, -there.high, -there.low))


@pytest.mark.parametrize("spam", [[], [True, True], [False]])
def test_one_kind_alone_has_no_error_rates(spam):
    with pytest.raises(NotEnoughValues, match="at least one ham and one spam"):
        metrics.roc_loss([0.5] * len(spam), spam)
    with pytest.raises(NotEnoughValues, match="at least one ham and one spam"):
        metrics.misclassified([True] * len(spam), spam)


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(BadSetting, match="nan"):
        metrics.roc_loss([math.nan, 1.0], [True, False])
    with pytest.raises(BadSetting, match="ham_lost must be a share"):
        metrics.spam_missed(SCORES, SPAM, ham_lost=1)
    with pytest.raises(BadSetting, match="hits must be from 0 to trials"):
        metrics.lower_limit(3, 2)
    with pytest.raises(BadSetting, match="confidence must be between"):
        metrics.upper_limit(1, 2, confidence=95)
    with pytest.raises(BadSetting, match="bins must be at least 1"):
        metrics.reliability([0.5], [True], bins=0)
    with pytest.raises(NotEnoughValues, match="no verdicts"):
        metrics.brier([], [])


@pytest.mark.parametrize("promise", [0.001, 0.01, 0.07, 0.29])
def test_a_promise_is_kept_up_to_its_share_and_broken_where_chance_cannot_explain_the_loss(promise):
    words = [metrics.standing(lost, 1000, promise) for lost in range(1001)]
    kept, open_, broken = (words.count(word) for word in ("kept", "not refuted yet", "broken"))
    assert words == ["kept"] * kept + ["not refuted yet"] * open_ + ["broken"] * broken
    assert kept - 1 == round(1000 * promise)
    # The least loss that has a probability of less than 5% under the promise, by the binomial itself.
    least = stats.binom.isf(0.05, 1000, promise) + 1
    assert kept + open_ == max(least, kept)
