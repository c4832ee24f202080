r"""The two views of a message, as sets of hashed features; on demand, what each is and where it was seen.

>>> from deciban.text import read
>>> message = read(b"Subject: Free money\n\nCall now!!!")
>>> views = extract(message)
>>> len(views.words), len(views.letters)
(29, 25)
>>> [(traced.name, traced.places[0]) for traced in trace(message, "words") if traced.name == "subject:free"]
[('subject:free', Place(where='header', number=0, start=0, end=4))]

Law: the hashes of a trace are exactly the features.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from deciban.text._reader import Message
from deciban.text._views import FeatureSet, sightings
from deciban.text._views import extract as extract_both
from deciban.text.limits import Limits

__all__ = ["DEFAULT_LIMITS", "FeatureSet", "Place", "Traced", "View", "Views", "extract", "trace"]

View = Literal["words", "letters"]

DEFAULT_LIMITS = Limits()


class Views(NamedTuple):
    """The features of a message, view by view."""

    words: FeatureSet
    letters: FeatureSet


class Place(NamedTuple):
    """Where a feature was seen: a range of bytes of something that was decoded."""

    where: str
    """header (a decoded value), text and hidden (Message.text and .hidden as UTF-8), link (a target), markup,
    part, canonical (Message.canonical), or message: the message as a whole."""
    number: int
    """Of the header, link or part."""
    start: int
    end: int


class Traced(NamedTuple):
    """A feature with its text and every place where it was seen."""

    hash: int
    name: str
    """For example ``subject:free``; bytes that are no UTF-8 are shown as U+FFFD."""
    places: tuple[Place, ...]


def extract(message: Message, facts: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS) -> Views:
    """Both views of a message; ``facts`` are known from outside, such as ``sender-in-contacts``."""
    return Views(*extract_both(message, facts, limits))


def trace(
    message: Message, view: View, facts: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS
) -> list[Traced]:
    """Each feature of a view with its text and its places, ordered by hash as the view itself is."""
    names: dict[int, str] = {}
    places: dict[int, list[Place]] = {}
    for feature, name, where, number, start, end in sightings(message, view, facts, limits):
        names.setdefault(feature, name.decode("utf-8", "replace"))
        places.setdefault(feature, []).append(Place(where, number, start, end))
    return [Traced(feature, names[feature], tuple(places[feature])) for feature in sorted(names)]
