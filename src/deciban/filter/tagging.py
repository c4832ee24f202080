r"""How verdicts are written into messages: by which names, with what in front of the subject.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> ours = Tagging(verdict_field="X-Junk", subject_tag="[SPAM]", keeps_others=True)
>>> message = b"X-Spam-Level: ***\nSubject: hi\nX-Junk: no\n\nhello\n"
>>> tagged = ours.tagged(message, spam)
>>> print(tagged.decode(), end="")
X-Junk: spam; 31.6 dB; p=0.9993
X-Spam-Flag: YES
X-Spam-Status: Yes, score=31.6
X-Spam-Level: ***
Subject: [SPAM] hi
<BLANKLINE>
hello

What was written is taken off again before digest and features are made. Otherwise a tagged mail would count
as a different mail:

>>> from deciban.text import read
>>> read(ours.taken_off(tagged)).digest == read(ours.taken_off(message)).digest
True
"""

from __future__ import annotations

from deciban.decibans import SPAM
from deciban.filter.tag import ID_FIELD, tagged, tags_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.committee.verdict import Verdict

ID_BYTES = 16
# Our tags stand first, but a mail store may put its own fields in front of them.
MOST_HEAD = 1 << 16
NAMES = ("X-Deciban", "X-Spam-Flag", "X-Spam-Status")
# Fields that begin so are no part of a message anyway (text/_tags.pyx).
_TAGS = (b"x-deciban", b"x-spam")


class Tagging(Value):
    """The names of the fields, and what else is done to a message."""

    verdict_field: str = NAMES[0]
    flag_field: str = NAMES[1]
    status_field: str = NAMES[2]
    subject_tag: str = ""
    keeps_others: bool = False
    """Whether fields of other filters, X-Spam-Level for instance, stay."""

    def tagged(self, message: bytes, verdict: Verdict, identity: bytes = b"") -> bytes:
        """The message with its verdict, and the id of the journal's entry, if it has one."""
        message = self.taken_off(message)
        names = dict(zip(NAMES, self._names(), strict=True))
        tags = [(names.get(name, name), value) for name, value in tags_of(verdict, identity)]
        if self.subject_tag and verdict.decision == SPAM:
            message = self._with_subject_tag(message)
        return tagged(message, [*tags, *self._others(message)] if self.keeps_others else tags)

    def untagged(self, message: bytes) -> bytes:
        """The message without any verdict from outside, for when we have none of our own."""
        message = self.taken_off(message)
        return tagged(message, self._others(message) if self.keeps_others else [])

    def subject(self, value: bytes, is_spam: bool) -> bytes:
        r"""What stands behind the colon of a subject: with our word in front if it is spam, else without it.

        >>> ours = Tagging(subject_tag="[SPAM]")
        >>> ours.subject(b" hi", True), ours.subject(b" [SPAM] hi", True), ours.subject(b" [SPAM] hi", False)
        (b' [SPAM] hi', b' [SPAM] hi', b' hi')
        """
        place = self._subject_tag_in(b":" + value)
        bare = value[: place[0] - 1] + value[place[1] - 1 :] if place else value
        if not is_spam:
            return bare
        text = bare.lstrip(b" \t")
        return bare[: len(bare) - len(text)] + self.subject_tag.encode() + b" " + text

    def taken_off(self, message: bytes) -> bytes:
        """The message without our fields of other names and without our word in front of the subject."""
        ours = [name.lower().encode() for name in self._names()]
        unknown = tuple(name for name in ours if not name.startswith(_TAGS))
        if not unknown and not self.subject_tag:
            return message
        pieces, done = [], 0
        for start, end, line in fields_of(message):
            name = line.partition(b":")[0].strip().lower()
            if name in unknown:
                pieces.append(message[done:start])
                done = end
            elif name == b"subject" and (place := self._subject_tag_in(line)):
                pieces.append(message[done : start + place[0]])
                done = start + place[1]
        return b"".join(pieces) + message[done:]

    def _names(self) -> tuple[str, str, str]:
        return self.verdict_field, self.flag_field, self.status_field

    def _subject_tag_in(self, line: bytes) -> tuple[int, int] | None:
        """Where the word in front of the subject begins and ends in its field, with the space behind it."""
        tag = self.subject_tag.encode()
        text = line.partition(b":")[2]
        start = len(line) - len(text.lstrip(b" \t"))
        if not tag or not line.startswith(tag, start):
            return None
        end = start + len(tag)
        return start, end + line.startswith(b" ", end)

    def _with_subject_tag(self, message: bytes) -> bytes:
        """The message with our word in front of its first subject, if it has one."""
        for start, _, line in fields_of(message):
            name, _, text = line.partition(b":")
            if name.strip().lower() == b"subject":
                place = start + len(line) - len(text.lstrip(b" \t"))
                return message[:place] + self.subject_tag.encode() + b" " + message[place:]
        return message

    def _others(self, message: bytes) -> list[tuple[str, str]]:
        """The fields of other filters, on one line each; never those that we write ourselves."""
        ours = {name.lower() for name in self._names()} | {NAMES[0].lower()}
        found = []
        for _, _, line in fields_of(message):
            name, colon, value = line.decode("latin-1").partition(":")
            known = name.strip().lower()
            if colon and known.startswith("x-spam") and known not in ours and known.isprintable():
                text = " ".join(value.encode("ascii", "replace").decode().split())
                found.append((name.strip(), text))
        return found


def identity_in(message: bytes) -> bytes:
    r"""The id of the journal's entry that a tagged message carries; empty if it has none.

    >>> identity_in(b"X-Deciban: ham\nX-Deciban-Id: 0123456789abcdef0123456789abcdef\n\nhi").hex()
    '0123456789abcdef0123456789abcdef'
    >>> identity_in(b"X-Deciban-Id: nonsense\n\nhi"), identity_in(b"\nX-Deciban-Id: 00")
    (b'', b'')
    """
    wanted = ID_FIELD.lower().encode()
    if wanted not in message[:MOST_HEAD].lower():  # nearly always: looking at each field takes longer
        return b""
    for _, _, line in fields_of(message):
        name, _, value = line.partition(b":")
        if name.strip().lower() == wanted:
            try:
                identity = bytes.fromhex(value.decode("ascii").strip())
            except ValueError:
                return b""
            return identity if len(identity) == ID_BYTES else b""
    return b""


def fields_of(message: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Where each line of the head begins and ends, the lines folded behind it included, and its bytes."""
    import re  # only who configures something needs it: 5 ms

    line_of = re.compile(rb"[^\r\n]+(?:\r*\n|\r|\Z)(?:[ \t][^\r\n]*(?:\r*\n|\r|\Z))*")
    place = 0
    while found := line_of.match(message, place):
        yield found.start(), found.end(), found[0]
        place = found.end()
