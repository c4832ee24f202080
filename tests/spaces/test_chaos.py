"""Many processes work in many spaces at random, and are killed: what is there is what their books say.

The long form has 2,000 spaces on one foundation, eight processes and some three minutes.
"""

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

from deciban.spaces import Spaces
from tests.effort import effort
from tests.spaces.worker import NUMBERS

SPACES = effort(12, 2_000)
PROCESSES = effort(4, 8)
OPERATIONS = effort(25, 500)
KILLS = effort(3, 16)
CHECKED = effort(12, 60)


class Book:
    """What one process did in each space, and what it may have done when it was killed."""

    def __init__(self) -> None:
        self.labels: dict[tuple[str, int], set[str | None]] = {}

    def read(self, line: str) -> None:
        phase, what, name, number, label = json.loads(line)
        if what not in ("learn", "forget", "correct"):
            return
        after = None if what == "forget" else label
        key = name, number
        self.labels[key] = {after} if phase == "done" else self.labels.get(key, {None}) | {after}


def lived(command: list[str], book: Book, kill_after: int | None) -> None:
    """Run one process, to its end or to its death after so many lines."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            if line.endswith("\n"):
                book.read(line)
            if kill_after is not None and count >= kill_after:
                process.kill()
        process.wait()
        if kill_after is None:
            assert process.returncode == 0


def test_what_is_in_the_spaces_is_what_the_books_of_all_processes_say(tmp_path: Path, site: str):
    folder = str(tmp_path / "spaces")
    with Spaces(folder, create=True) as spaces:
        spaces.add([f"user{number}@example.org" for number in range(SPACES)], shared=site)
    books = run_all(folder, site)
    with Spaces(folder) as spaces:
        spaces.tidy()
        assert spaces.registry.gone() == []
        owned = [record.name for record in spaces.all() if not record.name.startswith("user")]
        for name in owned:  # of processes that were killed on the way
            spaces.delete(name)
        names = {record.id: record.name for record in spaces.all()}
        assert len(names) == SPACES
        inside = {name for name in os.listdir(folder) if not name.startswith(".new-")}
        assert inside <= {"spaces.db", "journal.db", *names}
        compare(spaces, books)
    left = [
        path
        for path in Path(folder).rglob("*")
        if path.is_file() and b"uniquehamsubject" in path.read_bytes()
    ]
    assert [path for path in left if ".new-" not in str(path)] == []


def run_all(folder: str, site: str) -> dict[int, Book]:
    """Let processes live side by side, some of them only for a while; their books by their seeds."""
    rng = random.Random(7)
    lives: list[list[tuple[int, int | None]]] = [[(seed, None)] for seed in range(1, PROCESSES + 1)]
    for number in range(KILLS):
        lives[number % PROCESSES].insert(0, (100 + number, rng.randrange(2 * OPERATIONS)))
    books = {seed: Book() for row in lives for seed, _ in row}
    failed: list[BaseException] = []

    def live(row: list[tuple[int, int | None]]) -> None:
        try:
            for seed, kill_after in row:
                words = [folder, str(seed), str(OPERATIONS), str(SPACES), site]
                lived([sys.executable, "-m", "tests.spaces.worker", *words], books[seed], kill_after)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=live, args=(row,)) for row in lives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    return books


def compare(spaces: Spaces, books: dict[int, Book]) -> None:
    """Hold what is in each space against the books; some are replayed as well."""
    wanted: dict[str, dict[int, set[str | None]]] = {}
    for book in books.values():
        for (name, number), labels in book.labels.items():
            wanted.setdefault(name, {})[number] = labels
    assert sum(map(len, wanted.values())) > 0
    for place, (name, numbers) in enumerate(sorted(wanted.items())):
        with spaces.using(name) as space:
            found = {
                int(lesson.source.rpartition("@")[2]): lesson.label for lesson in space.mail_filter.lessons()
            }
            assert found.keys() <= numbers.keys()
            for number, labels in numbers.items():
                assert found.get(number) in labels, (name, number, number // NUMBERS)
            if place < CHECKED:
                assert space.mail_filter.is_replay()
