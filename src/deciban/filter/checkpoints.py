"""Checkpoints: states saved on the way, so that forgetting need not replay everything before the forgotten.

A checkpoint is a file of its own beside the ledger, ``mail.db.checkpoint-9f3c01aa``: its address, how many
labels and slots it has, the code of the committee (_committee_buffer.pyx), and the records of its exams,
with a check of all that. It belongs to a ledger if and only if the ledger has its trail at its position. A
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
from contextlib import suppress

from deciban._crc32 import crc32
from deciban.committee._committee import Committee
from deciban.committee._committee_buffer import FORMAT
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot
from deciban.filter.exams import RECORD
from deciban.filter.made_like import make_like, write_at
from deciban.filter.memory_state import MemoryState, begin_committee
from deciban.filter.state import capacity_for
from deciban.ledger.records import Address
from deciban.ledger.trail import belongs
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.committee.settings import Settings
    from deciban.filter.footing import Footing
    from deciban.filter.state import State
    from deciban.ledger.ledger import Ledger

NEAREST = 128
GROWTH = 8
MOST = 3
MARK = ".checkpoint-"
MAGIC = b"dccheck3"
# Magic, format of states, address, labels, bits of a slot, exams.
HEAD = struct.Struct("<8sQ16s16sQ16sHHxxxxQ")
# CRC-32, as each lesson has it. Of 15 MB it takes 6 ms, where BLAKE2b took 22 to 30: half of a checkpoint.
CHECK_BYTES = 4
# Rows that a restored state has room for, beyond its own: the first slice of a replay wants as many, and to
# grow at once would cost as much as to restore it. Room that is not used takes no memory.
ROOM_FOR_MORE = 300_000


class Checkpoint(Value):
    """What the head of a checkpoint says."""

    path: str
    address: Address
    labels: int
    bits: int
    """Its tables have 2^bits slots."""
    exams: int


class Checkpoints:
    """The checkpoints of a ledger."""

    def __init__(self, ledger: Ledger, nearest: int = NEAREST) -> None:
        self.ledger = ledger
        self.nearest = nearest

    def last(
        self, footing: Footing, bits: int | None = None, before: int | None = None
    ) -> MemoryState | None:
        """The state of the last usable one before a position; ``bits``: only if it has these slots."""
        for checkpoint in self.listed():
            if bits not in (None, checkpoint.bits) or not (
                before is None or checkpoint.address.position < before
            ):
                continue
            body = self._read(checkpoint)
            if body is not None:
                with suppress(DamagedSnapshot):
                    return _restored(footing, checkpoint, body)
        return None

    def is_whole(self, checkpoint: Checkpoint) -> bool:
        """Whether every byte of one is as it was written."""
        return self._read(checkpoint) is not None

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
        magic, format_, *address, labels, bits, exams = HEAD.unpack(head)
        if (magic, format_) != (MAGIC, FORMAT):
            return None
        checkpoint = Checkpoint(path, Address(*address), labels, bits, exams)
        return checkpoint if belongs(self.ledger, checkpoint.address) else None

    def _read(self, checkpoint: Checkpoint) -> memoryview | None:
        """The code of the committee and the exams of one that is whole."""
        try:
            with open(checkpoint.path, "rb", buffering=0, opener=_plain) as file:
                data = file.readall()
        except OSError:
            return None
        if len(data) < HEAD.size + CHECK_BYTES + checkpoint.exams * RECORD:
            return None
        end = len(data) - CHECK_BYTES
        view = memoryview(data)  # not a copy: there may be 15 MB of it
        return view[HEAD.size : end] if _check_of(view[:end]) == data[end:] else None

    def targets(self, start: int, end: int) -> list[int]:
        """Where a replay from a position to another should save its state on the way, in increasing order."""
        distances = [self.nearest * GROWTH**power for power in range(MOST)]
        return sorted(end - distance for distance in distances if end - distance >= start + distance)

    def is_due(self) -> bool:
        """Whether the last one is so far back that one should be saved now."""
        listed = self.listed()
        last = listed[0].address.position if listed else 0
        return self.ledger.last_position() - last >= 2 * self.nearest

    def save(self, state: State) -> None:
        """Save a state; a full disk is no reason to fail. What is saved must be whole."""
        state.check()
        committee = state.look()
        address = state.address
        fields = address.ledger, address.base, address.position, address.trail
        head = HEAD.pack(
            MAGIC, FORMAT, *fields, len(committee.labels), committee.shape.bits, state.exam_count
        )
        self._write((head, committee.code(), state.exam_records()))

    def _write(self, parts: tuple[bytes, ...]) -> None:
        # Not put together: copies of 15 MB took as long as writing them.
        check = _check_of(*parts)
        path = self.ledger.path + MARK + os.urandom(4).hex()
        try:
            file = make_like(self.ledger.path, path)
            try:
                end = 0
                for part in (*parts, check):
                    end = write_at(file, end, part)
            finally:
                os.close(file)
        except OSError:
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


def _restored(footing: Footing, checkpoint: Checkpoint, body: memoryview) -> MemoryState:
    """The state of a checkpoint that is whole, with room for the lessons that are to come."""
    is_layer = footing.foundation is not None
    end = len(body) - checkpoint.exams * RECORD

    def begun(settings: Settings, shape: Shape, foundation: Committee | None) -> Committee:
        room = Shape.for_rows(shape.capacity, shape.bits, shape.rows + ROOM_FOR_MORE, is_layer)
        return begin_committee(settings, room, foundation)

    committee = footing.unpacked(body[:end], capacity_for(checkpoint.labels), begun)
    return MemoryState(footing, committee, checkpoint.address, body[end:])


def _plain(path: str, flags: int) -> int:
    """Open a file, but no link and no pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _check_of(*parts: bytes | memoryview) -> bytes:
    check = 0
    for part in parts:
        check = crc32(part, check)
    return check.to_bytes(CHECK_BYTES, "little")
