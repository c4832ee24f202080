import sqlite3
import threading
from contextlib import closing

import pytest

from deciban.errors import CannotWrite, LedgerBusy
from deciban.journal import journal_writer
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from tests.journal.test_sqlite_journal import entry


class Stubborn:
    """A journal that cannot be written for a while, as on a full disk, and says when it was tried."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.journal, self.works, self.tried = journal, False, threading.Event()

    def write(self, entries, **_):
        self.tried.set()
        if not self.works:
            raise CannotWrite("The disk is full.")
        self.journal.write(entries)

    def close(self):
        pass


def test_entries_are_written_in_the_background(journal: SqliteJournal, monkeypatch):
    monkeypatch.setattr(journal_writer, "DELAY_SECONDS", 0.001)
    stubborn = Stubborn(journal)
    stubborn.works = True
    with JournalWriter(stubborn, background=True) as writer:
        writer.put(entry(1))
        assert stubborn.tried.wait(30)
        writer.put(entry(2))
    assert journal.count("") == 2


def test_what_cannot_be_written_waits_and_nobody_else_does(journal: SqliteJournal, monkeypatch):
    monkeypatch.setattr(journal_writer, "DELAY_SECONDS", 0.001)
    stubborn = Stubborn(journal)
    writer = JournalWriter(stubborn, background=True)
    writer.put(entry(1))
    assert stubborn.tried.wait(30)
    writer.put(entry(2))  # no error, and no waiting
    with pytest.raises(CannotWrite):
        writer.flush()
    stubborn.works = True
    writer.close()
    assert journal.count("") == 2
    assert writer.lost == 0


def test_of_too_many_the_oldest_are_given_up_and_counted(journal: SqliteJournal, monkeypatch):
    monkeypatch.setattr(journal_writer, "MOST_WAITING", 3)
    writer = JournalWriter(journal)
    for number in range(5):
        writer.put(entry(number))
    writer.flush()
    assert [each.sender for each in journal.entries("")] == [
        f"ham{number}@example.org" for number in (2, 3, 4)
    ]
    assert writer.lost == 2


def test_what_comes_while_others_cannot_be_written_is_bounded_too(journal: SqliteJournal, monkeypatch):
    monkeypatch.setattr(journal_writer, "MOST_WAITING", 3)
    writer = JournalWriter(journal)

    class Busy(Stubborn):
        def write(self, entries, **_):
            writer.put_all([entry(number) for number in (3, 4)])
            super().write(entries)

    writer.journal = stubborn = Busy(journal)
    writer.put_all([entry(number) for number in (0, 1, 2)])
    with pytest.raises(CannotWrite):
        writer.flush()
    assert writer.lost == 2
    writer.journal = stubborn.journal
    writer.flush()
    assert [each.sender for each in journal.entries("")] == [
        f"ham{number}@example.org" for number in (2, 3, 4)
    ]


def test_closing_does_not_wait_long_for_somebody_who_holds_the_journal(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_writer, "DELAY_SECONDS", 0.001)
    monkeypatch.setattr(journal_writer, "BRIEF_SECONDS", 0.01)
    path = str(tmp_path / "journal")
    writer = JournalWriter(SqliteJournal(path, create=True), background=True)
    refused = []

    def close():
        try:
            writer.close()
        except LedgerBusy as error:
            refused.append(error)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer.put(entry(1))
        closing_thread = threading.Thread(target=close, daemon=True)
        closing_thread.start()
        closing_thread.join(20)  # others are waited for half a minute
        assert not closing_thread.is_alive()
    assert len(refused) == 1


def test_threads_may_put_entries_at_once(journal: SqliteJournal):
    writer = JournalWriter(journal)
    threads = [
        threading.Thread(target=lambda: [writer.put(entry(number)) for number in range(50)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.flush()
    assert journal.count("") == 200
