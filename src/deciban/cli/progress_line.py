"""How far long work is: one line on a terminal, rewritten in place; nothing in a pipe, or before one.

     42% of 31 MB · 12,480 messages · 2,310/s
     71% of 12,480 lessons learned anew

Own, because it is this small and importing rich costs 60 ms, tqdm 71.
"""

from __future__ import annotations

import os
import sys
from stat import S_ISFIFO
from time import monotonic

from deciban.cli.numbers import counted
from deciban.sources import RawMessage, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self, TextIO

# Often enough to look alive, seldom enough to cost nothing.
SECONDS_BETWEEN = 0.2
_ERASE = "\r\x1b[K"


class ProgressLine:
    """Counts the messages of sources as they are read, and shows how far that, or a replay, is."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._alive = self._stream.isatty() and not is_piped(sys.stdout)
        self._shown = False
        self._begun = monotonic()
        self._next = 0.0
        self.messages = 0

    def follow(self, sources: Iterable[Source]) -> Iterator[tuple[Source, RawMessage]]:
        """The messages of the sources, one after the other, each with its source."""
        sources = list(sources)
        sizes = [source.size_hint() for source in sources] if self._alive else []
        size = None if None in sizes else sum(size or 0 for size in sizes)
        for source in sources:
            for message in source:
                yield source, message
                self.messages += 1
                if self._is_time():
                    consumed = sum(source.consumed for source in sources)
                    self._show(progress_text(consumed, size, self.messages, monotonic() - self._begun))
        self.clear()

    def relearning(self, done: int, total: int) -> None:
        """Show how many lessons are learned anew by now, and of how many."""
        if not done:
            self._next = 0.0  # the beginning is always shown
        if done >= total:
            self.clear()
        elif self._is_time():
            self._show(relearning_text(done, total))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def tell(self, text: str) -> None:
        """Show what is being done, in place of what was done before."""
        if self._alive:
            self._stream.write(_ERASE + text)
            self._stream.flush()
            self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._shown = False

    def _is_time(self) -> bool:
        return self._alive and monotonic() >= self._next

    def _show(self, text: str) -> None:
        self._next = monotonic() + SECONDS_BETWEEN
        self._stream.write(_ERASE + text)
        self._stream.flush()
        self._shown = True


def is_piped(stream: TextIO) -> bool:
    """Whether another program reads the stream: what it prints on the terminal would run into our line."""
    try:
        return S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # a stream without a descriptor
        return False


def progress_text(consumed: int, size: int | None, messages: int, seconds: float) -> str:
    """The line itself.

    >>> progress_text(13_000_000, 31_000_000, 12_480, 5.4)
    ' 42% of 31 MB · 12,480 messages · 2,311/s'
    >>> progress_text(13_000_000, None, 12_480, 0.0)
    '13 MB · 12,480 messages'
    """
    # At most all of it: files may grow while they are read.
    share = f"{min(consumed / size, 1):4.0%} of {_bytes(size)}" if size else _bytes(consumed)
    speed = f" · {messages / seconds:,.0f}/s" if seconds else ""
    return f"{share} · {counted(messages, 'message')}{speed}"


def relearning_text(done: int, total: int) -> str:
    """The line of a replay.

    >>> relearning_text(8_900, 12_480)
    ' 71% of 12,480 lessons learned anew'
    """
    return f"{done / total:4.0%} of {counted(total, 'lesson')} learned anew"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
