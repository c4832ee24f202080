"""A snapshot: a state as a file, its committee mapped. Losing it costs a replay, never data.

The file is one page of its own, then the buffer of the committee (_committee.pyx), then one record for each
exam (exams.py). The page begins with:

    magic      8 bytes    b"dcsnap03"
    address    16 + 16 + 8 + 16   ledger id, base, position, trail (numbers are little-endian)
    exams      8 bytes    how many there are
    seal       8 bytes    one number that covers the whole committee (`Committee.seal`)
    check      8 bytes    a digest of all that; it is wrong while somebody is changing the state, and stays
                          wrong if the change never finished

So the page says which state this is. A state that was torn by a crash does not match it, nor does one of
which some pages never reached the disk. Blocks of the tables are checked when they are first used, records of
exams when they are read. Only plain files are opened, never a link that somebody planted.

A process that holds the lock teaches a state in place (locks.py). Or a new state is made in a file of its
own, which then takes the place of the old file by `rename`; whoever had the old file open notices that. Room
for the whole file is reserved on the disk before it is mapped: if the disk became full while somebody writes
to the mapping, that process would be killed.

The first question is answered without a mapping, by a `Glance`: most processes ask only once, at a delivery.
"""

from __future__ import annotations

import os
import stat
import struct
from _blake2 import blake2b

from deciban.committee._committee import Committee, Glance
from deciban.errors import CannotWrite, DamagedSnapshot, TooManyLabels
from deciban.filter.exams import RECORD, learn, read, written
from deciban.ledger.records import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from mmap import mmap

    from deciban.committee.settings import Settings
    from deciban.filter.exams import KeptExam
    from deciban.ledger.records import Placed

PAGE = 4096
MAGIC = b"dcsnap03"
HEAD = struct.Struct("<8s16s16sQ16sQQ")
CHECK_BYTES = 8
# The file grows by room for this many exams at a time, and this many are read at a time.
EXAMS_AT_ONCE = 2048


class Snapshot:
    """An open file with a state."""

    def __init__(self, file: int, settings: Settings, is_writable: bool = False) -> None:
        self._file = file
        self._settings = settings
        self._head = b""
        self._map: mmap | None = None
        self._view: memoryview | None = None
        self._committee: Committee | None = None
        self._is_writable = is_writable
        self.address = Address(b"", b"", 0, b"")
        self.exam_count = 0

    @classmethod
    def open(cls, path: str, settings: Settings) -> Snapshot | None:
        """The one at ``path``, to be read; None if there is none that we may read."""
        file = _open_plain(path, os.O_RDONLY)
        return None if file is None else cls(file, settings)

    @classmethod
    def open_to_teach(cls, path: str, settings: Settings) -> Snapshot | None:
        """The one at ``path``, to be taught in place; None if there is none that we may write."""
        file = _open_plain(path, os.O_RDWR)
        if file is None:
            return None
        opened = cls(file, settings, is_writable=True)
        found = os.fstat(file)
        if _has_holes(found):
            try:
                opened._reserve(found.st_size)
            except BaseException:
                opened.close()
                raise
        return opened

    @classmethod
    def begin(
        cls,
        file: int,
        settings: Settings,
        capacity: int,
        start: Callable[[memoryview], tuple[Committee, bytes]],
        address: Address,
    ) -> Snapshot:
        """A new one in an empty file; ``start`` makes committee and exams in a buffer of zeros."""
        made = cls(file, settings, is_writable=True)
        try:
            made._reserve(PAGE + Committee.size(settings, capacity))
            made._committee, exams = start(made._mapped())
            made._write_exams(exams)
            made._put_seal(address)
        except BaseException:
            made.close()
            raise
        return made

    def is_as_it_was(self) -> bool:
        """Whether nobody has changed it since the last look."""
        return os.pread(self._file, HEAD.size + CHECK_BYTES, 0) == self._head

    def is_at(self, path: str) -> bool:
        """Whether it is still the file at ``path``."""
        try:
            return os.path.samestat(os.fstat(self._file), os.lstat(path))
        except OSError:
            return False

    def look(self, glance: bool = False) -> Committee:
        """The committee as it is now, under the lock; with a ``glance`` its tables are not mapped.

        Raises DamagedSnapshot if it is not whole.
        """
        head = os.pread(self._file, HEAD.size + CHECK_BYTES, 0)
        if self._committee is not None and head == self._head:
            return self._committee
        if len(head) < HEAD.size + CHECK_BYTES or _check_of(head[: HEAD.size]) != head[HEAD.size :]:
            raise DamagedSnapshot("The head of this snapshot is damaged. Remove it: it is made again.")
        magic, *address, exam_count, seal = HEAD.unpack_from(head)
        if magic != MAGIC:
            raise DamagedSnapshot("This snapshot is of another version. Remove it: it is made again.")
        self.address, self.exam_count = Address(*address), exam_count
        if self._committee is None or self._map is None:
            self._unmap()
            self._committee = self._taken(glance)
        if self._committee.seal() != seal:
            raise DamagedSnapshot("Parts of this snapshot are of another time. Remove it: it is made again.")
        self._head = head
        return self._committee

    def _taken(self, glance: bool) -> Committee:
        if os.fstat(self._file).st_size < 2 * PAGE:
            raise DamagedSnapshot("This snapshot is cut short. Remove it: it is made again.")
        if glance:
            return Glance(self._settings, self._file, PAGE)
        return Committee(self._settings, self._mapped())

    def _mapped(self) -> memoryview:
        """Map the file; what is behind its page."""
        from mmap import ACCESS_READ, ACCESS_WRITE, mmap

        self._map = mmap(self._file, 0, access=ACCESS_WRITE if self._is_writable else ACCESS_READ)
        self._view = memoryview(self._map)[PAGE:]
        return self._view

    # Exams

    def exams(self) -> Iterator[KeptExam]:
        """All of them, in the order of their lessons; under the lock."""
        labels = self.look().labels
        for first in range(0, self.exam_count, EXAMS_AT_ONCE):
            yield from read(self._records(first, min(first + EXAMS_AT_ONCE, self.exam_count)), labels)

    def exams_backwards(self) -> Iterator[KeptExam]:
        """The newest first."""
        labels = self.look().labels
        end = self.exam_count
        while end > 0:
            first = max(end - EXAMS_AT_ONCE, 0)
            yield from reversed(list(read(self._records(first, end), labels)))
            end = first

    def exam_records(self) -> bytes:
        """All of them as they are kept."""
        self.look()
        return self._records(0, self.exam_count)

    def _records(self, first: int, end: int) -> bytes:
        records = os.pread(self._file, (end - first) * RECORD, self._exams_at() + first * RECORD)
        if len(records) < (end - first) * RECORD:
            raise DamagedSnapshot("This snapshot is cut short. Remove it: it is made again.")
        return records

    def _exams_at(self) -> int:
        assert self._committee is not None
        return PAGE + Committee.size(self._settings, self._committee.capacity)

    # Teaching, under the exclusive lock or in a file that nobody else knows

    def teach(self, lessons: Sequence[Placed]) -> None:
        """Teach lessons; if we die meanwhile, nobody trusts the file any more."""
        committee = self.look()
        new = {lesson.label for lesson in lessons}.difference(committee.labels)
        if len(committee.labels) + len(new) > committee.capacity:
            raise TooManyLabels(f"This state has room for {committee.capacity} labels only.")
        assert self._map is not None
        self._map[HEAD.size : HEAD.size + CHECK_BYTES] = bytes(CHECK_BYTES)
        self._head = b""
        exams = [learn(committee, lesson) for lesson in lessons]
        labels = committee.labels
        self._write_exams(b"".join(written(exam, labels) for exam in exams))
        last = lessons[-1]
        self._put_seal(self.address.replaced(position=last.position, trail=last.trail))

    def _write_exams(self, records: bytes) -> None:
        """Write records behind those that there are."""
        if not records:
            return
        start = self._exams_at() + self.exam_count * RECORD
        if os.fstat(self._file).st_size < start + len(records):
            self._reserve(start + len(records) + max(self.exam_count // 4, EXAMS_AT_ONCE) * RECORD)
        os.pwrite(self._file, records, start)
        self.exam_count += len(records) // RECORD

    def _put_seal(self, address: Address) -> None:
        """Say that it is the state of this address."""
        assert self._map is not None
        assert self._committee is not None
        head = HEAD.pack(
            MAGIC,
            address.ledger,
            address.base,
            address.position,
            address.trail,
            self.exam_count,
            self._committee.seal(),
        )
        self._head = head + _check_of(head)
        self._map[: len(self._head)] = self._head
        self.address = address

    def _reserve(self, size: int) -> None:
        """See to it that so many bytes of the file are on the disk."""
        try:
            os.posix_fallocate(self._file, 0, size)
        except OSError as error:
            raise CannotWrite(
                f"The state of the filter needs {size / 1e6:,.0f} MB: {error.strerror}. Make room."
            ) from None

    def buffer(self) -> memoryview:
        """The bytes of the committee."""
        committee = self.look()
        assert self._view is not None
        return self._view[: Committee.size(self._settings, committee.capacity)]

    def copy_to(self, file: int) -> None:
        """Copy all of it into another file; under the lock."""
        place, size = 0, os.fstat(self._file).st_size
        while place < size:
            copied = os.sendfile(file, self._file, place, size - place)
            if not copied:
                raise DamagedSnapshot("This snapshot is cut short. Remove it: it is made again.")
            place += copied

    def _unmap(self) -> None:
        if self._committee is not None:
            self._committee.close()
        if self._view is not None:
            self._view.release()
        if self._map is not None:
            self._map.close()
        self._committee = self._view = self._map = None

    def close(self) -> None:
        """Let go of the file."""
        self._unmap()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _has_holes(found: os.stat_result) -> bool:
    """Whether a file is a sparse copy, without its zeros: the disk may be full when they are written."""
    return found.st_blocks * 512 < found.st_size


def _open_plain(path: str, flags: int) -> int | None:
    """Open a file, but no link and no pipe; None if there is none that we may open."""
    try:
        file = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    return None


def _check_of(head: bytes) -> bytes:
    return blake2b(head, digest_size=CHECK_BYTES).digest()
