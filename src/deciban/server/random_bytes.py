"""Random bytes from the system, many at a time: asking for them takes longer than all else that an id needs.

A call of the system also drives out what the processor has learned about our own code. Together that is some
3 µs, twice for each request.

>>> random_bytes = RandomBytes(at_once=64)
>>> len({random_bytes.take(16) for _ in range(100)}), len(random_bytes.take(100))
(100, 100)
"""

from __future__ import annotations

import os

AT_ONCE = 4096


class RandomBytes:
    """Hands out random bytes, each once; for one thread of one process."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._bytes = b""
        self._place = 0

    def take(self, count: int) -> bytes:
        """So many of them."""
        end = self._place + count
        if end > len(self._bytes):
            self._bytes = os.urandom(max(count, self._at_once))
            self._place, end = 0, count
        taken = self._bytes[self._place : end]
        self._place = end
        return taken
