"""The journal's file: entries of one filter, or of all spaces of a folder, in SQLite.

    entries   id, space, moment …   the fields of `JournalEntry`, with a check of them all
              label, taught, before what the user made of it; all null until then
    facts     name, value           for how many days entries are kept; up to when samples were drawn; each
                                    with a check of it, a row "check of NAME"

One file for all spaces, so that a busy server commits once or twice per second, not once for each space. An
entry takes some 4 KB, nearly all of it the code of its features. Entries that are too old are erased whenever
something is written. What is erased is overwritten, and no log of it is kept (sqlite_store.py).
"""

from __future__ import annotations

from time import time

from deciban.errors import BadSetting, FilterError
from deciban.journal.journal_entry import QUESTION, ROW, JournalEntry, PackedEntry
from deciban.ledger.cursor import START, Cursor
from deciban.ledger.lesson import storable
from deciban.sqlite_store import PATIENCE_SECONDS, SqliteStore, StoreKind, row_check
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    # Three indexes are in random order, so a batch changes a page of them for each entry. With 1,800 entries
    # per batch in a file of 280 MB, an entry takes 37 µs of CPU time; with 4 KB pages and 2 MB in memory 66.
    page_bytes=16_384,
    cache_kib=16_384,
)
_FIELDS = ", ".join(ROW)
_CHECK = "check of "
# What is written when something became of a message. The verdict is the same, but its text may be another: a
# server writes JSON without spaces, and the check is over the text.
_OUTCOME = ROW[ROW.index("verdict") :]
_WRITE = (
    f"INSERT INTO entries ({_FIELDS}) VALUES ({', '.join('?' * len(ROW))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _OUTCOME)}"
)
_MARK = f"UPDATE entries SET {', '.join(f'{name} = ?' for name in _OUTCOME)} WHERE id = ?"


class EntrySelection(Value, kw_only=True):
    """Which entries of a space are meant: those for which everything that is given holds."""

    since: float | None = None
    """Seconds since 1970."""
    until: float | None = None
    sender: str | None = None
    door: str | None = None
    """How the message came."""
    verdict: str | None = None
    """The label, or unsure."""
    taught: str | None = None
    """What the user made of it: the label that it was taught as."""
    corrected: bool = False
    """Only those of which the user made something."""
    words: tuple[str, ...] = ()
    """Each somewhere in sender, subject or source, whatever its case."""

    def has(self, entry: JournalEntry) -> bool:
        """Whether an entry is meant, as far as SQL does not tell."""
        text = f"{entry.sender}\n{entry.subject}\n{entry.source}".casefold()
        return (
            (self.sender is None or entry.sender.casefold() == self.sender.casefold())
            and (self.verdict is None or (entry.verdict or {}).get("verdict") == self.verdict)
            and all(word.casefold() in text for word in self.words)
        )

    def condition(self) -> tuple[str, list[object]]:
        """The rest of it in SQL, with the values of its parameters.

        >>> EntrySelection(since=1.5, door="milter").condition()
        ('1 AND moment >= ? AND door = ?', [1500000, 'milter'])
        """
        test = "1"
        values: list[object] = []
        for name, part, value in (
            ("since", "moment >= ?", int((self.since or 0) * 1e6)),
            ("until", "moment < ?", int((self.until or 0) * 1e6)),
            ("door", "door = ?", storable(self.door or "")),
            ("taught", "label = ?", storable(self.taught or "")),
        ):
            if getattr(self, name) is not None:
                test += f" AND {part}"
                values.append(value)
        return test + (" AND label IS NOT NULL" if self.corrected else ""), values


class EntryPage(Value):
    """Some entries, the newest first."""

    entries: tuple[JournalEntry, ...]
    behind: Cursor | None
    """Where the next page begins; None if this is the last."""


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

    def write(
        self,
        entries: Iterable[JournalEntry | PackedEntry],
        saved: bool = False,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        """Keep entries, durably; of those that are there already, the outcome is changed.

        What became of a question is only written where its entry still is: it may have been erased meanwhile;
        unless they were ``saved`` from a damaged file. Others who write are waited for with ``patience``.
        """
        new: list[Sequence[object]] = []
        marked: list[Sequence[object]] = []
        for entry in entries:
            is_mark = entry.kind == QUESTION and entry.outcome is not None and not saved
            (marked if is_mark else new).append(entry.row())
        with self._store.writing(patience):
            days = self.days
            if days:
                self._store.run_many(_WRITE, new)
                self._mark(marked)
            self._expire(days)

    def mark(self, entries: Iterable[JournalEntry]) -> None:
        """Write what became of messages whose entries are there; where they are not any more, nothing."""
        with self._store.writing():
            self._mark(entry.row() for entry in entries)

    def _mark(self, rows: Iterable[Sequence[object]]) -> None:
        self._store.run_many(_MARK, ((*row[-len(_OUTCOME) :], row[0]) for row in rows))

    def erase(self, space: str) -> None:
        """Erase all entries of a space for good."""
        with self._store.writing():
            self._store.run("DELETE FROM entries WHERE space = ?", space)
            for name, _ in fact_rows({f"sampled {space}": 0}):
                self._store.run("DELETE FROM facts WHERE name = ?", name)

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
        self, space: str, selection: EntrySelection | None = None, behind: Cursor = START
    ) -> Iterator[JournalEntry]:
        """The entries of a space that are meant, the newest first; only those ``behind`` one, if given."""
        chosen = selection or EntrySelection()
        test, values = chosen.condition()
        while True:
            rows = self._store.rows(
                f"SELECT {_FIELDS} FROM entries WHERE space = ? AND (moment, id) < (?, ?) AND {test} "
                f"ORDER BY moment DESC, id DESC LIMIT {PAGE}",
                space, behind.moment, behind.id, *values,
            )  # fmt: skip
            page = [self._entry(row) for row in rows]
            yield from (entry for entry in page if chosen.has(entry))
            if len(page) < PAGE:
                return
            behind = page[-1].cursor

    def page(
        self, space: str, size: int, selection: EntrySelection | None = None, behind: Cursor | None = None
    ) -> EntryPage:
        """The first so many of the entries that are meant, behind the page before."""
        from itertools import islice

        found = tuple(islice(self.entries(space, selection, behind or START), size + 1))
        return EntryPage(found[:size], found[size - 1].cursor if len(found) > size > 0 else None)

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

    def check(self) -> str:
        """Look at every page, fact and entry; DamagedStore if one is not as it was written."""
        self._store.check_pages()
        facts = dict(self._store.rows("SELECT name, value FROM facts"))
        if any(type(value) is not int for value in facts.values()) or len(whole_facts(facts)) < sum(
            not name.startswith(_CHECK) for name in facts
        ):
            raise self._store.damaged("for how long it keeps entries is not as it was written")
        count = last = 0
        while rows := self._store.rows(
            f"SELECT number, {_FIELDS} FROM entries WHERE number > ? ORDER BY number LIMIT {PAGE}", last
        ):
            for number, *row in rows:
                self._entry(tuple(row))
                last = number
            count += len(rows)
        return f"{count:,} {'entry' if count == 1 else 'entries'}, all as they were written"

    def _fact(self, name: str, otherwise: int) -> int:
        found = dict(
            self._store.rows("SELECT name, value FROM facts WHERE name IN (?, ?)", name, _CHECK + name)
        )
        if name in found and not whole_facts(found):
            raise self._store.damaged(f"its {name.partition(' ')[0]} is not as it was written")
        return int(found.get(name, otherwise))

    def _set_fact(self, name: str, value: int) -> None:
        for row in fact_rows({name: value}):
            self._store.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", *row)

    def _entry(self, row: tuple[Any, ...]) -> JournalEntry:
        try:
            return JournalEntry.of_row(row)
        except (ValueError, TypeError, FilterError):
            raise self._store.damaged("an entry in it is not as it was written") from None


def fact_rows(facts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The rows of facts: each, and a check of it.

    >>> [name for name, _ in fact_rows({"days": 30})]
    ['days', 'check of days']
    """
    for name, value in facts.items():
        yield name, value
        yield _CHECK + name, row_check(name, value)


def whole_facts(rows: Mapping[str, int]) -> dict[str, int]:
    """The facts of rows that are as they were written; those of earlier versions have no check.

    >>> whole_facts({**dict(fact_rows({"days": 30})), "check of other": 5, "old": 7})
    {'days': 30, 'old': 7}
    """
    return {
        name: value
        for name, value in rows.items()
        if type(value) is int
        and not name.startswith(_CHECK)
        and rows.get(_CHECK + name, row_check(name, value)) == row_check(name, value)
    }
