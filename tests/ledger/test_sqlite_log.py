"""A log of which SQLite would pass over a part is noticed before anybody opens the ledger."""

import random
import shutil
import struct
from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.filter.checking import check
from deciban.filter.safekeeping import repair
from deciban.ledger.sqlite_log import FRAME, HEAD, _sums, passed_over
from tests.effort import effort
from tests.filter.mails import mail, teach

LESSONS = 12
STEP = FRAME.size + 4096  # the pages of a new ledger


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with its log, as a process leaves it that is killed."""
    folder = tmp_path_factory.mktemp("crashed")
    with Filter.open(str(folder / "open"), Settings(bits=10, salt=3)) as filter_:
        for number in range(LESSONS // 2):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
        for end in ("", "-wal"):
            shutil.copy(folder / f"open{end}", folder / f"mail{end}")
    return folder


def copy_of(crashed: Path, folder: Path) -> Path:
    for end in ("", "-wal"):
        shutil.copy(crashed / f"mail{end}", folder)
    return folder / "mail"


def test_of_a_whole_log_nothing_is_passed_over(crashed: Path, tmp_path: Path) -> None:
    log = (crashed / "mail-wal").read_bytes()
    assert len(log) > HEAD.size + 4 * STEP
    assert passed_over(log) == passed_over(b"") == 0
    assert all(finding.is_right for finding in check(str(copy_of(crashed, tmp_path))))


def test_a_process_killed_while_it_writes_leaves_a_log_that_is_right(crashed: Path) -> None:
    log = (crashed / "mail-wal").read_bytes()
    for size in (0, 10, HEAD.size, HEAD.size + 5, HEAD.size + 3 * STEP + 4000, len(log) - 1):
        assert passed_over(log[:size]) == 0
    torn = bytearray(log)
    torn[-100] ^= 1  # the head of the last frame was written, its page was not
    assert passed_over(bytes(torn)) == 0


def test_frames_of_an_earlier_log_behind_the_last_one_are_no_damage(crashed: Path) -> None:
    log = (crashed / "mail-wal").read_bytes()
    earlier = bytearray(log[HEAD.size : HEAD.size + STEP])
    earlier[8] ^= 1  # another salt
    assert passed_over(log + bytes(earlier)) == 0


def test_a_flipped_bit_in_the_head_is_noticed(crashed: Path) -> None:
    log = (crashed / "mail-wal").read_bytes()
    for bit in range(8 * HEAD.size):
        damaged = bytearray(log[: HEAD.size + STEP])
        damaged[bit // 8] ^= 1 << bit % 8
        assert passed_over(bytes(damaged)) > 0


def test_a_flipped_bit_is_noticed_and_every_lesson_behind_it_is_saved(crashed: Path, tmp_path: Path) -> None:
    log = (crashed / "mail-wal").read_bytes()
    with_lessons = log.index(b"uniquespamsubject")
    for seed in range(effort(3, 50)):
        path = copy_of(crashed, tmp_path)
        damaged = bytearray(log)
        # Anywhere but in what follows the first lesson: one whose own bytes are damaged cannot be saved.
        place = random.Random(seed).randrange(with_lessons // 2)
        damaged[place] ^= 1 << seed % 8
        Path(f"{path}-wal").write_bytes(damaged)
        findings = list(check(str(path)))
        assert [(finding.part, finding.is_right) for finding in findings] == [("log", False)]
        assert Path(f"{path}-wal").read_bytes() == damaged
        mended = repair(str(path))
        assert mended.saved is not None
        assert (mended.saved.lessons, mended.wrong) == (LESSONS, ())
        for left in tmp_path.iterdir():
            left.unlink()


def test_a_repair_that_died_between_two_names_loses_nothing_of_the_log(crashed: Path, tmp_path: Path) -> None:
    path = copy_of(crashed, tmp_path)
    log = bytearray(Path(f"{path}-wal").read_bytes())
    log[HEAD.size + 100] ^= 1
    kept = Path(f"{path}.before-repair")
    kept.hardlink_to(path)
    Path(f"{path}-wal").unlink()
    Path(f"{kept}-wal").write_bytes(log)
    mended = repair(str(path))
    assert mended.saved is not None
    assert (mended.saved.lessons, mended.wrong) == (LESSONS, ())
    assert Path(f"{kept}-wal").read_bytes() == log
    assert not path.samefile(kept)


def test_a_log_with_pages_of_no_size_that_sqlite_has_is_damaged(crashed: Path) -> None:
    head = HEAD.unpack_from((crashed / "mail-wal").read_bytes())
    for page_size in (0, 4, 6, 1 << 31):
        start = HEAD.pack(*head[:2], page_size, *head[3:6], 0, 0)[:24]
        sums = _sums(start, head[0], (0, 0))
        assert passed_over(start + struct.pack(">2I", *sums) + bytes(5000)) > 0
