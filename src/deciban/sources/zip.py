"""Messages in a zip archive: members are unpacked as streams, one after the other, never to disk.

The table of contents of a zip stands at its end, so the file must be seekable, and must be held in memory,
so its size is bounded. Only stored and deflated members are read: the other methods let an archive
choose how much memory it takes to unpack a single byte. Members may overlap (that is how 46 MB of zip
become 4.5 PB), so the bytes unpacked from all members together are held against the size of the file.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import FileIO
from typing import IO, cast

from deciban.errors import DamagedSource, UnpacksTooMuch
from deciban.sources.bounds import Bounds
from deciban.sources.contents import read_member
from deciban.sources.file_names import path_passed_over
from deciban.sources.progress import Progress
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream
from deciban.sources.unique_names import UniqueNames
from deciban.sources.unpacked import refuse_bombs

# What the standard library raises on crafted archives: found by fuzzing it, not in its documentation.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,  # encrypted; NotImplementedError is one too
    ValueError,  # UnicodeDecodeError is one too
    OverflowError,
    IndexError,
    KeyError,
    struct.error,
)
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 1
_LINK = 0o120000
_FILE_TYPE = 0o170000


def read_zip(file: FileIO, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    """The messages in each file of the archive, in its order, with ids of the form ``id!name``."""
    before = progress.consumed - file.tell()
    size = file.seek(0, 2)
    budget = _Budget(size, progress.bounds)
    ids = UniqueNames()
    archive = _open(file, progress.bounds.directory_bytes)
    for info in archive.infolist():
        progress.consumed = before + min(info.header_offset, size)
        if info.filename.endswith("/") or path_passed_over(info.filename):
            continue
        member = ids.unique(f"{id}!{info.filename}")
        if refusal := _refusal(info):
            progress.skip(member, refusal)
            continue
        try:
            yield from _read_member(archive, info, member, progress, budget)
        except UnpacksTooMuch:
            raise
        except DamagedSource as error:
            progress.skip(member, str(error))
    progress.consumed = before + size


class _Budget:
    """The bytes that all members together have unpacked to."""

    def __init__(self, bytes_in: int, bounds: Bounds) -> None:
        self._bytes_in = bytes_in
        self._bytes_out = 0
        self._bounds = bounds

    def spend(self, size: int) -> None:
        self._bytes_out += size
        refuse_bombs(self._bytes_in, self._bytes_out, self._bounds)


class _Directory:
    """The file as `zipfile` sees it: a read that could only be of a vast table of contents is refused."""

    def __init__(self, file: FileIO, bound: int) -> None:
        self._file = file
        self._bound = bound
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        # Without a size zipfile asks for the last 64 KiB, where the table may be found.
        if size > self._bound:
            raise DamagedSource(f"the table of contents has more than {self._bound:,} bytes; unpack it first")
        return Stream(self._read).read_exactly(size if size >= 0 else self._bound)

    def _read(self, size: int) -> bytes:
        return self._file.read(size) or b""


def _open(file: FileIO, bound: int) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(cast(IO[bytes], _Directory(file, bound)))
    except _DAMAGE as error:
        if isinstance(error, DamagedSource):
            raise
        raise DamagedSource(f"the zip archive is damaged ({error})") from None


def _refusal(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in _METHODS:
        return f"packed by zip method {info.compress_type}; unpack it first"
    if (info.external_attr >> 16) & _FILE_TYPE == _LINK:
        return "not a file but a link"
    return None


def _read_member(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    id: str,  # noqa: A002 (the word for it)
    progress: Progress,
    budget: _Budget,
) -> Iterator[RawMessage]:
    try:
        member = archive.open(info)
    except _DAMAGE as error:
        raise DamagedSource(f"the member is damaged ({error})") from None

    def read(size: int) -> bytes:
        try:
            chunk = member.read(size)
        except _DAMAGE as error:
            raise DamagedSource(f"the member is damaged ({error})") from None
        budget.spend(len(chunk))
        return chunk

    with member:
        yield from read_member(Stream(read), id, progress)
