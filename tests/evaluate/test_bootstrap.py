import random

import hypothesis.strategies as st
import pytest
from hypothesis import given

from deciban import metrics
from deciban.errors import BadSetting
from deciban.evaluate import Figures, LabelledMessage, Opinion, Trial
from deciban.evaluate.bootstrap import Resampling


@st.composite
def opinions(draw):
    size = draw(st.integers(2, 40))
    scores = draw(st.lists(st.integers(0, 10).map(lambda n: n / 10), min_size=size, max_size=size))
    spam = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    spam[:2] = [True, False]
    return scores, spam


@given(opinions())
def test_each_message_counted_once_gives_the_figures_themselves(sample):
    scores, spam = sample
    rejected = [score > 0.5 for score in scores]
    messages = [LabelledMessage("spam" if true else "ham", None) for true in spam]
    trial = Trial(messages, [Opinion(s, r, s) for s, r in zip(scores, rejected, strict=True)])
    found = Resampling(scores, rejected, spam, scores).figures([1] * (len(spam) - sum(spam)), [1] * sum(spam))
    expected = Figures.of(trial).record()
    assert found == {name: pytest.approx(expected[name]) for name in found}


@given(opinions(), st.integers(0, 5))
def test_a_message_counted_twice_is_two_messages(sample, seed):
    scores, spam = sample
    rng = random.Random(seed)
    hams, spams = metrics.draw(rng, len(spam) - sum(spam)), metrics.draw(rng, sum(spam))
    times = [(spams if true else hams) for true in spam]
    places = [sum(1 for other in spam[:n] if other == true) for n, true in enumerate(spam)]
    repeated = [
        n for n, (its, place) in enumerate(zip(times, places, strict=True)) for _ in range(its[place])
    ]
    rejected = [score > 0.5 for score in scores]
    found = Resampling(scores, rejected, spam).figures(hams, spams)
    again, truth = [scores[n] for n in repeated], [spam[n] for n in repeated]
    assert found["roc_loss"] == pytest.approx(metrics.roc_loss(again, truth))
    assert found["missed_at_one_in_1000"] == pytest.approx(metrics.spam_missed(again, truth, 0.001))
    assert found["ham_lost"] == pytest.approx(metrics.misclassified([s > 0.5 for s in again], truth).ham)


def test_limits_hold_the_figure_narrow_with_more_mail_and_repeat_with_their_seed():
    rng = random.Random(1)

    def limits(count):
        spam = [n % 2 == 0 for n in range(count)]
        scores = [rng.gauss(1.5 if true else 0, 1) for true in spam]
        resampling = Resampling(scores, [score > 1 for score in scores], spam)
        assert resampling.limits(100, seed=3) == resampling.limits(100, seed=3)
        low, high = resampling.limits(100)["roc_loss"]
        assert low < metrics.roc_loss(scores, spam) < high
        return high - low

    assert limits(2000) < limits(100) / 2


def test_no_round_at_all_is_refused():
    with pytest.raises(BadSetting, match="rounds"):
        Resampling([0.0, 1.0], [False, True], [False, True]).limits(0)
