"""What a ledger hands out beside lessons: addresses, and what is left of folded lessons."""

from __future__ import annotations

from deciban.value import Value


class Address(Value):
    """Which state is meant: that after the lesson at one position of one ledger, made from one base."""

    ledger: bytes
    """Its id."""
    base: bytes
    """The digest of settings and foundation."""
    position: int
    """0 before the first lesson."""
    trail: bytes


class ExamRow(Value):
    """What was made of a lesson before it was learned."""

    best: str | None
    """The label that won; None also if that label is gone by now."""
    truth: float | None
    """The log-odds of the true label, in nats; None while there was nothing to choose."""
    spam: float | None
    """The log-odds of `spam`, if that was known."""


NO_EXAM = ExamRow(None, None, None)


class FoldedExam(Value):
    """What is left of a folded lesson."""

    digest: bytes
    label: str
    row: ExamRow
    origin: str
    share: float


class Folded(Value):
    """What was folded so far."""

    lessons: int
    until: int
    """When the last of them was taught, in microseconds since 1970."""


class KeptMails(Value):
    """How much mail is kept beside the lessons."""

    count: int
    size: int
    """In bytes, packed."""


class Finding(Value):
    """What a check found about one part of a filter."""

    part: str
    is_right: bool
    text: str


class Saved(Value):
    """What could be saved of a damaged ledger."""

    lessons: int
    lost: int
    """Lessons of which something was found, but not all; those of which nothing is left are not counted."""
    folded: int
    mails: int
    lost_facts: tuple[str, ...]
    """What held for the whole ledger and has to be set anew."""
