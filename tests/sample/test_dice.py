"""The dice are fair enough, never leave their range, and repeat themselves."""

from collections import Counter

from deciban.sample.dice import Dice


def test_the_same_seed_throws_the_same():
    one, other = Dice("seed"), Dice("seed")
    assert [one.between(0, 999) for _ in range(99)] == [other.between(0, 999) for _ in range(99)]


def test_every_side_comes_up_about_equally_often():
    dice = Dice("seed")
    counts = Counter(dice.between(1, 6) for _ in range(6000))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert min(counts.values()) > 850


def test_some_never_draws_a_thing_twice_nor_more_than_there_are():
    dice = Dice("seed")
    for count in range(9):
        drawn = dice.some("abcdef", count)
        assert len(set(drawn)) == len(drawn) == min(count, 6)
    assert sorted(dice.shuffled("abcdef")) == list("abcdef")


def test_a_number_has_as_many_digits_as_asked_for():
    dice = Dice("seed")
    assert {len(dice.digits(count)) == count for count in range(1, 9) for _ in range(99)} == {True}
