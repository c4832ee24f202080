"""Disguised words look different to a simple filter, and not to ours."""

from deciban.sample.dice import Dice
from deciban.sample.disguise import disguised
from deciban.text import read
from deciban.text.words import names


def test_a_word_comes_in_many_disguises():
    dice = Dice("seed")
    assert len({disguised("pharmacy", dice) for _ in range(300)}) > 30


def test_the_view_of_words_sees_through_most_of_them():
    dice = Dice("seed")
    seen = 0
    for _ in range(200):
        mail = (
            f"Subject: x\nContent-Type: text/plain; charset=utf-8\n\n{disguised('viagra', dice)}\n".encode()
        )
        seen += "viagra" in names(read(mail))
    assert seen > 100
