"""Writes entries behind the back of whoever answers: many in one transaction, never in the way of a verdict.

`put` only adds to a list. In the background the list is written half a second after its first entry came; a
power cut loses at most that, and never a lesson, which is in the ledger before its entry is made. If the file
cannot be written, because the disk is full or somebody else is writing it, entries wait; beyond 10,000 the
oldest are given up, and counted. Without a background it is written by `flush` and `close`: a command does so
after its output.

In the background it is tried again soon, so each try waits for others only briefly. A server that is told to
end while somebody else holds its journal took a minute before: 30 seconds for what was being written, and 30
for what came after it.
"""

from __future__ import annotations

from _thread import allocate_lock
from contextlib import suppress

from deciban.errors import DecibanError
from deciban.sqlite_store import PATIENCE_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Condition, Thread
    from typing import Self

    from deciban.journal.journal_entry import JournalEntry, PackedEntry
    from deciban.journal.sqlite_journal import SqliteJournal

DELAY_SECONDS = 0.5
# For so long each try in the background waits for another process that is writing.
BRIEF_SECONDS = 2.0
MOST_WAITING = 10_000


class JournalWriter:
    """Entries on their way into a journal."""

    def __init__(self, journal: SqliteJournal, background: bool = False) -> None:
        self.journal = journal
        self.lost = 0
        """How many entries were given up."""
        self._waiting: list[JournalEntry | PackedEntry] = []
        self._lock = allocate_lock()
        self._writing = allocate_lock()
        self._ended = False
        self._news: Condition | None = None
        self._thread: Thread | None = None
        if background:
            from threading import Condition, Thread

            self._news = Condition()
            self._thread = Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, entry: JournalEntry | PackedEntry) -> None:
        """Have an entry written soon."""
        self.put_all([entry])

    def put_all(self, entries: list[JournalEntry | PackedEntry]) -> None:
        """The same for several, in their order."""
        with self._lock:
            self._waiting += entries
            self._give_up_oldest()
        if self._news is not None:
            with self._news:
                self._news.notify()

    def _give_up_oldest(self) -> None:
        """Let no more wait than may; under the lock."""
        lost = max(len(self._waiting) - MOST_WAITING, 0)
        del self._waiting[:lost]
        self.lost += lost

    def flush(self, patience: float = PATIENCE_SECONDS) -> None:
        """Write all that is waiting now; an error keeps it waiting."""
        with self._writing:
            with self._lock:
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                self.journal.write(batch, patience=patience)
            except BaseException:
                with self._lock:
                    self._waiting = batch + self._waiting
                    self._give_up_oldest()
                raise

    def close(self) -> None:
        """Write what is left, and let go of the journal."""
        self._ended = True
        try:
            if self._news is not None and self._thread is not None:
                with self._news:
                    self._news.notify()
                self._thread.join()
            self.flush(PATIENCE_SECONDS if self._thread is None else BRIEF_SECONDS)
        finally:
            self.journal.close()

    def _work(self) -> None:
        assert self._news is not None
        while not self._ended:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._ended)
                self._news.wait_for(lambda: self._ended, timeout=DELAY_SECONDS)
            with suppress(DecibanError, OSError):  # it waits for the next time
                self.flush(BRIEF_SECONDS)
