"""Law: nothing damaged is believed, of the journal. Any flipped bit or cut is noticed or harmless."""

import os
import random
import sqlite3
from pathlib import Path

import pytest

from deciban.errors import DecibanError, NewerFormat
from deciban.journal.journal_entry import Outcome
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.journal.sqlite_journal_repair import check_journal, repair_journal
from tests.effort import effort
from tests.journal.test_sqlite_journal import NOW, entry

FLIPS = effort(60, 2_000)
SAMPLED = 12_345


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with entries of two spaces, some of which were corrected and some erased."""
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    with SqliteJournal(str(path), create=True) as journal:
        journal.keep_for(90)
        written = [entry(number, space="ab"[number % 2]) for number in range(40)]
        journal.write(written)
        journal.write([each.replaced(outcome=Outcome("ham", NOW)) for each in written[::3]])
        journal.erase_entries([each.id for each in written[::7]])
        journal.sampled("a", SAMPLED)
    return path


def content(path: str) -> tuple[object, ...]:
    """All that somebody can ask a journal for."""
    with SqliteJournal(path) as journal:
        entries = tuple(tuple(journal.entries(space)) for space in "ab")
        found = {
            each.id: journal.about(each.space, each.id, each.digest, each.message_id)
            for every in entries
            for each in every
        }
        return entries, found, journal.days, journal._fact("sampled a", 0)


def noticed_or_harmless(path: str, original: tuple[object, ...]) -> None:
    """Whoever asks gets what was written, or an error of one line, or a check tells; a repair mends it."""
    told = ""
    try:
        is_right = content(path) == original
    except DecibanError as error:
        told, is_right = str(error), False
    found = check_journal(path)
    assert is_right or not found.is_right
    assert "\n" not in told + found.text
    if "newer version" in found.text:  # a flipped bit in the number of the version: nobody can tell
        with pytest.raises(NewerFormat):
            repair_journal(path)
        return
    repair_journal(path)
    assert check_journal(path).is_right
    entries = {each.id: each for every in original[0] for each in every}  # type: ignore[attr-defined]
    with SqliteJournal(path) as journal:
        for space in "ab":
            assert all(entries[each.id] == each for each in journal.entries(space))
        new = entry(99, space="a")
        journal.write([new])
        assert journal.entry("a", new.id) == new


@pytest.mark.parametrize("part", range(4))
def test_a_flipped_bit_anywhere_in_a_journal(whole: Path, tmp_path: Path, part: int):
    data = whole.read_bytes()
    original = content(str(whole))
    rng = random.Random(part)
    path = tmp_path / "journal.db"
    for _ in range(FLIPS // 4):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        noticed_or_harmless(str(path), original)


def test_every_byte_of_the_head_of_a_journal(whole: Path, tmp_path: Path):
    data = whole.read_bytes()
    original = content(str(whole))
    for place in range(0, 100, effort(3, 1)):
        path = tmp_path / f"{place}.db"
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        noticed_or_harmless(str(path), original)


def test_a_journal_that_does_not_say_how_long_its_pages_are_is_saved_whole(whole: Path, tmp_path: Path):
    path = tmp_path / "journal.db"
    data = whole.read_bytes()
    path.write_bytes(data[:16] + b"\0\0" + data[18:])
    before = content(str(whole))
    assert repair_journal(str(path)).saved == sum(map(len, before[0]))  # type: ignore[arg-type]
    assert content(str(path)) == before


def test_a_journal_whose_tables_have_no_text_for_names(whole: Path, tmp_path: Path):
    path = tmp_path / "damaged.db"
    path.write_bytes(whole.read_bytes().replace(b"CREATE TABLE", b"CREATE \xeeABLE"))
    with pytest.raises(DecibanError, match="damaged"):
        SqliteJournal(str(path))
    noticed_or_harmless(str(path), content(str(whole)))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
def test_a_cut_anywhere_in_a_journal(whole: Path, tmp_path: Path, share: float):
    path = tmp_path / "journal.db"
    data = whole.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    noticed_or_harmless(str(path), content(str(whole)))


def test_one_damaged_entry_costs_no_other_and_nothing_erased_comes_back(whole: Path, tmp_path: Path):
    path = tmp_path / "journal.db"
    data = bytearray(whole.read_bytes())
    data[data.index(b"ham11@example.org")] ^= 1
    path.write_bytes(data)
    before = content(str(whole))[0]
    saved = repair_journal(str(path))
    assert (saved.saved, saved.lost) == (sum(map(len, before)) - 1, 1)
    entries, _, days, sampled = content(str(path))
    assert (days, sampled) == (90, SAMPLED)
    assert sum(map(len, entries)) == saved.saved
    assert sorted(os.listdir(tmp_path)) == ["journal.db"]  # nothing is left that could not be forgotten


def test_whoever_has_a_journal_open_goes_on_with_the_repaired_one(whole: Path, tmp_path: Path):
    path = tmp_path / "journal.db"
    path.write_bytes(whole.read_bytes())
    with SqliteJournal(str(path)) as journal:
        journal.count("a")
        repair_journal(str(path))
        new = entry(99, space="a")
        journal.write([new])
        with SqliteJournal(str(path)) as other:
            assert other.entry("a", new.id) == new


def test_a_journal_of_the_version_before_has_facts_without_checks(whole: Path, tmp_path: Path):
    path = tmp_path / "journal.db"
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM facts WHERE name LIKE 'check of %'")
    connection.commit()
    connection.close()
    assert content(str(path)) == content(str(whole))
    assert check_journal(str(path)).is_right
