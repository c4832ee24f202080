"""Replaying: the state of a ledger, made from its lessons in their order, each after its exam.

    state == replay(settings, foundation, lessons)

A replay begins with the last usable checkpoint, or with the foundation. It goes into a file beside the
published state, or into memory if we may not write. Nobody waits for it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice

from deciban.committee._committee import Committee
from deciban.errors import DamagedSnapshot, TooManyLabels
from deciban.filter.checkpoints import Checkpoints
from deciban.filter.foundation import begin, room
from deciban.filter.snapshot import Snapshot
from deciban.ledger.trail import START, belongs, follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deciban.filter.published import Beside, Published
    from deciban.ledger.ledger import Ledger
    from deciban.ledger.records import Address, Placed

    Progress = Callable[[int, int], object]
    Start = Callable[[memoryview], tuple[Committee, bytes]]

# After this many lessons a replay calls progress, and looks whether a checkpoint is due.
SLICE = 100


class Replaying:
    """Makes states of a ledger."""

    def __init__(self, ledger: Ledger, published: Published) -> None:
        self.checkpoints = Checkpoints(ledger)
        self._ledger = ledger
        self._published = published

    def built(self, progress: Progress | None = None, checkpoints: int | None = None) -> Beside:
        """The state of the ledger, in a file beside the published one; under the build lock."""
        return self._build(self._ledger.replay, progress, checkpoints)

    def built_without(self, positions: set[int], progress: Progress | None = None) -> Beside:
        """The state that it will have without the lessons at these positions."""

        def left(after: int) -> Iterator[Placed]:
            trail = self._ledger.trail_at(after) or START
            identity = self._ledger.address().ledger
            for lesson in self._ledger.replay(after):
                if lesson.position not in positions:
                    trail = follow(identity, trail, lesson.step)
                    yield lesson.replaced(trail=trail)

        return self._build(left, progress, before=min(positions))

    def built_in(self, order: list[int], progress: Progress | None = None) -> Beside:
        """The state that it will have when its lessons are arranged in this order."""

        def arranged(_: int) -> Iterator[Placed]:
            trail = START
            identity = self._ledger.address().ledger
            for place, lesson in enumerate(self._ledger.places(order), 1):
                trail = follow(identity, trail, lesson.step)
                yield lesson.replaced(position=place, trail=trail)

        return self._build(arranged, progress, checkpoints=1, before=0)

    def _build(
        self,
        lessons: Callable[[int], Iterable[Placed]],
        progress: Progress | None,
        checkpoints: int | None = None,
        before: int | None = None,
    ) -> Beside:
        """Teach a new state the lessons that follow its starting point.

        On the way the last ``checkpoints`` checkpoints are saved, or all useful ones. After many lessons at
        once only one is saved: each costs as much time as 150 lessons, and whoever later forgets an older
        lesson saves the others.
        """
        capacity = room(self._ledger)
        address, start = self.checkpoints.last(capacity, before) or self._foundation(capacity)
        end = self._ledger.last_position()
        targets = self.checkpoints.targets(address.position, end)
        if progress is not None:
            progress(0, end - address.position)
        beside = self._published.beside(self._ledger.settings, capacity, start, address)
        try:
            for taught in _taught(beside.snapshot, iter(lessons(address.position))):
                if progress is not None:
                    progress(taught, end - address.position)
                if targets and beside.snapshot.address.position >= targets[0]:
                    if checkpoints is None or len(targets) <= checkpoints:
                        self.checkpoints.save(beside.snapshot)
                    targets = [target for target in targets if target > beside.snapshot.address.position]
        except BaseException:
            beside.discard()
            raise
        return beside

    def bring_up(self, beside: Beside | None) -> Beside:
        """Teach a new state what it still lacks; if it does not belong to this ledger, make it again."""
        if beside is None:
            return self.built()
        if not belongs(self._ledger, beside.snapshot.address) or room(self._ledger) != _capacity(beside):
            beside.discard()
            beside = self.built()
        try:
            self.teach_rest(beside.snapshot)
        except BaseException:
            beside.discard()
            raise
        return beside

    def _foundation(self, capacity: int) -> tuple[Address, Start]:
        """Where a replay of everything begins."""

        def start(buffer: memoryview) -> tuple[Committee, bytes]:
            return begin(self._ledger, capacity, buffer), b""

        return self._ledger.address().replaced(position=0, trail=START), start

    def in_memory(self, from_the_foundation: bool = False, progress: Progress | None = None) -> Snapshot:
        """The state of the ledger, for us alone; ``from_the_foundation``, without the help of checkpoints."""
        capacity = room(self._ledger)
        saved = None if from_the_foundation else self.checkpoints.last(capacity)
        address, start = saved or self._foundation(capacity)
        private = Snapshot.begin(_memory(), self._ledger.settings, capacity, start, address)
        self.teach_rest(private, progress)
        return private

    def copy_of(self, published: Snapshot) -> Snapshot:
        """A copy of the published state, for us alone; under its lock."""
        file = _memory()
        copy = Snapshot(file, self._ledger.settings, is_writable=True)
        try:
            published.copy_to(file)
            copy.look()
        except BaseException:
            copy.close()
            raise
        return copy

    def teach_rest(self, state: Snapshot, progress: Progress | None = None) -> None:
        """Teach a state what it still lacks."""
        state.look()
        rest = self._ledger.last_position() - state.address.position
        try:
            for taught in _taught(state, self._ledger.replay(state.address.position)):
                if progress is not None:
                    progress(taught, rest)
        except TooManyLabels:
            raise DamagedSnapshot("This state has too little room for labels.") from None

    def begin(self) -> Committee:
        """A committee in memory before its first lesson."""
        capacity = room(self._ledger)
        return begin(self._ledger, capacity, bytearray(Committee.size(self._ledger.settings, capacity)))

    def save_checkpoint(self, state: Snapshot) -> None:
        """Save a state, unless it is damaged: its users notice the damage, but it must not be saved."""
        with suppress(DamagedSnapshot):
            self.checkpoints.save(state)


def _taught(snapshot: Snapshot, lessons: Iterator[Placed]) -> Iterator[int]:
    """Teach lessons, slice by slice; yields how many have been taught so far."""
    count = 0
    while slice_ := list(islice(lessons, SLICE)):
        snapshot.teach(slice_)
        count += len(slice_)
        yield count


def _memory() -> int:
    """A file in memory."""
    return os.memfd_create("deciban", os.MFD_CLOEXEC)


def _capacity(beside: Beside) -> int:
    return beside.snapshot.look().capacity
