"""How much faster two processes or threads are than one, on folders of mail: SpamAssassin, 6,046 messages.

    python -m benchmarks.engines

Wall time, interleaved, the best of each: on a shared machine the other times tell of the neighbours, and the
load average that is printed with them says how much. What is measured runs already (workers start once for
many folders); starting them is told apart. The same folders are read by every engine, and what they give is
compared. CPU time of this process, with two others at work, is what does not get faster by adding more.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.corpora import unpack
from deciban import Multinomial
from deciban.engines import Documents, Processes, Serial, Threads, read_by, tally
from deciban.engines.engine import Engine
from deciban.filter import Filter, Settings
from deciban.filter.mail import lesson_of
from deciban.sources import RawMessage, open_source

REPETITIONS = 5


def best_of_each(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The shortest wall time of each call, one of each in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPETITIONS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: min(seconds) for name, seconds in times.items()}


def folders(root: Path) -> list[Documents]:
    """The folders of the corpus, cut into partitions, each under the label that its folder bears."""
    parts = []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        parts += Documents.split("spam" if "spam" in folder.name else "ham", str(folder), documents=250)
    return parts


def show(title: str, times: dict[str, float], messages: int) -> None:
    print(f"{title}, {messages:,} messages")
    one = times["one process"]
    for name, seconds in times.items():
        print(f"  {name:14} {seconds:7.3f} s  {messages / seconds:9,.0f}/s  {one / seconds:5.2f}×")
    print(f"  load average {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")


def own_share(alone: Callable[[], object], together: Callable[[], object], messages: int) -> None:
    """CPU time of this process a message: doing everything, and leaving to others what can be left."""
    spent = {}
    for name, call in (("alone", alone), ("with others", together)):
        start = time.process_time()
        call()
        spent[name] = (time.process_time() - start) / messages * 1e3
    print(f"  CPU time of this process, ms a message: {spent['alone']:.3f} alone,", end=" ")
    print(
        f"{spent['with others']:.3f} with two others: it can feed {spent['alone'] / spent['with others']:.1f}"
    )


def tallying(parts: list[Documents], one: Engine, two: Engine) -> None:
    expected = tally(parts, Multinomial(), Serial())
    for engine in (one, two):
        assert tally(parts, Multinomial(), engine) == expected
    calls = {
        "serial": lambda: tally(parts, Multinomial(), Serial()),
        "one process": lambda: tally(parts, Multinomial(), one),
        "two processes": lambda: tally(parts, Multinomial(), two),
    }
    messages = int(expected.rows.sum())
    show("tally of folders of mail", best_of_each(calls), messages)
    own_share(calls["serial"], calls["two processes"], messages)


def learning(parts: list[Documents], one: Engine, two: Engine) -> None:
    mails: dict[str, list[RawMessage]] = {"ham": [], "spam": []}
    for part in parts:
        mails[part.label] += [raw for path in part.paths for raw in open_source(path)]

    def taught(engine: Engine) -> bytes:
        with (
            tempfile.TemporaryDirectory() as folder,
            Filter.open(os.path.join(folder, "mail.deciban"), Settings(salt=1)) as mail,
        ):
            for label, messages in mails.items():
                with engine.running() as running:
                    mail.learn(read_by(running, partial(lesson_of, label, "", mail.preferences), messages))
            return mail.state()

    assert taught(Serial()) == taught(two) == taught(Threads(2))
    calls = {
        "serial": lambda: taught(Serial()),
        "one process": lambda: taught(one),
        "two processes": lambda: taught(two),
        "two threads": lambda: taught(Threads(2)),
    }
    messages = sum(map(len, mails.values()))
    show("bulk learning of a filter", best_of_each(calls), messages)
    own_share(calls["serial"], calls["two processes"], messages)


def main() -> None:
    parts = folders(unpack("spamassassin"))
    start = time.perf_counter()
    with Processes(1).running() as one, Processes(2).running() as two:
        tally(parts[:2], Multinomial(), two)
        print(f"starting two processes {time.perf_counter() - start:.2f} s, their first partitions included")
        tallying(parts, one, two)
        learning(parts, one, two)


if __name__ == "__main__":
    main()
