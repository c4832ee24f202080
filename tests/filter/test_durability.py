"""Killed at any point, used by many at once, on damaged files: nothing acknowledged is ever lost."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import CannotWrite, DamagedLedger, DecibanError, NewerFormat, OlderFormat
from deciban.filter import Filter
from deciban.filter.learned import YOUNG_BULK_LESSONS
from deciban.ledger.sqlite_file import fact_check
from deciban.text import read
from tests.effort import effort
from tests.filter.mails import DENSE, SPARSE, a_starter, classify, mail, teach

ROOT = Path(__file__).parents[2]
WORKER = str(Path(__file__).with_name("worker.py"))
# For each kind of table.
KILLS = effort(14, 250)
ON_ALL_KINDS = pytest.mark.parametrize(
    "path",
    [(SPARSE, False), (DENSE, False), (SPARSE, True)],
    ids=["sparse", "dense", "on a starter"],
    indirect=True,
)


def worker(path: str, *arguments: object, capture: bool = False) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, WORKER, path, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE if capture else None,
    )


@pytest.fixture
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    place = str(tmp_path / "mail")
    settings, is_started = getattr(request, "param", (SPARSE, False))
    Filter.open(place, settings, starter=a_starter(tmp_path) if is_started else None).close()
    yield place
    for leftover in tmp_path.iterdir():
        leftover.unlink()


def after(lessons: dict[bytes, str], operation: dict) -> dict[bytes, str]:
    """What the ledger holds after an operation: the label of each digest, in the order of replay."""
    lessons = dict(lessons)
    label, numbers = operation["label"], operation["numbers"]
    if operation["what"] == "forget":
        lessons.pop(read(mail(label, numbers[0]).data).digest, None)
        return lessons
    for number in numbers:
        digest = read(mail("spam" if operation["what"] == "relearn" else label, number).data).digest
        if lessons.get(digest) != label:
            lessons.pop(digest, None)
            lessons[digest] = label
    return lessons


def killed_history(path: str, seed: int, fewest: int, most: int) -> tuple[list[dict], dict | None]:
    """Let a process live a random history and kill it: what it acknowledged, and what it was doing."""
    rng = random.Random(seed)
    process = worker(path, "history", seed, 1000, fewest, most, capture=True)
    assert process.stdout is not None
    with process, process.stdout as told:
        lines = [told.readline() for _ in range(rng.randint(1, 25))]
        process.kill()
        lines += told.readlines()
    records = [json.loads(line) for line in lines if line.endswith(b"\n")]
    done = [record["done"] for record in records if "done" in record]
    begun = [record["begin"] for record in records if "begin" in record]
    return done, begun[-1] if len(begun) > len(done) else None


@ON_ALL_KINDS
def test_a_process_killed_at_any_point_loses_nothing_that_it_acknowledged(path: str) -> None:
    expected: dict[bytes, str] = {}
    unfinished = 0
    for seed in range(KILLS):
        done, doing = killed_history(path, seed, 1, YOUNG_BULK_LESSONS - 1)
        for operation in done:
            expected = after(expected, operation)
        with Filter.open(path) as filter_:
            found = {lesson.digest: lesson.label for lesson in filter_.lessons()}
            assert len(found) == sum(filter_.labels().values())
            # What it was doing when it died has happened, or it has not.
            allowed = [expected] if doing is None else [expected, after(expected, doing)]
            assert list(found.items()) in [list(state.items()) for state in allowed]
            assert filter_.is_replay()
        unfinished += doing is not None
        expected = found
    assert unfinished > KILLS / 4
    assert len(expected) > 100


def test_a_process_killed_while_it_mixes_small_bulks_loses_nothing_that_it_acknowledged(path: str) -> None:
    expected: dict[bytes, str] = {}
    for seed in range(KILLS):
        done, doing = killed_history(path, seed, YOUNG_BULK_LESSONS, 2 * YOUNG_BULK_LESSONS)
        for operation in done:
            expected = after(expected, operation)
        with Filter.open(path) as filter_:
            found = {lesson.digest: lesson.label for lesson in filter_.lessons()}
            assert found in ([expected] if doing is None else [expected, after(expected, doing)])
            assert filter_.is_replay()
        expected = found
    assert len(expected) > 100


def digests(label: str, first: int, count: int) -> set[bytes]:
    return {read(mail(label, number).data).digest for number in range(first, first + count)}


@ON_ALL_KINDS
def test_a_bulk_learn_killed_between_batches_or_while_it_mixes_them_keeps_every_batch(path: str) -> None:
    expected: set[bytes] = set()
    unfinished = 0
    for seed in range(KILLS // 2):
        process = worker(path, "bulk", seed, capture=True)
        assert process.stdout is not None
        with process, process.stdout as told:
            lines = [told.readline() for _ in range(random.Random(seed).randint(2, 12))]
            process.kill()
            lines += told.readlines()
        records = [json.loads(line) for line in lines if line.endswith(b"\n")]
        for label, first, count in records:
            expected |= digests(label, first, count)
        label, first, count = records[-1]
        unfinished += count < 60
        with Filter.open(path) as filter_:
            found = [lesson.digest for lesson in filter_.lessons()]
            assert len(found) == len(set(found))
            assert expected <= set(found) <= expected | digests(label, first, 60)
            assert filter_.is_replay()
        expected = set(found)
    assert unfinished > KILLS / 8
    assert len(expected) > 200


def test_many_processes_at_once_lose_nothing_and_see_nothing_half_done(path: str) -> None:
    count = 40
    processes = [
        worker(path, "learn", "spam", 0, count),
        worker(path, "learn", "ham", 0, count),
        worker(path, "learn", "work", 0, count),
        worker(path, "forget", "ham", 0, count // 2),
        worker(path, "watch", 2 * count),
    ]
    assert [process.wait(timeout=300) for process in processes] == [0] * len(processes)
    with Filter.open(path) as filter_:
        assert filter_.labels().items() == {"spam": count, "ham": count - count // 2, "work": count}.items()
        assert filter_.is_replay()


def test_writers_beside_readers_find_in_the_end_what_their_books_say(path: str, tmp_path: Path) -> None:
    """Writers fail on any error, readers on a wrong verdict. Long form: eight of each for five minutes."""
    crowd, operations, seconds = effort(3, 8), effort(12, 100), effort(0, 300)
    end = tmp_path / "end"
    readers = [worker(path, "watch-until", end, capture=True) for _ in range(crowd)]
    writers = [worker(path, "book", seed, operations, seconds, capture=True) for seed in range(crowd)]
    books: dict[bytes, str] = {}
    done = 0
    for writer in writers:
        count, book = json.loads(writer.communicate()[0])
        books |= {read(mail("spam", int(number)).data).digest: label for number, label in book.items()}
        done += count
    end.touch()
    looks = sum(json.loads(reader.communicate()[0]) for reader in readers)
    assert [process.returncode for process in (*writers, *readers)] == [0] * 2 * crowd
    with Filter.open(path) as filter_:
        found = [(lesson.digest, lesson.label) for lesson in filter_.lessons()]
        assert len(found) == len(books)
        assert dict(found) == books
        assert filter_.is_replay()
    print(f"{crowd} writers changed {done} times, beside {crowd} readers that looked {looks} times")


def test_what_two_processes_prefer_at_once_is_all_kept(path: str) -> None:
    processes = [worker(path, "prefer", "cost", 2, 40), worker(path, "prefer", "keep_mail", 3, 40)]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    with Filter.open(path) as filter_:
        assert (filter_.preferences.cost, filter_.preferences.keep_mail) == (41, 42)


def test_processes_that_make_the_same_filter_at_once_make_one(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    processes = [worker(path, "learn", label, 0, 3) for label in ("spam", "ham", "work")]
    assert [process.wait(timeout=300) for process in processes] == [0, 0, 0]
    with Filter.open(path) as filter_:
        assert sorted(filter_.labels().items()) == [("ham", 3), ("spam", 3), ("work", 3)]
    assert not [name for name in os.listdir(tmp_path) if ".new-" in name]


def test_two_labels_taught_at_once_give_the_bits_of_one_after_the_other(tmp_path: Path) -> None:
    """Each label comes through a pipe that is fed in pieces, in another order of pieces each time."""
    numbers = range(60)
    boxes = {
        label: [b"From x Mon Jan  1 00:00:00 2026\n" + mail(label, number).data + b"\n" for number in numbers]
        for label in ("ham", "spam")
    }
    made = tmp_path / "made"
    Filter.open(str(made), SPARSE).close()
    states = set()
    for seed in range(11):
        path = str(shutil.copy(made, tmp_path / f"mail{seed}"))
        rng = random.Random(seed)
        learners = {label: learning(path, label) for label in boxes}
        rest = {label: list(box) for label, box in boxes.items()}
        while any(rest.values()):
            label = "ham" if seed == 0 and rest["ham"] else rng.choice([each for each in rest if rest[each]])
            stdin = learners[label].stdin
            assert stdin is not None
            for _ in range(rng.randint(1, 20)):
                if rest[label]:
                    stdin.write(rest[label].pop(0))
            stdin.flush()
            if not rest[label]:
                stdin.close()
                if seed == 0 or rng.random() < 0.5:  # the other one goes on when this one is done
                    assert learners[label].wait(timeout=300) == 0
        assert [learner.wait(timeout=300) for learner in learners.values()] == [0, 0]
        with Filter.open(path) as filter_:
            assert filter_.labels().items() == {"ham": 60, "spam": 60}.items()
            assert filter_.is_replay()
            states.add(filter_.state())
    assert len(states) == 1


def learning(path: str, label: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "deciban", "learn", label, "-", "--db", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def taught(path: str) -> str:
    with Filter.open(path) as filter_:
        teach(filter_, "spam", (mail("spam", number) for number in range(50)))
        teach(filter_, "ham", (mail("ham", number) for number in range(50)))
    return path


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_ledger_is_an_error_not_a_smaller_filter(taught: str, share: float) -> None:
    os.truncate(taught, int(os.path.getsize(taught) * share))
    with pytest.raises(DamagedLedger, match="copy"):
        use(taught)


def test_a_ledger_of_garbage_is_an_error(taught: str) -> None:
    Path(taught).write_bytes(random.Random(1).randbytes(50_000))
    with pytest.raises(DamagedLedger):
        use(taught)


def test_damaged_lessons_are_an_error_when_they_are_needed(taught: str) -> None:
    connection = sqlite3.connect(taught)
    (seventh,) = connection.execute("SELECT lesson FROM trail ORDER BY position LIMIT 1 OFFSET 6").fetchone()
    connection.execute("UPDATE lessons SET features = x'ffffff' WHERE number = ?", (seventh,))
    connection.commit()
    connection.close()
    os.unlink(taught + ".snapshot")
    with pytest.raises(DamagedLedger, match="copy"):
        use(taught)


@pytest.mark.parametrize("field", ["digest", "taught", "sender", "subject", "message_id", "names", "code"])
@pytest.mark.parametrize("bit", [0, 3])
def test_one_flipped_bit_inside_a_lesson_is_noticed(taught: str, field: str, bit: int) -> None:
    with Filter.open(taught) as filter_:
        lesson = list(filter_.lessons())[40]
    content = bytearray(Path(taught).read_bytes())
    row = content.index(lesson.source.encode())
    if field == "digest":
        place = content.rindex(lesson.digest, 0, row)
    elif field == "taught":
        place = row - 1
    else:
        trace = lesson.features.encode()[10:] if field == "code" else getattr(lesson, field).encode()
        place = content.index(trace)
    content[place] ^= 1 << bit
    Path(taught).write_bytes(content)
    with pytest.raises(DamagedLedger, match="cop"):
        use(taught)
    for name in os.listdir(os.path.dirname(taught)):
        if name.startswith("mail."):
            os.unlink(os.path.join(os.path.dirname(taught), name))
    with pytest.raises(DamagedLedger, match="cop"), Filter.open(taught, read_only=True) as filter_:
        classify(filter_, b"hello")


def test_another_database_is_not_taken_for_a_ledger(tmp_path: Path) -> None:
    path = str(tmp_path / "bookmarks.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()
    before = Path(path).read_bytes()
    with pytest.raises(DamagedLedger, match="not a ledger of deciban"):
        use(path)
    assert Path(path).read_bytes() == before


def test_a_newer_format_asks_for_an_upgrade(taught: str) -> None:
    connection = sqlite3.connect(taught)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NewerFormat, match="Upgrade"):
        use(taught)


def test_an_early_format_says_what_to_do(taught: str) -> None:
    connection = sqlite3.connect(taught)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(OlderFormat, match="teach"):
        use(taught)


def test_newer_features_ask_for_an_upgrade(taught: str) -> None:
    connection = sqlite3.connect(taught)
    connection.execute(
        "UPDATE facts SET value = 99, checked = ? WHERE key = 'features'", [fact_check("features", 99)]
    )
    connection.commit()
    connection.close()
    with pytest.raises(NewerFormat, match="Upgrade"):
        use(taught)


def test_a_full_disk_is_an_error_and_changes_nothing(taught: str) -> None:
    with Filter.open(taught) as filter_:
        before = filter_.state()
        (pages,) = filter_.ledger._one("PRAGMA page_count")
        filter_.ledger._one(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(CannotWrite, match="full"):
            teach(filter_, "spam", (mail("spam", number) for number in range(100, 300)))
        assert filter_.state() == before
        assert filter_.is_replay()
        filter_.ledger._one(f"PRAGMA max_page_count = {pages * 10}")
        assert teach(filter_, "spam", [mail("spam", 100)]).learned == 1


@pytest.mark.parametrize("room", [0, 1, 100, 500])
def test_a_disk_that_fills_up_at_any_point_loses_nothing(taught: str, room: int) -> None:
    done = subprocess.run(
        [sys.executable, WORKER, taught, "fill", str(room)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    acknowledged = int(done.stdout.split()[-1]) if done.stdout else 0
    assert done.stderr.count("\n") == 1
    assert "CannotWrite" in done.stderr
    with Filter.open(taught) as filter_:
        assert filter_.labels()["spam"] == 50 + acknowledged
        assert filter_.is_replay()
        assert teach(filter_, "spam", [mail("spam", 5000)]).learned == 1
        assert filter_.is_replay()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
@pytest.mark.skipif(
    not all(folder.stat().st_mode & 0o1 for folder in Path(__file__).parents),
    reason="somebody else cannot read this copy of the project",
)
def test_a_ledger_that_somebody_else_is_writing_can_be_read(taught: str) -> None:
    for folder in Path(taught).parents:
        if folder.is_relative_to(tempfile.gettempdir()) and str(folder) != tempfile.gettempdir():
            folder.chmod(0o755)
    os.chmod(taught, 0o644)
    with Filter.open(taught) as owner:
        teach(owner, "spam", [mail("spam", 60)])
        assert os.path.exists(taught + "-wal")
        assert worker(taught, "look", 101).wait(timeout=300) == 0
        # As a crash leaves it: the log without the memory that its writer shares.
        shutil.copy(taught + "-wal", taught + ".log")
    os.rename(taught + ".log", taught + "-wal")
    os.chmod(taught + "-wal", 0o644)
    process = subprocess.run(
        [sys.executable, WORKER, taught, "look", "101"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 3
    assert "Have its owner run" in process.stderr


def test_a_folder_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="cannot be made"):
        Filter.open(str(tmp_path / "missing" / "mail"))


def test_a_copy_of_the_ledger_alone_is_a_whole_filter(taught: str, tmp_path: Path) -> None:
    shutil.copy(taught, tmp_path / "copy")
    with Filter.open(taught) as filter_, Filter.open(str(tmp_path / "copy"), create=False) as copy:
        assert copy.state() == filter_.state()


def use(path: str) -> None:
    """Open, classify, learn and list: one of them must notice."""
    with Filter.open(path, create=False) as filter_:
        classify(filter_, b"Subject: hello")
        teach(filter_, "spam", [mail("spam", 1000)])
        list(filter_.lessons())


def test_every_error_of_the_filter_is_one_line_for_the_user(taught: str) -> None:
    os.truncate(taught, 100)
    with pytest.raises(DecibanError) as error:
        use(taught)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(taught)
