r"""The messages in a stream of bytes, whatever it is: one message, an mbox, or a packed file or archive.

>>> from io import BytesIO
>>> from deciban.sources.bounds import Bounds
>>> stream = Stream(BytesIO(b"Subject: hi\n").read)
>>> [message.id for message in read_contents(stream, "1.eml", Progress(Bounds()))]
['1.eml']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from io import FileIO

from deciban.errors import DamagedSource
from deciban.sources.kind import ARCHIVES, LOOK_AHEAD, PACKED, not_mail, recognise
from deciban.sources.message_file import open_regular, read_message
from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream, counted_stream


def read_named_file(path: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in a file that the user named: it is read whatever it looks like, and may be a pipe."""
    return _read_file(path, _open_any, progress, named=True)


def read_found_file(path: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in a file that was found in a folder, whatever it is and however large."""
    return _read_file(path, open_regular, progress, named=False)


def _open_any(path: str) -> int:
    return os.open(path, os.O_RDONLY)


def _read_file(
    path: str, open_file: Callable[[str], int], progress: Progress, *, named: bool
) -> Iterator[RawMessage]:
    try:
        descriptor = open_file(path)
        try:
            stream = counted_stream(descriptor, progress)
            yield from read_contents(stream, path, progress, named=named, descriptor=descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        progress.skip(path, reason_of(error))


def read_contents(
    stream: Stream,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    *,
    named: bool = True,
    descriptor: int | None = None,
) -> Iterable[RawMessage]:
    """The messages in a stream; a zip archive can be read only where it is a file that can be searched."""
    head = stream.peek(LOOK_AHEAD)
    kind = recognise(head)
    if kind in ARCHIVES:
        return _read_archive(stream, kind, id, progress, descriptor)
    return _read_plain(stream, head, kind, id, progress, named)


def _read_archive(
    stream: Stream,
    kind: str,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    descriptor: int | None,
) -> Iterator[RawMessage]:
    """The messages in something packed, up to where it is damaged."""
    try:
        if (
            kind == "zip"
            and descriptor is not None
            and (file := FileIO(descriptor, closefd=False)).seekable()
        ):
            from deciban.sources.zip import read_zip

            yield from read_zip(file, id, progress)
        elif kind == "tar":
            from deciban.sources.tar import read_tar

            yield from read_tar(stream, id, progress)
        elif kind in PACKED:
            yield from _read_packed(stream, kind, id, progress)
        else:
            progress.skip(id, _unreadable(kind))
    except DamagedSource as error:
        progress.skip(id, str(error))


def _read_packed(stream: Stream, kind: str, id: str, progress: Progress) -> Iterable[RawMessage]:  # noqa: A002
    from deciban.sources.unpacked import unpacked_stream

    contents = unpacked_stream(stream, kind, progress.bounds)
    if recognise(contents.peek(LOOK_AHEAD)) == "tar":
        from deciban.sources.tar import read_tar

        return read_tar(contents, id, progress)
    return read_member(contents, id, progress)


def read_member(stream: Stream, id: str, progress: Progress) -> Iterable[RawMessage]:  # noqa: A002
    """The messages in a stream that lies in an archive: an archive within an archive is not followed."""
    head = stream.peek(LOOK_AHEAD)
    kind = recognise(head)
    if kind in ARCHIVES:
        progress.skip(id, _unreadable(kind))
        return ()
    return _read_plain(stream, head, kind, id, progress, named=False)


def _read_plain(
    stream: Stream,
    head: bytes,
    kind: str,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    named: bool,
) -> Iterable[RawMessage]:
    """The messages in a stream that is not packed; only what the user named is read where it is no mail."""
    if kind == "mbox":
        from deciban.sources.mbox import read_mbox

        return read_mbox(stream, id, progress)
    if not named and (what := not_mail(head)):
        progress.skip(id, f"not mail but {what}")
        return ()
    return read_message(stream, id, progress)


def _unreadable(kind: str) -> str:
    return f"a {kind} archive where it cannot be read; unpack it first"
