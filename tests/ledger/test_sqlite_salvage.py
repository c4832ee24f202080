"""Whatever is damaged: every lesson that is whole is saved."""

import os
import random
import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.filter.safekeeping import repair
from deciban.ledger import Selection, open_ledger
from tests.effort import LONG
from tests.filter.mails import classify, mail, teach

SMALL = Settings(bits=10, salt=99)
DAMAGES = range(26) if not LONG else range(200)  # the 26th takes every page that says what labels are called
LABELS = ("spam", "ham", "work")
LARGE = mail("ham", 999).data + b" ".join(b"word%d" % number for number in range(20_000))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A ledger with folded lessons, kept mail, preferences, and one lesson too large for a page."""
    path = str(tmp_path_factory.mktemp("whole") / "mail")
    with Filter.open(path, SMALL) as filter_:
        filter_.prefer(keep_mail=30, cost=12.0)
        for number in range(90):
            label = LABELS[number % 3]
            teach(filter_, label, [mail(label, number)])
        teach(filter_, "ham", [mail("ham", 999).replaced(data=LARGE)])
        filter_.compact(list(filter_.lessons())[10].taught / 1e6)
    return path


def traces(path: str) -> dict[bytes, list[tuple[int, int]]]:
    """Where the bytes of each lesson are: those of its row, from its digest on.

    A row that is longer than a page goes on somewhere else: then all pages.
    """
    content = Path(path).read_bytes()
    found = {}
    with open_ledger(path) as ledger:
        for lesson in ledger.select(Selection()):
            code = lesson.features.encode()
            if code not in content:
                found[lesson.digest] = [(0, len(content))]
                continue
            start = content.index(lesson.source.encode())
            first = content.rindex(lesson.digest, 0, start)
            end = content.index(code, start) + len(code)
            found[lesson.digest] = [(first - 40, end)]
    assert sum(place != [(0, len(content))] for place in found.values()) > 0.8 * len(found)
    return found


def damaged(content: bytearray, rng: random.Random) -> list[tuple[int, int]]:
    """Damage bytes at random: the places where something changed."""
    kind = rng.choice(["bit", "bits", "block", "page", "zeros", "cut"])
    size = len(content)
    if kind in ("bit", "bits"):
        places = [rng.randrange(size) for _ in range(1 if kind == "bit" else 50)]
        for place in places:
            content[place] ^= 1 << rng.randrange(8)
        return [(place, place + 1) for place in places]
    start = rng.randrange(size)
    if kind == "cut":
        del content[start:]
        return [(start, size)]
    length = {"block": 512, "page": 65536, "zeros": 4096}[kind]
    start -= start % length
    new = bytes(length) if kind == "zeros" else rng.randbytes(length)
    content[start : start + length] = new[: size - start]
    return [(start, start + length)]


@pytest.mark.parametrize("seed", DAMAGES)
def test_every_whole_lesson_survives_a_random_damage(whole: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = str(tmp_path / "mail")
    content = bytearray(Path(whole).read_bytes())
    if seed % 4 == 3:  # the head of the file, where a single bit is enough
        place = rng.randrange(100)
        content[place] ^= 1 << rng.randrange(8)
        places = [(place, place + 1)]
    else:
        places = damaged(content, rng)
    Path(path).write_bytes(content)
    shutil.copy(whole + ".snapshot", tmp_path)  # its labels are known there, too
    untouched = {
        digest
        for digest, spans in traces(whole).items()
        if all(end <= first or last <= start for start, end in spans for first, last in places)
    }
    mended = repair(path)
    assert mended.wrong == ()
    with Filter.open(path, create=False) as filter_:
        saved = {lesson.digest: lesson for lesson in filter_.lessons()}
        assert untouched - saved.keys() == set()
        with Filter.open(whole) as original:
            known = {lesson.digest: lesson for lesson in original.lessons()}
        assert all(known[digest] == lesson for digest, lesson in saved.items())
        assert filter_.is_replay()
        classify(filter_, mail("spam", 1).data)
        assert teach(filter_, "spam", [mail("spam", 5000)]).learned == 1
        assert filter_.is_replay()
    if mended.kept is not None:
        assert Path(mended.kept).read_bytes() == bytes(content)


def test_what_only_the_log_holds_is_saved_too(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "mail"), str(tmp_path / "copy")
    with Filter.open(path, SMALL) as filter_:
        teach(filter_, "spam", [mail("spam", 1)])
        teach(filter_, "ham", [mail("ham", 1)])
        for end in ("", "-wal"):
            shutil.copy(path + end, copy + end)
    assert os.path.getsize(copy + "-wal")
    content = bytearray(Path(copy).read_bytes())
    content[:100] = bytes(100)
    Path(copy).write_bytes(content)
    log = bytearray(Path(copy + "-wal").read_bytes())
    log[:32] = bytes(32)
    Path(copy + "-wal").write_bytes(log)
    mended = repair(copy)
    assert mended.saved is not None
    assert mended.saved.lessons == 2
    with Filter.open(copy) as filter_:
        assert filter_.labels() == {"spam": 1, "ham": 1}


@pytest.mark.parametrize("page_size", [4096, 65536])
def test_a_file_whose_head_is_gone_is_read_whatever_the_size_of_its_pages(
    whole: str, tmp_path: Path, page_size: int
) -> None:
    path = str(tmp_path / "mail")
    connection = sqlite3.connect(whole)
    connection.execute("VACUUM INTO ?", [path])
    connection.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute("VACUUM")
    connection.close()
    content = bytearray(Path(path).read_bytes())
    content[:100] = bytes(100)
    Path(path).write_bytes(content)
    mended = repair(path)
    assert mended.saved is not None
    assert (mended.saved.lost, mended.saved.folded) == (0, 10)
    with open_ledger(path) as ledger, open_ledger(whole) as original:
        assert [digest for _, digest in ledger.digests()] == [digest for _, digest in original.digests()]


def test_order_mail_preferences_and_folded_lessons_are_saved(whole: str, tmp_path: Path) -> None:
    path = str(tmp_path / "mail")
    content = bytearray(Path(whole).read_bytes())
    content[:16] = bytes(16)
    Path(path).write_bytes(content)
    mended = repair(path)
    assert mended.saved is not None
    assert (mended.saved.lost, mended.saved.folded, mended.saved.lost_facts) == (0, 10, ())
    with Filter.open(path) as filter_, Filter.open(whole) as original:
        assert list(filter_.lessons()) == list(original.lessons())
        assert filter_.preferences == original.preferences
        assert filter_.state() == original.state()
        assert filter_.kept_mails().count == original.kept_mails().count == 81
        assert list(filter_.exams()) == list(original.exams())


def test_a_file_without_a_single_lesson_becomes_an_empty_ledger(tmp_path: Path) -> None:
    path = str(tmp_path / "mail")
    Path(path).write_bytes(zlib.compress(random.Random(1).randbytes(200_000)))
    assert repair(path).saved is not None
    with Filter.open(path) as filter_:
        assert filter_.labels() == {}
        assert teach(filter_, "spam", [mail("spam", 1)]).learned == 1
