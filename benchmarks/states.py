"""How large a state is for what it has learned, and many personal filters on a shared one, in one process.

    python -m benchmarks.states [filters]

Messages of SpamAssassin. Bytes are those on the disk after the process that taught has ended; the memory of a
process is its proportional set size (PSS), in which a page that several share counts in parts.
"""

from __future__ import annotations

import pickle
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.committee._committee import Committee
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.filter import Filter
from deciban.filter.mail import lesson_of
from deciban.filter.preferences import Preferences
from deciban.sources import RawMessage
from deciban.text import read

LESSONS = 20, 50, 200, 1000, 5000
FILTERS = 1000
OWN_LESSONS = 50
# Asks filters in random order, each kept open once it was asked: questions a second, and the most memory.
ASK = """
import pickle, random, sys
from time import perf_counter
from deciban.committee._lesson_code import Features
from deciban.filter import Filter
from deciban.filter.mail import Question
rng, (codes, paths) = random.Random(2), pickle.load(sys.stdin.buffer)
questions = [Question(Features.decode(code), "") for code in codes]
opened = {path: Filter.open(path) for path in paths}
for path in paths:
    opened[path].classify(rng.choice(questions))
start, count = perf_counter(), 5 * len(paths)
for _ in range(count):
    opened[rng.choice(paths)].classify(rng.choice(questions))
spent = perf_counter() - start
lines = open("/proc/self/smaps_rollup").read().splitlines()
print(count / spent, next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3)
"""
TEACH = """
import sys
from deciban.filter import Filter
from deciban.filter.mail import lesson_of
from deciban.sources import RawMessage
path, *mails = sys.argv[1:]
with Filter.open(path) as taught:
    lessons = (lesson_of(label, "benchmark", taught.preferences, RawMessage(name, open(name, "rb").read()))
               for label, _, name in (each.partition("=") for each in mails))
    taught.learn(lessons)
"""


def sizes(messages: list[tuple[str, bytes]], folder: Path) -> Table:
    """What a filter takes after some lessons, whole processes."""
    rows = []
    for count in LESSONS:
        path = folder / f"of-{count}.db"
        arguments = []
        for number, (label, data) in enumerate(messages[:count]):
            name = folder / f"mail-{number}"
            name.write_bytes(data)
            arguments.append(f"{label}={name}")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for start in range(0, count, 1000):
            command = [sys.executable, "-c", TEACH, str(path), *arguments[start : start + 1000]]
            subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        files = [each for each in folder.iterdir() if each.name.startswith(path.name)]
        state = (folder / f"{path.name}.snapshot").stat().st_size
        rows.append(
            (
                f"{count:,} lessons",
                sum(each.stat().st_size for each in files) / 1e6,
                state / 1e6,
                path.stat().st_size / 1e6,
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            )
        )
    return Table("What a filter takes", ("", "MB on disk", "MB of state", "MB of ledger", "s CPU"), rows)


def forms(messages: list[tuple[str, bytes]]) -> Table:
    """Sparse and dense tables, in memory: microseconds a message."""
    settings = Settings(salt=1)
    lessons = [(label, features_of(read(data))) for label, data in messages]
    rows = []
    for count in LESSONS[:4]:
        row: list[object] = [f"{count:,} lessons"]
        filled = Committee.fresh(settings)
        for label, features in lessons[:count]:
            filled.learn(label, features)
        # Room for the lesson that is being learned, too.
        sparse = Shape.for_rows(2, 21, filled.rows_learned() + 20_000, is_layer=True, spare=0)
        for shape in (sparse, Shape.dense(2, 21)):
            best = [1e9, 1e9]
            for _ in range(5):
                committee = Committee.fresh(settings, shape=shape)
                start = process_time()
                for label, features in lessons[:count]:
                    committee.learn(label, features)
                middle = process_time()
                for _, features in lessons[-500:]:
                    committee.score(features)
                spent = (middle - start) / count, (process_time() - middle) / 500
                best = [min(one, other) for one, other in zip(best, spent, strict=True)]
            row += [1e6 * part for part in best]
        ratios = [float(row[place]) / float(row[place + 2]) for place in (1, 2)]  # type: ignore[arg-type]
        rows.append((*row, *ratios))
    columns = (
        *("", "sparse: learn µs", "score µs", "dense: learn µs", "score µs"),
        *("sparse / dense: learn", "score"),
    )
    return Table("Sparse and dense tables, least of 5", columns, rows)


def layers(messages: list[tuple[str, bytes]], folder: Path, filters: int) -> Table:
    """Many personal filters on one shared filter, asked in random order by one process."""
    rng = random.Random(1)
    site = str(folder / "site.state")
    lessons = [
        lesson_of(label, "benchmark", Preferences(), RawMessage("mail", data)) for label, data in messages
    ]
    with Filter.open(str(folder / "site.db")) as filter_:
        filter_.learn(lessons[:2000])
        filter_.publish(site)
    paths = []
    for number in range(filters):
        path = str(folder / f"own-{number}.db")
        with Filter.open(path) as filter_:
            filter_.rest_on(site)
            filter_.learn(rng.sample(lessons[2000:], OWN_LESSONS))
        paths.append(path)
    beside = sum(
        each.stat().st_size
        for each in folder.iterdir()
        if each.name.startswith("own-") and not each.name.endswith(".db") and ".foundation-" not in each.name
    )
    codes = [features_of(read(data)).encode() for _, data in messages[-200:]]
    asking = subprocess.run(
        [sys.executable, "-c", ASK], input=pickle.dumps((codes, paths)), capture_output=True, check=True
    )
    speed, memory = map(float, asking.stdout.split())
    rows = [
        ("personal filters", filters),
        ("lessons of each, on 2,000 of the shared filter", OWN_LESSONS),
        ("MB on disk of each, beside its ledger", beside / 1e6 / filters),
        ("questions a second, in random order", speed),
        ("MB of memory (PSS), all of them open", memory),
    ]
    return Table("Personal filters on a shared one, asked by one process", ("", "figure"), rows)


def main(arguments: Sequence[str] = ()) -> list[Table]:
    filters = int(arguments[0]) if arguments else FILTERS
    messages = [(each.label, each.read()) for each in labelled_mail("spamassassin")]
    random.Random(1).shuffle(messages)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [sizes(messages, folder), forms(messages), layers(messages, folder, filters)]


if __name__ == "__main__":
    show(main(sys.argv[1:]))
