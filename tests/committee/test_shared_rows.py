"""Rows that are equal are shared in small tables, and parted when one of their features is taught alone."""

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee._panel import Panel
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot

SETTINGS = Settings(bits=14, salt=5)
# Features for which there is room by chance, because buckets are whole: for so few no rows are shared.
TWO_BUCKETS = 24
# So many slots that no two of the features here have the same.
APART = Settings(bits=21, salt=5)


def lesson(numbers: list[int]) -> Features:
    """Some words, and as many letters."""
    words = array("Q", sorted({number * 0x9E3779B97F4A7C15 % 2**64 for number in numbers}))
    return Features.of(words, words)


def learned(
    lessons: list[tuple[str, list[int]]], capacity: int = 2, settings: Settings = SETTINGS
) -> Committee:
    committee = Committee.fresh(settings, shape=Shape.for_rows(capacity, settings.bits, 4000))
    for label, numbers in lessons:
        committee.learn(label, lesson(numbers))
    return committee


def shared(committee: Committee | Panel, spare: float = 0.125) -> tuple[Committee | Panel, bytearray]:
    """The same in a table that shares rows, and its buffer."""
    shape = Shape.for_rows(
        committee.capacity,
        committee.shape.bits,
        committee.rows_learned(),
        is_layer=True,
        spare=spare,
        shared=committee.rows_to_share(),
    )
    if isinstance(committee, Panel):
        buffer = bytearray(Panel.size(SETTINGS, shape, committee.foundation))
        made = Panel.begin(SETTINGS, shape, buffer, committee.foundation)
    else:
        buffer = bytearray(Committee.size(committee.settings, shape))
        made = Committee.begin(committee.settings, shape, buffer)
    made.take_over(committee)
    return made, buffer


def lessons(labels: list[str], most: int = 12) -> st.SearchStrategy[list[tuple[str, list[int]]]]:
    numbers = st.lists(st.integers(0, 300), min_size=1, max_size=40)
    return st.lists(st.tuples(st.sampled_from(labels), numbers), min_size=2, max_size=most)


def go_on_alike(small: Committee | Panel, plain: Committee | Panel, more, is_listed: bool) -> None:
    """Both answer the same, and learn the same, lesson by lesson."""
    assert small.code() == plain.code()
    for label, numbers in more:
        features = lesson(numbers)
        if is_listed:
            small.list_rows()
        assert small.totals_of(features) == plain.totals_of(features)
        assert small.has_room(plain.capacity, len(features))
        assert small.learn(label, features) == plain.learn(label, features)
        assert small.code() == plain.code()


@pytest.mark.parametrize("labels", [["ham", "spam"], ["ham", "spam", "work", "news"]])
@given(st.data())
def test_shared_rows_say_the_same_before_and_after_more_lessons(labels, data):
    plain = learned(data.draw(lessons(labels)), capacity=len(labels))
    small, buffer = shared(plain, spare=8.0)
    go_on_alike(small, plain, data.draw(lessons(labels)), data.draw(st.booleans()))
    assert Committee(SETTINGS, buffer).code() == plain.code()
    # What was parted in the meantime is shared again, unless it is so little that no room was made for it.
    more_than_rounding = small.rows_to_share() > TWO_BUCKETS
    again, _ = shared(small)
    assert again.code() == plain.code()
    assert again.rows <= small.rows or not more_than_rounding


@given(lessons(["ham", "spam"]), lessons(["ham", "spam"]), lessons(["ham", "spam"]), st.booleans())
def test_so_do_those_of_a_panel(below, first, more, is_listed):
    base = learned(below)
    shape = Shape.for_rows(2, SETTINGS.bits, 8000, is_layer=True)
    plain = Panel.begin(SETTINGS, shape, bytearray(Panel.size(SETTINGS, shape, base)), base)
    for label, numbers in first:
        plain.learn(label, lesson(numbers))
    small, buffer = shared(plain, spare=8.0)
    go_on_alike(small, plain, more, is_listed)
    assert Panel.over(SETTINGS, bytes(buffer), base).code() == plain.code()


def test_equal_rows_are_there_once():
    plain = learned([("ham", list(range(200))), ("spam", list(range(100, 300)))], settings=APART)
    small, _ = shared(plain)
    # Taught in the first lesson, in the second, and in both; words and letters alike.
    assert plain.rows == plain.rows_learned() == small.rows_learned() == 600
    assert small.rows == 3
    assert small.rows_to_share() == plain.rows_to_share() == 597


def test_a_feature_that_is_taught_alone_gets_its_own_row():
    plain = learned([("ham", list(range(200))), ("spam", list(range(100, 300)))], settings=APART)
    small, _ = shared(plain)
    before = small.rows
    small.learn("spam", lesson([0, 1, 150]))
    assert small.rows == before + 6
    small.learn("spam", lesson([0, 1, 150]))
    assert small.rows == before + 6
    assert small.rows_learned() == 600


def test_a_table_with_room_for_every_slot_shares_no_rows():
    """It could run out of room: rows that no feature has any more would take that of others."""
    settings = Settings(bits=6, salt=5)
    plain = Committee.fresh(settings, shape=Shape.for_rows(2, 6, 128, is_layer=True))
    for label, numbers in (("ham", range(200)), ("spam", range(100, 300))):
        plain.learn(label, lesson(list(numbers)))
    assert plain.rows_to_share() > 0
    small, _ = shared(plain)
    go_on_alike(small, plain, [("ham", [number]) for number in range(400)], is_listed=False)


def test_a_table_that_shares_rows_is_not_taught_by_a_directory():
    small, _ = shared(learned([("ham", list(range(200))), ("spam", list(range(100, 300)))]))
    with pytest.raises(ValueError, match="taught by its index"):
        small.open_directory()


def test_damage_of_shared_rows_is_found():
    small, buffer = shared(learned([("ham", list(range(200))), ("spam", list(range(100, 300)))]))
    rng = random.Random(1)
    for _ in range(40):
        damaged = bytearray(buffer)
        damaged[rng.randrange(small.table_start, len(buffer))] ^= 1 << rng.randrange(8)
        with pytest.raises(DamagedSnapshot):
            Committee(SETTINGS, damaged).code()


def test_a_table_that_shares_rows_takes_no_others():
    small, _ = shared(learned([("ham", list(range(200))), ("spam", list(range(100, 300)))]), spare=1.0)
    with pytest.raises(ValueError, match="takes no others"):
        small.take_over(learned([("ham", [1])]))
