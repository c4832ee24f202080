r"""Where in a message the evidence stands: every feature's decibans, added up at the places it was seen at.

A message has some thousand features and each says little, so a list of the strongest explains little of a
verdict. But a word has many features: itself, two pairs, its letters. An evidence map divides the evidence of
each feature equally among its places, and at each place equally among the bytes there: a pair goes to both
words, four letters to their four bytes. Added up, that is one figure for each *spot*: a word as it stands in
text or subject, a header field, a link, a start tag, a part, a fact. Words that are spelled alike are one
spot. The strongest 32 spots hold 63% of the evidence in the median, the strongest 32 features 10% (`python -m
benchmarks explanations`).

>>> from deciban.committee.course import Course
>>> from deciban.committee.evidence import gather_evidence
>>> from deciban.committee.extraction import features_of, whereabouts_of
>>> from deciban.text import read
>>> course = Course()
>>> for _ in range(5):
...     for label, data in ("spam", b"Subject: Free money"), ("ham", b"Subject: Lunch at one"):
...         _ = course.learn(label, features_of(read(data)))
>>> message = read(b"Subject: Free lunch")
>>> features, whereabouts = features_of(message), whereabouts_of(message)
>>> evidence = gather_evidence(course.committee, features, whereabouts, "ham", "spam")
>>> found = EvidenceMap(message, evidence)
>>> words = {spot.name: spot.decibans for spot in found.spots if spot.kind == "subject"}
>>> words["Free"] < 0 < words["lunch"]
True

Law: the spots add up to the verdict. What rounding leaves is in the last one, `prior`.

>>> abs(found.total - sum(spot.decibans for spot in found.spots)) < 1e-9
True
"""

from __future__ import annotations

import re
from bisect import bisect_right
from math import fsum

from deciban.committee.evidence import PRIOR
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deciban.committee.evidence import Evidence
    from deciban.text import Message

    Piece = tuple[str, float]

# In the order in which they are told.
KINDS = {
    "sender": "who sent it",
    "route": "how it came: the other header fields",
    "subject": "the subject",
    "text": "the text",
    "links": "links",
    "markup": "HTML, and how the message is built",
    "attachments": "attachments",
    "absent": "what was not there",
    PRIOR: "what the filter believes before it reads",
}
SENDER_FIELDS = frozenset(
    ("from", "sender", "reply-to", "return-path", "errors-to", "dkim-signature", "authentication-results")
)
# What some facts about the whole message are about. Other facts with a number are about the text; all others,
# which are limits and defects, are about how the message is built.
FACT_KINDS = {
    "sender-in-contacts": "sender",
    "recipients": "route",
    "received": "route",
    "links": "links",
    "tags": "markup",
    "comments": "markup",
    "scripts": "markup",
    "styles": "markup",
    "hidden": "markup",
    "attachments": "attachments",
    "answers-nothing": "absent",
}
# A letter of a script that is written without spaces, in UTF-8: Chinese, Japanese, Thai and Lao.
_UNSPACED = rb"(?:\xe3[\x81-\x83\x90-\xbf][\x80-\xbf]|[\xe4-\xe9][\x80-\xbf]{2}|\xe0[\xb8-\xbb][\x80-\xbf])"
# A word as it stands: what is between spaces, or between the punctuation of Chinese and Japanese. Where
# nothing stands between words, a run of at most eight letters: a whole paragraph would be one word.
_WORD = re.compile(
    _UNSPACED + rb"{1,8}[,.;:!?)\]]*|"
    rb"(?:(?!" + _UNSPACED + rb"|\xe3\x80[\x80-\xbf]|\xef\xbc[\x80-\x8f\x9a-\xa0]|\xc2\xa0)"
    rb"(?:[^\s\x80-\xff]|[\xc0-\xff][\x80-\xbf]*))+"
)


class Spot(Value):
    """One word, header field, link, start tag, part or fact of a message, and what it says."""

    kind: str
    """One of `KINDS`."""
    name: str
    """As it stands in the message; of a header field with its name in front."""
    decibans: float
    """For (above 0) or against the label of the verdict."""
    places: tuple[tuple[str, int, int, int], ...]
    """Every place that it has: (where, number, start, end), as `deciban.text.views.Place` explains them."""


class Ground:
    """Something that was decoded, such as one header value or the text, and the evidence on its bytes."""

    def __init__(self, content: str) -> None:
        self.content = content.encode("utf-8", "replace")
        self.decibans = [0.0] * len(self.content)
        """Byte by byte."""
        self.whole = 0.0
        """The evidence about all of it, or about bytes that decoding removed."""

    def lay(self, decibans: float, start: int, end: int) -> None:
        """Lay evidence over some bytes, in equal parts."""
        if not 0 <= start < end <= len(self.content):
            self.whole += decibans
            return
        share = decibans / (end - start)
        for byte in range(start, end):
            self.decibans[byte] += share

    def total(self) -> float:
        """All of its evidence."""
        return fsum((self.whole, *self.decibans))

    def words(self) -> Iterator[tuple[int, int]]:
        """Where each word begins, and where the next one does; the first word begins with the text."""
        starts = [word.start() for word in _WORD.finditer(self.content)] or [0]
        starts[0] = 0
        for place, start in enumerate(starts):
            end = starts[place + 1] if place + 1 < len(starts) else len(self.content)
            if start < end:
                yield start, end

    def pieces(self) -> Iterator[Piece]:
        """The content word by word, with the space behind each, and the evidence on it."""
        for start, end in self.words():
            yield self.content[start:end].decode("utf-8", "replace"), fsum(self.decibans[start:end])


class EvidenceMap:
    """The evidence of a verdict, laid over the message."""

    def __init__(self, message: Message, evidence: Sequence[Evidence]) -> None:
        self._message = message
        self._headers = message.headers
        self._field_starts = [header.place[0] for header in self._headers]
        self._alignments: dict[int, list[int]] = {}
        self._links_in_text: set[int] = set()
        self.total = sum(item.decibans for item in evidence)
        self.headers = [Ground(header.value) for header in self._headers]
        self.text, self.hidden = Ground(message.text), Ground(message.hidden)
        self.links = [Ground(link.target) for link in message.links]
        self.markup = Ground("".join(line + "\n" for line in message.markup))
        self.parts = [Ground("") for _ in message.parts]
        self.facts: dict[str, float] = {}
        for item in evidence:
            for place in item.places:
                self._lay(item, item.decibans / len(item.places), *place)
        self.spots = self._all_spots()

    def subtotals(self) -> dict[str, float]:
        """What each kind of place says, in the order of `KINDS`; kinds that are not there are left out."""
        parts: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for spot in self.spots:
            parts[spot.kind].append(spot.decibans)
        return {kind: fsum(decibans) for kind, decibans in parts.items() if decibans}

    def strongest(self, count: int) -> list[Spot]:
        """So many spots, the strongest first, whichever way they speak."""
        spots = [spot for spot in self.spots if spot.kind != PRIOR]
        return sorted(spots, key=lambda spot: -abs(spot.decibans))[:count]

    def kind_of_header(self, number: int) -> str:
        """The kind that a header field belongs to."""
        name = self._headers[number].name
        if name == "subject":
            return "subject"
        return "sender" if name in SENDER_FIELDS or name.startswith("resent-") else "route"

    def _lay(self, item: Evidence, decibans: float, where: str, number: int, start: int, end: int) -> None:
        if where == "canonical":
            self._lay_on_field(decibans, start, end)
        elif where == "message" or (where == "text" and start == end):
            self.facts[item.name] = self.facts.get(item.name, 0.0) + decibans
        else:
            if where == "text" and item.name.startswith("url:"):
                self._links_in_text.add(start)
            self._ground(where, number).lay(decibans, start, end)

    def _ground(self, where: str, number: int) -> Ground:
        if where == "text":
            return self.text
        if where == "hidden":
            return self.hidden
        if where == "markup":
            return self.markup
        return {"header": self.headers, "link": self.links, "part": self.parts}[where][number]

    def _lay_on_field(self, decibans: float, start: int, end: int) -> None:
        """Lay the letters of a header field, as it was sent, over its decoded value, where that has them."""
        # A field's letters begin with the line end before it.
        number = bisect_right(self._field_starts, start + 1) - 1
        ground = self.headers[number]
        if number not in self._alignments:
            first, last = self._headers[number].place
            field = self._message.canonical[first:last]
            self._alignments[number] = _alignment(field, ground.content)
        alignment = self._alignments[number]
        share = decibans / (end - start)
        for byte in range(start - self._field_starts[number], end - self._field_starts[number]):
            target = alignment[byte] if 0 <= byte < len(alignment) else -1
            if target < 0:
                ground.whole += share
            else:
                ground.decibans[target] += share

    # Spots

    def _all_spots(self) -> tuple[Spot, ...]:
        merged: dict[tuple[str, str, str], tuple[list[float], list[tuple[str, int, int, int]]]] = {}
        for spot in self._single_spots():
            (place,) = spot.places
            decibans, places = merged.setdefault((spot.kind, spot.name, place[0]), ([], []))
            decibans.append(spot.decibans)
            places.append(place)
        spots = [
            Spot(kind, name, fsum(decibans), tuple(places))
            for (kind, name, _), (decibans, places) in merged.items()
        ]
        rest = fsum((self.total, *(-spot.decibans for spot in spots)))
        return (*spots, Spot(PRIOR, PRIOR, rest, ()))

    def _single_spots(self) -> Iterator[Spot]:
        """One by one, in the order of the message; none where there is no evidence at all."""
        for number, ground in enumerate(self.headers):
            yield from self._header_spots(number, ground)
        yield from self._word_spots("text", "text", 0, self.text)
        yield from self._word_spots("text", "hidden", 0, self.hidden)
        for number, (link, ground) in enumerate(zip(self._message.links, self.links, strict=True)):
            yield _spot("links", link.target, ground.total(), "link", number, len(ground.content))
        yield from self._markup_spots()
        for number, (part, ground) in enumerate(zip(self._message.parts, self.parts, strict=True)):
            attached = bool(part.file_name) or part.disposition == "attachment"
            name = part.file_name or part.media_type
            yield _spot("attachments" if attached else "markup", name, ground.total(), "part", number)
        for name, decibans in self.facts.items():
            yield _spot(_kind_of_fact(name), _fact_in_words(name), decibans, "message", 0)

    def _header_spots(self, number: int, ground: Ground) -> Iterator[Spot]:
        header, kind = self._headers[number], self.kind_of_header(number)
        if header.part:
            return
        if kind == "subject":
            yield from self._word_spots(kind, "header", number, ground)
            return
        name = f"{header.name}: {header.value}"
        yield _spot(kind, name, ground.total(), "header", number, len(ground.content))

    def _word_spots(self, kind: str, where: str, number: int, ground: Ground) -> Iterator[Spot]:
        for start, end in ground.words():
            found = _WORD.search(ground.content, start, end)
            first, last = found.span() if found else (start, end)
            name = ground.content[first:last].decode("utf-8", "replace")
            linking = where == "text" and not self._links_in_text.isdisjoint(range(start, end))
            decibans = fsum(ground.decibans[start:end])
            yield Spot("links" if linking else kind, name, decibans, ((where, number, first, last),))
        if ground.whole:
            yield _spot(kind, f"{kind}: as a whole", ground.whole, where, number)

    def _markup_spots(self) -> Iterator[Spot]:
        start = 0
        for line in self._message.markup:
            end = start + len(line.encode("utf-8", "replace")) + 1
            decibans = fsum(self.markup.decibans[start:end])
            yield Spot("markup", f"<{line}>", decibans, (("markup", 0, start, end - 1),))
            start = end
        if self.markup.whole:
            yield _spot("markup", "HTML as a whole", self.markup.whole, "markup", 0)


def _spot(kind: str, name: str, decibans: float, where: str, number: int, end: int = 0) -> Spot:
    return Spot(kind, name, decibans, ((where, number, 0, end),))


def _kind_of_fact(name: str) -> str:
    """What a fact is about; a class of 0 says that something was not there.

    >>> [_kind_of_fact(f"fact:{fact}") for fact in ("links:3", "links:0", "size:12", "broken-base64")]
    ['links', 'absent', 'text', 'markup']
    >>> _kind_of_fact("fact:dkim=pass"), _kind_of_fact("fact:rspamd>5")
    ('route', 'route')
    """
    if name.startswith("url:"):  # of a link in the text, such as that its host is a number
        return "links"
    fact, _, number = name.removeprefix("fact:").partition(":")
    if "=" in fact or ">" in fact:  # what another program found out (filter/foreign_results.py)
        return "route"
    if number == "0":
        return "absent"
    return FACT_KINDS.get(fact, "text" if number else "markup")


def _fact_in_words(name: str) -> str:
    """How a fact is told.

    >>> _fact_in_words("fact:attachments:0"), _fact_in_words("fact:links:3"), _fact_in_words("url:ip")
    ('no attachments', 'links:3', 'url:ip')
    """
    fact, _, number = name.removeprefix("fact:").partition(":")
    return f"no {fact}" if number == "0" else name.removeprefix("fact:")


def _alignment(field: bytes, value: bytes) -> list[int]:
    r"""For each byte of a header field as it was sent, the byte of the decoded value that it became, or -1.

    Folded lines are joined on the way. No byte of an encoded value has a counterpart.

    >>> _alignment(b"To: a,\n\tb", b"a, b")
    [-1, -1, -1, -1, 0, 1, 2, 2, 3]
    >>> set(_alignment(b"Subject: =?utf-8?q?a?=", b"a"))
    {-1}
    """
    nowhere = [-1] * len(field)
    colon = field.find(b":")
    if colon < 0 or not value:
        return nowhere
    found = nowhere[: colon + 1]
    at = 0
    for byte in field[colon + 1 :]:
        is_space = byte in b" \t\r\n"
        if at < len(value) and (byte == value[at] or (is_space and value[at] in b" \t")):
            found.append(at)
            at += 1
        elif is_space:
            found.append(at - 1)
        else:
            return nowhere
    return found if at == len(value) else nowhere
