"""Lessons that this process has just written and will read again soon: their codes stay in memory.

A folder that is taught is written first, and then mixed with all others by a replay. To read a lesson back
from its file takes 20 µs, a fifth of the time of learning it.

They are worth nothing once somebody else has changed the order of lessons. The trail tells: it covers all
lessons up to a position, in their order. What is kept here was written by this process in one piece, so it
stands where it was written if and only if the ledger still has the trail of the last of these lessons.
"""

from __future__ import annotations

from deciban.ledger.trail import START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deciban.ledger._placed import Placed
    from deciban.ledger.records import Address

# Codes of so many bytes are kept at most: of some 7,000 mails.
MOST_BYTES = 32 << 20


class FreshLessons:
    """Lessons in their places, by position, and their numbers."""

    def __init__(self) -> None:
        self._lessons: dict[int, tuple[Placed, int]] = {}
        self._end = 0, START
        self._bytes = 0

    def add(self, before: Address, written: list[tuple[Placed, int]]) -> None:
        """Keep lessons that were written behind an address, as far as there is room for them.

        Those of earlier calls are kept on only if they end there.
        """
        if self._end != (before.position, before.trail):
            self.clear()
        for lesson, number in written:
            self._end = lesson.position, lesson.trail
            self._bytes += len(lesson.features.encode())
            if self._bytes <= MOST_BYTES:
                self._lessons[lesson.position] = lesson.stored(), number

    def taken(self, trail_at: Callable[[int], bytes | None]) -> dict[int, tuple[Placed, int]]:
        """All of them, if they are where they were written; they are not kept any longer."""
        lessons, (position, trail) = self._lessons, self._end
        self.clear()
        return lessons if lessons and trail_at(position) == trail else {}

    def clear(self) -> None:
        """Keep nothing."""
        self._lessons = {}
        self._end = 0, START
        self._bytes = 0
