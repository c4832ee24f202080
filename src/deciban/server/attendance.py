"""How many connections each worker has, so that the next one goes to the worker that has the fewest.

All workers listen at the same sockets, and whoever wakes up first takes a connection. On a machine with
nothing to do that is nearly always the same one: of 8 connections made one after the other, it took all in 12
of 20 cases. Programs keep their connections, so one worker would then do all the work. Therefore a worker
that has more connections than another leaves the next one to that worker for a moment.

The numbers are in memory that the supervisor and all workers share. Each writes its own.

>>> attendance = Attendance(2)
>>> attendance.enter(1)
>>> attendance.count(+1)
>>> attendance.others_have_fewer()  # the other worker is not there yet
False
"""

from __future__ import annotations

from mmap import mmap

NUMBER_BYTES = 8
# More than any worker that is there can have.
AWAY = 1 << 62


class Attendance:
    """The connections of all workers; made before they are."""

    def __init__(self, workers: int) -> None:
        self._connections = memoryview(mmap(-1, NUMBER_BYTES * workers)).cast("q")
        self._place = 0
        for place in range(workers):
            self.leave(place)

    def enter(self, place: int) -> None:
        """Be the worker at a place, which has no connections yet."""
        self._place = place
        self._connections[place] = 0

    def leave(self, place: int) -> None:
        """Nobody is at a place any more."""
        self._connections[place] = AWAY

    def count(self, more: int) -> None:
        """Say that this worker has more connections, or fewer."""
        self._connections[self._place] += more

    def others_have_fewer(self) -> bool:
        """Whether another worker should have the next connection."""
        return min(self._connections) < self._connections[self._place]
