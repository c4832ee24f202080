"""A snapshot: a state as a file, its committee mapped. Losing it costs a replay, never data.

The file is one page of its own, then the buffer of the committee (_committee_buffer.pyx), or of the panel
(_panel.pyx), then one record for each exam (exams.py). The page begins with:

    magic      8 bytes    b"dcsnap04"
    address    16 + 16 + 8 + 16   ledger id, base, position, trail (numbers are little-endian)
    exams      8 bytes    how many there are
    seal       8 bytes    one number that covers the whole committee (`Committee.seal`)
    check      8 bytes    a digest of all that; it is wrong while somebody is changing the state, and stays
                          wrong if the change never finished

So the page says which state this is. A state that was torn by a crash does not match it, nor does one of
which some pages never reached the disk. Blocks of the tables are checked when they are first used, records of
exams when they are read. Only plain files are opened, never a link that somebody planted.

A process that holds the lock teaches a state in place (locks.py). Or a new state is made in a file of its
own, which then takes the place of the old file by `rename`; whoever had the old file open notices that. A
state whose table is full does so too: it goes on in a larger file. Room for the whole file is reserved on the
disk before it is mapped: if the disk became full while somebody writes to the mapping, that process would be
killed.

The first question about a dense table is answered without a mapping, by a `Glance`: most processes ask only
once, at a delivery.
"""

from __future__ import annotations

import os
import stat
import struct
from _blake2 import blake2b
from contextlib import suppress

from deciban.committee._committee import Glance
from deciban.errors import CannotWrite, DamagedSnapshot
from deciban.filter.exams import RECORD
from deciban.filter.made_like import make_like, write_at
from deciban.filter.state import State, whole_records
from deciban.ledger.records import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

    from deciban.committee.shape import Shape
    from deciban.filter.footing import Footing, Learner

PAGE = 4096
MAGIC = b"dcsnap04"
HEAD = struct.Struct("<8s16s16sQ16sQQ")
CHECK_BYTES = 8
# A larger file that is to take the place of this one.
GROWN = ".grown"
# A file has room for a quarter more exams than there are, but at least for so many.
LEAST_SPARE_EXAMS = 64


class Snapshot(State):
    """An open file with a state."""

    def __init__(self, path: str, file: int, footing: Footing, is_writable: bool = False) -> None:
        self.path = path
        self.footing = footing
        self.address = Address(b"", b"", 0, b"")
        self.exam_count = 0
        self._file = file
        self._head = b""
        self._map: mmap | None = None
        self._view: memoryview | None = None
        self._committee: Learner | None = None
        self._is_writable = is_writable

    @classmethod
    def open(cls, path: str, footing: Footing) -> Snapshot | None:
        """The one at ``path``, to be read; None if there is none that we may read."""
        file = _open_plain(path, os.O_RDONLY)
        return None if file is None else cls(path, file, footing)

    @classmethod
    def open_to_teach(cls, path: str, footing: Footing) -> Snapshot | None:
        """The one at ``path``, to be taught in place; None if there is none that we may write."""
        file = _open_plain(path, os.O_RDWR)
        if file is None:
            return None
        opened = cls(path, file, footing, is_writable=True)
        found = os.fstat(file)
        if _has_holes(found):
            try:
                opened._reserve(found.st_size)
            except BaseException:
                opened.close()
                raise
        return opened

    @classmethod
    def make(cls, path: str, file: int, state: State, shape: Shape) -> Snapshot:
        """A new one in an empty file: what another state has learned, in a table of this shape."""
        from deciban.filter.memory_state import memory_for

        made = cls(path, file, state.footing, is_writable=True)
        try:
            exams = state.exam_records()
            size = state.footing.size(shape)
            made._reserve(PAGE + size + len(exams) + _spare_exams(state.exam_count) * RECORD)
            # Put together in memory: through a mapping, each page of the file would cost a fault
            # (a file of 26 MB: 56 to 62 ms instead of 42 to 47).
            memory = memory_for(size)
            made._committee = state.footing.begin(shape, memory)
            made._write(memory, made._committee, state.look())
            made._write_exams(exams)
            made._put_seal(state.address)
            made._unmap()
        except BaseException:
            made.close()
            raise
        return made

    def _write(self, memory: mmap, committee: Learner, other: Learner) -> None:
        """Write what another committee has learned, as the memory of a new one has it then."""
        written = []

        def write(place: int, part: memoryview) -> None:
            written.append((place, write_at(self._file, PAGE + place, part) - PAGE))

        committee.take_over_to_write(other, write)  # type: ignore[arg-type]  # both stand on one footing
        done = 0
        with memoryview(memory) as view:
            for start, end in sorted(written):
                write_at(self._file, PAGE + done, view[done:start])
                done = end
            write_at(self._file, PAGE + done, view[done:])

    def is_as_it_was(self) -> bool:
        """Whether nobody has changed it since the last look."""
        return os.pread(self._file, HEAD.size + CHECK_BYTES, 0) == self._head

    def is_in_place(self) -> bool:
        """Whether it is still the file at its path."""
        try:
            return os.path.samestat(os.fstat(self._file), os.lstat(self.path))
        except OSError:
            return False

    def look(self, glance: bool = False) -> Learner:
        """The committee as it is now, under the lock; with a ``glance`` its tables are not mapped.

        Raises DamagedSnapshot if it is not whole.
        """
        head = os.pread(self._file, HEAD.size + CHECK_BYTES, 0)
        if self._committee is not None and head == self._head and (glance or self._map is not None):
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
        self._committee.give_back()  # what was scored before may be out of date
        if self._committee.seal() != seal:
            raise DamagedSnapshot("Parts of this snapshot are of another time. Remove it: it is made again.")
        self._head = head
        return self._committee

    def _taken(self, glance: bool) -> Learner:
        if os.fstat(self._file).st_size < 2 * PAGE:
            raise DamagedSnapshot("This snapshot is cut short. Remove it: it is made again.")
        if glance and self.footing.foundation is None and Glance.is_fit(self._file, PAGE):
            return Glance(self.footing.settings, self._file, PAGE)
        return self.footing.take(self._mapped())

    def _mapped(self) -> memoryview:
        """Map the file; what is behind its page."""
        from mmap import ACCESS_READ, ACCESS_WRITE, mmap

        self._map = mmap(self._file, 0, access=ACCESS_WRITE if self._is_writable else ACCESS_READ)
        self._view = memoryview(self._map)[PAGE:]
        return self._view

    @property
    def held_bytes(self) -> int:
        """How much of it is mapped."""
        return 0 if self._map is None else len(self._map)

    def rest(self) -> None:
        """Give back the pages that are mapped; whoever asks next gets them from the file again."""
        from mmap import MADV_DONTNEED

        mapped = self._map
        if mapped is not None and not self._is_writable:
            with suppress(ValueError):  # another thread closes it just now
                mapped.madvise(MADV_DONTNEED)

    def _records(self, first: int, end: int) -> bytes:
        records = os.pread(self._file, (end - first) * RECORD, self._exams_at() + first * RECORD)
        return whole_records(records, first, end)

    def _exams_at(self) -> int:
        assert self._committee is not None
        return PAGE + self._committee.state_bytes

    def _grow(self, shape: Shape) -> None:
        """Go on in a larger file, which takes the place of this one."""
        self.go_on_in(self.poured(shape))

    def poured(self, shape: Shape) -> Snapshot:
        """The same state in a table of another shape, in a file beside this one; nobody else may make one."""
        path = self.path + GROWN
        with suppress(OSError):
            os.unlink(path)  # of a process that died here
        try:
            return Snapshot.make(path, make_like(self.path, path), self, shape)
        except BaseException as error:
            raise _not_grown(path, error) from None

    def go_on_in(self, grown: Snapshot) -> None:
        """Be the file into which this state was poured, which takes the place of this one."""
        try:
            os.rename(grown.path, self.path)
        except BaseException as error:
            grown.close()
            raise _not_grown(grown.path, error) from None
        self._replace_by(grown)

    def _replace_by(self, other: Snapshot) -> None:
        """Be another file from now on."""
        self.close()
        self._file, self._map, self._view = other._file, other._map, other._view
        self._committee, self._head = other._committee, other._head

    def _begin_change(self) -> None:
        assert self._map is not None
        self._map[HEAD.size : HEAD.size + CHECK_BYTES] = bytes(CHECK_BYTES)
        self._head = b""

    def _end_change(self, records: bytes, address: Address) -> None:
        self._write_exams(records)
        self._put_seal(address)

    def _write_exams(self, records: bytes) -> None:
        """Write records behind those that there are."""
        if not records:
            return
        start = self._exams_at() + self.exam_count * RECORD
        if os.fstat(self._file).st_size < start + len(records):
            self._reserve(start + len(records) + _spare_exams(self.exam_count) * RECORD)
        os.pwrite(self._file, records, start)
        self.exam_count += len(records) // RECORD

    def _put_seal(self, address: Address) -> None:
        """Say that it is the state of this address."""
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
        os.pwrite(self._file, self._head, 0)
        self.address = address

    def _reserve(self, size: int) -> None:
        """See to it that so many bytes of the file are on the disk."""
        try:
            os.posix_fallocate(self._file, 0, size)
        except OSError as error:
            raise CannotWrite(
                f"The state of the filter needs {size / 1e6:,.0f} MB: {error.strerror}. Make room."
            ) from None

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


def _not_grown(path: str, error: BaseException) -> BaseException:
    """Remove a larger file that is of no use; what to raise."""
    with suppress(OSError):
        os.unlink(path)
    if isinstance(error, OSError):
        return CannotWrite(f"{path} cannot be made: {error.strerror}. Check its folder.")
    return error


def _spare_exams(count: int) -> int:
    """For how many exams more than there are room is made."""
    return max(count // 4, LEAST_SPARE_EXAMS)


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
