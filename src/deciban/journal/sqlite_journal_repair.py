"""Checking the journal's file, and saving what is whole of a damaged one.

Entries are kept for some weeks and no lesson depends on them. So what is damaged of them is given up: the
damaged file is not kept, because it would hold what somebody may want to be forgotten.
"""

from __future__ import annotations

from deciban.errors import FilterError
from deciban.journal.journal_entry import ROW, JournalEntry
from deciban.journal.sqlite_journal import KIND, SqliteJournal, fact_rows, whole_facts
from deciban.journal.sqlite_soundness import finding, rebuild, rows_in
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.ledger.records import Finding
    from deciban.sqlite_store import SqliteStore

JOURNAL = "journal"


class SavedEntries(Value):
    """What became of a damaged journal."""

    saved: int
    lost: int
    """Entries that can be seen, but are not as they were written; others may be gone without a trace."""


def check_journal(path: str) -> Finding:
    """What is found about the journal at a path."""
    return finding(JOURNAL, lambda: SqliteJournal(path))


def repair_journal(path: str) -> SavedEntries:
    """Put a new journal with all that is whole in the place of a damaged one."""
    entries: dict[bytes, JournalEntry] = {}
    facts: dict[str, int] = {}
    lost = 0
    for values in rows_in(path):
        if len(values) == 2 and type(values[0]) is str and type(values[1]) is int:
            facts[values[0]] = values[1]
        elif len(values) == 1 + len(ROW):  # its number first
            try:
                entry = JournalEntry.of_row(values[1:])
            except (ValueError, TypeError, FilterError):
                lost += 1
                continue
            if entry.id not in entries or entry.outcome is not None:
                entries[entry.id] = entry

    def fill(store: SqliteStore) -> None:
        for name, value in fact_rows(whole_facts(facts)):
            store.run("INSERT INTO facts VALUES (?, ?)", name, value)

    rebuild(path, KIND, fill)
    with SqliteJournal(path) as journal:
        journal.write(entries.values(), saved=True)
    return SavedEntries(len(entries), lost)
