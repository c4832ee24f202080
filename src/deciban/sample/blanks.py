r"""The blanks of a letter and what is written into them; see letter.py for what each form means.

>>> from deciban.sample.dice import Dice
>>> blanks = Blanks({"to": "Mara"}, {"day": ("Monday", "Friday")}, Dice("1"))
>>> blanks.filled("{to}, {tea|coffee} on {day}? Or on {day}, at {#}?\\nOr {day2}?")
'Mara, tea on Monday? Or on Monday, at 2?\nOr Friday?'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deciban.sample.dice import Dice
from deciban.sample.disguise import disguised

_BLANK = re.compile(r"\{([^{}]*)\}")
_DISGUISED = re.compile(r"\^([^^]+)\^")


class Blanks:
    """What is known of one mail; what is drawn for it is known from then on."""

    def __init__(self, known: Mapping[str, str], lists: Mapping[str, tuple[str, ...]], dice: Dice) -> None:
        self._known = dict(known)
        self._lists = lists
        self._dice = dice

    def filled(self, paragraph: str) -> str:
        """The paragraph with every blank filled (those in a filling too), its words disguised."""
        while _BLANK.search(paragraph):
            paragraph = _BLANK.sub(lambda blank: self._filling(blank[1]), paragraph)
        paragraph = paragraph.replace("\\n", "\n")
        return _DISGUISED.sub(lambda word: disguised(word[1], self._dice), paragraph)

    def _filling(self, blank: str) -> str:
        if not blank.strip("#"):
            return self._dice.digits(len(blank))
        if "|" in blank:
            return self._dice.pick(blank.split("|"))
        if blank not in self._known:
            self._known[blank] = self.filled(self._dice.pick(self._lists[blank.rstrip("0123456789")]))
        return self._known[blank]
