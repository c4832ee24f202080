"""The snapshot: a committee's buffer as a mapped file. Losing it costs a replay, never data.

The file is one page of its own, then the buffer of the committee (see _committee.pyx). The page begins with:

    magic      8 bytes    b"dcsnap02"
    ledger     16 bytes   the id of the ledger that it was made from
    changes    8 bytes    and which of its states (numbers are little-endian)
    mark       8 bytes    the random mark of the change that led there: copies of a ledger have the same id
    clean      8 bytes    1; 0 while somebody is changing it, and ever after if he never finished
    boot       40 bytes   the boot of the machine: after a power cut nobody knows which pages reached the disk

A snapshot that does not fit in every point is not used but made again. What is no plain file, such as a link
that somebody planted under its name, is never followed: a process that may write replaces it, others do
without. Processes take turns by `flock` on the file: many may read it, one may change it. The file is never
replaced, only rewritten; it is reserved on the disk before it is mapped, because a disk that is full while a
mapping is written to would kill the process.

The first question is answered without a mapping, by a `Glance`: most processes ask only once, at a delivery.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from contextlib import contextmanager, suppress

from deciban.committee._committee import Committee, Glance
from deciban.errors import CannotWrite, DamagedSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from mmap import mmap

    from deciban.committee.settings import Settings
    from deciban.ledger.records import Stamp

PAGE = 4096
HEAD = struct.Struct("<8s16sQ8sQ40s")
MAGIC = b"dcsnap02"
CLEAN_AT = 40


class Snapshot:
    """The file, opened, mapped and locked as needed."""

    def __init__(self, path: str, settings: Settings, read_only: bool = False) -> None:
        self.path = path
        self.settings = settings
        self.read_only = read_only
        self._file = -1
        self._map: mmap | None = None
        self._view: memoryview | None = None
        self._committee: Committee | None = None
        self._exclusive = False
        self._asked = False
        self._boot = _boot()

    @property
    def committee(self) -> Committee:
        """The committee of a snapshot that fits, for as long as it is locked."""
        assert self._committee is not None, "ask whether it fits first"
        return self._committee

    @contextmanager
    def shared(self) -> Iterator[bool]:
        """Nobody changes it meanwhile; False if there is none."""
        with self._locked(fcntl.LOCK_SH) as there:
            yield there

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody else reads or changes it meanwhile."""
        with self._locked(fcntl.LOCK_EX):
            yield

    @contextmanager
    def _locked(self, how: int) -> Iterator[bool]:
        while self._open():
            fcntl.flock(self._file, how)
            if self._is_in_place():
                break
            # It was removed or replaced before we had the lock: ours is nobody's any more.
            self.close()
        there = self._file >= 0
        self._exclusive = how == fcntl.LOCK_EX
        try:
            yield there
        finally:
            if there and self._file >= 0:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _open(self) -> bool:
        if self._file >= 0:
            return True
        try:
            self._file = self._open_plain()
        except FileNotFoundError:
            if self.read_only:
                return False
            raise CannotWrite(f"{self.path} cannot be made: its folder is gone.") from None
        except OSError as error:
            if self.read_only:
                return False
            raise CannotWrite(
                f"{self.path} cannot be written: {error.strerror}. Check permissions."
            ) from None
        return True

    def _open_plain(self) -> int:
        """Open a plain file; anything else under its name is replaced, or taken for nothing by a reader."""
        # Not to wait for whoever might write into a pipe.
        flags = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        if self.read_only:
            file = os.open(self.path, flags | os.O_RDONLY)
            if not _is_plain(os.fstat(file)):
                os.close(file)
                raise FileNotFoundError
            return file
        with suppress(FileNotFoundError):
            if not _is_plain(os.lstat(self.path)):
                os.unlink(self.path)
        return os.open(self.path, flags | os.O_RDWR | os.O_CREAT, 0o600)

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), os.lstat(self.path))
        except FileNotFoundError:
            return False

    def fits(self, stamp: Stamp, settings: Settings) -> bool:
        """Whether it is the whole, clean state of this stamp; asked and used under one lock."""
        size = os.fstat(self._file).st_size if self._file >= 0 else 0
        if settings is not self.settings or not self._is_mapped(size):
            self._unmap()
            self.settings = settings
            if not self._take(size):
                return False
        head = os.pread(self._file, HEAD.size, 0) if self._map is None else self._map
        return HEAD.unpack_from(head) == (MAGIC, stamp.id, stamp.changes, stamp.mark, 1, self._boot)

    def _is_mapped(self, size: int) -> bool:
        """Whether the mapping, if there is one, is still that of the file."""
        # With room for more labels it may have as many bytes as before, in another order.
        return self._map is not None and len(self._map) == size and self.committee.is_current

    def _take(self, size: int) -> bool:
        """Take over the committee of the file, if it is one."""
        if size < 2 * PAGE:
            return False
        try:
            if self._asked or self._exclusive:
                self._committee = Committee(self.settings, self._mapped(size))
            else:
                self._committee = Glance(self.settings, self._file, PAGE)
        except DamagedSnapshot:
            self._unmap()
            return False
        self._asked = True
        return True

    def _mapped(self, size: int) -> memoryview:
        """Map the file; the committee's part of it."""
        from mmap import ACCESS_READ, ACCESS_WRITE, mmap

        self._map = mmap(self._file, size, access=ACCESS_READ if self.read_only else ACCESS_WRITE)
        self._view = memoryview(self._map)[PAGE:]
        return self._view

    def begin(self, capacity: int, start: Callable[[memoryview], Committee]) -> Committee:
        """A new committee, marked as not clean, in place of what was there; under the exclusive lock.

        ``start`` makes one with that room for labels in a buffer of zeros.
        """
        self._unmap()
        size = PAGE + Committee.size(self.settings, capacity)
        try:
            os.ftruncate(self._file, 0)
            os.posix_fallocate(self._file, 0, size)
        except OSError as error:
            raise CannotWrite(f"{self.path} needs {size >> 20} MB: {error.strerror}. Make room.") from None
        self._committee = start(self._mapped(size))
        return self._committee

    def buffer(self) -> memoryview:
        """The bytes of the committee, for as long as it is locked."""
        assert self._view is not None
        return self._view

    def mark_dirty(self) -> None:
        """Say that it is being changed: should we die, nobody will trust it."""
        assert self._map is not None
        struct.pack_into("<Q", self._map, CLEAN_AT, 0)

    def mark_clean(self, stamp: Stamp) -> None:
        """Say that it is the state of this stamp."""
        assert self._map is not None
        HEAD.pack_into(self._map, 0, MAGIC, stamp.id, stamp.changes, stamp.mark, 0, self._boot)
        struct.pack_into("<Q", self._map, CLEAN_AT, 1)

    def discard(self) -> None:
        """Leave nothing that anybody could trust; under the exclusive lock."""
        self._unmap()
        if self._file >= 0:
            os.ftruncate(self._file, 0)

    def _unmap(self) -> None:
        if self._committee is not None:
            self._committee.close()
        if self._view is not None:
            self._view.release()
        if self._map is not None:
            self._map.close()
        self._committee = self._view = self._map = None

    def close(self) -> None:
        """Let go of the file and its lock."""
        self._unmap()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _is_plain(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode)


def _boot() -> bytes:
    """The id of this boot, as `HEAD` keeps it; empty where the system does not tell."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb", buffering=0) as file:
            return file.read(40).strip().ljust(40, b"\0")
    except OSError:
        return bytes(40)
