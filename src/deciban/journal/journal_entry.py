"""An entry of the journal: one question that was answered, or one lesson, and what became of it.

It keeps the code of the features and a few names, as a lesson does, so that a correction needs no mail:
`JournalEntry.lesson` makes a lesson of it.

`JournalEntry.row` has it as plain values: the row of the journal's table, and what one process hands to
another that writes for it.
"""

from __future__ import annotations

import json
import os
from binascii import crc32
from time import time

from deciban.committee._lesson_code import Features
from deciban.decibans import SPAM
from deciban.filter.verdict_record import verdict_record
from deciban.ledger.cursor import Cursor
from deciban.ledger.lesson import INCOMING, Lesson
from deciban.sqlite_store import row_check
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deciban.filter import Verdict

ID_BYTES = 16
QUESTION, LESSON = "question", "lesson"
# What was done with a message.
TOLD, TAGGED, HELD, REJECTED, LEARNED = "told", "tagged", "held", "rejected", "learned"


class Outcome(Value):
    """What the user made of a message: which label it was taught as."""

    label: str
    moment: int
    """In microseconds since 1970."""
    before: str = ""
    """The label that it was taught as before that; empty if it was not."""


class JournalEntry(Value, kw_only=True):
    """What is kept about one message."""

    id: bytes
    """Random; tags carry it (`X-Deciban-Id`)."""
    space: str
    """The id of the space; empty for a filter that is in none."""
    moment: int
    """In microseconds since 1970."""
    door: str
    """How the message came: the verb of the command line, or a protocol."""
    kind: str
    """A question or a lesson."""
    digest: bytes
    source: str
    sender: str
    subject: str
    date: str
    message_id: str
    names: str
    features: Features
    verdict: dict[str, Any] | None
    """As verdict_record.py has it, with its subtotals; None for a lesson."""
    done: str
    """What was done with the message."""
    outcome: Outcome | None = None

    @classmethod
    def of(
        cls, lesson: Lesson, verdict: Verdict | None, door: str, done: str, space: str = ""
    ) -> JournalEntry:
        """A new entry about a message that was read as if it were a lesson."""
        return cls(
            id=os.urandom(ID_BYTES),
            space=space,
            moment=int(time() * 1e6),
            door=door,
            kind=LESSON if verdict is None else QUESTION,
            digest=lesson.digest,
            source=lesson.source,
            sender=lesson.sender,
            subject=lesson.subject,
            date=lesson.date,
            message_id=lesson.message_id,
            names=lesson.names,
            features=lesson.features,
            verdict=None if verdict is None else _kept(verdict),
            done=done,
            outcome=Outcome(lesson.label, int(time() * 1e6)) if verdict is None else None,
        )

    def lesson(
        self,
        label: str,
        by: str = "",
        origin: str = INCOMING,
        share: float = 1.0,
        mail: bytes | None = None,
    ) -> Lesson:
        """What is learned from it."""
        return Lesson(
            digest=self.digest,
            label=label,
            taught=0,
            by=by,
            source=self.source,
            sender=self.sender,
            subject=self.subject,
            date=self.date,
            message_id=self.message_id,
            names=self.names,
            features=self.features,
            origin=origin,
            share=share,
            mail=mail,
        )

    @property
    def cursor(self) -> Cursor:
        """Its place in the list of entries."""
        return Cursor(self.moment, self.id)

    def row(self) -> tuple[str | int | bytes | None, ...]:
        """All of it as plain values, in the order of `ROW`; the last is a check of the others."""
        outcome = self.outcome
        fields = (
            *(getattr(self, name) for name in _PLAIN),
            self.features.encode(),
            json.dumps(self.verdict) if self.verdict is not None else "",
            self.done,
            *((None, None, None) if outcome is None else (outcome.label, outcome.moment, outcome.before)),
        )
        return *fields, _check_of(fields)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> JournalEntry:
        """The entry of a row; ValueError if the row is not as it was written."""
        *fields, checked = _whole(row)
        # Early versions had the code of the features in the check like all other fields.
        if checked not in (_check_of(fields), row_check(*fields)):
            raise ValueError("this is no entry as it was written")
        *plain, features, verdict, done, label, taught, before = fields
        return cls(
            **dict(zip(_PLAIN, plain, strict=True)),
            features=Features.decode(features),
            verdict=json.loads(verdict) if verdict else None,
            done=done,
            outcome=None if label is None else Outcome(label, taught, before),
        )

    @property
    def good_label(self) -> str | None:
        """The label of good mail that it was given for sure; None for spam, unsure and lessons."""
        if self.verdict is None or self.verdict["unsure"] or self.verdict["label"] == SPAM:
            return None
        label: str = self.verdict["label"]
        return label or None


def _kept(verdict: Verdict) -> dict[str, object]:
    """What is kept of a verdict."""
    parts = {} if verdict.subtotals is None else {"subtotals": verdict.subtotals}
    return verdict_record(verdict) | parts


_PLAIN = JournalEntry.field_names[: JournalEntry.field_names.index("features")]
ROW = (*_PLAIN, "features", "verdict", "done", "label", "taught", "before", "checked")
_CODE = ROW.index("features")


def _whole(row: Sequence[Any]) -> Sequence[Any]:
    if len(row) != len(ROW) or type(row[_CODE]) is not bytes:
        raise ValueError("this is no entry as it was written")
    return row


def _check_of(fields: Sequence[Any]) -> int:
    """A check of all fields; the code, 4 KB of bytes, is taken as it is: its text takes ten times as long."""
    return crc32(fields[_CODE], row_check(*fields[:_CODE], *fields[_CODE + 1 :]))


class JudgedEntry:
    """The entry of a question that was answered just now, on its way to the one who writes.

    Its row is made when it is handed over with others: what that needs is then in the processor's cache,
    where between questions it is not.
    """

    __slots__ = ("_door", "_lesson", "_moment", "_space", "_verdict", "done", "id")

    def __init__(
        self, identity: bytes, lesson: Lesson, verdict: Verdict, door: str, done: str, space: str
    ) -> None:
        """``identity``: random bytes (`ID_BYTES`)."""
        self.id, self.done = identity, done
        self._moment = int(time() * 1e6)
        self._lesson, self._verdict, self._door, self._space = lesson, verdict, door, space

    def row(self, text_of: Callable[[object], str] = json.dumps) -> tuple[Any, ...]:
        """All of it as plain values, as `JournalEntry.row` has them; ``text_of`` writes JSON."""
        lesson = self._lesson
        fields = (
            self.id,
            self._space,
            self._moment,
            self._door,
            QUESTION,
            lesson.digest,
            lesson.source,
            lesson.sender,
            lesson.subject,
            lesson.date,
            lesson.message_id,
            lesson.names,
            lesson.features.encode(),
            text_of(_kept(self._verdict)),
            self.done,
            None,
            None,
            None,
        )
        return *fields, _check_of(fields)


class PackedEntry:
    """The entry of a question as it comes from the process that answered to the one that writes.

    It is a row and nothing else: making a `JournalEntry` of it, and a row of that again, takes longer than
    all else that the writer of a server does. Its check is looked at when it is read from the file.
    """

    kind, outcome = QUESTION, None

    def __init__(self, row: Sequence[Any]) -> None:
        """``row``: what `JudgedEntry.row` or `JournalEntry.row` gave."""
        self._row = row

    def row(self) -> Sequence[str | int | bytes | None]:
        """All of it as plain values."""
        return self._row
