"""Teaching the published state in place, a few lessons at a time, so that nobody who asks waits long.

While a slice of lessons is taught, nobody can ask. Where somebody does ask, a slice is one lesson. That is
scored beforehand, under the lock of those who ask: scoring it is half of the work, and changes nothing.
"""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter.footing import Footing, Footings
    from deciban.filter.published import Published
    from deciban.ledger._placed import Placed
    from deciban.ledger.records import Address

# How many lessons are taught at a time; nobody can ask meanwhile, for about .6 ms. Slices of 2 take a fifth
# more CPU time for learning, slices of 8 or 16 not less (600 mails of SpamAssassin, the least of 7 runs).
SLICE = 4
# How many where others ask, and how many slices are so short after somebody had to wait: then more questions
# are likely to come soon.
SHORT_SLICE = 1
SHORT_SLICES = 16
# Who waited longer than this for its turn teaches more lessons in it: then many ask, or too many processes
# share the processors, and each turn costs a teacher many times what it teaches.
LONG_SLICE = 12
LONG_WAIT_SECONDS = 0.002


class Turns:
    """Teaches the published state in turns with those who ask it."""

    def __init__(self, published: Published, footings: Footings) -> None:
        self._published = published
        self._locks = published.locks
        self._footings = footings
        self._short_slices = 0

    def teach(self, start: Address, lessons: list[Placed], patience: float | None) -> None:
        """Teach lessons that follow an address, unless somebody else was faster.

        ``patience`` says how many seconds we wait for each turn.
        """
        place, size = 0, SLICE
        while place < len(lessons):
            footing = self._footings.now()
            if self._short_slices and size != LONG_SLICE:
                self._score(footing, lessons[place])
            size = SHORT_SLICE if self._short_slices else SLICE
            begun = monotonic()
            with self._locks.changing(patience):
                state = self._published.to_teach(footing)
                if state is None or state.address != start:
                    return
                if monotonic() - begun > LONG_WAIT_SECONDS:
                    size = LONG_SLICE
                slice_ = lessons[place : place + size]
                is_full = not state.has_room_for(slice_)
                if not is_full:
                    state.teach_what_fits(slice_)
                    start, place = state.address, place + len(slice_)
                is_asked = self._locks.is_waited_for()
            if is_full:
                self._published.enlarge(footing, start, slice_, patience)
            is_asked |= self._locks.give_way()
            self._short_slices = SHORT_SLICES if is_asked else max(self._short_slices - 1, 0)

    def _score(self, footing: Footing, lesson: Placed) -> None:
        """Do what can be done for a lesson while others ask; nothing if we had to wait for that."""
        with self._locks.asking_in_time(0.0) as in_time:
            state = self._published.to_teach(footing) if in_time else None
            if state is not None:
                state.look().score(lesson.features)
