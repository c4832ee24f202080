"""What is measured: anything that learns lessons and gives opinions.

A subject takes batches, and a batch of one is the online case: there is no second way through it that could
disagree with the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, Self, TypeGuard

from deciban.committee.evidence import Evidence
from deciban.decibans import SPAM
from deciban.ledger.lesson import INCOMING

NOT_SPAM = "not spam"


class TaughtMessage(NamedTuple):
    """A message as it was taught."""

    label: str
    data: bytes
    origin: str = INCOMING
    """How it came here (ledger/lesson.py); `share` is the part of such mail that is taught."""
    share: float = 1.0


class Opinion(NamedTuple):
    """What a subject says of a message."""

    score: float
    """The larger, the more likely spam; only the order counts."""
    rejected: bool
    """Whether the subject, with its own threshold, would treat it as spam; unsure is not rejected."""
    probability: float | None = None
    """Of being spam, if the subject claims to know it."""
    totals: Mapping[str, float] | None = None
    """The total of every label known by then, in nats, if there are any; their softmax is p(label)."""
    label: str | None = None
    """What the subject calls it, "unsure" included; None if the subject only knows spam."""

    @property
    def said(self) -> str:
        """One word for it."""
        return self.label or (SPAM if self.rejected else NOT_SPAM)


class Subject(Protocol):
    """Learns and classifies; starts knowing nothing, and ends with `close`."""

    name: str

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """Learn messages in this order."""

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """An opinion of each message, without learning from it."""

    def close(self) -> None:
        """End programs and remove files that belong to the subject."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *reason: object) -> None: ...


class Explaining(Subject, Protocol):
    """A subject that can say why."""

    def explain(self, message: bytes, favoured: str, against: str) -> Sequence[Evidence]:
        """What each feature of a message says for one label against another, by what was learned so far."""


def explains(subject: Subject) -> TypeGuard[Explaining]:
    """Whether a subject can say why."""
    return hasattr(subject, "explain")
