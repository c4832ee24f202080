"""Checkpoints: states saved on the way, so that forgetting need not replay everything before the forgotten.

A checkpoint is a file of its own beside the ledger, ``mail.db.checkpoint-9f3c01aa``: its address, how many
labels it has room for, the sparse code (_sparse_code.pyx) of the committee, and the records of its exams,
with a digest of all that. It belongs to a ledger if and only if the ledger has its trail at its position. A
checkpoint from a copy of the ledger that took other lessons is not used, nor one that is damaged or of
another version. Then the replay is longer, and that is all; so these files need neither locks nor fsync.
Links are not followed. A checkpoint that does not belong to the ledger any more, such as after forgetting, is
removed.

There are at most three, at growing distances from the end, because people mostly forget or relearn new
lessons. After 6,000 lessons they are at 5,872 and 4,976; forgetting one of the last hundred lessons then
replays 128.
"""

from __future__ import annotations

import os
import struct
from _blake2 import blake2b
from contextlib import suppress

from deciban.committee._committee import FORMAT
from deciban.committee._sparse_code import encode
from deciban.filter.exams import RECORD
from deciban.filter.foundation import restore
from deciban.filter.made_like import make_like
from deciban.ledger.records import Address
from deciban.ledger.trail import belongs
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deciban.committee._committee import Committee
    from deciban.filter.snapshot import Snapshot
    from deciban.ledger.ledger import Ledger

    Start = Callable[[memoryview], tuple[Committee, bytes]]

NEAREST = 128
GROWTH = 8
MOST = 3
MARK = ".checkpoint-"
MAGIC = b"dccheck1"
# Magic, format of states, address, room for labels, exams.
HEAD = struct.Struct("<8sQ16s16sQ16sQQ")
CHECK_BYTES = 16


class Checkpoint(Value):
    """What the head of a checkpoint says."""

    path: str
    address: Address
    capacity: int
    """How many labels it has room for."""
    exams: int


class Checkpoints:
    """The checkpoints of a ledger."""

    def __init__(self, ledger: Ledger, nearest: int = NEAREST) -> None:
        self.ledger = ledger
        self.nearest = nearest

    def last(self, capacity: int, before: int | None = None) -> tuple[Address, Start] | None:
        """The address of the last usable one before a position, and a function that makes its state."""
        for checkpoint in self.listed():
            if checkpoint.capacity != capacity or not (
                before is None or checkpoint.address.position < before
            ):
                continue
            body = self._read(checkpoint)
            if body is not None:
                return checkpoint.address, self._start(body, checkpoint.exams * RECORD)
        return None

    def is_whole(self, checkpoint: Checkpoint) -> bool:
        """Whether every byte of one is as it was written."""
        return self._read(checkpoint) is not None

    def _start(self, body: bytes, exam_bytes: int) -> Start:
        def start(buffer: memoryview) -> tuple[Committee, bytes]:
            code = body[: len(body) - exam_bytes]
            return restore(self.ledger.settings, code, buffer), body[len(body) - exam_bytes :]

        return start

    def listed(self) -> list[Checkpoint]:
        """Those that belong to the ledger, the last first."""
        found = [checkpoint for path in self.files() if (checkpoint := self._glance(path))]
        return sorted(found, key=lambda checkpoint: -checkpoint.address.position)

    def _glance(self, path: str) -> Checkpoint | None:
        """What its head says, if it belongs to the ledger; `_read` checks that it is whole."""
        try:
            with open(path, "rb", buffering=0, opener=_plain) as file:
                head = file.read(HEAD.size)
        except OSError:
            return None
        if len(head) < HEAD.size:
            return None
        magic, format_, *address, capacity, exams = HEAD.unpack(head)
        if (magic, format_) != (MAGIC, FORMAT):
            return None
        checkpoint = Checkpoint(path, Address(*address), capacity, exams)
        return checkpoint if belongs(self.ledger, checkpoint.address) else None

    def _read(self, checkpoint: Checkpoint) -> bytes | None:
        """Sparse code and exams of one that is whole."""
        try:
            with open(checkpoint.path, "rb", buffering=0, opener=_plain) as file:
                data = file.readall()
        except OSError:
            return None
        if len(data) < HEAD.size + CHECK_BYTES + checkpoint.exams * RECORD:
            return None
        end = len(data) - CHECK_BYTES
        return data[HEAD.size : end] if _check_of(memoryview(data)[:end]) == data[end:] else None

    def targets(self, start: int, end: int) -> list[int]:
        """Where a replay from a position to another should save its state on the way, in increasing order."""
        distances = [self.nearest * GROWTH**power for power in range(MOST)]
        return sorted(end - distance for distance in distances if end - distance >= start + distance)

    def is_due(self) -> bool:
        """Whether the last one is so far back that one should be saved now."""
        listed = self.listed()
        last = listed[0].address.position if listed else 0
        return self.ledger.last_position() - last >= 2 * self.nearest

    def save(self, snapshot: Snapshot) -> None:
        """Save the state of a snapshot; a full disk is no reason to fail. What is saved must be whole."""
        committee = snapshot.look()
        committee.check()
        address = snapshot.address
        exams = snapshot.exam_records()
        fields = address.ledger, address.base, address.position, address.trail
        head = HEAD.pack(MAGIC, FORMAT, *fields, committee.capacity, snapshot.exam_count)
        data = head + encode(snapshot.buffer()) + exams
        self._write(data + _check_of(data))

    def _write(self, data: bytes) -> None:
        path = self.ledger.path + MARK + os.urandom(4).hex()
        try:
            file = make_like(self.ledger.path, path)
            try:
                whole = os.write(file, data) == len(data)
            finally:
                os.close(file)
        except OSError:
            whole = False
        if not whole:
            with suppress(OSError):
                os.unlink(path)

    def tidy(self) -> None:
        """Remove those that do not belong to the ledger, and those that are too many."""
        listed = self.listed()
        end = self.ledger.last_position()
        while len(listed) > MOST:
            ages = [0, *(end - checkpoint.address.position for checkpoint in listed), end]
            # The one whose neighbours are closest to each other, seen from the end, is missed least.
            least = min(range(len(listed)), key=lambda place: (ages[place + 2] + 1) / (ages[place] + 1))
            listed.pop(least)
        kept = {checkpoint.path for checkpoint in listed}
        for path in self.files():
            if path not in kept:
                with suppress(FileNotFoundError):
                    os.unlink(path)

    def files(self) -> Iterator[str]:
        """The files of checkpoints that there are, whether they belong to the ledger or not."""
        folder, own = os.path.split(self.ledger.path)
        for name in sorted(os.listdir(folder or ".")):
            if name.startswith(own + MARK):
                yield os.path.join(folder, name)


def _plain(path: str, flags: int) -> int:
    """Open a file, but no link and no pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _check_of(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=CHECK_BYTES).digest()
