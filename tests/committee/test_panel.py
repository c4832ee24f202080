"""A panel believes a foundation as far as its exams come out well."""

from array import array
from hashlib import blake2b
from math import exp
from random import Random

import pytest

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee._panel import Panel
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot

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


def foundation(mistaken=False, settings=SETTINGS):
    """A committee that has learned some mail, under the wrong labels if it is mistaken."""
    committee = Committee.fresh(settings)
    other = {"spam": "ham", "ham": "spam"} if mistaken else {"spam": "spam", "ham": "ham"}
    for label, features in lessons(1, 200):
        committee.learn(other[label], features)
    return committee


def panel_on(base, capacity=2, settings=SETTINGS):
    """A panel that has learned nothing of its own."""
    layer = Shape.for_rows(capacity, SETTINGS.bits, 4000, is_layer=True)
    resting = Committee.fresh(base.settings, shape=layer, foundation=base)
    return Panel(settings, resting, Committee.fresh(settings, capacity), Panel.fresh(settings, capacity))


def best(panel, features):
    totals = panel.totals_of(features)
    return max(totals, key=totals.__getitem__)


def test_a_foundation_that_fits_is_right_before_the_first_lesson():
    panel = panel_on(foundation())
    asked = lessons(2, 100)
    assert sum(best(panel, features) == label for label, features in asked) > 95


def test_a_foundation_has_a_head_start_but_not_more():
    panel = panel_on(foundation())
    assert panel.belief == 0.9
    for label, features in lessons(3, 2, ("spam",)) + lessons(3, 2, ("ham",)):
        panel.learn(label, features)
    assert 0.6 < panel.belief < 0.99


def test_until_two_labels_were_taught_only_the_foundation_is_heard():
    panel, alone = panel_on(foundation()), panel_on(foundation())
    (_, asked), *taught = lessons(14, 30)
    before = panel.score(asked)
    assert max(map(exp, before)) > 0.75
    for label, features in taught:
        if label == "ham":
            panel.learn(label, features)
    assert len(panel.own.labels) == 1
    assert max(panel.score(asked)) > max(alone.score(asked)) - 1


def test_a_foundation_that_is_wrong_is_not_believed_after_a_few_lessons():
    panel = panel_on(foundation(mistaken=True))
    for label, features in lessons(3, 60):
        panel.learn(label, features)
    assert panel.belief < 0.4
    assert sum(best(panel, features) == label for label, features in lessons(4, 100)) > 90


def test_a_foundation_with_exchanged_labels_helps_after_a_few_lessons():
    panel, empty = panel_on(foundation(mistaken=True)), Committee.fresh(SETTINGS)
    for label, features in lessons(3, 8):
        panel.learn(label, features)
        empty.learn(label, features)
    asked = lessons(4, 200)
    right = [sum(best(learner, features) == label for label, features in asked) for learner in (panel, empty)]
    assert right[0] > right[1] + 5, right


def test_filters_from_before_there_was_a_contrary_judge_keep_their_bits():
    named = SETTINGS.text().replace(" complement=0.3", "").replace(" contrary=0.1", "")
    earlier = Settings.from_text(named)
    assert earlier.contrary == 0
    panel = panel_on(foundation(mistaken=True, settings=earlier), capacity=4, settings=earlier)
    exams = [panel.learn(label, features) for label, features in lessons(3, 40, ("spam", "ham", "work"))]
    digest = blake2b(array("d", [total for exam in exams for total in exam]), digest_size=8)
    assert digest.hexdigest() == "b2e60630d04da6a8"
    assert len(Panel.fresh(earlier, 4)) == 48 < len(Panel.fresh(SETTINGS, 4))


@pytest.mark.parametrize("mistaken", [False, True])
def test_the_evidence_adds_up_to_what_three_judges_say(mistaken):
    panel = panel_on(foundation(mistaken), capacity=4)
    asked = lessons(20, 5, ("spam", "ham", "work"))
    for label, features in lessons(3, 30, ("spam", "ham", "work")):
        panel.learn(label, features)
        if len(panel.considered) > 2:
            for favoured, features in asked:
                against = next(label for label in panel.considered if label != favoured)
                words, letters, bias = panel.explain(features, favoured, against)
                totals = panel.totals_of(features)
                difference = totals[favoured] - totals[against]
                assert sum(words) + sum(letters) + bias == pytest.approx(difference, abs=1e-9)
                subtotals = panel.subtotals(features, favoured, against)
                assert subtotals == pytest.approx((sum(words), sum(letters)), abs=1e-9)


def test_a_foundation_that_fits_is_believed_the_more():
    panel = panel_on(foundation())
    for label, features in lessons(3, 30):
        panel.learn(label, features)
    assert panel.belief > 0.75


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
    numbers = Panel.fresh(SETTINGS, 2)
    other = Panel(SETTINGS, panel.resting, panel.own, numbers)
    for label, features in lessons(9, 20):
        other.learn(label, features)
    again = Panel(SETTINGS, other.resting, other.own, array("d", numbers))
    for label, features in lessons(10, 20):
        assert again.score(features) == other.score(features), label


def test_only_labels_of_the_owner_are_considered_once_there_are_two():
    panel = panel_on(foundation(), capacity=4)
    assert panel.considered == ("spam", "ham")
    dice = Random(11)
    panel.learn("work", message(dice, "work"))
    assert panel.considered == ("spam", "ham", "work")
    panel.learn("spam", message(dice, "spam"))
    assert (panel.considered, panel.labels) == (("spam", "work"), ("spam", "ham", "work"))
    for label, features in lessons(12, 40, ("spam", "work")):
        panel.learn(label, features)
    asked = lessons(13, 50, ("spam", "work"))
    assert sum(best(panel, features) == label for label, features in asked) > 45


@pytest.mark.parametrize("labels", [("spam", "ham"), ("spam", "work")])
@pytest.mark.parametrize("taught", [0, 1, 2, 30])
def test_what_is_explained_adds_up_to_the_difference(labels, taught):
    panel = panel_on(foundation(), capacity=4)
    for label, features in lessons(15, taught, labels):
        panel.learn(label, features)
    for _, features in lessons(16, 10, labels):
        first, second = panel.considered[:2]
        totals = panel.totals_of(features)
        words, letters, bias = panel.explain(features, first, second)
        assert sum(words) + sum(letters) + bias == pytest.approx(totals[first] - totals[second], abs=1e-9)
        assert panel.subtotals(features, first, second) == pytest.approx((sum(words), sum(letters)), abs=1e-9)


def in_buffer(base, capacity=2, rows=4000):
    """A panel in one buffer, and that."""
    shape = Shape.for_rows(capacity, SETTINGS.bits, rows, is_layer=True)
    buffer = bytearray(Panel.size(OWN, shape, base))
    return Panel.begin(OWN, shape, buffer, base), buffer


OWN = Settings(bits=10, salt=99)


def fresh(settings, shape, below):
    """An empty committee."""
    return Committee.fresh(settings, shape=shape, foundation=below)


def test_a_panel_in_a_buffer_goes_on_where_it_was():
    base = foundation()
    panel, buffer = in_buffer(base)
    for label, features in lessons(17, 30):
        panel.learn(label, features)
    asked = [features for _, features in lessons(18, 10)]
    said, state = [panel.score(features) for features in asked], panel.state()
    panel.close()
    again = Panel.over(OWN, bytes(buffer), base)
    assert [again.score(features) for features in asked] == said
    assert again.state() == state
    with pytest.raises(ValueError, match="read-only"):
        again.learn("spam", asked[0])


@pytest.mark.parametrize("listed", [False, True])
def test_a_panel_that_is_taken_over_to_be_written_is_the_one_that_is_copied(listed):
    base = foundation()
    panel, _ = in_buffer(base)
    if listed:
        panel.open_directory()
    for label, features in lessons(17, 30):
        panel.learn(label, features)
    copied, copy = in_buffer(base)
    copied.take_over(panel)
    made, written = in_buffer(base)
    parts = []
    made.take_over_to_write(panel, lambda place, part: parts.append((place, bytes(part))))
    assert bool(parts) == listed
    for place, part in parts:
        written[place : place + len(part)] = part
    assert written == copy
    assert made.seal() == copied.seal()


@pytest.mark.parametrize("capacity", [2, 4, 8])
def test_a_panel_is_the_same_after_it_was_packed_or_poured_into_more_room(capacity):
    base = foundation()
    panel, _ = in_buffer(base)
    for label, features in lessons(19, 30):
        panel.learn(label, features)
    unpacked = Panel.of_state(OWN, panel.code(), capacity, base, fresh)
    poured, _ = in_buffer(base, capacity, 6000)
    poured.take_over(panel)
    for other in (unpacked, poured):
        assert other.state() == panel.state()
        assert other.capacity == capacity
    for label, features in lessons(20, 10):
        assert panel.learn(label, features) == poured.learn(label, features)


def test_any_flipped_bit_of_front_and_numbers_is_noticed_or_harmless():
    base = foundation()
    panel, buffer = in_buffer(base)
    for label, features in lessons(21, 10):
        panel.learn(label, features)
    _, asked = lessons(22, 1)[0]
    said = panel.score(asked)
    panel.close()
    noticed = 0
    for place in range(32 + 8 * 40):
        for bit in range(0, 8, 3):
            buffer[place] ^= 1 << bit
            try:
                again = Panel.over(OWN, bytes(buffer), base)
                assert again.score(asked) == said
            except DamagedSnapshot:
                noticed += 1
            buffer[place] ^= 1 << bit
    assert noticed == 3 * (32 + 8 * 40)


def test_a_panel_that_is_cut_short_is_refused():
    base = foundation()
    panel, buffer = in_buffer(base)
    code = panel.code()
    panel.close()
    for size in (0, 31, 4096, 5000, len(buffer) - 4096):
        with pytest.raises(DamagedSnapshot):
            Panel.over(OWN, bytes(buffer[:size]), base)
    for size in (0, 7, 100, 300, len(code) - 1):
        with pytest.raises(DamagedSnapshot):
            Panel.of_state(OWN, code[:size], 2, base, fresh)


def test_a_label_that_is_renamed_is_so_in_both_committees():
    panel = panel_on(foundation())
    for label, features in lessons(23, 10):
        panel.learn(label, features)
    panel.rename("spam", "Spam")
    assert set(panel.considered) == {"Spam", "ham"}
    assert "Spam" in panel.own.labels


@pytest.mark.parametrize("as_codes", [False, True])
def test_many_lessons_at_once_are_learned_as_one_by_one(as_codes):
    taught = lessons(3, 60, ("ham", "work", "spam"))
    single, many = panel_on(foundation(), 4), panel_on(foundation(), 4)
    exams = [single.learn(label, features) for label, features in taught]
    found, calls = [], 0
    while len(found) < len(taught):
        rest = taught[len(found) :]
        given = [features.encode() if as_codes else features for _, features in rest]
        found += many.learn_many([label for label, _ in rest], given)
        calls += 1
    assert found == exams
    assert many.state() == single.state()
    assert calls == 4  # each first lesson of a label ends a call
