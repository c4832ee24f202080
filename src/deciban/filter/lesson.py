"""A lesson: one taught message, as the ledger keeps it, and which lessons are meant.

>>> Selection(sender="joe@example.org").condition()
('sender = ?', ['joe@example.org'])
>>> Selection(source="inbox.mbox", label="spam").condition()[1]
['spam', 'inbox.mbox', 10, 'inbox.mbox', 11]
>>> Selection().condition()
Traceback (most recent call last):
deciban.errors.WrongUsage: Say which lessons are meant: by digest, label, sender, source, since or until.
"""

from __future__ import annotations

from deciban.committee.label import key_of
from deciban.errors import WrongUsage
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._lesson_code import Features


class Lesson(Value):
    """Everything that the ledger keeps of one taught message."""

    digest: bytes
    """Of the canonical form of the message."""
    label: str
    taught: int
    """When, in microseconds since 1970; different for every lesson of a ledger, and increasing."""
    by: str
    """By whom, as they called themselves."""
    source: str
    """The id of the message in its source."""
    sender: str
    subject: str
    date: str
    message_id: str
    names: str
    """The text of some of its words, one a line (see names.py)."""
    features: Features


def check_of(code: bytes, digest: bytes, label: str, taught: int, *texts: str) -> int:
    """A check of everything that a lesson is: its code and its fields in their order (CRC-32)."""
    from zlib import crc32  # classifying a mail need not wait for it

    fields = "\0".join((label, str(taught), *texts))
    return crc32(code, crc32(fields.encode("utf-8"), crc32(digest)))


class Selection(Value, kw_only=True):
    """Which lessons are meant: those for which everything that is given holds."""

    digest: bytes | None = None
    label: str | None = None
    sender: str | None = None
    """The address in the From field."""
    source: str | None = None
    """The id of a message, or a folder, mbox or archive that it came from."""
    since: float | None = None
    """Taught at this time or later, in seconds since 1970."""
    until: float | None = None
    """Taught before this time."""

    def __bool__(self) -> bool:
        return any(value is not None for value in self._fields())

    def condition(self) -> tuple[str, list[object]]:
        """The same in SQL, and the values of its parameters."""
        tests: list[str] = []
        values: list[object] = []
        for name, test, parameters in (
            ("digest", "digest = ?", [self.digest]),
            ("label", "label_key(labels.name) = ?", [key_of(storable(self.label or ""))]),
            ("sender", "sender = ?", [storable(self.sender or "").lower()]),
            ("source", _WITHIN, _within(storable(self.source or ""))),
            ("since", "taught >= ?", [int((self.since or 0) * 1e6)]),
            ("until", "taught < ?", [int((self.until or 0) * 1e6)]),
        ):
            if getattr(self, name) is not None:
                tests.append(test)
                values += parameters
        if not tests:
            raise WrongUsage("Say which lessons are meant: by digest, label, sender, source, since or until.")
        return " AND ".join(tests), values


# An id begins with the file or folder that the message is in, followed by one of these (docs/sources.md).
_WITHIN = "(source = ? OR substr(source, 1, ?) = ? AND substr(source, ?, 1) IN ('/', '@', '!'))"


def _within(source: str) -> list[object]:
    place = source.rstrip("/")
    return [source, len(place), place, len(place) + 1]


def storable(text: str) -> str:
    r"""Text that the ledger takes: the name of a file may hold bytes that are no text.

    >>> storable("caf\udce9.eml")
    'caf\\udce9.eml'
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
