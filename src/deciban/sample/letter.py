r"""A letter is a way to write many mails; its file lists, per part, the paragraphs to choose from.

    [day]                                  one word: a list, drawn from wherever {day} is written
      Monday
      Friday

    [ham dinner] from=friend count=9       two words: a letter, its label and its name; then its manner
    subject
      Dinner on {day}?
      {Lunch|Coffee} this week?
    body 2                                 two of these, in any order; one where no number stands
      I finally found the recipe for {##} dumplings.
      Bring {the wine|an umbrella}.

In a paragraph ``{a|b}`` is one of both, ``{day}`` an entry of the list (the same in the whole mail, and
``{day2}`` draws again), ``{##}`` a number of two digits, ``^word^`` a word in disguise, ``[words -> url]`` a
link. A paragraph that begins with ``~`` is hidden in HTML; one that begins with ``!`` is a picture. ``\n``
begins a new line. The parts ``subject``, ``quote`` and ``signature`` are set as such; ``name`` and ``file``
say how the sender and an attachment are called; all others are the text, in their order.

>>> from deciban.sample.dice import Dice
>>> book = Book.parse("[day]\n  Monday\n[ham dinner] from=friend\nsubject\n  Dinner on {day}, {##}:30?\n")
>>> book.letters[0].write(Dice("1"), book.lists, {}).subject
'Dinner on Monday, 20:30?'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deciban.sample.blanks import Blanks
from deciban.sample.dice import Dice
from deciban.value import Value

_NOT_TEXT = ("subject", "quote", "signature", "name", "file")


class Draft(Value):
    """What one mail says, before it has a shape."""

    subject: str
    paragraphs: tuple[str, ...]
    quote: str
    signature: str
    name: str
    file: str


class Choice(Value):
    """A part of a letter: how many of which paragraphs."""

    part: str
    count: int
    paragraphs: tuple[str, ...]


class Letter(Value):
    """One kind of mail: its label, its name, its manner, and what may stand in it."""

    label: str
    name: str
    manner: Mapping[str, str]
    choices: tuple[Choice, ...]

    def options(self, key: str, default: str) -> list[str]:
        """The values of ``key=a,b,c`` in the letter's manner."""
        return self.manner.get(key, default).split(",")

    def write(self, dice: Dice, lists: Mapping[str, tuple[str, ...]], known: Mapping[str, str]) -> Draft:
        """One mail of this kind; ``known`` says who writes to whom."""
        blanks = Blanks(known, lists, dice)
        said = {
            choice.part: [blanks.filled(chosen) for chosen in dice.some(choice.paragraphs, choice.count)]
            for choice in self.choices
        }
        paragraphs = [text for part, texts in said.items() if part not in _NOT_TEXT for text in texts]
        aside = {part: "\n".join(said.get(part, ())) for part in _NOT_TEXT}
        return Draft(paragraphs=tuple(paragraphs), **aside)


class Book(Value):
    """The letters of one file, and the lists that they draw from."""

    letters: tuple[Letter, ...]
    lists: Mapping[str, tuple[str, ...]]

    @classmethod
    def parse(cls, text: str) -> Book:
        """Read a file of letters."""
        letters: list[Letter] = []
        lists: dict[str, tuple[str, ...]] = {}
        for section in re.split(r"^\[", text, flags=re.MULTILINE)[1:]:
            head, _, rest = section.partition("\n")
            title, _, manner = head.partition("]")
            label, _, name = title.partition(" ")
            if name:
                said = dict(pair.split("=", 1) for pair in manner.split())
                letters.append(Letter(label, name, said, _choices(rest)))
            else:
                lists[title] = tuple(line.strip() for line in rest.splitlines() if line.strip())
        return cls(tuple(letters), lists)


def _choices(text: str) -> tuple[Choice, ...]:
    choices = []
    for block in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if lines:
            part, _, count = lines[0].partition(" ")
            choices.append(Choice(part, int(count or 1), tuple(lines[1:])))
    return tuple(choices)
