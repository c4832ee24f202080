import math

import pytest

from deciban.evaluate import LabelFigures, LabelledMessage, Opinion, Trial
from deciban.evaluate.label_figures import is_right


def trial(rows):
    return Trial([LabelledMessage(label, None) for label, _ in rows], [opinion for _, opinion in rows])


def weighed(**totals):
    return Opinion(0.0, rejected=False, totals=totals, label=max(totals, key=totals.get))


def test_the_log_loss_is_that_of_the_softmax():
    figures = LabelFigures.of(trial([("a", weighed(a=0, b=math.log(2), c=0)), ("b", weighed(a=0, b=0, c=0))]))
    assert figures.log_loss == pytest.approx((math.log(4) + math.log(3)) / 2)


def test_one_sure_error_does_not_make_the_log_loss_infinite():
    assert LabelFigures.of(trial([("a", weighed(a=0, b=1e6))])).log_loss == pytest.approx(-math.log(1e-15))


def test_a_label_that_was_never_taught_is_wrong_but_no_surprise():
    figures = LabelFigures.of(trial([("new", weighed(a=1, b=0)), ("a", weighed(a=1, b=0))]))
    assert (figures.right, figures.unforeseen) == (1, 1)
    assert figures.log_loss == pytest.approx(math.log(1 + math.exp(-1)))


def test_every_message_is_in_the_confusion_once():
    figures = LabelFigures.of(
        trial([("spam", Opinion(1.0, True)), ("ham", Opinion(0.0, False)), ("ham", Opinion(1.0, True))])
    )
    assert figures.confusion == {"ham": {"not spam": 1, "spam": 1}, "spam": {"spam": 1}}
    assert figures.accuracy == pytest.approx(200 / 3)
    low, high = figures.limits
    assert low < figures.accuracy < high


def test_unsure_of_one_who_only_knows_spam_accepts():
    assert is_right("ham", Opinion(0.5, False, label="unsure"))
    assert not is_right("spam", Opinion(0.5, False, label="unsure"))
