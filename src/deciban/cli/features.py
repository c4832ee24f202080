"""The features of a message with the text that each was made from, for listings."""

from __future__ import annotations

from deciban.text import Message
from deciban.text._views import sightings
from deciban.value import Value


class Feature(Value):
    """A feature of one view: its hash, its text, and the place where it was first seen."""

    __slots__ = ("hash", "text", "place")  # noqa: RUF023 (the order of the repr)
    hash: int
    text: str
    place: tuple[str, int, int, int]

    def __init__(self, hash: int, text: str, place: tuple[str, int, int, int]) -> None:  # noqa: A002
        self._set(hash=hash, text=text, place=place)


def features_of(message: Message, view: str) -> list[Feature]:
    """The features of the view ``words`` or ``letters``, each once, in the order of the message."""
    found: dict[int, Feature] = {}
    for hash_, name, *place in sightings(message, view, ()):
        if hash_ not in found:
            where, number, start, end = place
            found[hash_] = Feature(
                hash_, name.decode("utf-8", "backslashreplace"), (where, number, start, end)
            )
    return list(found.values())
