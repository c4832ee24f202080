"""Replaying: the state of a ledger, made from its lessons in their order, each after its exam.

    state == replay(settings, foundation, lessons)

A replay begins with the last usable checkpoint, or with the foundation. It is made in memory, and then
written into a file beside the published state, unless we may not write. Nobody who asks waits for it.

Whoever teaches folders waits until they are mixed. So there a second thread fetches the lessons, on a machine
with more than one core: a sixth less time, for a tenth more of the processors'. Other replays have one.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from itertools import islice

from deciban.errors import DamagedSnapshot, TooManyLabels
from deciban.filter.checkpoints import Checkpoints
from deciban.filter.foundation import begin, has_its_slots
from deciban.filter.memory_state import MemoryState
from deciban.ledger.trail import START, belongs, follow, keyed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from deciban.filter.footing import Footings, Learner
    from deciban.filter.published import Beside, Published
    from deciban.filter.state import State
    from deciban.ledger._placed import Placed
    from deciban.ledger.ledger import Ledger

    Progress = Callable[[int, int], object]

# After this many lessons a replay calls progress, and looks whether a checkpoint is due.
SLICE = 50
# A thread is started for that many lessons.
MANY = 10 * SLICE


class Replaying:
    """Makes states of a ledger."""

    def __init__(self, ledger: Ledger, published: Published, footings: Footings) -> None:
        self.checkpoints = Checkpoints(ledger)
        self._ledger = ledger
        self._published = published
        self._footings = footings

    def built(self, progress: Progress | None = None, checkpoints: int | None = None) -> Beside:
        """The state of the ledger, in a file beside the published one; under the build lock."""
        return self._build(self._ledger.replay, progress, checkpoints)

    def built_without(self, positions: set[int], progress: Progress | None = None) -> Beside:
        """The state that it will have without the lessons at these positions."""

        def left(after: int) -> Iterator[Placed]:
            trail = self._ledger.trail_at(after) or START
            ledger = keyed(self._ledger.address().ledger)
            for lesson in self._ledger.replay(after):
                if lesson.position not in positions:
                    trail = follow(ledger, trail, lesson.step)
                    yield lesson.at(lesson.position, trail)

        return self._build(left, progress, before=min(positions))

    def built_in(self, order: list[int], progress: Progress | None = None) -> Beside:
        """The state that it will have when its lessons are arranged in this order."""
        return self._build(
            lambda _: self._ledger.arranged(order), progress, checkpoints=0, before=0, is_awaited=True
        )

    def _build(
        self,
        lessons: Callable[[int], Iterable[Placed]],
        progress: Progress | None,
        checkpoints: int | None = None,
        before: int | None = None,
        is_awaited: bool = False,
    ) -> Beside:
        """Teach a new state the lessons that follow its starting point.

        On the way the last ``checkpoints`` checkpoints are saved, or all useful ones. After mixing none is:
        each costs as much time as 150 lessons, and a lesson that is forgotten may be anywhere in the mixed
        order. The next lesson that is taught alone saves one behind it.
        """
        state = self._start(before, in_bulk=True)
        try:
            start, end = state.address.position, self._ledger.last_position()
            targets = self.checkpoints.targets(start, end)
            if progress is not None:
                progress(0, end - start)
            ahead = is_awaited and end - start >= MANY and len(os.sched_getaffinity(0)) > 1
            with closing(_slices(iter(lessons(start)), ahead)) as slices:
                for taught in _taught(state, slices):
                    if progress is not None:
                        progress(taught, end - start)
                    if targets and state.address.position >= targets[0]:
                        if checkpoints is None or len(targets) <= checkpoints:
                            self.checkpoints.save(state)
                        targets = [target for target in targets if target > state.address.position]
            return self._published.beside(state)
        finally:
            state.close()

    def _start(self, before: int | None = None, in_bulk: bool = False) -> MemoryState:
        """Where a replay begins: the last usable checkpoint before a position, or the foundation."""
        footing = self._footings.now()
        first = begin(self._ledger, footing, self._ledger.last_position(), in_bulk)
        if (saved := self.checkpoints.last(footing, first.shape.bits, before)) is not None:
            first.close()
            return saved
        return MemoryState(footing, first, self._ledger.address().replaced(position=0, trail=START))

    def bring_up(self, beside: Beside | None) -> Beside:
        """Teach a new state what it still lacks; if it does not belong to this ledger, make it again."""
        if beside is None:
            return self.built()
        try:
            if not (belongs(self._ledger, beside.snapshot.address) and self.has_its_slots(beside.snapshot)):
                beside.discard()
                beside = self.built()
            self.teach_rest(beside.snapshot)
        except BaseException:
            beside.discard()
            raise
        return beside

    def has_its_slots(self, state: State) -> bool:
        """Whether a state has as many slots as a replay would have now."""
        return has_its_slots(self._ledger, self._footings.now(), state.look())

    def in_memory(
        self,
        from_the_foundation: bool = False,
        progress: Progress | None = None,
        only: set[int] | None = None,
    ) -> MemoryState:
        """The state of the ledger, for us alone; ``from_the_foundation``, without the help of checkpoints.

        ``only``: of the lessons at these positions.
        """
        private = self._start(0 if from_the_foundation or only is not None else None)
        self.teach_rest(private, progress, only)
        return private

    def mixed_in_memory(self) -> MemoryState:
        """The state that it will have once what waits is mixed, for us alone, who cannot mix it."""
        order = self._ledger.wanted_order(longest_run=0)
        if order is None:
            return self.in_memory()
        private = self._start(0)
        for _ in _taught(private, _slices(self._ledger.arranged(order))):
            pass
        private.address = self._ledger.address()  # of which it has learned all, though in another order
        return private

    def teach_rest(
        self, state: State, progress: Progress | None = None, only: set[int] | None = None
    ) -> None:
        """Teach a state what it still lacks."""
        state.look()
        rest = self._ledger.last_position() - state.address.position
        lessons = self._ledger.replay(state.address.position)
        if only is not None:
            lessons = (lesson for lesson in lessons if lesson.position in only)
        if progress is not None:
            progress(0, rest)
        try:
            for taught in _taught(state, _slices(lessons)):
                if progress is not None:
                    progress(taught, rest)
        except TooManyLabels:
            raise DamagedSnapshot("This state has too few slots for so many labels.") from None

    def begin(self, in_bulk: bool = False) -> Learner:
        """A state in memory before its first lesson; ``in_bulk``, as a replay of all lessons begins."""
        lessons = self._ledger.last_position() if in_bulk else 0
        return begin(self._ledger, self._footings.now(), lessons, in_bulk)

    def save_checkpoint(self, state: State) -> None:
        """Save a state, unless it is damaged: its users notice the damage, but it must not be saved."""
        with suppress(DamagedSnapshot):
            self.checkpoints.save(state)


def _slices(lessons: Iterator[Placed], ahead: bool = False) -> Generator[list[Placed], None, None]:
    """Lessons in slices; ``ahead``: another thread fetches those that follow."""
    if ahead:
        from deciban.filter.fetching import fetched_ahead

        yield from fetched_ahead(lessons, SLICE)
    else:
        while slice_ := list(islice(lessons, SLICE)):
            yield slice_


def _taught(state: State, slices: Iterator[list[Placed]]) -> Iterator[int]:
    """Teach lessons, slice by slice; yields how many have been taught so far."""
    count = 0
    for slice_ in slices:
        state.teach(slice_)
        count += len(slice_)
        yield count
