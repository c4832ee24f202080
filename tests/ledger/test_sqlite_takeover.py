"""A ledger of the format before is taken over by itself, once, without loss, with a copy kept."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from deciban.errors import CannotWrite, DamagedLedger, OlderFormat
from deciban.filter import Filter, Settings
from deciban.filter.safekeeping import repair, restore
from deciban.ledger import Selection, open_ledger
from deciban.ledger.lesson import check_of
from deciban.text import read
from tests.filter.mails import forget, mail, teach
from tests.ledger.format_3 import write_format_3

SMALL = Settings(bits=10, salt=99)
ROOT = Path(__file__).parents[2]


def contents(filter_: Filter) -> tuple[object, ...]:
    """All that must not be lost."""
    return (
        list(filter_.lessons()),
        filter_.labels(),
        filter_.folded(),
        filter_.names(),
        filter_.preferences,
        filter_.settings,
        filter_.kept_mail(read(mail("ham", 9).data).digest),
        filter_.state(),
        list(filter_.exams()),
    )


@pytest.fixture
def old(tmp_path: Path) -> tuple[str, tuple[object, ...]]:
    """A ledger of format 3 with folded lessons, kept mail and preferences, and what it holds."""
    today = str(tmp_path / "today")
    with Filter.open(today, SMALL) as filter_:
        filter_.prefer(keep_mail=30, cost=12.0)
        for number in range(20):
            teach(
                filter_,
                ("spam", "ham", "work")[number % 3],
                [mail(("spam", "ham", "work")[number % 3], number)],
            )
        listed = list(filter_.lessons())
        assert filter_.compact(listed[6].taught / 1e6) == 6
        teach(filter_, "ham", [mail("ham", 9)])
        held = contents(filter_)
    path = str(tmp_path / "mail")
    write_format_3(path, today)
    return path, held


def files(path: str) -> set[str]:
    return {name for name in os.listdir(os.path.dirname(path)) if name.startswith("mail")}


def version(path: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def test_nothing_is_lost_and_the_state_is_the_same(old: tuple[str, tuple[object, ...]]) -> None:
    path, held = old
    with Filter.open(path, create=False) as filter_:
        assert contents(filter_) == held
        assert filter_.is_replay()
        assert teach(filter_, "spam", [mail("spam", 500)]).learned == 1
        assert filter_.is_replay()
        assert all(finding.is_right for finding in filter_.ledger.findings())


def test_it_happens_once_and_the_copy_is_the_ledger_as_it_was(old: tuple[str, tuple[object, ...]]) -> None:
    path, held = old
    open_ledger(path).close()
    copy = Path(path + ".format-3")
    assert version(str(copy)) == 3
    assert copy.stat().st_mode & 0o777 == 0o600
    before = copy.stat().st_mtime_ns, copy.read_bytes()
    with Filter.open(path) as filter_:
        teach(filter_, "spam", [mail("spam", 500)])
    assert (copy.stat().st_mtime_ns, copy.read_bytes()) == before
    assert not [name for name in files(path) if ".new-" in name]
    restore(path, str(copy))
    with Filter.open(path) as filter_:
        assert contents(filter_) == held


def test_forgetting_removes_the_copy(old: tuple[str, tuple[object, ...]]) -> None:
    path, _ = old
    with Filter.open(path) as filter_:
        assert os.path.exists(path + ".format-3")
        assert forget(filter_, mail("ham", 19).data) == 1
        assert filter_.is_replay()
    assert not os.path.exists(path + ".format-3")


def test_spellings_that_an_early_version_kept_apart_are_united(tmp_path: Path) -> None:
    today, path = str(tmp_path / "today"), str(tmp_path / "mail")
    with Filter.open(today, SMALL) as filter_:
        for label, number in (("work", 1), ("ham", 1), ("shop", 1)):
            teach(filter_, label, [mail(label, number)])
    write_format_3(path, today)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE labels SET name = 'WORK' WHERE name = 'shop'")
    ((number, code, *fields),) = connection.execute(
        """SELECT lessons.number, features, digest, name, taught, by, source, sender, subject, date,
        message_id, names FROM lessons JOIN labels ON label = labels.number WHERE name = 'WORK'"""
    )
    connection.execute("UPDATE lessons SET checked = ? WHERE number = ?", (check_of(code, *fields), number))
    connection.commit()
    connection.close()
    with Filter.open(path) as filter_:
        assert filter_.labels() == {"work": 2, "ham": 1}
        assert filter_.is_replay()


def test_lessons_that_were_only_written_are_learned_and_mixed(tmp_path: Path) -> None:
    today, path = str(tmp_path / "today"), str(tmp_path / "mail")
    with Filter.open(today, SMALL) as filter_:
        teach(filter_, "spam", [mail("spam", number) for number in range(30)])
        assert filter_.ledger.fact("mixing-due") == 1
    write_format_3(path, today)
    with Filter.open(path) as filter_:
        teach(filter_, "ham", [mail("ham", number) for number in range(30)])
        assert filter_.ledger.fact("mixing-due") is None
        first = [lesson.label for lesson in filter_.lessons()][:10]
        assert first.count("spam") == 5
        assert filter_.is_replay()


def test_processes_that_open_it_at_once_take_it_over_once(old: tuple[str, tuple[object, ...]]) -> None:
    path, held = old
    code = (
        "import sys; from deciban.filter import Filter\n"
        "with Filter.open(sys.argv[1], create=False) as f: print(sum(f.labels().values()))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    told = [process.communicate(timeout=300)[0].strip() for process in processes]
    assert told == ["21"] * 4
    with Filter.open(path) as filter_:
        assert contents(filter_) == held
    assert version(path + ".format-3") == 3
    assert not [name for name in files(path) if ".new-" in name]


def test_a_disk_that_is_full_leaves_the_old_one_untouched(old: tuple[str, tuple[object, ...]]) -> None:
    path, held = old
    before = Path(path).read_bytes()
    room = len(before) // 2
    pid = os.fork()
    if not pid:  # limits hold for a whole process, so another one meets them
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            open_ledger(path)
        except CannotWrite as error:
            os._exit(0 if "Make room" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert Path(path).read_bytes() == before
    assert files(path) <= {"mail", "mail-wal", "mail-shm"}
    with Filter.open(path) as filter_:
        assert contents(filter_) == held


def test_who_may_only_read_is_told_whom_to_ask(old: tuple[str, tuple[object, ...]]) -> None:
    path, _ = old
    before = Path(path).read_bytes()
    with pytest.raises(OlderFormat, match="Have its owner run"):
        open_ledger(path, read_only=True)
    assert Path(path).read_bytes() == before


def test_a_damaged_one_is_not_taken_over_but_its_whole_lessons_can_be_saved(
    old: tuple[str, tuple[object, ...]],
) -> None:
    path, held = old
    content = bytearray(Path(path).read_bytes())
    content[content.index(b"uniquehamsubject19")] ^= 1
    Path(path).write_bytes(content)
    with pytest.raises(DamagedLedger, match="--repair"):
        open_ledger(path)
    assert version(path) == 3
    mended = repair(path)
    assert mended.saved is not None
    assert mended.saved.lessons == len(held[0]) - 1  # type: ignore[arg-type]
    with open_ledger(path) as ledger:
        assert mail("ham", 19).id not in {lesson.source for lesson in ledger.select(Selection())}


def test_a_ledger_that_was_taken_over_can_be_repaired(old: tuple[str, tuple[object, ...]]) -> None:
    path, held = old
    open_ledger(path).close()
    shutil.copy(path, path + ".whole")
    content = bytearray(Path(path).read_bytes())
    content[:100] = bytes(100)
    Path(path).write_bytes(content)
    mended = repair(path)
    assert mended.saved is not None
    assert (mended.saved.lessons, mended.saved.folded) == (len(held[0]), 6)  # type: ignore[arg-type]
    with Filter.open(path) as filter_:
        assert contents(filter_) == held
