"""Bytes that come chunk by chunk, whose beginning can be looked at before they are read.

A file, standard input, what a compressed file unpacks to and a member of an archive are all streams, so
every reader works on each of them without ever holding the whole.

>>> from io import BytesIO
>>> stream = Stream(BytesIO(b"From here to there").read)
>>> stream.peek(4), stream.read(9), stream.skip_rest()
(b'From', b'From here', 9)
"""

from __future__ import annotations

import os
from collections.abc import Callable

from deciban.errors import DamagedSource
from deciban.sources.progress import Progress

# As much as a pipe gives at once. A read call costs little beside its bytes, and memory for them is taken
# from the heap and given back there: from 128 KiB on malloc maps and unmaps pages, for every small file anew.
CHUNK = 1 << 16


class Stream:
    """A source of bytes with a small look ahead; ``read(n)`` gives 1 to n bytes, and b"" at the end."""

    __slots__ = ("_ahead", "_at", "_read")

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._ahead = b""
        self._at = 0  # what is before it has been read

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes (fewer only where the stream ends), still to be read."""
        while len(self._ahead) - self._at < size:
            chunk = self._read(CHUNK)
            if not chunk:
                break
            self._ahead = self._ahead[self._at :] + chunk
            self._at = 0
        return self._ahead[self._at : self._at + size]

    def read(self, size: int) -> bytes:
        """Between 1 and ``size`` bytes, or b"" at the end."""
        if not self._ahead:
            return self._read(size)
        chunk = self._ahead[self._at : self._at + size]
        self._at += len(chunk)
        if self._at == len(self._ahead):
            self._ahead, self._at = b"", 0
        return chunk

    def read_exactly(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer only where the stream ends or is damaged."""
        chunks: list[bytes] = []
        while size > 0:
            try:
                chunk = self.read(size)
            except DamagedSource:
                if not chunks:
                    raise
                break  # what came before the damage is good, and the next read will raise again
            if not chunk:
                break
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)

    def read_up_to(self, size: int) -> bytes:
        """The next ``size`` bytes like `read_exactly`, for a size that is a limit far above what is there."""
        chunk = self.read(min(CHUNK, size))
        if len(chunk) < CHUNK and not self.peek(1):
            return chunk
        # Only a message longer than a chunk comes here: asking for the limit at once would make the
        # operating system clear 32 MiB of memory for every file of a folder.
        chunks = [chunk]
        size -= len(chunk)
        while size > 0 and (chunk := self.read(min(CHUNK, size))):
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)

    def skip(self, size: int) -> int:
        """Read ``size`` bytes and forget them; the number that were there."""
        skipped = 0
        while skipped < size:
            chunk = self.read(min(CHUNK, size - skipped))
            if not chunk:
                break
            skipped += len(chunk)
        return skipped

    def skip_rest(self) -> int:
        """Read to the end and forget it; the number of bytes that were there."""
        skipped = 0
        while chunk := self.read(CHUNK):
            skipped += len(chunk)
        return skipped


def counted_stream(descriptor: int, progress: Progress) -> Stream:
    """The stream of an open file, whose bytes count as consumed when they are read."""
    ended = False

    def read(size: int) -> bytes:
        nonlocal ended
        if ended:  # a terminal would wait for another Ctrl-D
            return b""
        try:
            chunk = os.read(descriptor, size)
        except BlockingIOError:  # a pipe whose writer keeps it from waiting, and wrote no more
            return b""
        ended = not chunk
        progress.consumed += len(chunk)
        return chunk

    return Stream(read)
