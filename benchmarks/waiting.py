"""How long a question waits beside a process that learns, mixes, forgets or replays; and who starves whom.

python -m benchmarks waiting [MAILS]

One process asks without a pause (`Filter.classify`, features made beforehand) and keeps the time of each
answer. In turns, another process rests for a window, and does one piece of work: it learns a batch of mail of
one label, which ends with a replay in mixed order (*mixing*), forgets one old mail (a replay of nearly all),
or rests anew on nothing (a replay of all within one transaction). Each window has its 99th percentile; the
ratio is that of the busy window to the quiet one before, and the median of all rounds counts.

Then a writer learns beside eight processes that ask without a pause: they ask the same filter, or a copy, so
that they take as much of the processors in both cases. The ratio is what it waits for them.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.evaluate import shuffled
from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_from, question_of
from deciban.ledger import Selection
from deciban.sources import RawMessage

MAILS = 30_000
BATCH = 2_500
QUIET_SECONDS = 1.0
READERS = 8
STARVED_MAILS = 2_000
STARVED_ROUNDS = 3
# Lessons that the filter begins with.
FIRST = 2_000


class Worker:
    """A process of this benchmark that does what it is told, line by line."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.waiting", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, words: str) -> None:
        """Let it begin something."""
        assert self._process.stdin is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """What it says next."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> str:
        """Let it end; what it says last."""
        return self._process.communicate()[0].strip()


def messages(index: Path, count: int, first: int = 0) -> Iterator[RawMessage]:
    """Mail of the corpus, again and again, each time with another line, so that no two are the same."""
    paths = index.read_text().splitlines()
    for number in range(first, first + count):
        data = Path(paths[number % len(paths)]).read_bytes()
        yield RawMessage(str(number), data + b"\nround%d\n" % (number // len(paths)))


def ask(path: str, index: str) -> None:
    """Ask until there is nothing more to read; then print each answer's begin and seconds, in ns."""
    with Filter.open(path) as asked:
        questions = [question_of(raw.data, asked.preferences) for raw in messages(Path(index), 200, 7)]
        asked.classify(questions[0])
        print("ready", flush=True)
        times: list[tuple[int, int]] = []
        with _end_of_input() as is_over:
            while not is_over():
                for question in questions:
                    start = time.perf_counter_ns()
                    asked.classify(question)
                    times.append((start, time.perf_counter_ns() - start))
    print(" ".join(f"{start}:{taken}" for start, taken in times))


@contextmanager
def _end_of_input() -> Iterator[object]:
    from threading import Thread

    over: list[str] = []
    waiter = Thread(target=lambda: over.append(sys.stdin.read()), daemon=True)
    waiter.start()
    yield lambda: over


def work(path: str) -> None:
    """Do what is asked for; print from when to when each kind of work was done, in ns."""
    with Filter.open(path) as filter_:
        for line in sys.stdin:
            what, *rest = line.split()
            mixing: list[int] = []
            start = time.perf_counter_ns()
            if what == "learn":
                label, index, first, count = rest
                mails = messages(Path(index), int(count), int(first))
                filter_.learn(
                    lessons_from(mails, label, filter_.preferences),
                    replaying=lambda *_, seen=mixing: seen.append(time.perf_counter_ns()),
                )
            elif what == "forget":
                old = list(filter_.lessons(Selection(source=rest[0])))[:1]
                filter_.forget_all([lesson.digest for lesson in old])
            else:
                filter_.rest_on(None)
            end = time.perf_counter_ns()
            parts = [(what, start, mixing[0] if mixing else end)]
            if mixing:
                parts.append(("mixing", mixing[0], end))
            print(" ".join(f"{name}:{begun}:{ended}" for name, begun, ended in parts), flush=True)


def percentile(times: list[int]) -> float:
    """The 99th percentile in ms."""
    return sorted(times)[int(0.99 * len(times))] / 1e6


def waited(path: str, indexes: dict[str, Path], mails: int) -> Table:
    """The percentiles of questions beside each kind of work."""
    worker, reader = Worker("work", path), Worker("ask", path, str(indexes["ham"]))
    reader.answer()
    windows: list[tuple[str, int, int]] = []
    for number in range(mails // BATCH):
        label = ("spam", "ham")[number % 2]
        first = FIRST + number // 2 * BATCH
        for words in (f"learn {label} {indexes[label]} {first} {BATCH}", f"forget {first}", "replay"):
            begun = time.perf_counter_ns()
            time.sleep(QUIET_SECONDS)
            windows.append(("quiet", begun, time.perf_counter_ns()))
            worker.tell(words)
            for part in worker.answer().split():
                what, start, end = part.split(":")
                windows.append((what, int(start), int(end)))
    worker.end()
    times = [tuple(map(int, pair.split(":"))) for pair in reader.end().split()]
    quiet = 0.0
    ratios: dict[str, list[tuple[float, float, float]]] = {}
    for what, begun, ended in windows:
        found = [taken for start, taken in times if begun <= start < ended]
        if len(found) < 100:
            print(f"{what}: {len(found)} answers only in {(ended - begun) / 1e9:.1f} s", file=sys.stderr)
            continue
        if what == "quiet":
            quiet = percentile(found)
        elif quiet:
            busy = percentile(found)
            ratios.setdefault(what, []).append((quiet, busy, busy / quiet))
    rows = [
        (what, *(statistics.median(column) for column in zip(*found, strict=True)), len(found))
        for what, found in ratios.items()
    ]
    columns = ("beside", "quiet p99, ms", "busy p99, ms", "ratio", "windows")
    return Table(
        f"a question beside a process that learns {mails:,} mails and changes history", columns, rows
    )


def starved(path: str, indexes: dict[str, Path]) -> Table:
    """How much longer a writer takes beside readers of its own filter than of a copy."""
    copy = path + ".copy"
    shutil.copy(path, copy)
    ratios, seconds = [], []
    for number in range(STARVED_ROUNDS):
        taken = {}
        for place, asked in enumerate((path, copy)):
            readers = [Worker("ask", asked, str(indexes["ham"])) for _ in range(READERS)]
            for reader in readers:
                reader.answer()
            first = 10_000_000 + STARVED_MAILS * (2 * number + place)
            worker = Worker("work", path)
            worker.tell(f"learn spam {indexes['spam']} {first} {STARVED_MAILS}")
            _, start, end = worker.answer().split()[0].split(":")
            worker.end()
            for reader in readers:
                reader.end()
            taken[asked] = (int(end) - int(start)) / 1e9
        seconds.append(taken[path])
        ratios.append(taken[path] / taken[copy])
    row = ("learning", statistics.median(seconds), statistics.median(ratios), STARVED_ROUNDS)
    columns = ("a writer", "seconds", "ratio", "rounds")
    title = f"{STARVED_MAILS:,} mails learned beside {READERS} busy readers, over that beside those of a copy"
    return Table(title, columns, [row])


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    mails = int(arguments[0]) if arguments else MAILS
    labelled = shuffled(labelled_mail("spamassassin"), 1)
    with tempfile.TemporaryDirectory() as folder:
        indexes = {}
        for label in ("spam", "ham"):
            indexes[label] = Path(folder, f"{label}.txt")
            indexes[label].write_text(
                "\n".join(str(Path(message.path).resolve()) for message in labelled if message.label == label)
            )
        path = str(Path(folder, "mail.deciban"))
        with Filter.open(path, Settings(salt=1)) as filter_:
            for label, index in indexes.items():
                filter_.learn(lessons_from(messages(index, FIRST // 2), label, filter_.preferences))
        yield waited(path, indexes, mails)
        yield starved(path, indexes)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        (ask if sys.argv[1] == "ask" else work)(*sys.argv[2:])
    else:
        show(main(sys.argv[1:]))
