"""Which of the open spaces have their states in memory, so that these take no more than a bound.

A question touches nearly every page of a small state, and pages stay mapped until they are given back. The
space that was asked longest ago gives its pages back first: it stays open, and its next question finds them
in the file again, which the system usually still has in memory.

>>> awake = Awake(most_bytes=100)
>>> awake.used("ann", 60), awake.used("bob", 30), awake.used("ann", 60), awake.used("eve", 40)
([], [], [], ['bob'])
>>> awake.used("joe", 500), awake.used("ann", 60)  # one that is larger than the bound is the only one
(['ann', 'eve'], ['joe'])
"""

from __future__ import annotations


class Awake:
    """Spaces by when they were asked, and the bytes of their states."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._sizes: dict[str, int] = {}  # the last is the one asked last
        self._bytes = 0

    def used(self, identity: str, size: int) -> list[str]:
        """Note that a space was asked, whose state has so many bytes; those that are to give theirs back."""
        self.gone(identity)
        self._sizes[identity] = size
        self._bytes += size
        resting = []
        while self._bytes > self._most and len(self._sizes) > 1:
            oldest = next(iter(self._sizes))
            self.gone(oldest)
            resting.append(oldest)
        return resting

    def gone(self, identity: str) -> None:
        """Note that a space has given its pages back, or was closed."""
        self._bytes -= self._sizes.pop(identity, 0)
