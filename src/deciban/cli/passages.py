"""A message cut into passages for reading: each line with the words on it, and the evidence of each word.

Sender and subject come first, then text, links and attachments, then the header fields that few people
read, and last what stands in no line of the message: HTML, facts, the prior. All passages together hold all
evidence.
"""

from __future__ import annotations

from math import fsum

from deciban.cli.terminal import harmless
from deciban.committee.evidence import PRIOR
from deciban.committee.evidence_map import KINDS
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.committee.evidence_map import EvidenceMap, Ground, Piece
    from deciban.text import Message

# Letters are indented by half a line, which leaves no room for their words.
MOST_INDENT = 8
LEVELS = (0.04, 0.12, 0.3, 0.6)
"""From which part of a strong word's evidence on a word is coloured, and ever more strongly."""


class Passage(Value):
    """A stretch of the message under one title."""

    title: str
    """Such as ``from``; empty for a line that goes on."""
    pieces: tuple[Piece, ...]
    """Words, harmless on a terminal, each with its decibans."""
    decibans: float
    """Of the passage: its pieces, and what is about all of it."""


def passages(message: Message, found: EvidenceMap) -> Iterator[Passage]:
    """Every passage; their decibans add up to those of the verdict."""
    for kind in ("sender", "subject"):
        yield from _fields(message, found, kind)
    yield from _lines("text", found.text)
    yield from _lines("hidden text", found.hidden)
    for ground in found.links:
        yield _passage("link", ground)
    for part, ground in zip(message.parts, found.parts, strict=True):
        name = " ".join(filter(None, (part.media_type, part.file_name)))
        yield Passage("part", ((harmless(name), ground.whole),), ground.whole)
    yield from _fields(message, found, "route")
    yield from _nowhere(found)


def level_of(decibans: float, peak: float) -> int:
    """How strongly a word is coloured, from 0 (not at all) to 4.

    >>> [level_of(decibans, 2.0) for decibans in (0.0, 0.1, -0.3, 1.0, 2.0)]
    [0, 1, 2, 3, 4]
    """
    return sum(abs(decibans) >= part * peak for part in LEVELS) if peak else 0


def peak_of(some: Iterable[Passage]) -> float:
    """What a strong word of passages says, either way: the fifth strongest, or one would pale all others."""
    strengths = sorted((abs(decibans) for passage in some for _, decibans in passage.pieces), reverse=True)
    return strengths[min(len(strengths), 5) - 1] if strengths else 0.0


def _fields(message: Message, found: EvidenceMap, kind: str) -> Iterator[Passage]:
    for number, header in enumerate(message.headers):
        if header.part == 0 and found.kind_of_header(number) == kind:
            yield _passage(harmless(header.name), found.headers[number])


def _passage(title: str, ground: Ground) -> Passage:
    pieces = tuple((harmless(text), decibans) for text, decibans in ground.pieces())
    return Passage(title, pieces, ground.total())


def _lines(title: str, ground: Ground) -> Iterator[Passage]:
    """The lines of a text, with one empty line at most between two."""
    pieces: list[Piece] = []
    whole, indent = ground.whole, ""
    for text, decibans in ground.pieces():
        word, *breaks = text.lstrip("\r\n").split("\n")
        pieces.append((harmless(indent + word.rstrip("\r").expandtabs(4)), decibans))
        indent = ""
        if breaks:
            yield _line(title, pieces, whole)
            title, whole, pieces, indent = "", 0.0, [], breaks[-1].expandtabs(4)[:MOST_INDENT]
            if len(breaks) > 1:
                yield Passage("", (), 0.0)
    if pieces or whole:
        yield _line(title, pieces, whole)


def _line(title: str, pieces: list[Piece], whole: float) -> Passage:
    return Passage(title, tuple(pieces), fsum((whole, *(decibans for _, decibans in pieces))))


def _nowhere(found: EvidenceMap) -> Iterator[Passage]:
    """What is in no line above: start tags, facts by what they are about, and the prior."""
    rest: dict[str, list[Piece]] = {}
    for spot in found.spots:
        if spot.kind == PRIOR:
            continue
        if spot.places[0][0] == "markup":
            rest.setdefault("HTML", []).append((harmless(spot.name) + " ", spot.decibans))
        elif spot.places[0][0] == "message":
            rest.setdefault(f"fact: {spot.kind}", []).append((harmless(spot.name) + " ", spot.decibans))
    for title, pieces in rest.items():
        yield _line(title, pieces, 0.0)
    belief = [(word + " ", 0.0) for word in KINDS[PRIOR].split()]
    yield _line(PRIOR, belief, found.spots[-1].decibans)
