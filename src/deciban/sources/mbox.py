r"""Messages of an mbox: one file, each message behind a ``From sender date`` line.

    From joe@example.org Thu Aug 22 12:36:23 2002      <- the separator; its offset is the message's id
    Subject: hi

    >From what I hear, mbox is old.                    <- read as "From what I hear, ..."
                                                       <- belongs to the separator that follows
    From ann@example.org Thu Aug 22 12:40:01 2002

How the ambiguities of the format are decided:

- A separator follows an empty line (or opens the file) and holds a date: see `separator.py`. Prose that
  begins with "From " does not split a message, quoted or not.
- One ``>`` is taken from every line of the form ``>From``, ``>>From``, … (mboxrd). In an mboxo file this
  is right for all lines but those that had the ``>`` before, which mboxo itself cannot tell.
- Content-Length (mboxcl, mboxcl2) is ignored: it is wrong after any edit, and it comes from the sender,
  who could hide the messages behind his own with it.

The stream is searched in chunks; memory is one chunk, or twice a message where that is larger, and never
more than twice `Bounds.message_bytes`.

>>> from io import BytesIO
>>> from deciban.sources.bounds import Bounds
>>> box = b"From a Thu Aug 22 12:36:23 2002\nSubject: hi\n\nFrom here\n\n"
>>> box += b"From b Fri Aug 23 09:00:00 2002\n\nho\n"
>>> for message in read_mbox(Stream(BytesIO(box).read), "box", Progress(Bounds())):
...     print(message)
RawMessage(id='box@0', data=b'Subject: hi\n\nFrom here\n', cut=0)
RawMessage(id='box@56', data=b'\nho\n', cut=0)
"""

from __future__ import annotations

from collections.abc import Iterator

from deciban.sources._separator import LONGEST, find_from, is_separator, without_separator
from deciban.sources.progress import Progress
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import CHUNK, Stream

# A separator that is not yet complete lies within so many bytes of the end of what was read: the empty
# line before it ("\n\r\n"), the line itself, and its end.
_REACH = LONGEST + 4
_QUOTE = ord(">")
_NEWLINE = ord("\n")


def read_mbox(stream: Stream, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    """Each message of the mbox, in order; its id is ``id@offset``, the byte where its separator begins."""
    for offset, data, cut, quoted in split_mbox(stream, progress.bounds.message_bytes):
        yield RawMessage(f"{id}@{offset}", unquoted(data) if quoted else data, cut)


def split_mbox(stream: Stream, limit: int) -> Iterator[tuple[int, bytes, int, bool]]:
    """Each message as (offset of its separator, its bytes, how many were cut, whether some may be quoted).

    The separator counts as part of the ``limit`` bytes; more than these are cut.
    """
    buffer = stream.read(CHUNK)
    base = 0  # the offset in the stream of buffer[0]
    start = 0  # where in the buffer the message begins, or what is left of one that is too long
    search = 0  # no separator begins before here
    offset = 0  # the offset in the stream of the message
    kept: bytes | None = None  # the beginning of a message that is too long
    quoted = False
    ended = not buffer
    while True:
        end, search, saw_quote = _next_separator(buffer, search, ended)
        quoted |= saw_quote
        if end >= 0 or ended:
            stop = end if end >= 0 else len(buffer)
            length = base + stop - offset
            if kept is None and length > limit:
                kept = buffer[start : start + limit]
            if kept is not None:
                yield offset, kept[kept.find(b"\n") + 1 :], length - len(kept), quoted
            elif length:
                yield offset, without_separator(buffer, start, stop), 0, quoted
            if end < 0:
                return
            start = end
            offset, kept, quoted = base + end, None, False
            continue
        pending = len(buffer) - start
        if kept is None and pending > limit + _REACH:
            kept = buffer[start : start + limit]
        if kept is not None:
            start = len(buffer) - _REACH
            pending = _REACH
        # Reading as much again as is pending keeps the copying linear in the length of the message; a pipe
        # gives 64 KiB at a time, whatever is asked for.
        chunk = stream.read_exactly(max(CHUNK, min(pending, limit + _REACH - pending)))
        ended = not chunk
        buffer = buffer[start:] + chunk
        base, search, start = base + start, search - start, 0


def _next_separator(buffer: bytes, start: int, ended: bool) -> tuple[int, int, bool]:
    """Where the next separator begins, or -1; where the search goes on; whether a quoted "From " was passed.

    A separator whose line is not complete counts only at the end. One search for both makes reading an
    mbox 1.7 times faster than a second one for the quotes.
    """
    quoted = False
    at = find_from(buffer, start + 1)
    while at >= 0:
        before = buffer[at - 1]
        if before == _QUOTE:
            quoted = True
        elif before == _NEWLINE and buffer[max(at - 3, 0) : at].endswith((b"\n\n", b"\n\r\n")):
            if not ended and len(buffer) - at <= LONGEST and buffer.find(b"\n", at) < 0:
                return -1, at - 1, quoted
            if is_separator(buffer, at):
                return at, at, quoted
        at = find_from(buffer, at + 1)
    return -1, max(start, len(buffer) - len(b"From ")), quoted


def unquoted(data: bytes) -> bytes:
    r"""One ``>`` less on each line that is ``From `` behind any number of them.

    >>> unquoted(b"x\n>From y\n>>From z\n> From w\n")
    b'x\nFrom y\n>From z\n> From w\n'
    """
    at = data.find(b">From ")
    if at < 0:
        return data
    pieces = []
    done = 0
    while at >= 0:
        first = at
        while first > done and data[first - 1] == _QUOTE:
            first -= 1
        if first == 0 or data[first - 1] == _NEWLINE:
            pieces.append(data[done:first])
            done = first + 1
        at = data.find(b">From ", at + 1)
    pieces.append(data[done:])
    return b"".join(pieces)
