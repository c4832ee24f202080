import threading

import pytest

from deciban.errors import CannotWrite
from deciban.journal import journal_writer
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from tests.journal.test_sqlite_journal import entry


class Stubborn:
    """A journal that cannot be written for a while, as on a full disk, and says when it was tried."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.journal, self.works, self.tried = journal, False, threading.Event()

    def write(self, entries):
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
