import hypothesis.strategies as st
import pytest
from hypothesis import given
from sklearn.metrics import auc

from deciban import metrics
from deciban.evaluate import Figures, LabelledMessage, Opinion, Trial
from deciban.evaluate.curves import learning_curve, roc_curve


def trial(count):
    messages = [LabelledMessage("ham" if n % 3 else "spam", None) for n in range(count)]
    return Trial(messages, [Opinion((n * 7 % 11) / 11, (n * 7 % 11) > 5) for n in range(count)])


def test_the_curve_ends_with_the_figures_of_the_whole():
    whole = trial(1000)
    curve = learning_curve(whole)
    assert [point.messages for point in curve] == sorted({point.messages for point in curve})
    assert curve[-1].messages == 1000
    assert curve[-1].roc_loss == Figures.of(whole).roc_loss
    assert 25 < curve[0].messages <= 50


def test_a_stream_of_one_kind_has_no_roc_area_but_errors():
    only = Trial([LabelledMessage("ham", None)] * 4, [Opinion(1.0, True)] * 3 + [Opinion(0.0, False)])
    (point,) = learning_curve(only)
    assert (point.roc_loss, point.wrong) == (None, 75)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=50))
def test_the_area_above_the_roc_curve_is_the_loss(pairs):
    scores, spam = map(list, zip(*pairs, strict=True))
    spam[:2] = [True, False]
    lost, missed = zip(*roc_curve(scores, spam), strict=True)
    assert (lost[0], missed[-1], lost[-1]) == (0, 0, 100)
    assert auc(lost, missed) / 100 == pytest.approx(metrics.roc_loss(scores, spam))
