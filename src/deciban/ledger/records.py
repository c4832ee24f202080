"""What a ledger hands out beside lessons: stamps, exams, and what it knows of folded lessons and mail."""

from __future__ import annotations

from deciban.value import Value


class Stamp(Value):
    """Which state of which ledger a snapshot was made from."""

    id: bytes
    changes: int
    mark: bytes
    """What the last change left, in 8 random bytes; zeros before the first."""


class ExamRow(Value):
    """What the ledger keeps of an exam."""

    best: str | None
    """The label that won."""
    truth: float | None
    """The log-odds of the true label, in nats."""
    spam: float | None
    """The log-odds of `spam`, if that was known."""


NO_EXAM = ExamRow(None, None, None)


class Folded(Value):
    """What was folded so far."""

    lessons: int
    until: int
    """When the last of them was taught, in microseconds since 1970."""


class Checkpoint(Value):
    """What the ledger knows of a state that was saved on the way."""

    position: int
    name: str
    """The end of its file's name."""
    capacity: int
    """How many labels it has room for."""
    checked: int
    """The CRC-32 of its file."""


class KeptMails(Value):
    """How much mail is kept beside the lessons."""

    count: int
    size: int
    """In bytes, packed."""
