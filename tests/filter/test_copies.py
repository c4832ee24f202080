"""Copies of a filter, by any way that people copy files: always the right state, or a clear error."""

import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from deciban.errors import DamagedLedger, LedgerBusy
from deciban.filter import Filter
from deciban.filter.checking import check
from deciban.filter.safekeeping import back_up, restore
from deciban.filter.starter import keep, starter_in
from tests.effort import effort
from tests.filter.mails import SPARSE, classify, forget, mail, teach

LABELS = ("spam", "ham")
ROOT = Path(__file__).parents[2]
BESIDE = (".snapshot", ".checkpoint-")


def learn(path: str, first: int, count: int, starter: str | None = None) -> None:
    with Filter.open(path, SPARSE, starter=starter) as filter_:
        filter_.checkpoints.nearest = 4
        for number in range(first, first + count):
            teach(filter_, LABELS[number % 2], [mail(LABELS[number % 2], number)])


@pytest.fixture
def taught(tmp_path: Path, starter: str | None) -> str:
    """A filter of 40 lessons in a folder of its own, with snapshot and checkpoints."""
    path = str(tmp_path / "home" / "mail")
    os.mkdir(os.path.dirname(path))
    learn(path, 0, 40, starter)
    assert [name for name in os.listdir(os.path.dirname(path)) if ".checkpoint-" in name]
    return path


def copied(path: str, name: str) -> str:
    """A copy of the whole folder."""
    folder = Path(path).parent
    shutil.copytree(folder, folder.with_name(name))
    return str(folder.with_name(name) / "mail")


def states_of(source: str, target: str) -> None:
    """Put snapshot and checkpoints of one filter beside the ledger of another."""
    folder = Path(target).parent
    for name in os.listdir(folder):
        if any(mark in name for mark in BESIDE):
            (folder / name).unlink()
    for name in os.listdir(Path(source).parent):
        if any(mark in name for mark in BESIDE):
            shutil.copy(Path(source).parent / name, folder / name)


def must_be_right(path: str, lessons: int) -> None:
    """What a filter of so many lessons answers is what a replay of them gives, before and after a change."""
    for read_only in (True, False):
        with Filter.open(path, create=False, read_only=read_only) as filter_:
            assert sum(filter_.labels().values()) == lessons
            assert filter_.is_replay()
    with Filter.open(path, create=False) as filter_:
        assert teach(filter_, "spam", [mail("spam", 9999)]).learned == 1
        assert filter_.is_replay()
        forget(filter_, mail("spam", 2).data)
        assert filter_.is_replay()
    assert [finding for finding in check(path) if not finding.is_right] == []


@pytest.mark.parametrize("more", [(5, 5), (3, 9), (9, 3), (0, 7), (7, 0)])
def test_one_of_two_copies_that_were_taught_differently_is_copied_over_the_other(
    taught: str, more: tuple[int, int]
) -> None:
    other = copied(taught, "other")
    learn(taught, 100, more[0])
    learn(other, 200, more[1])
    shutil.copy(other, taught)
    must_be_right(taught, 40 + more[1])


@pytest.mark.parametrize("more", [(5, 5), (3, 9), (9, 3)])
def test_states_beside_the_ledger_of_another_copy_are_not_believed(
    taught: str, more: tuple[int, int]
) -> None:
    other = copied(taught, "other")
    learn(taught, 100, more[0])
    learn(other, 200, more[1])
    states_of(other, taught)
    must_be_right(taught, 40 + more[0])


def test_states_of_quite_another_filter_are_not_believed(taught: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other" / "mail")
    os.mkdir(os.path.dirname(other))
    learn(other, 0, 40)  # the same lessons, the same settings, another ledger
    states_of(other, taught)
    must_be_right(taught, 40)


def test_a_backup_without_preferences_restored_under_an_open_filter_that_had_some(
    taught: str, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    back_up(taught, backup)
    with Filter.open(taught) as filter_:
        usual = filter_.preferences
        filter_.prefer(cost=7)
        assert filter_.preferences.cost == 7
        restore(taught, backup)
        assert filter_.preferences == usual


@pytest.mark.parametrize("way", ["restore", "copy"])
def test_a_backup_restored_beside_a_newer_snapshot(taught: str, tmp_path: Path, way: str) -> None:
    backup = str(tmp_path / "backup.db")
    assert back_up(taught, backup) == 40
    learn(taught, 100, 12)
    if way == "restore":
        assert restore(taught, backup)[0] == 40
    else:
        shutil.copy(backup, taught)
    must_be_right(taught, 40)


def test_whoever_has_it_open_goes_on_with_what_was_restored(taught: str, tmp_path: Path) -> None:
    backup, other = str(tmp_path / "backup.db"), str(tmp_path / "other")
    back_up(taught, backup)
    learn(other, 500, 6)
    with Filter.open(taught) as reader, Filter.open(taught) as writer:
        teach(writer, "spam", [mail("spam", 300)])
        assert sum(reader.labels().values()) == 41
        for source, lessons in ((backup, 40), (other, 6)):
            restore(taught, source, replacing=True)
            assert sum(reader.labels().values()) == lessons
            assert reader.is_replay()
            assert teach(writer, "ham", [mail("ham", 301)]).learned == 1
            assert writer.is_replay()
            assert reader.is_replay()
    must_be_right(taught, 7)


def test_whoever_has_it_open_cannot_write_into_a_file_that_was_moved_away(taught: str) -> None:
    other = copied(taught, "other")
    with Filter.open(taught) as filter_:
        os.rename(other, taught)
        with pytest.raises(LedgerBusy, match="replaced"):
            teach(filter_, "spam", [mail("spam", 300)])


def test_reached_through_a_link_and_from_another_folder_it_is_one_filter(
    taught: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(taught)
    learn(str(link), 100, 3)
    monkeypatch.chdir(os.path.dirname(taught))
    with Filter.open("mail", create=False) as filter_:
        monkeypatch.chdir("/")
        teach(filter_, "spam", [mail("spam", 300)])
        assert filter_.is_replay()
    assert sorted({*os.listdir(tmp_path)} - {"starters"}) == ["home", "link"]
    must_be_right(str(link), 44)


def test_a_folder_that_was_moved_is_the_same_filter(taught: str, tmp_path: Path) -> None:
    os.rename(os.path.dirname(taught), tmp_path / "new")
    must_be_right(str(tmp_path / "new" / "mail"), 40)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
@pytest.mark.parametrize("lost", ["nothing", ".snapshot"])
def test_who_may_not_write_gets_the_right_state(taught: str, lost: str) -> None:
    if lost != "nothing":
        os.unlink(taught + lost)
    folder = Path(taught).parent
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o005 != 0o005:
            path.chmod(path.stat().st_mode | 0o055)
    for name in folder.iterdir():
        name.chmod(0o644)
    before = sorted(os.listdir(folder))
    pid = os.fork()
    if not pid:
        os.setgid(65534)
        os.setuid(65534)
        try:
            with Filter.open(taught, create=False, read_only=True) as filter_:
                right = filter_.is_replay() and sum(filter_.labels().values()) == 40
            os._exit(0 if right else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert sorted(os.listdir(folder)) == before


def test_a_backup_while_others_write_is_one_moment_of_the_ledger(
    taught: str, starter: str | None, tmp_path: Path
) -> None:
    worker = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("worker.py")), taught, "learn", "spam", "1000", "60"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    counts = []
    while worker.poll() is None or not counts:
        backup = str(tmp_path / f"backup-{len(counts)}")
        counts.append(back_up(taught, backup))
    assert worker.wait() == 0
    assert counts == sorted(counts)
    for number, count in enumerate(counts[:: max(len(counts) // 5, 1)]):
        place = tmp_path / f"backup-{number * max(len(counts) // 5, 1)}"
        if starter is not None:  # the package of who restores a backup has it
            keep(starter, starter_in(starter).digest, str(place))
        must_be_right(str(place), count)


def test_a_plain_copy_of_a_live_filter_is_right_or_an_error(taught: str, tmp_path: Path) -> None:
    """Whoever copies the file while somebody writes may get pages of two moments."""
    done = threading.Event()

    def write() -> None:
        try:
            learn(taught, 1000, effort(60, 600))
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    copies: list[str] = []
    most = effort(30, 300)
    while not done.is_set() or not copies:
        copy = str(tmp_path / f"copy-{len(copies)}")
        ends = ("", "-wal") if len(copies) % 2 else ("",)
        for end in ends:
            with suppress(FileNotFoundError):  # whoever closes it last removes its log
                shutil.copyfile(taught + end, copy + end)
        copies.append(copy)
        for end in ("", "-wal"):  # the last ones are looked at: nobody needs a disk full of them
            if len(copies) > most:
                with suppress(FileNotFoundError):
                    os.unlink(copies[-most - 1] + end)
    writer.join()
    told = [answer(copy) for copy in copies[-most:]]
    assert "right" in told
    assert {*told} <= {"right", "damaged"}


def answer(path: str) -> str:
    """Whether a filter is right, or says that it is damaged."""
    try:
        with Filter.open(path, create=False) as filter_:
            known = [lesson.source for lesson in filter_.lessons()]
            classify(filter_, mail("spam", 1).data)
            return "right" if filter_.is_replay() and len(known) == len({*known}) else "wrong"
    except DamagedLedger as error:
        return "several lines" if "\n" in str(error) else "damaged"
