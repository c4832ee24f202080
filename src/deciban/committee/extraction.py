"""From a message to what the committee knows: features, the text of some words, and where features were seen.

    features_of(message, facts)         Features          to classify
    features_of_many(messages, facts)   Features of each  to classify many
    named_features(messages, facts)     Features, names   to learn: a lesson keeps some of its words
    whereabouts_of(message, facts)        Whereabouts         to explain: names and places of every feature

``facts`` are what is known about a message from outside, such as that its sender is a contact. Without
``results``, the fields in which servers tell what they found out about its sender are left out: whoever
believes some of them hands those in as facts (filter/foreign_results.py).

A lesson keeps the text of 16 of its words, some 200 bytes, drawn by lot. Which ones depends on the message
alone, so that a lesson tells nothing about others; forgetting a lesson forgets its names too. A word that
matters is in many lessons, so one of them has its name. A word that was seen once, and only shares the slot
of a strong word, seldom has a name, and so it is not listed (docs/experiments.md).
"""

from __future__ import annotations

from deciban.committee import _short_features
from deciban.committee._lesson_code import shorten
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deciban.committee._lesson_code import Features
    from deciban.text import Message

    Place = tuple[str, int, int, int]

VIEWS = ("words", "letters")
NAMES_PER_LESSON = 16
# Long ones are links and tracking codes, which few would recognise.
MOST_NAME_BYTES = 60


def features_of(message: Message, facts: Iterable[str] = (), results: bool = True) -> Features:
    """What the filter learns from a message."""
    return _short_features.features_of(message, facts, results=results)


def features_of_many(
    messages: list[Message], facts: list[tuple[str, ...]], results: bool = True
) -> list[Features]:
    """The same for several messages, each with its facts, in one stretch without Python's lock."""
    return _short_features.features_of_many(messages, facts, results=results)


def named_features(
    messages: list[Message], facts: list[tuple[str, ...]], results: bool = True
) -> list[tuple[Features, str]]:
    """What lessons keep of messages, each with its facts: features, and some names, one per line."""
    seeds = [int.from_bytes(message.digest[:8], "little") for message in messages]
    found = _short_features.named_features(
        messages, facts, seeds, NAMES_PER_LESSON, MOST_NAME_BYTES, results=results
    )
    # A word that is not UTF-8 gets no name: with a replaced character it has another hash, and cannot be
    # found.
    return [
        (features, kept.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}"))
        for features, kept in found
    ]


class Whereabouts(Value):
    """The names and the places of each feature of a message, by view."""

    names: Mapping[str, Mapping[int, str]]
    """Such as ``subject:free``, or four letters; two names in the rare case that they share a feature."""
    places: Mapping[str, Mapping[int, tuple[Place, ...]]]
    """Where it was seen: (where, number, start, end), as `deciban.text.views.Place` explains them."""


def whereabouts_of(message: Message, facts: Iterable[str] = (), results: bool = True) -> Whereabouts:
    """The names and the places of all features of a message."""
    from deciban.text._views import sightings

    facts = tuple(facts)
    names: dict[str, dict[int, str]] = {}
    places: dict[str, dict[int, tuple[Place, ...]]] = {}
    for view in VIEWS:
        named: dict[int, dict[str, None]] = {}
        placed: dict[int, list[Place]] = {}
        for feature, name, where, number, start, end in sightings(message, view, facts, results=results):
            short = shorten(feature)
            named.setdefault(short, {})[name.decode("utf-8", "replace")] = None
            placed.setdefault(short, []).append((where, number, start, end))
        names[view] = {feature: " / ".join(found) for feature, found in named.items()}
        places[view] = {feature: tuple(found) for feature, found in placed.items()}
    return Whereabouts(names, places)
