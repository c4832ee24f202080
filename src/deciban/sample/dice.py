"""Choices that come out the same on every machine and every version of Python.

``random.Random.random`` is the one method whose sequence Python promises to keep for a seed; ``choice`` and
``shuffle`` may change. So everything here is made of it.

>>> dice = Dice("an example")
>>> dice.between(1, 6), dice.pick("abc"), dice.some("abcdef", 3), dice.digits(4)
(3, 'b', ['a', 'c', 'e'], '7444')
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Thing = TypeVar("Thing")

_SYLLABLES = (
    "ba", "bel", "bri", "cor", "dan", "dor", "el", "fen", "gal", "hal", "ka", "kel", "lor", "lun", "mar",
    "mir", "nor", "ol", "pan", "qui", "rem", "sol", "tal", "tor", "ul", "ven", "vor", "zan",
)  # fmt: skip


class Dice:
    """A seeded source of choices."""

    def __init__(self, seed: str) -> None:
        # A string is hashed with SHA-512, the same everywhere; other seeds than str and int need not be.
        self._random = Random(seed).random

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self._random() < share

    def pick(self, things: Sequence[Thing]) -> Thing:
        """One of the things."""
        return things[self.between(0, len(things) - 1)]

    def some(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """So many different things, in any order; all of them where there are fewer."""
        left = list(things)
        return [left.pop(self.between(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """All the things in any order."""
        return self.some(things, len(things))

    def digits(self, count: int) -> str:
        """A number of so many digits; the first is not 0."""
        return str(self.between(10 ** (count - 1), 10**count - 1))

    def token(self, count: int) -> str:
        """Letters and digits that mean nothing."""
        return "".join(self.pick("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(count))

    def bytes(self, count: int) -> bytes:
        """Bytes that mean nothing."""
        return bytes(self.between(0, 255) for _ in range(count))

    def word(self) -> str:
        """A name that nobody has."""
        return "".join(self.pick(_SYLLABLES) for _ in range(self.between(2, 3)))
