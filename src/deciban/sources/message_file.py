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
from collections.abc import Iterator
from io import FileIO

from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream, counted_stream


def read_message(stream: Stream, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    """The one message that the stream is; an empty stream is none, and is reported."""
    data = stream.read_up_to(progress.bounds.message_bytes)
    if data:
        yield RawMessage(id, data, stream.skip_rest())
    else:
        progress.skip(id, "empty")


def read_message_file(path: str, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    """The one message that the file is."""
    try:
        with open_regular(path) as file:
            yield from read_message(counted_stream(file, progress), id, progress)
    except OSError as error:
        progress.skip(id, reason_of(error))


def open_regular(path: str) -> FileIO:
    """Open a file that was found, not named: a pipe or device in a folder must not make us wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return FileIO(descriptor)
