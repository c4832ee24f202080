r"""A stream or file that is one message: an .eml, a text, a page, a file of a Maildir or an MH folder.

>>> from io import BytesIO
>>> from deciban.sources.bounds import Bounds
>>> progress = Progress(Bounds(message_bytes=15))
>>> list(read_message(Stream(BytesIO(b"Subject: hello\n\nworld\n").read), "1.eml", progress))
[RawMessage(id='1.eml', data=b'Subject: hello\n', cut=7)]
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream, counted_stream


def read_message(stream: Stream, id: str, progress: Progress) -> Iterable[RawMessage]:  # noqa: A002
    """The one message that the stream is; an empty stream is none, and is reported."""
    limit = progress.bounds.message_bytes
    data = stream.read_up_to(limit)
    if not data:
        progress.skip(id, "empty")
        return ()
    return (RawMessage(id, data, stream.skip_rest() if len(data) == limit else 0),)


def read_message_file(path: str, id: str, progress: Progress) -> Iterable[RawMessage]:  # noqa: A002
    """The one message that the file is."""
    try:
        descriptor = open_regular(path)
        try:
            return read_message(counted_stream(descriptor, progress), id, progress)
        finally:
            os.close(descriptor)
    except OSError as error:
        progress.skip(id, reason_of(error))
        return ()


def open_regular(path: str) -> int:
    """Open a file that was found, not named: a pipe or device in a folder must not make us wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor
