"""A state: a committee, the exams of its lessons, and the address that says which lessons those are.

A state is a file that many processes use (snapshot.py), or lies in the memory of one (memory_state.py). Both
are taught in the same way, and make room for themselves when they are full.
"""

from __future__ import annotations

from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot, TooManyLabels
from deciban.filter.exams import RECORD, read, taught
from deciban.ledger._placed import most_features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deciban.filter.exams import KeptExam
    from deciban.filter.footing import Footing, Learner
    from deciban.ledger._placed import Placed
    from deciban.ledger.records import Address

# So many exams are read at a time.
EXAMS_AT_ONCE = 2048
# So many labels fill rows of 16, 32, 64 and 128 bytes.
FULL_ROWS = 2, 4, 10, 20


def capacity_for(labels: int) -> int:
    """The labels that tables have room for: as many as fill a row, whose bytes are a power of two.

    Above 20 labels it is a power of two, because the number of slots depends on it (`Settings.table_bits`).

    >>> [capacity_for(labels) for labels in (0, 1, 2, 3, 5, 10, 11, 21, 33)]
    [2, 2, 2, 4, 10, 10, 20, 32, 64]
    """
    return next((full for full in FULL_ROWS if labels <= full), 1 << (labels - 1).bit_length())


class State:
    """What all states can do."""

    footing: Footing
    address: Address
    exam_count: int

    def look(self) -> Learner:
        """The committee as it is now; under the lock, if there is one."""
        raise NotImplementedError

    def check(self) -> None:
        """Refuse it if anything of its tables is damaged; one that is used is checked as it is used."""
        self.look().check()

    def is_as_it_was(self) -> bool:
        """Whether nobody has changed it since the last look."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of it."""
        raise NotImplementedError

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
        raise NotImplementedError

    # Teaching, under the exclusive lock or where nobody else can see it

    def teach(self, lessons: Sequence[Placed]) -> None:
        """Teach lessons; if we die meanwhile, nobody trusts the state any more."""
        self.make_room_for(lessons)
        self.teach_what_fits(lessons)

    def teach_what_fits(self, lessons: Sequence[Placed]) -> None:
        """Teach lessons for which there is room."""
        committee = self.look()
        self._begin_change()
        records = taught(committee, lessons)
        last = lessons[-1]
        self._end_change(records, self.address.replaced(position=last.position, trail=last.trail))

    def make_room_for(self, lessons: Sequence[Placed]) -> None:
        """Go on in a larger table if these lessons may not fit."""
        shape = self.shape_wanted_by(lessons)
        if shape is not None:
            self._grow(shape)

    def has_room_for(self, lessons: Sequence[Placed]) -> bool:
        """Whether these lessons fit into the table."""
        committee = self.look()
        labels = _labels_with(committee, lessons)
        # Features are counted only if there may be too little room.
        most = most_features(lessons)
        return committee.has_room(labels, most) or committee.has_room(labels, _features_in(lessons))

    def shape_wanted_by(self, lessons: Sequence[Placed]) -> Shape | None:
        """The shape of a larger table in which these lessons find room; None if they have room now."""
        if self.has_room_for(lessons):
            return None
        committee = self.look()
        capacity, bits = capacity_for(_labels_with(committee, lessons)), committee.shape.bits
        is_layer = committee.foundation is not None
        if (
            not is_layer
            and bits != self.footing.settings.table_bits(capacity)
            and capacity > committee.capacity
        ):
            raise TooManyLabels("With so many labels the table has other slots: the lessons are replayed.")
        rows = self._rows_wanted(committee.rows_learned(), _features_in(lessons))
        return Shape.for_rows(
            max(capacity, committee.capacity), bits, rows, is_layer, shared=self._rows_to_share()
        )

    def _rows_wanted(self, rows: int, features: int) -> int:
        """For how many rows room is made, if so many are there and so many features come."""
        return rows + features

    def _rows_to_share(self) -> int:
        """How many rows need not be in the new table, because they are equal to others."""
        return self.look().rows_to_share()

    def _grow(self, shape: Shape) -> None:
        """Go on in a table of another shape."""
        raise NotImplementedError

    def _begin_change(self) -> None:
        """Say that it is being changed."""
        raise NotImplementedError

    def _end_change(self, records: bytes, address: Address) -> None:
        """Add the records of exams, and say that it is the state of this address."""
        raise NotImplementedError


def _labels_with(committee: Learner, lessons: Sequence[Placed]) -> int:
    """How many labels there are, with those of lessons to come."""
    return len({*committee.labels, *(lesson.label for lesson in lessons)})


def _features_in(lessons: Sequence[Placed]) -> int:
    return sum(len(lesson.features) for lesson in lessons)


def whole_records(records: bytes, first: int, end: int) -> bytes:
    """Records that were read, if none is missing."""
    if len(records) < (end - first) * RECORD:
        raise DamagedSnapshot("This snapshot is cut short. Remove it: it is made again.")
    return records
