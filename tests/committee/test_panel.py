"""A panel believes a foundation as far as its exams come out well."""

from array import array
from math import exp
from random import Random

import pytest

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee._panel import Panel
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape

SETTINGS = Settings(bits=12, salt=7)
WORDS = {"spam": range(100, 200), "ham": range(200, 300), "work": range(300, 400)}


def message(dice, label):
    """Words of one label, and some that all have."""
    words = [*dice.sample(WORDS[label], 8), *dice.sample(range(100), 8)]
    return Features.of(array("Q", sorted(word << 41 for word in words)), array("Q"))


def lessons(seed, count, labels=("spam", "ham")):
    """Labelled messages at random."""
    dice = Random(seed)
    drawn = dice.choices(labels, k=count)
    return [(label, message(dice, label)) for label in drawn]


def foundation(mistaken=False):
    """A committee that has learned some mail, under the wrong labels if it is mistaken."""
    committee = Committee.fresh(SETTINGS)
    other = {"spam": "ham", "ham": "spam"} if mistaken else {"spam": "spam", "ham": "ham"}
    for label, features in lessons(1, 200):
        committee.learn(other[label], features)
    return committee


def panel_on(base, capacity=2):
    """A panel that has learned nothing of its own."""
    layer = Shape.for_rows(capacity, SETTINGS.bits, 4000, is_layer=True)
    resting = Committee.fresh(SETTINGS, shape=layer, foundation=base)
    return Panel(SETTINGS, resting, Committee.fresh(SETTINGS, capacity), Panel.fresh(capacity))


def best(panel, features):
    totals = panel.totals_of(features)
    return max(totals, key=totals.__getitem__)


def test_a_foundation_that_fits_is_right_before_the_first_lesson():
    panel = panel_on(foundation())
    asked = lessons(2, 100)
    assert sum(best(panel, features) == label for label, features in asked) > 95


def test_nothing_is_believed_more_than_an_empty_filter_before_the_first_lesson():
    assert panel_on(foundation()).belief == 0.5


def test_a_foundation_that_is_wrong_is_not_believed_after_a_few_lessons():
    panel = panel_on(foundation(mistaken=True))
    for label, features in lessons(3, 60):
        panel.learn(label, features)
    assert panel.belief < 0.25
    assert sum(best(panel, features) == label for label, features in lessons(4, 100)) > 90


def test_a_foundation_that_fits_is_believed_the_more():
    panel = panel_on(foundation())
    for label, features in lessons(3, 30):
        panel.learn(label, features)
    assert panel.belief > 0.6


def test_totals_are_logarithms_of_probabilities():
    panel = panel_on(foundation())
    for label, features in lessons(5, 20):
        panel.learn(label, features)
    totals = panel.totals_of(lessons(6, 1)[0][1])
    assert sum(map(exp, totals.values())) == pytest.approx(1)


def test_an_exam_is_what_was_said_before_the_lesson():
    panel = panel_on(foundation())
    for label, features in lessons(7, 20):
        said = panel.score(features)
        assert panel.learn(label, features) == said


def test_the_same_lessons_make_the_same_numbers_to_the_last_bit():
    numbers = []
    for _ in range(2):
        panel = panel_on(foundation())
        exams = [panel.learn(label, features) for label, features in lessons(8, 50)]
        numbers.append((exams, panel.belief, panel.judge_weights))
    assert numbers[0] == numbers[1]


def test_a_panel_goes_on_where_its_numbers_are():
    panel = panel_on(foundation())
    numbers = Panel.fresh(2)
    other = Panel(SETTINGS, panel.resting, panel.own, numbers)
    for label, features in lessons(9, 20):
        other.learn(label, features)
    again = Panel(SETTINGS, other.resting, other.own, array("d", numbers))
    for label, features in lessons(10, 20):
        assert again.score(features) == other.score(features), label


def test_only_labels_of_the_owner_are_considered_once_there_are_two():
    panel = panel_on(foundation(), capacity=4)
    assert panel.labels == ("spam", "ham")
    dice = Random(11)
    panel.learn("work", message(dice, "work"))
    assert panel.labels == ("spam", "ham", "work")
    panel.learn("spam", message(dice, "spam"))
    assert panel.labels == ("spam", "work")
    for label, features in lessons(12, 40, ("spam", "work")):
        panel.learn(label, features)
    asked = lessons(13, 50, ("spam", "work"))
    assert sum(best(panel, features) == label for label, features in asked) > 45
