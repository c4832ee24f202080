"""A state in memory, for its process alone: where replays are made, and where those teach who may not write.

In memory a table grows by doubling. What is not used of its room takes no memory.
"""

from __future__ import annotations

from deciban.committee._committee import Committee
from deciban.filter.exams import RECORD
from deciban.filter.state import State, whole_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

    from deciban.committee.settings import Settings
    from deciban.committee.shape import Shape
    from deciban.filter.footing import Footing, Learner
    from deciban.ledger.records import Address


class MemoryState(State):
    """A committee in memory, with its exams."""

    def __init__(
        self, footing: Footing, committee: Learner, address: Address, exams: bytes | memoryview = b""
    ) -> None:
        self.footing = footing
        self.address = address
        self.exam_count = len(exams) // RECORD
        self._committee = committee
        self._exams = bytearray(exams)

    @classmethod
    def copy_of(cls, state: State) -> MemoryState:
        """A copy of another state; under its lock."""
        committee = state.look()
        made = begin_in_memory(state.footing, committee.shape)
        made.take_over(committee)  # type: ignore[arg-type]  # both stand on one footing
        return cls(state.footing, made, state.address, state.exam_records())

    def look(self) -> Learner:
        """The committee."""
        return self._committee

    def check(self) -> None:
        """Nobody else can damage it, so nothing is looked at."""

    def is_as_it_was(self) -> bool:
        """Nobody else can change it."""
        return True

    def _records(self, first: int, end: int) -> bytes:
        # Of a million exams each copy takes 40 MB: through the view there is one, not two.
        view = memoryview(self._exams)[first * RECORD : end * RECORD]
        return whole_records(bytes(view), first, end)

    def _rows_wanted(self, rows: int, features: int) -> int:
        return 2 * rows + features

    def _rows_to_share(self) -> int:
        return 0

    def _grow(self, shape: Shape) -> None:
        grown = begin_in_memory(self.footing, shape, self._committee.has_directory)
        grown.take_over(self._committee)  # type: ignore[arg-type]  # both stand on one footing
        self._committee.close()
        self._committee = grown

    def _begin_change(self) -> None:
        pass

    def _end_change(self, records: bytes, address: Address) -> None:
        self._exams += records
        self.exam_count += len(records) // RECORD
        self.address = address

    def close(self) -> None:
        """Let go of the memory."""
        self._committee.close()


def begin_in_memory(footing: Footing, shape: Shape, in_bulk: bool = False) -> Learner:
    """A state that has learned nothing on its own, in memory of its own.

    ``in_bulk``: it is taught many lessons, written into a file, and gone.
    """
    wants_directory = in_bulk and shape.wants_directory
    if in_bulk:
        shape = shape.for_bulk()
    learner = footing.begin(shape, memory_for(footing.size(shape)))
    if wants_directory:
        learner.open_directory()
    return learner


def begin_committee(settings: Settings, shape: Shape, foundation: Committee | None) -> Committee:
    """A committee that has learned nothing on its own, in memory of its own."""
    return Committee.begin(settings, shape, memory_for(Committee.size(settings, shape)), foundation)


def memory_for(size: int) -> mmap:
    """So many bytes, all of them 0."""
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

    return mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
