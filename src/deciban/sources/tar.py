"""Messages in a tar archive, read as a stream: nothing is unpacked to disk, no member is held whole.

A tar is a chain of members, each a header of 512 bytes and its data filled up to a multiple of 512:

    name 0 | … | size 124, octal | … | checksum 148 | type 156 | … | "ustar" 257 | … | prefix 345

A type of 0 is a file. L (GNU) and x (POSIX) are files too that hold a longer name for the next member.
Names are only names here: ``../../etc/passwd`` is never opened. Links, devices and sparse files are
reported and skipped. The standard library's ``tarfile`` is not used because it reads a member of type
L or x whole into memory, whatever size its header claims.
"""

from __future__ import annotations

from collections.abc import Iterator

from deciban.errors import DamagedSource
from deciban.sources.contents import read_member
from deciban.sources.file_names import path_passed_over
from deciban.sources.progress import Progress
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import Stream
from deciban.sources.unique_names import UniqueNames

_BLOCK = 512
# Longer names than a file system allows (4,096) are cut, longer lists of attributes are ignored.
_LONGEST_ATTRIBUTES = 1 << 16
_FILES = frozenset(b"0\x007")
_FOLDER = ord("5")
_LONG_NAME, _ATTRIBUTES = ord("L"), ord("x")
_ABOUT_OTHERS = frozenset(b"gKVX")  # attributes of all members, long link names, labels
_WITHOUT_DATA = frozenset(b"123456")  # whatever their size field says
_NOT_FILES = {
    ord("1"): "a link",
    ord("2"): "a link",
    ord("3"): "a device",
    ord("4"): "a device",
    ord("6"): "a pipe",
    ord("S"): "a sparse file",
}


def read_tar(stream: Stream, id: str, progress: Progress) -> Iterator[RawMessage]:  # noqa: A002
    """The messages in each file of the archive, in its order, with ids of the form ``id!name``."""
    ids = UniqueNames()
    most = progress.bounds.members
    for number, (name, kind, data) in enumerate(_members(stream)):
        if number == most:
            raise DamagedSource(f"has more than {most:,} members; unpack it first")
        if kind == _FOLDER or path_passed_over(name):
            continue
        member = ids.unique(f"{id}!{name}")
        if kind in _FILES:
            yield from read_member(data, member, progress)
        else:
            progress.skip(member, "not a file but " + _NOT_FILES.get(kind, "something unknown"))


def _members(stream: Stream) -> Iterator[tuple[str, int, Stream]]:
    """Each member as (name, type, data); what is left of the data is skipped before the next."""
    position = 0
    long_name, long_size = "", -1  # as told by a member of type L or x, for the next one
    while header := stream.read_exactly(_BLOCK):
        if header.count(0) == _BLOCK:
            return
        _check(header, position)
        kind = header[156]
        size = long_size if long_size >= 0 else _size(header, position)
        data = _Data(stream, 0 if kind in _WITHOUT_DATA else size)
        position += _BLOCK + data.left + data.padding
        if kind == _LONG_NAME:
            long_name = _text(data.stream.read_exactly(_LONGEST_ATTRIBUTES).rstrip(b"\0"))
        elif kind == _ATTRIBUTES:
            attributes = _attributes(data.stream.read_exactly(_LONGEST_ATTRIBUTES))
            long_name = _text(attributes.get(b"path", b"")) or long_name
            long_size = int(attributes.get(b"size", b"-1"))
        elif kind not in _ABOUT_OTHERS:
            yield long_name or _name(header), kind, data.stream
            long_name, long_size = "", -1
        data.finish(position)


class _Data:
    """The data of one member: a stream of its own that ends where the member ends."""

    def __init__(self, archive: Stream, size: int) -> None:
        self._archive = archive
        self.left = size
        self.padding = -size % _BLOCK
        self.stream = Stream(self._read)

    def _read(self, size: int) -> bytes:
        if self.left <= 0:
            return b""
        chunk = self._archive.read(min(size, self.left))
        if not chunk:
            raise DamagedSource("the archive ends in the middle of a member")
        self.left -= len(chunk)
        return chunk

    def finish(self, position: int) -> None:
        """Go to the next header, which is at ``position``."""
        rest = self.left + self.padding
        if self._archive.skip(rest) < self.left:
            raise DamagedSource(f"the archive ends before byte {position:,}, in the middle of a member")


def _check(header: bytes, position: int) -> None:
    # The checksum is the sum of all bytes of the header, its own eight taken as spaces.
    expected = _octal(header[148:156])
    if len(header) < _BLOCK or sum(header) - sum(header[148:156]) + 8 * ord(" ") != expected:
        raise DamagedSource(f"no tar header at byte {position:,}; what follows is not read")


def _size(header: bytes, position: int) -> int:
    field = header[124:136]
    # GNU's way to write sizes from 8 GiB on: a set first bit, then a big-endian number.
    size = int.from_bytes(field[1:], "big") if field[0] == 0x80 else _octal(field)
    if not 0 <= size < 1 << 62:
        raise DamagedSource(f"a member without a size at byte {position:,}; what follows is not read")
    return size


def _octal(field: bytes) -> int:
    """The number in a field of octal digits, or -1."""
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if not digits.strip(b"01234567") else -1


def _name(header: bytes) -> str:
    name = header[:100].partition(b"\0")[0]
    # The prefix field is POSIX's; GNU's magic has a space where POSIX has a NUL, and other fields there.
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _attributes(data: bytes) -> dict[bytes, bytes]:
    """POSIX attributes: lines of the form ``length key=value``, where the length counts the whole line."""
    found = {}
    start = 0
    while start < len(data):
        digits = data[start : start + 8].partition(b" ")[0]
        if not digits.isdigit() or int(digits) <= len(digits):
            break
        key, _, value = data[start + len(digits) + 1 : start + int(digits)].partition(b"=")
        found[key] = value[:-1]
        start += int(digits)
    size = found.get(b"size", b"-1")
    if not size.isdigit() or len(size) > 18:
        found.pop(b"size", None)
    return found
