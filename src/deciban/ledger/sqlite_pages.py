r"""Records of a SQLite file, read from its bytes without SQLite: for a file that SQLite cannot read any more.

A file is a row of pages. A record lies in one page, or begins there and goes on in a chain of others:

    size of the head    varint
    one type a value    varint: 0 nothing, 1 to 6 a whole number of 1, 2, 3, 4, 6 or 8 bytes, 7 a float64,
                        8 and 9 the numbers 0 and 1, n >= 12 a blob of (n - 12) / 2 bytes if n is even,
                        otherwise a text of (n - 13) / 2
    the values          big-endian

In front of it stand its length and, in a table, its row id, both varints. Nothing here says that a record is
right: whoever reads it knows a check of what it holds.

>>> read_varint(b"\x81\x00", 0), read_record(b"\x03\x00\x15spam", 0)
((128, 2), [None, 'spam'])
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

MAGIC = b"SQLite format 3\0"
# Of today's ledgers, and of earlier ones.
PAGE_SIZES = 4096, 65536
WAL_HEAD, FRAME_HEAD = 32, 24
TABLE_LEAF = 0x0D
NUMBER_BYTES = (0, 1, 2, 3, 4, 6, 8)
# No record is longer.
MOST_BYTES = 1 << 30
MOST_COLUMNS = 20


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A whole number, and where the next begins; IndexError at the end of the data."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def written_varint(value: int) -> bytes:
    """The bytes of a whole number below 2^56."""
    parts = [value & 0x7F]
    while value := value >> 7:
        parts.append(value & 0x7F | 0x80)
    return bytes(reversed(parts))


def size_of(type_: int) -> int:
    """The bytes of a value of a type."""
    if type_ >= 12:
        return (type_ - 12) // 2
    if type_ < len(NUMBER_BYTES):
        return NUMBER_BYTES[type_]
    return 8 if type_ == 7 else 0


def types_at(data: bytes, start: int) -> tuple[list[int], int, int]:
    """The types of the record that begins there, where its values begin, and its length."""
    head, place = read_varint(data, start)
    types: list[int] = []
    end = start + head
    if not 2 <= head <= 9 * MOST_COLUMNS:
        raise ValueError("no record")
    while place < end and len(types) <= MOST_COLUMNS:
        type_, place = read_varint(data, place)
        types.append(type_)
    length = head + sum(map(size_of, types))
    if place != end or length > MOST_BYTES:
        raise ValueError("no record")
    return types, end, length


def read_record(data: bytes, start: int) -> list[object]:
    """The values of the record that begins there; IndexError or ValueError if there is none."""
    types, place, _ = types_at(data, start)
    values: list[object] = []
    for type_ in types:
        size = size_of(type_)
        part = data[place : place + size]
        place += size
        if len(part) < size or type_ in (10, 11):
            raise ValueError("no record")
        values.append(_value(type_, part))
    return values


def _value(type_: int, part: bytes) -> object:
    if type_ >= 12:
        return part.decode() if type_ % 2 else part
    if type_ == 7:
        return struct.unpack(">d", part)[0]
    if type_ in (8, 9):
        return type_ - 8
    return int.from_bytes(part, "big", signed=True) if type_ else None


def page_sizes(data: bytes | mmap, known: tuple[int, ...] = PAGE_SIZES) -> list[int]:
    """How long the pages of a file may be: as its head says, or all that are ``known`` if that is damaged.

    >>> page_sizes(MAGIC + bytes([0x10, 0])), page_sizes(MAGIC + bytes([0, 1])), page_sizes(b"")
    ([4096], [65536], [4096, 65536])
    """
    # A size of 65,536 does not fit into two bytes, and is written as 1.
    written = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 2], "big")
    size = 65536 if written == 1 else written
    return [size] if size in known and data[: len(MAGIC)] == MAGIC else list(known)


class SqlitePages:
    """The pages of a file, and behind them those of its log, which may hold newer ones."""

    def __init__(self, data: bytes | mmap, log: bytes, page_size: int) -> None:
        self._page_size = page_size
        step = FRAME_HEAD + page_size
        of_file = ((data, start) for start in range(0, len(data), page_size))
        of_log = ((log, start) for start in range(WAL_HEAD + FRAME_HEAD, len(log), step))
        self._places = [*of_file, *of_log]
        self._of_file = -(-len(data) // page_size)
        self._last: tuple[int, bytes] = -1, b""

    def page(self, number: int) -> bytes:
        """The bytes of a page; the first has the number 0."""
        if self._last[0] != number:
            data, start = self._places[number]
            self._last = number, data[start : start + self._page_size]
        return self._last[1]

    def found(self, pattern: bytes) -> Iterator[tuple[int, int]]:
        """Every place where these bytes stand: the number of the page, and the offset in it."""
        for number in range(len(self._places)):
            page = self.page(number)
            place = page.find(pattern)
            while place >= 0:
                yield number, place
                place = page.find(pattern, place + 1)

    def record(self, number: int, start: int, in_index: bool = False) -> list[object] | None:
        """The values of the record that begins there; None if there is none, or not all of it."""
        if start < 0:
            return None
        page = self.page(number)
        try:
            *_, length = types_at(page, start)
            return read_record(self._payload(page, start, length, in_index), 0)
        except (IndexError, ValueError):
            return None

    def _payload(self, page: bytes, start: int, length: int, in_index: bool) -> bytes:
        """The bytes of a record, gathered from the pages that it goes on in."""
        size = self._page_size
        most = (size - 12) * 64 // 255 - 23 if in_index else size - 35
        if length <= most:
            return page[start : start + length]
        least = (size - 12) * 32 // 255 - 23
        here = least + (length - least) % (size - 4)
        here = least if here > most else here
        parts, missing = [page[start : start + here]], length - here
        following = page[start + here : start + here + 4]
        while missing > 0:
            number = int.from_bytes(following, "big")
            if not 1 <= number <= self._of_file:
                raise ValueError("no record")
            next_page = self.page(number - 1)
            parts.append(next_page[4 : 4 + min(missing, size - 4)])
            missing -= size - 4
            following = next_page[:4]
        return b"".join(parts)

    def row_id(self, number: int, start: int) -> int | None:
        """The number that stands in front of a record of a table; None if that cannot be told."""
        page = self.page(number)
        *_, length = types_at(page, start)
        before = written_varint(length)
        for size in range(1, min(9, start - len(before)) + 1):
            place = start - size
            if page[place - len(before) : place] == before:
                row, end = read_varint(page, place)
                if end == start:
                    return row
        return None

    def rows(self) -> Iterator[tuple[int, list[object]]]:
        """Row id and values of every record that the pages of tables list."""
        for number in range(len(self._places)):
            page = self.page(number)
            start = 100 if page.startswith(MAGIC[:-1]) else 0  # behind the head of the file
            if page[start : start + 1] == bytes([TABLE_LEAF]):
                yield from self._listed(number, page, start)

    def _listed(self, number: int, page: bytes, start: int) -> Iterator[tuple[int, list[object]]]:
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for place in range(start + 8, min(start + 8 + 2 * count, len(page) - 1), 2):
            cell = int.from_bytes(page[place : place + 2], "big")
            try:
                _, row_at = read_varint(page, cell)
                row, record_at = read_varint(page, row_at)
            except IndexError:
                continue
            values = self.record(number, record_at)
            if values is not None:
                yield row, values
