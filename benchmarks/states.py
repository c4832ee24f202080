"""How large a state is for what it has learned, and many personal filters on a shared one, in one process.

    python -m benchmarks.states [filters]

Messages of SpamAssassin. Bytes are those on the disk after the process that taught has ended; the memory of a
process is its proportional set size (PSS), in which a page that several share counts in parts.
"""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from mmap import ACCESS_READ, MAP_ANONYMOUS, MAP_POPULATE, MAP_PRIVATE, mmap
from pathlib import Path
from statistics import median
from time import process_time
from typing import IO

from benchmarks.corpora import labelled_mail
from benchmarks.filter import DECIBAN, spent_by
from benchmarks.measure import Table, cpu_seconds, show
from deciban.committee._committee import Committee, Glance
from deciban.committee._lesson_code import Features
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.filter import Filter
from deciban.filter.made_like import write_at
from deciban.filter.mail import lesson_of
from deciban.filter.memory_state import memory_for
from deciban.filter.preferences import Preferences
from deciban.filter.starter import newest_file
from deciban.sources import RawMessage
from deciban.text import read

LESSONS = 20, 50, 200, 1000, 5000
FILTERS = 1000
OWN_LESSONS = 50
FOLDER_LESSONS = 2000
COMMAND_ROUNDS = 5
FORM_ROUNDS = 30
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
path, starter, *mails = sys.argv[1:]
with Filter.open(path, starter=starter or None) as taught:
    lessons = (lesson_of(label, "benchmark", taught.preferences, RawMessage(name, open(name, "rb").read()))
               for label, _, name in (each.partition("=") for each in mails))
    taught.learn(lessons)
"""


def sizes(messages: list[tuple[str, bytes]], folder: Path) -> Table:
    """What a filter takes after some lessons, begun with nothing and on the starter: whole processes.

    The file of the starter is not counted: it is one for all filters of a machine, and linked to.
    """
    rows = []
    for count in LESSONS:
        arguments = []
        for number, (label, data) in enumerate(messages[:count]):
            name = folder / f"mail-{number}"
            name.write_bytes(data)
            arguments.append(f"{label}={name}")
        row: list[object] = [f"{count:,} lessons"]
        for starter in ("", newest_file() or ""):
            path = folder / f"of-{count}{'-started' * bool(starter)}.db"
            before = cpu_seconds()
            for start in range(0, count, 1000):
                command = [sys.executable, "-c", TEACH, str(path), starter, *arguments[start : start + 1000]]
                subprocess.run(command, check=True)
            spent = cpu_seconds() - before
            files = {
                each.name.removeprefix(path.name): each.stat().st_size / 1e6
                for each in folder.iterdir()
                if each.name.startswith(path.name) and ".foundation-" not in each.name
            }
            row += [sum(files.values()), files[".snapshot"], files[""], spent]
        rows.append(tuple(row))
    kinds = "MB on disk", "MB of state", "MB of ledger", "s CPU"
    columns = "", *kinds, *(f"{kind}, on the starter" for kind in kinds)
    return Table("What a filter takes", columns, rows)


def forms(messages: list[tuple[str, bytes]], folder: Path) -> Table:
    """Sparse and dense tables: microseconds a message, in memory and files such as filters have.

    To learn from nothing, the memory of the table has to be cleared first, as far as it is used: a dense one
    takes 67 MB. *In a table*: this memory is there. The first question is asked of a file that was just
    opened, as by a command that looks at one mail. Sparse tables are mapped; of dense ones the blocks that
    are needed are read (`Glance`). Further questions find all of the file in memory; those in bulk have a
    directory of its rows.
    """
    settings = Settings(salt=1)
    lessons = [(label, features_of(read(data))) for label, data in messages]
    rows = []
    for count in LESSONS[:4]:
        filled = Committee.fresh(settings)
        for label, features in lessons[:count]:
            filled.learn(label, features)
        # Room for the lesson that is being learned, too.
        sparse = Shape.for_rows(2, 21, filled.rows_learned() + 20_000, is_layer=True, spare=0)
        asked = [features for _, features in lessons[-500:]]
        shapes = sparse, Shape.dense(2, 21)
        # In turns, because machines are noisy.
        rounds = [
            [one_form(settings, shape, lessons[:count], asked, folder / "form") for shape in shapes]
            for _ in range(FORM_ROUNDS)
        ]
        least = [[1e6 * min(part) for part in zip(*form, strict=True)] for form in zip(*rounds, strict=True)]
        by_round = ([one / other for one, other in zip(*pair, strict=True)] for pair in rounds)
        ratios = [median(part) for part in zip(*by_round, strict=True)]
        rows.append((f"{count:,} lessons", *least[0], *least[1], *ratios))
    kinds = "learn from nothing", "learn in a table", "first question", "score", "score in bulk"
    columns = *(f"{form}: {kind} µs" for form in ("sparse", "dense") for kind in kinds), *kinds
    title = (
        f"Sparse and dense tables, least of {FORM_ROUNDS} in turns; then sparse / dense, median of the rounds"
    )
    return Table(title, ("", *columns), rows)


def one_form(
    settings: Settings,
    shape: Shape,
    lessons: list[tuple[str, Features]],
    asked: list[Features],
    path: Path,
) -> list[float]:
    """Seconds of CPU time a message, in the order of the columns."""
    size = Committee.size(settings, shape)
    start = process_time()
    committee = Committee.begin(settings, shape, memory_for(size))
    for label, features in lessons:
        committee.learn(label, features)
    from_nothing = process_time() - start
    again = Committee.begin(settings, shape, mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE))
    start = process_time()
    for label, features in lessons:
        again.learn(label, features)
    in_table = process_time() - start
    write(settings, committee, path)
    start = process_time()
    for features in asked[:10]:
        with path.open("rb") as file:
            if shape.is_dense:
                Glance(settings, file.fileno(), 0).score(features)
            else:
                score_all(settings, file, [features])
    first = process_time() - start
    with path.open("rb") as file:
        scored, in_bulk = (
            score_all(settings, file, asked, is_warm=True, is_bulk=bulk) for bulk in (False, True)
        )
    count, questions = len(lessons), len(asked)
    return [from_nothing / count, in_table / count, first / 10, scored / questions, in_bulk / questions]


def write(settings: Settings, committee: Committee, path: Path) -> None:
    """Write a committee into a file, in the shape that those of filters have."""
    shape = committee.shape
    if not shape.is_dense:
        shape = Shape.for_rows(
            shape.capacity,
            shape.bits,
            committee.rows_learned(),
            is_layer=True,
            shared=committee.rows_to_share(),
        )
    memory = memory_for(Committee.size(settings, shape))
    written = Committee.begin(settings, shape, memory)
    written.take_over(committee)
    with path.open("wb") as file, memoryview(memory) as view:
        write_at(file.fileno(), 0, view)
    written.close()


def score_all(
    settings: Settings,
    file: IO[bytes],
    asked: Sequence[Features],
    is_warm: bool = False,
    is_bulk: bool = False,
) -> float:
    """Seconds of CPU time to score messages by a mapped file: if it is warm, for the second time."""
    with mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
        opened = Committee(settings, mapped)
        if is_bulk:
            opened.list_rows()
        for features in asked if is_warm else ():
            opened.score(features)
        start = process_time()
        for features in asked:
            opened.score(features)
        spent = process_time() - start
        opened.close()
    return spent


def folders(messages: list[tuple[str, bytes]], folder: Path) -> Table:
    """The same mail under two labels and under ten, one folder a call, until there is a state of all of it.

    *One by one*: the folders follow each other, as in a program that teaches them, and are mixed at the end.
    *Asked after each*: each is mixed in by a replay.
    """
    rows = []
    for labels, is_asked in ((2, False), (10, False), (10, True)):
        how = "asked after each" if is_asked else "one by one"
        with Filter.open(str(folder / f"folders-{labels}-{is_asked}.db")) as taught:
            lessons = [
                lesson_of(
                    f"folder {number % labels}", "benchmark", taught.preferences, RawMessage("mail", data)
                )
                for number, (_, data) in enumerate(messages[:FOLDER_LESSONS])
            ]
            start = process_time()
            for number in range(labels):
                taught.learn(lessons[number::labels])
                if is_asked:
                    taught.settle()
            taught.settle()
            rows.append([f"{labels} labels, {how}", process_time() - start])
    spent = [float(row[1]) for row in rows]  # type: ignore[arg-type]
    return Table(
        f"{FOLDER_LESSONS:,} mails taught folder by folder",
        ("", "s CPU", "over two labels"),
        [(*row, part / spent[0]) for row, part in zip(rows, spent, strict=True)],
    )


def commands(messages: list[tuple[str, bytes]], folder: Path) -> Table:
    """The same by commands, one for each folder and one that asks at the end, or after each: whole processes.

    The median of some rounds, in turns.
    """
    cases = {"2 labels": (2, False), "10 labels": (10, False), "10 labels, asked after each": (10, True)}
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for labels in (2, 10):
        for number, (_, data) in enumerate(messages[:FOLDER_LESSONS]):
            place = folder / f"by-{labels}" / f"folder{number % labels}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{number}.eml").write_bytes(data)
    asked = folder / "by-2" / "folder0" / "0.eml"
    for turn in range(COMMAND_ROUNDS):
        for name, (labels, is_asked) in cases.items():
            database = str(folder / f"commands-{turn}-{labels}-{is_asked}.db")
            cpu = 0.0
            for number in range(labels):
                label = f"folder{number}"
                mails = str(folder / f"by-{labels}" / label)
                cpu += spent_by(*DECIBAN, "learn", label, mails, "--db", database).cpu
                if is_asked or number == labels - 1:
                    cpu += spent_by(*DECIBAN, "classify", str(asked), "--db", database).cpu
            spent[name].append(cpu)
    needed = median(spent["2 labels"])
    return Table(
        f"{FOLDER_LESSONS:,} mails taught by a command for each folder",
        ("", "s CPU", "over two labels"),
        [(name, median(seconds), median(seconds) / needed) for name, seconds in spent.items()],
    )


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
        return [
            sizes(messages, folder),
            forms(messages, folder),
            folders(messages, folder),
            commands(messages, folder),
            layers(messages, folder, filters),
        ]


if __name__ == "__main__":
    show(main(sys.argv[1:]))
