"""The spaces that are asked in one turn: for as long as one question follows the other.

When requests are ready on several connections, the event loop reads and answers them all before it looks for
others. The first question to a space begins a hearing (filter/hearing.py), which the others share, and so do
those that are ready when the event loop looks again. With the first look that brings no question the turn
ends. If a turn takes long, we look whether a teacher waits or somebody has written, and go on otherwise: a
teacher waits for nobody longer than until that look. Hearings of several spaces are begun anew instead.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deciban.filter import Filter
    from deciban.filter.hearing import Hearing
    from deciban.spaces import Spaces
    from deciban.spaces.sqlite_registry import SpaceRecord

# How long the event loop may wait for a teacher, who holds the state for 1 ms at a time.
LOOP_PATIENCE = 0.005
# How long a teacher may wait for us, but for one more message. Longer ones are read before a hearing begins.
TURN_SECONDS = 0.002
LONG_BYTES = 100_000
# How long a hearing goes on at most: then the files of the space are looked for again.
LONGEST_SECONDS = 0.1


class Turn:
    """Hearings that end with the turn; for one event loop."""

    def __init__(self, spaces: Spaces) -> None:
        self._spaces = spaces
        self._heard: dict[str, tuple[Filter, Hearing]] = {}
        self._open = ExitStack()
        self._until = self._latest = 0.0
        self._was_asked = self._is_watched = False

    def hearing(self, space: SpaceRecord, size: int) -> tuple[Filter, Hearing] | None:
        """The filter of a space and its hearing, for a message of so many bytes; None if it has no files."""
        if self._heard and (size > LONG_BYTES or not self._may_go_on()):
            self.end()
        self._was_asked = True
        return self._heard.get(space.id) or self._begin(space)

    def _begin(self, space: SpaceRecord) -> tuple[Filter, Hearing] | None:
        if not self._spaces.is_made(space):
            return None
        if not self._heard:
            begun = monotonic()
            self._until, self._latest = begun + TURN_SECONDS, begun + LONGEST_SECONDS
            if not self._is_watched:
                self._is_watched = True
                asyncio.get_running_loop().call_soon(self._look)
        mail_filter = self._open.enter_context(self._spaces.using(space)).mail_filter
        hearing = mail_filter.hearing(LOOP_PATIENCE)
        self._open.callback(hearing.close)
        self._heard[space.id] = mail_filter, hearing
        return mail_filter, hearing

    def _may_go_on(self) -> bool:
        """Whether the hearings that there are keep nobody waiting for long."""
        now = monotonic()
        if now < self._until:
            return True
        if now > self._latest or len(self._heard) > 1:
            return False
        self._until = now + TURN_SECONDS
        return all(hearing.may_go_on() for _, hearing in self._heard.values())

    def _look(self) -> None:
        """End the turn, unless somebody asked since the last look."""
        if self._was_asked and self._may_go_on():
            self._was_asked = False
            asyncio.get_running_loop().call_soon(self._look)
        else:
            self._is_watched = False
            self.end()

    def end(self) -> None:
        """Let others change what was asked."""
        self._heard.clear()
        self._open.close()
