"""The journal's file: entries of one filter, or of all spaces of a folder, in SQLite.

    entries   id, space, moment …   the fields of `JournalEntry`, with a check of them all
              label, taught, before what the user made of it; all null until then
    facts     name, value           for how many days entries are kept; up to when samples were drawn

One file for all spaces, so that a busy server commits once or twice per second, not once for each space. An
entry takes some 4 KB, nearly all of it the code of its features. Entries that are too old are erased whenever
something is written. What is erased is overwritten, and no log of it is kept (sqlite_store.py).
"""

from __future__ import annotations

import json
from time import time

from deciban.committee._lesson_code import Features
from deciban.errors import BadSetting, FilterError
from deciban.journal.journal_entry import QUESTION, JournalEntry, Outcome
from deciban.sqlite_store import SqliteStore, StoreKind, row_check
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

DAYS = 30
MOST_DAYS = 36_500
# Read at a time: nobody can write meanwhile.
PAGE = 500
MICROSECONDS_A_DAY = 86_400_000_000
KIND = StoreKind(
    "journal",
    b"deJo",
    1,
    (
        "CREATE TABLE entries (number INTEGER PRIMARY KEY, id BLOB UNIQUE NOT NULL, space TEXT NOT NULL, "
        "moment INTEGER NOT NULL, door TEXT NOT NULL, kind TEXT NOT NULL, digest BLOB NOT NULL, "
        "source TEXT NOT NULL, sender TEXT NOT NULL, subject TEXT NOT NULL, date TEXT NOT NULL, "
        "message_id TEXT NOT NULL, names TEXT NOT NULL, features BLOB NOT NULL, verdict TEXT NOT NULL, "
        "done TEXT NOT NULL, label TEXT, taught INTEGER, before TEXT, checked INTEGER NOT NULL)",
        "CREATE INDEX entries_by_time ON entries (moment)",
        "CREATE INDEX entries_of_a_space ON entries (space, moment)",
        "CREATE INDEX entries_by_digest ON entries (digest)",
        "CREATE INDEX entries_by_message_id ON entries (message_id)",
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL)",
    ),
)
_FIELDS = (
    "id, space, moment, door, kind, digest, source, sender, subject, date, message_id, names, features, "
    "verdict, done, label, taught, before, checked"
)
_WRITE = (
    f"INSERT INTO entries ({_FIELDS}) VALUES ({', '.join('?' * len(_FIELDS.split(', ')))}) "
    "ON CONFLICT (id) DO UPDATE SET label = excluded.label, taught = excluded.taught, "
    "before = excluded.before, checked = excluded.checked"
)


class EntrySelection(Value, kw_only=True):
    """Which entries of a space are meant: those for which everything that is given holds."""

    since: float | None = None
    """Seconds since 1970."""
    until: float | None = None
    sender: str | None = None
    verdict: str | None = None
    """The label, or unsure."""
    corrected: bool = False
    """Only those of which the user made something."""
    words: tuple[str, ...] = ()
    """Each somewhere in sender, subject or source, whatever its case."""

    def has(self, entry: JournalEntry) -> bool:
        """Whether an entry is meant, times aside."""
        text = f"{entry.sender}\n{entry.subject}\n{entry.source}".casefold()
        return (
            (self.sender is None or entry.sender.casefold() == self.sender.casefold())
            and (self.verdict is None or (entry.verdict or {}).get("verdict") == self.verdict)
            and (not self.corrected or entry.outcome is not None)
            and all(word.casefold() in text for word in self.words)
        )


class SqliteJournal:
    """An open journal; several threads may use it."""

    def __init__(self, path: str, create: bool = False) -> None:
        self.path = path
        self._store = SqliteStore(path, KIND, create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    # How long

    @property
    def days(self) -> int:
        """For how many days an entry is kept; 0 keeps nothing."""
        return self._fact("days", DAYS)

    def keep_for(self, days: int) -> None:
        """Keep entries for so many days from now on, and erase older ones at once."""
        if not 0 <= days <= MOST_DAYS:
            raise BadSetting(f"A journal keeps entries for 0 to {MOST_DAYS:,} days, got {days!r} instead.")
        with self._store.writing():
            self._set_fact("days", days)
            self._expire(days)

    def _expire(self, days: int) -> None:
        now = int(time() * 1e6)
        until = now - days * MICROSECONDS_A_DAY if days else 1 << 62
        self._store.run("DELETE FROM entries WHERE moment < ?", until)

    # Writing

    def write(self, entries: Iterable[JournalEntry]) -> None:
        """Keep entries, durably; of those that are there already, the outcome is changed."""
        with self._store.writing():
            days = self.days
            if days:
                self._store.run_many(_WRITE, map(_row, entries))
            self._expire(days)

    def erase(self, space: str) -> None:
        """Erase all entries of a space for good."""
        with self._store.writing():
            self._store.run("DELETE FROM entries WHERE space = ?", space)
            self._store.run("DELETE FROM facts WHERE name = ?", f"sampled {space}")

    def erase_entries(self, identities: Iterable[bytes]) -> None:
        """Erase entries for good, by their ids."""
        with self._store.writing():
            self._store.run_many("DELETE FROM entries WHERE id = ?", [(each,) for each in identities])

    # Reading

    def entry(self, space: str, identity: bytes) -> JournalEntry | None:
        """The entry of an id, if it is of this space."""
        rows = self._store.rows(f"SELECT {_FIELDS} FROM entries WHERE id = ? AND space = ?", identity, space)
        return self._entry(rows[0]) if rows else None

    def entries(
        self, space: str, selection: EntrySelection | None = None, behind: JournalEntry | None = None
    ) -> Iterator[JournalEntry]:
        """The entries of a space that are meant, the newest first; only those ``behind`` one, if given."""
        chosen = selection or EntrySelection()
        least = 0 if chosen.since is None else int(chosen.since * 1e6)
        place = 1 << 62 if chosen.until is None else int(chosen.until * 1e6), b""
        if behind is not None:
            place = min(place, (behind.moment, behind.id))
        while True:
            rows = self._store.rows(
                f"SELECT {_FIELDS} FROM entries WHERE space = ? AND moment >= ? AND (moment, id) < (?, ?) "
                f"ORDER BY moment DESC, id DESC LIMIT {PAGE}",
                space, least, *place,
            )  # fmt: skip
            page = [self._entry(row) for row in rows]
            yield from (entry for entry in page if chosen.has(entry))
            if len(page) < PAGE:
                return
            place = page[-1].moment, page[-1].id

    def about(self, space: str, identity: bytes, digest: bytes, message_id: str) -> list[JournalEntry]:
        """The entries about one message: by the id in its tag, its digest or its Message-ID; newest first."""
        rows = self._store.rows(
            f"SELECT {_FIELDS} FROM entries WHERE space = ? AND "
            "(id = ? OR digest = ? OR (message_id = ? AND message_id != '')) ORDER BY moment DESC",
            space, identity, digest, message_id,
        )  # fmt: skip
        return [self._entry(row) for row in rows]

    def identities(self, space: str, digests: Iterable[bytes] = (), sender: str | None = None) -> list[bytes]:
        """The ids of the entries of a space about some messages, or from a sender."""
        found = [
            self._store.rows("SELECT id FROM entries WHERE space = ? AND digest = ?", space, digest)
            for digest in digests
        ]
        if sender is not None:
            from_sender = "SELECT id FROM entries WHERE space = ? AND lower(sender) = ?"
            found.append(self._store.rows(from_sender, space, sender.lower()))
        return [identity for rows in found for (identity,) in rows]

    def uncontested(self, space: str, until: int) -> list[JournalEntry]:
        """Questions since the last sample, up to a moment, that nobody contested; the oldest first."""
        rows = self._store.rows(
            f"SELECT {_FIELDS} FROM entries WHERE space = ? AND kind = ? AND label IS NULL "
            "AND moment > ? AND moment <= ? ORDER BY moment",
            space, QUESTION, self._fact(f"sampled {space}", 0), until,
        )  # fmt: skip
        return [self._entry(row) for row in rows]

    def sampled(self, space: str, until: int) -> None:
        """Say that a sample was drawn from all entries of a space up to a moment."""
        with self._store.writing():
            self._set_fact(f"sampled {space}", until)

    def count(self, space: str) -> int:
        """How many entries a space has."""
        ((count,),) = self._store.rows("SELECT COUNT(*) FROM entries WHERE space = ?", space)
        return int(count)

    def _fact(self, name: str, otherwise: int) -> int:
        rows = self._store.rows("SELECT value FROM facts WHERE name = ?", name)
        return int(rows[0][0]) if rows else otherwise

    def _set_fact(self, name: str, value: int) -> None:
        self._store.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)

    def _entry(self, row: tuple[Any, ...]) -> JournalEntry:
        *fields, checked = row
        try:
            if row_check(*fields) != checked:
                raise ValueError
            *plain, features, verdict, done, label, taught, before = fields
            names = JournalEntry.field_names[: len(plain)]
            return JournalEntry(
                **dict(zip(names, plain, strict=True)),
                features=Features.decode(features),
                verdict=json.loads(verdict) if verdict else None,
                done=done,
                outcome=None if label is None else Outcome(label, taught, before),
            )
        except (ValueError, FilterError):
            raise self._store.damaged("an entry in it is not as it was written") from None


def _row(entry: JournalEntry) -> tuple[object, ...]:
    outcome = entry.outcome
    plain = JournalEntry.field_names[: JournalEntry.field_names.index("features")]
    fields = (
        *(getattr(entry, name) for name in plain),
        entry.features.encode(),
        json.dumps(entry.verdict) if entry.verdict is not None else "",
        entry.done,
        *((None, None, None) if outcome is None else (outcome.label, outcome.moment, outcome.before)),
    )
    return *fields, row_check(*fields)
