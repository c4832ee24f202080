import sqlite3
from binascii import crc32
from pathlib import Path
from time import time

import pytest

from deciban.errors import BadSetting, DamagedStore, NewerFormat
from deciban.filter.mail import lesson_of
from deciban.filter.preferences import Preferences
from deciban.journal.journal_entry import ROW, JournalEntry, Outcome
from deciban.journal.sqlite_journal import KIND, MICROSECONDS_A_DAY, EntrySelection, SqliteJournal
from deciban.ledger.cursor import Cursor
from deciban.sqlite_store import SqliteStore, row_check
from tests.filter.mails import mail

NOW = int(time() * 1e6)


def entry(number: int = 1, label: str = "ham", space: str = "", age: int = 0) -> JournalEntry:
    lesson = lesson_of(label, "", Preferences(), mail(label, number))
    made = JournalEntry.of(lesson, None, "test", "learned", space)
    return made.replaced(moment=NOW - age * MICROSECONDS_A_DAY - number, outcome=None)


def test_what_is_written_is_read_again(journal: SqliteJournal):
    first = entry().replaced(verdict={"verdict": "spam", "unsure": False, "label": "spam"})
    journal.write([first])
    assert journal.entry("", first.id) == first
    changed = first.replaced(outcome=Outcome("ham", NOW, "spam"))
    journal.write([changed])
    assert list(journal.entries("")) == [changed]


def test_entries_come_newest_first_however_many_there_are(journal: SqliteJournal):
    written = [entry(number % 7, age=0).replaced(moment=NOW - number // 3) for number in range(1700)]
    journal.write(written)
    read = list(journal.entries(""))
    assert {each.id for each in read} == {each.id for each in written}
    assert len(read) == 1700
    assert [each.moment for each in read] == sorted((each.moment for each in written), reverse=True)


def test_entries_of_one_moment_are_all_listed(journal: SqliteJournal):
    journal.write([entry(number % 5).replaced(moment=NOW) for number in range(1200)])
    assert len(list(journal.entries(""))) == 1200


def test_entries_are_found_by_words_sender_verdict_and_time(journal: SqliteJournal):
    spam = entry(3, "spam").replaced(verdict={"verdict": "unsure"}, door="milter")
    ham = entry(4, "ham", age=2).replaced(outcome=Outcome("ham", NOW))
    journal.write([spam, ham])
    for selection, found in (
        (EntrySelection(words=("SUBJECT3",)), spam),
        (EntrySelection(sender="HAM4@example.org"), ham),
        (EntrySelection(verdict="unsure"), spam),
        (EntrySelection(corrected=True), ham),
        (EntrySelection(taught="ham"), ham),
        (EntrySelection(door="milter"), spam),
        (EntrySelection(since=NOW / 1e6 - 3600), spam),
        (EntrySelection(until=NOW / 1e6 - 3600), ham),
    ):
        assert list(journal.entries("", selection)) == [found]


def test_pages_have_every_entry_once_whatever_is_written_or_erased_meanwhile(journal: SqliteJournal):
    written = [entry(number).replaced(moment=NOW - number // 2) for number in range(11)]
    journal.write(written)
    listed, behind = [], None
    while True:
        page = journal.page("", 3, behind=behind)
        listed += page.entries
        behind = page.behind
        if behind is None:
            break
        behind = Cursor.of_text(behind.text())
        if len(listed) == 3:
            journal.write([entry(99).replaced(moment=NOW + 5)])
            journal.erase_entries([listed[-1].id])
    assert {each.id for each in listed} == {each.id for each in written}
    assert len(listed) == 11
    assert journal.page("", 100).behind is None


def test_an_entry_goes_to_another_process_as_plain_values(journal: SqliteJournal):
    first = entry().replaced(verdict={"verdict": "spam"}, outcome=Outcome("ham", NOW, "spam"))
    row = first.row()
    assert {type(value) for value in row} <= {str, int, bytes, type(None)}
    assert JournalEntry.of_row(list(row)) == first
    for wrong in (row[:-1], (*row[:-1], 0), (b"", *row[1:]), (), (None,) * len(row)):
        with pytest.raises(ValueError, match="as it was written"):
            JournalEntry.of_row(wrong)


def test_entries_of_earlier_versions_are_read_and_corrected(tmp_path: Path):
    code = ROW.index("features")
    written = [entry(number).row()[:-1] for number in range(2)]
    others = written[1][:code] + written[1][code + 1 :]
    checks = [row_check(*written[0]), crc32(written[1][code], row_check(*others))]
    path = str(tmp_path / "journal.db")
    with SqliteStore(path, KIND.replaced(page_bytes=4096), create=True) as store, store.writing():
        for row, check in zip(written, checks, strict=True):
            marks = ", ".join("?" * len(ROW))
            store.run(f"INSERT INTO entries ({', '.join(ROW)}) VALUES ({marks})", *row, check)
    with SqliteJournal(path) as journal:
        found = list(journal.entries(""))
        assert [each.row()[:-1] for each in found] == written
        corrected = [each.replaced(outcome=Outcome("spam", NOW)) for each in found]
        journal.write([*corrected, entry(3)])
        assert [each for each in journal.entries("") if each.outcome is not None] == corrected
        assert journal.check() == "3 entries, all as they were written"


def test_what_became_of_a_message_brings_no_erased_entry_back(journal: SqliteJournal):
    question = entry().replaced(kind="question")
    journal.write([question])
    journal.erase_entries([question.id])
    journal.write([question.replaced(outcome=Outcome("ham", NOW))])
    journal.mark([question])
    assert journal.count("") == 0


def test_one_space_does_not_see_the_entries_of_another(journal: SqliteJournal):
    journal.write([entry(1, space="a"), entry(1, space="b")])
    (mine,) = journal.entries("a")
    assert mine.space == "a"
    assert journal.entry("b", mine.id) is None
    assert [each.space for each in journal.about("a", mine.id, mine.digest, mine.message_id)] == ["a"]
    journal.erase("a")
    assert (journal.count("a"), journal.count("b")) == (0, 1)


def test_entries_are_erased_when_their_days_are_over(journal: SqliteJournal, tmp_path: Path):
    journal.write([entry(1, age=29), entry(2, age=31)])
    assert [each.sender for each in journal.entries("")] == ["ham1@example.org"]
    assert b"ham2@example.org" not in (tmp_path / "mail.db.journal").read_bytes()


def test_a_journal_of_no_days_keeps_nothing(journal: SqliteJournal, tmp_path: Path):
    journal.write([entry(1)])
    journal.keep_for(0)
    journal.write([entry(2)])
    assert list(journal.entries("")) == []
    assert b"@example.org" not in (tmp_path / "mail.db.journal").read_bytes()
    with pytest.raises(BadSetting):
        journal.keep_for(-1)


def test_no_log_is_left_beside_the_file(journal: SqliteJournal, tmp_path: Path):
    journal.write([entry(1)])
    assert [path.name for path in tmp_path.iterdir()] == ["mail.db.journal"]
    assert (tmp_path / "mail.db.journal").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("column", ["sender", "moment", "features", "verdict", "label", "digest"])
def test_an_entry_that_is_not_as_it_was_written_is_not_believed(journal, tmp_path, column):
    journal.write([entry(1)])
    with sqlite3.connect(tmp_path / "mail.db.journal") as connection:
        connection.execute(f"UPDATE entries SET {column} = 7")
    connection.close()
    with pytest.raises(DamagedStore):
        list(journal.entries(""))


def test_a_file_with_tables_of_somebody_else_is_refused(journal, tmp_path):
    journal.close()
    with sqlite3.connect(tmp_path / "mail.db.journal") as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END")
    connection.close()
    with pytest.raises(DamagedStore, match="other tables"):
        SqliteJournal(str(tmp_path / "mail.db.journal"))


def test_what_is_no_journal_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database at all\n" * 100)
    with pytest.raises(DamagedStore):
        SqliteJournal(str(tmp_path / "text"))
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE a (b)")
    connection.close()
    with pytest.raises(DamagedStore, match="no journal"):
        SqliteJournal(str(tmp_path / "other"))


def test_a_journal_of_a_newer_version_is_refused(journal, tmp_path):
    journal.close()
    with sqlite3.connect(tmp_path / "mail.db.journal") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NewerFormat):
        SqliteJournal(str(tmp_path / "mail.db.journal"))
