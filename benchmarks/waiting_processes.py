"""The processes of the benchmark `waiting`: one asks, one works, one asks once without the right to write.

    python -m benchmarks.waiting_processes ask FILTER INDEX     ask without a pause until the input ends
    python -m benchmarks.waiting_processes work FILTER          do what each line of input says
    python -m benchmarks.waiting_processes once FILTER OTHER INDEX RIGHTS   ask once

An index is a file with the path of a mail in each line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

from deciban.filter import Filter
from deciban.filter.mail import lessons_from, question_of
from deciban.ledger import Selection
from deciban.sources import RawMessage

QUESTIONS = 200
BURNING_SECONDS = 2.0
NOBODY = 65534


class Worker:
    """A process of this benchmark that does what it is told, line by line."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.waiting_processes", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

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


class Others:
    """How much of a processor all others take: the whole machine without some processes and ourselves."""

    def __init__(self, pids: list[int]) -> None:
        self._pids = [*pids, os.getpid()]
        self._before = self._now()

    def share(self) -> float:
        """What they took since we were asked last, in processors."""
        before, self._before = self._before, self._now()
        seconds, taken = (now - then for now, then in zip(self._before, before, strict=True))
        return taken / seconds

    def _now(self) -> tuple[float, float]:
        """The time, and what others have used so far, in seconds; a host's other guests count (steal)."""
        user, nice, system, _, _, irq, softirq, steal = map(
            int, Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
        )
        own = sum(
            sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
            for pid in self._pids
        )
        ticks = user + nice + system + irq + softirq + steal - own
        return time.monotonic(), ticks / os.sysconf("SC_CLK_TCK")


def messages(index: Path, count: int, first: int = 0) -> Iterator[RawMessage]:
    """Mail of the corpus, again and again, each time with another line, so that no two are the same."""
    paths = index.read_text().splitlines()
    for number in range(first, first + count):
        data = Path(paths[number % len(paths)]).read_bytes()
        yield RawMessage(str(number), data + b"\nround%d\n" % (number // len(paths)))


def ask(path: str, index: str) -> None:
    """Ask until the input ends; then print the begin, the length and the wait of each answer, in ns.

    The wait is for a processor: the answer could go on, but others were running.
    """
    over: list[str] = []
    Thread(target=lambda: over.append(sys.stdin.read()), daemon=True).start()
    waited = _waited_for_a_processor()
    answers: list[tuple[int, int, int]] = []
    with Filter.open(path) as asked:
        questions = [question_of(raw.data, asked.preferences) for raw in messages(Path(index), QUESTIONS, 7)]
        asked.classify(questions[0])
        print("ready", flush=True)
        while not over:
            for question in questions:
                start, before = time.perf_counter_ns(), waited()
                asked.classify(question)
                answers.append((start, time.perf_counter_ns() - start, waited() - before))
    print(" ".join(":".join(map(str, answer)) for answer in answers))


def _waited_for_a_processor() -> Callable[[], int]:
    """How long the first thread of this process was ready to run and did not, in ns (Linux)."""
    file = os.open("/proc/self/schedstat", os.O_RDONLY)
    return lambda: int(os.pread(file, 100, 0).split()[1])


def work(path: str) -> None:
    """Do what is asked for; print from when to when each kind of work was done, in ns."""
    with Filter.open(path) as filter_:
        for line in sys.stdin:
            what, *rest = line.split()
            mixing: list[int] = []
            start = time.perf_counter_ns()
            WORK[what](filter_, mixing, *rest)
            end = time.perf_counter_ns()
            parts = [(what, start, mixing[0] if mixing else end)]
            if mixing:
                parts.append(("mixing", mixing[0], end))
            print(" ".join(f"{name}:{begun}:{ended}" for name, begun, ended in parts), flush=True)


def _learn(filter_: Filter, mixing: list[int], label: str, index: str, first: str, count: str) -> None:
    filter_.learn(
        lessons_from(messages(Path(index), int(count), int(first)), label, filter_.preferences),
        replaying=lambda *_: mixing.append(time.perf_counter_ns()),
    )


def _forget(filter_: Filter, _: list[int], source: str) -> None:
    old = list(filter_.lessons(Selection(source=source)))[:1]
    filter_.forget_all([lesson.digest for lesson in old])


def _replay(filter_: Filter, _: list[int]) -> None:
    for checkpoint in filter_.checkpoints.files():
        os.unlink(checkpoint)
    filter_.rest_on(None)


def _burn(_: Filter, __: list[int]) -> None:
    end = time.monotonic() + BURNING_SECONDS
    while time.monotonic() < end:
        pass


WORK: dict[str, Callable[..., None]] = {"learn": _learn, "forget": _forget, "replay": _replay, "burn": _burn}


def once(path: str, other: str, index: str, rights: str) -> None:
    """Ask once as who may ``write``, or only ``read``; print the CPU time of that in ms.

    Nothing of the filter is in the memory of the system, as after a reboot. What a question needs was
    imported before, by a question to an ``other`` filter, which has no state.
    """
    (raw,) = messages(Path(index), 1, 7)
    with Filter.open(other, read_only=True) as filter_:
        filter_.classify(question_of(raw.data, filter_.preferences))
    for part in Path(path).parent.iterdir():
        with part.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if rights == "read" and os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    start = time.process_time()
    with Filter.open(path, create=False, read_only=rights == "read") as filter_:
        filter_.classify(question_of(raw.data, filter_.preferences))
    print((time.process_time() - start) * 1000)


if __name__ == "__main__":
    {"ask": ask, "work": work, "once": once}[sys.argv[1]](*sys.argv[2:])
