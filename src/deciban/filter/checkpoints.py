"""Checkpoints: states saved on the way, so that forgetting need not replay everything before the forgotten.

A checkpoint is the sparse code (_sparse_code.pyx) of the state after the lesson at its position, in a file
of its own beside the ledger: ``mail.db.checkpoint-9f3c01aa``. The ledger lists position, name, room for
labels and a CRC-32 of the file, begun with the format of states, so that those of another version do not
fit. What is not listed, not there or not as it was listed is not believed, and costs no more than a longer
replay; so these files need neither locks nor fsync, and links are not followed.
The list is part of the ledger's own history: a copy that took other lessons lists other checkpoints.
Whatever changes lessons up to a position takes checkpoints from there on off the list in the same
transaction, and their files go before it is committed: nothing of a forgotten lesson is left in them.

There are at most three, in growing distances from the end, because what is forgotten or relearned is mostly
new: after 6,000 lessons, at 5,872 and 4,976. Forgetting one of the last hundred then replays 128 lessons.
"""

from __future__ import annotations

import os
from functools import partial

from deciban.committee._committee import FORMAT, Committee
from deciban.committee._sparse_code import encode
from deciban.filter.foundation import restore
from deciban.ledger.records import Checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deciban.ledger.ledger import Ledger

NEAREST = 128
GROWTH = 8
MOST = 3
MARK = ".checkpoint-"


def _plain(path: str, flags: int) -> int:
    """Open a file, but no link and no pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


class Checkpoints:
    """The checkpoints of a ledger; changed only while writing."""

    def __init__(self, ledger: Ledger, nearest: int = NEAREST) -> None:
        self.ledger = ledger
        self.nearest = nearest

    def last(self, capacity: int) -> tuple[int, Callable[[memoryview], Committee]] | None:
        """The position of the last one of use, and what makes its committee in a buffer of zeros."""
        for checkpoint in self.ledger.checkpoints():
            code = self._read(checkpoint) if checkpoint.capacity == capacity else None
            if code is not None:
                return checkpoint.position, partial(restore, self.ledger.settings, code)
        return None

    def _read(self, checkpoint: Checkpoint) -> bytes | None:
        from zlib import crc32

        try:
            with open(self.ledger.path + MARK + checkpoint.name, "rb", buffering=0, opener=_plain) as file:
                code = file.read()
        except OSError:
            return None
        return code if crc32(code, FORMAT) == checkpoint.checked else None

    def targets(self, start: int) -> list[int]:
        """Where a replay from a position should save its state on the way, in increasing order."""
        end = self.ledger.last_position()
        distances = [self.nearest * GROWTH**power for power in range(MOST)]
        return sorted(end - distance for distance in distances if end - distance >= start + distance)

    def is_due(self) -> bool:
        """Whether the last one is so far back that one should be saved now."""
        listed = self.ledger.checkpoints()
        return self.ledger.last_position() - (listed[0].position if listed else 0) >= 2 * self.nearest

    def save(self, position: int, capacity: int, state: memoryview) -> None:
        """Save the state after the lesson at a position; a full disk is no reason to fail."""
        from zlib import crc32

        code = encode(state)
        name = os.urandom(4).hex()
        try:
            file = os.open(self.ledger.path + MARK + name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                whole = os.write(file, code) == len(code)
            finally:
                os.close(file)
        except OSError:
            whole = False
        if whole:
            self.ledger.list_checkpoint(Checkpoint(position, name, capacity, crc32(code, FORMAT)))
        self._thin_out()

    def _thin_out(self) -> None:
        """Take off the list what is too much, so that distances from the end keep growing."""
        listed = self.ledger.checkpoints()
        end = self.ledger.last_position()
        while len(listed) > MOST:
            ages = [0, *(end - checkpoint.position for checkpoint in listed), end]
            # The one whose neighbours are closest to each other, seen from the end, is missed least.
            least = min(range(len(listed)), key=lambda place: (ages[place + 2] + 1) / (ages[place] + 1))
            self.ledger.drop_checkpoints([listed.pop(least).position])
        self.tidy()

    def tidy(self) -> None:
        """Remove the files that are not on the list; before it is committed."""
        kept = {self.ledger.path + MARK + checkpoint.name for checkpoint in self.ledger.checkpoints()}
        for path in self.files():
            if path not in kept:
                os.unlink(path)

    def files(self) -> Iterator[str]:
        """The files of checkpoints that there are, listed or not."""
        folder, own = os.path.split(self.ledger.path)
        for name in os.listdir(folder or "."):
            if name.startswith(own + MARK):
                yield os.path.join(folder, name)
