r"""The messages in a stream of bytes, whatever it is: one message, an mbox, or a packed file or archive.

>>> from io import BytesIO
>>> from deciban.sources.bounds import Bounds
>>> stream = Stream(BytesIO(b"Subject: hi\n").read)
>>> [message.id for message in read_contents(stream, "1.eml", Progress(Bounds()))]
['1.eml']
"""

from __future__ import annotations

from collections.abc import Iterator
from io import FileIO

from deciban.errors import DamagedSource
from deciban.sources.kind import ARCHIVES, LOOK_AHEAD, PACKED, not_mail, recognise
from deciban.sources.message_file import open_regular, read_message
from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream, counted_stream


def read_named_file(path: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in a file that the user named: it is read whatever it looks like, and may be a pipe."""
    try:
        with FileIO(path) as file:
            yield from read_contents(counted_stream(file, progress), path, progress, file=file)
    except OSError as error:
        progress.skip(path, reason_of(error))


def read_found_file(path: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in a file that was found in a folder."""
    try:
        with open_regular(path) as file:
            yield from read_contents(counted_stream(file, progress), path, progress, named=False, file=file)
    except OSError as error:
        progress.skip(path, reason_of(error))


def read_contents(
    stream: Stream,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    *,
    named: bool = True,
    file: FileIO | None = None,
) -> Iterator[RawMessage]:
    """The messages in a stream; a zip archive can be read only where ``file`` can be searched."""
    try:
        head = stream.peek(LOOK_AHEAD)
        kind = recognise(head)
        if kind == "zip" and file is not None and file.seekable():
            from deciban.sources.zip import read_zip

            yield from read_zip(file, id, progress)
        elif kind == "tar":
            from deciban.sources.tar import read_tar

            yield from read_tar(stream, id, progress)
        elif kind in PACKED:
            yield from _read_packed(stream, kind, id, progress)
        else:
            yield from _read_plain(stream, head, kind, id, progress, named)
    except DamagedSource as error:
        progress.skip(id, str(error))


def _read_packed(stream: Stream, kind: str, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    from deciban.sources.unpacked import unpacked_stream

    contents = unpacked_stream(stream, kind, progress.bounds)
    if recognise(contents.peek(LOOK_AHEAD)) == "tar":
        from deciban.sources.tar import read_tar

        yield from read_tar(contents, id, progress)
    else:
        yield from read_member(contents, id, progress, named=False)


def read_member(
    stream: Stream,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    *,
    named: bool = False,
) -> Iterator[RawMessage]:
    """The messages in a stream that is no archive: an archive within an archive is not followed."""
    head = stream.peek(LOOK_AHEAD)
    return _read_plain(stream, head, recognise(head), id, progress, named)


def _read_plain(
    stream: Stream,
    head: bytes,
    kind: str,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    named: bool,
) -> Iterator[RawMessage]:
    if kind == "mbox":
        from deciban.sources.mbox import read_mbox

        yield from read_mbox(stream, id, progress)
    elif kind in ARCHIVES:
        progress.skip(id, f"a {kind} archive where it cannot be read; unpack it first")
    elif not named and (what := not_mail(head)):
        progress.skip(id, f"not mail but {what}")
    else:
        yield from read_message(stream, id, progress)
