"""Messages on their way from a worker into one call of `Filter.learn`, which runs in a thread of the writer.

A bulk of lessons must be one call: it is mixed once, at its end (filter/changing.py). The messages come in
pieces, as the client sends them; at most `MOST_WAITING` bytes wait here. If the client or its worker goes
away, the stream just ends: what was learned by then is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import Condition
from typing import TypeAlias

from deciban.sources import RawMessage

# One message: its label, its origin, its id and its bytes.
Taught: TypeAlias = tuple[str, str, str, bytes]
MOST_WAITING = 8_000_000


class LearningStream:
    """A queue between the event loop, which puts, and one thread, which takes.

    >>> stream = LearningStream()
    >>> stream.put([("spam", "incoming", "1", b"Subject: Free")]), stream.end()
    (None, None)
    >>> [(label, raw.id) for label, _, raw in stream]
    [('spam', '1')]
    """

    def __init__(self) -> None:
        self._news = Condition()
        self._waiting: deque[Taught] = deque()
        self._size = 0
        self._ended = False

    @property
    def is_full(self) -> bool:
        """Whether the sender should wait."""
        return self._size > MOST_WAITING

    def put(self, messages: list[Taught]) -> None:
        """Add messages."""
        with self._news:
            self._waiting.extend(messages)
            self._size += sum(len(each[3]) for each in messages)
            self._news.notify()

    def end(self) -> None:
        """Say that no more come."""
        with self._news:
            self._ended = True
            self._news.notify()

    def __iter__(self) -> Iterator[tuple[str, str, RawMessage]]:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._ended)
                if not self._waiting:
                    return
                label, origin, name, data = self._waiting.popleft()
                self._size -= len(data)
            yield label, origin, RawMessage(name, data)
