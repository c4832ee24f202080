"""Every letter can be written in every way that its file offers."""

import re
from importlib import resources

import pytest

from deciban.sample.blanks import Blanks
from deciban.sample.dice import Dice
from deciban.sample.letter import Book
from deciban.sample.mailbox import LANGUAGES
from deciban.sample.people import LISTS, SHOPS

KNOWN = {
    name: name.upper()
    for name in "to address from sender domain host token number percent amount".split()  # noqa: SIM905
}
MANNER = {"from", "count", "shape", "charset", "attach", "layout", "when"}
SHAPES = {"plain", "html", "alternative", "mixed", "alternative-mixed", "picture", "invite"}


def books():
    folder = resources.files("deciban.sample").joinpath("letters")
    return {
        language: Book.parse(folder.joinpath(f"{language}.txt").read_text("utf-8")) for language in LANGUAGES
    }


BOOKS = books()
LETTERS = [
    pytest.param(BOOKS[language], letter, id=f"{language} {letter.name}")
    for language in LANGUAGES
    for letter in BOOKS[language].letters
]


def test_every_file_of_letters_is_a_language():
    files = resources.files("deciban.sample").joinpath("letters").iterdir()
    assert {file.name for file in files} == {f"{language}.txt" for language in LANGUAGES}


@pytest.mark.parametrize(("book", "letter"), LETTERS)
def test_every_blank_of_every_paragraph_can_be_filled(book, letter):
    for choice in letter.choices:
        assert choice.paragraphs
        for paragraph in choice.paragraphs:
            filled = Blanks(KNOWN, book.lists, Dice("1")).filled(paragraph)
            assert not re.search(r"[{}^]", filled)


@pytest.mark.parametrize(("book", "letter"), LETTERS)
def test_the_manner_of_a_letter_is_one_that_the_mailbox_knows(book, letter):
    assert letter.label in ("ham", "spam")
    assert set(letter.manner) <= MANNER
    assert set(letter.options("shape", "plain")) <= SHAPES
    assert {choice.part for choice in letter.choices} >= {"subject", "body"}
    group, _, name = letter.manner["from"].partition(":")
    assert group in {"friend", "colleague", "stranger", "free", *LISTS} or (group == "shop" and name in SHOPS)
    "".join(letter.options("charset", "utf-8")).encode("ascii")


def test_every_list_is_drawn_from():
    for language, book in BOOKS.items():
        text = "".join(p for letter in book.letters for choice in letter.choices for p in choice.paragraphs)
        text += "".join(entry for entries in book.lists.values() for entry in entries)
        assert not [name for name in book.lists if not re.search(r"\{" + name + r"\d?\}", text)], language


def test_a_blank_is_the_same_in_the_whole_mail_unless_numbered():
    blanks = Blanks({}, {"day": tuple(f"day {number}" for number in range(99))}, Dice("1"))
    first, again, other = (blanks.filled(blank) for blank in ("{day}", "{day}", "{day2}"))
    assert first == again != other


def test_what_has_no_list_is_an_error():
    with pytest.raises(KeyError, match="moon"):
        Blanks({}, {}, Dice("1")).filled("{moon}")
