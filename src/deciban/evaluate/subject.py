"""What is measured: anything that learns lessons and gives opinions.

A subject takes batches, and a batch of one is the online case: there is no second way through it that could
disagree with the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self


class Lesson(NamedTuple):
    """A message as it was taught."""

    label: str
    data: bytes


class Opinion(NamedTuple):
    """What a subject says of a message."""

    score: float
    """The larger, the more likely spam; only the order counts."""
    rejected: bool
    """Whether the subject, with its own threshold, would treat it as spam; unsure is not rejected."""
    probability: float | None = None
    """Of being spam, if the subject claims to know it."""


class Subject(Protocol):
    """Learns and classifies; starts knowing nothing, and ends with `close`."""

    name: str

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """Learn messages in this order."""

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """An opinion of each message, without learning from it."""

    def close(self) -> None:
        """End programs and remove files that belong to the subject."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *reason: object) -> None: ...
