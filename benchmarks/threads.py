"""What a second thread gains where mail is read: reading and extraction hold no lock of Python's.

    python -m benchmarks.threads

Messages of SpamAssassin, in memory: reading and both views, as `deciban classify` needs them of many
messages, and whole lessons, as `deciban learn` reads them. One thread and two, in turns; wall time, the least
of some rounds. It says something only on a machine that is otherwise idle, so beside the gain stands how much
of two cores this process got meanwhile: below 1.9 other programs had the rest, and the gain is that of the
machine. Beside that stands what the machine could give: the gain of two processes that share nothing, each
with all the messages. Two cores are slower together than one alone where they share memory, or the
processor's power.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.committee.extraction import features_of_many
from deciban.engines.lessons import read_by
from deciban.engines.threads import Threads
from deciban.filter.mail import lessons_of
from deciban.filter.preferences import Preferences
from deciban.sources import RawMessage
from deciban.text import read_many

ROUNDS = 15
WORKERS = 1, 2


def extracted(raws: list[RawMessage]) -> list[object]:
    """What a question needs of each message."""
    return list(features_of_many(read_many([raw.data for raw in raws]), [()] * len(raws)))


def spent(
    workers: int, work: Callable[[list[RawMessage]], list[object]], messages: list[RawMessage]
) -> tuple[float, float]:
    """Wall time, and how many cores were at work in the mean."""
    with Threads(workers).running() as engine:
        wall, cpu = perf_counter(), process_time()
        for _ in read_by(engine, work, messages):
            pass
        wall = perf_counter() - wall
        return wall, (process_time() - cpu) / wall


def spent_by_two_processes(
    work: Callable[[list[RawMessage]], list[object]], messages: list[RawMessage]
) -> float:
    """Wall time of two processes at once that each do all the work alone: of the one that is done last."""
    start = perf_counter()
    if (child := os.fork()) == 0:
        failed = True
        try:
            spent(1, work, messages)
            failed = False
        finally:
            os._exit(failed)
    spent(1, work, messages)
    _, status = os.waitpid(child, 0)
    assert status == 0, "the other process failed"
    return perf_counter() - start


def main() -> list[Table]:
    messages = [
        RawMessage(str(number), each.read()) for number, each in enumerate(labelled_mail("spamassassin"))
    ]
    kinds: dict[str, Callable[[list[RawMessage]], list[object]]] = {
        "read and both views": extracted,
        "a whole lesson": partial(lessons_of, "spam", "benchmark", Preferences()),
    }
    rows = []
    for name, work in kinds.items():
        least = dict.fromkeys(WORKERS, (float("inf"), 0.0))
        both = float("inf")
        for _ in range(ROUNDS):
            for workers in WORKERS:
                least[workers] = min(least[workers], spent(workers, work, messages))
            both = min(both, spent_by_two_processes(work, messages))
        (alone, _), (together, cores) = least[1], least[2]
        per_message = 1e6 / len(messages)
        rows.append(
            (name, alone * per_message, together * per_message, alone / together, cores, 2 * alone / both)
        )
    columns = ("", "one thread, µs", "two threads, µs", "gain", "cores had", "gain of two processes")
    note = f"Load average at the end: {os.getloadavg()[0]:.1f}; {os.cpu_count()} cores."
    return [Table("Wall time of a message, by threads", columns, rows, note)]


if __name__ == "__main__":
    show(main())
    sys.exit()
