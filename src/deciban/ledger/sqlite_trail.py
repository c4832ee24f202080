"""The order of lessons in a SQLite file, and the trail along it (trail.py)."""

from __future__ import annotations

from deciban.ledger.sqlite_connection import SqliteConnection
from deciban.ledger.sqlite_file import blob, damaged
from deciban.ledger.trail import START, follow, link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.errors import DamagedLedger

LESSONS_IN_ORDER = "trail JOIN lessons ON lesson = lessons.number"
# The name that the check of a lesson covers, also where labels are shown under another (sqlite_labels.py).
WRITTEN_LABEL = "(SELECT name FROM main.labels AS own WHERE own.number = lessons.label)"


class SqliteTrail(SqliteConnection):
    """Positions, and the trail at each of them."""

    def last_position(self) -> int:
        """The position of the last lesson; 0 if there is none."""
        return self.address().position

    def trail_at(self, position: int) -> bytes | None:
        """The trail at a position; None if no lesson is there."""
        if position == 0:
            return START
        rows = self._execute("SELECT trail FROM trail WHERE position = ?", position)
        return rows[0][0] if rows else None

    def _place(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Put lessons at the end: position, number and trail."""
        with self._telling():
            self._connection.executemany(
                "INSERT INTO trail VALUES (?, ?, ?)",
                ((position, number, blob(trail)) for position, number, trail in rows),
            )

    def _lay(self, after: int = 0) -> None:
        """Lay the trail again behind a position, along the order that there is now; only while writing."""
        trail = self.trail_at(after) or START
        laid = []
        steps = f"""SELECT position, digest, {WRITTEN_LABEL}, checked FROM {LESSONS_IN_ORDER}
            WHERE position > ? ORDER BY position"""
        end = after
        for position, digest, label, checked in self._execute(steps, after):
            trail = follow(self._keyed, trail, link(digest, label, checked))
            laid.append((blob(trail), position))
            end = position
        with self._telling():
            self._connection.executemany("UPDATE trail SET trail = ? WHERE position = ?", laid)
        self._set_end(end, trail)

    def _before(self, position: int) -> int:
        """The position of the last lesson before one."""
        rows = self._execute("SELECT coalesce(max(position), 0) FROM trail WHERE position < ?", position)
        return int(rows[0][0])

    def _damaged(self, position: int) -> DamagedLedger:
        return damaged(self.path, f"lesson {position} is not as it was written")
