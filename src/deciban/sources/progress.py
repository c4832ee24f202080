"""What a source tells about itself while it is read: bytes consumed, and what had to be left out.

>>> progress = Progress(Bounds())
>>> progress.skip("mail/7.eml", "permission denied")
>>> progress.skipped_count, progress.skipped
(1, [Skipped(id='mail/7.eml', reason='permission denied')])
"""

from __future__ import annotations

from collections.abc import Callable

from deciban.sources.bounds import Bounds
from deciban.value import Value

# The count is exact; only so many records are kept, so that a disk full of broken files costs no memory.
RECORDS_KEPT = 1_000


class Skipped(Value):
    """Something that could not be read, and why."""

    id: str
    reason: str


class Progress:
    """Shared by all the readers of one source: they count here, and report here what they skip."""

    __slots__ = ("_on_skip", "bounds", "consumed", "skipped", "skipped_count")

    def __init__(self, bounds: Bounds, on_skip: Callable[[Skipped], object] | None = None) -> None:
        self.bounds = bounds
        self.consumed = 0
        self.skipped: list[Skipped] = []
        self.skipped_count = 0
        self._on_skip = on_skip

    def skip(self, id: str, reason: str) -> None:  # noqa: A002 (the word for it)
        """Report that what ``id`` names is not read any further."""
        record = Skipped(id, reason)
        self.skipped_count += 1
        if len(self.skipped) < RECORDS_KEPT:
            self.skipped.append(record)
        if self._on_skip is not None:
            self._on_skip(record)


def reason_of(error: OSError) -> str:
    """The reason for a `Skipped` from an error of the operating system.

    >>> reason_of(PermissionError(13, "Permission denied", "/root/mbox"))
    'permission denied'
    """
    text = error.strerror or str(error) or "cannot be read"
    return text[:1].lower() + text[1:]
