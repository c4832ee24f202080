"""Many spaces on one server: the memory of 1,000 of them, and what a bulk in one is to the others.

    python -m benchmarks served_spaces                     all of it
    python -m benchmarks served_spaces --requests 500000   the same, and memory over so many requests
    python -m benchmarks.served_spaces --spaces 50 --bulk 900 --windows 3 --requests 5000
                                                           a small form of it, whose results are not kept

Every space begins with the starter, as `deciban space add` makes it, and learns mails of its own. Questions
go to spaces in random order, from load_client.c. Beside a bulk of lessons or a replay in one space, others
are asked at a steady rate; windows with and without it are interleaved, and a figure is the median. A part
that fails is told in its table, and the others go on.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.load_client import Load, LoadClient
from benchmarks.measure import Goal, Table, goals_table, show
from benchmarks.serving import mails_of_benchmark
from benchmarks.serving_peers import ServedDeciban
from deciban.filter.mail import lesson_of
from deciban.sources import RawMessage
from deciban.spaces import Spaces

OWN_LESSONS = 20
ASKED_SECONDS, WINDOW_SECONDS, RATE = 20.0, 4.0, 150.0
STEPS = 10
# What was asked for: memory of 1,000 spaces, and how much longer others may wait beside a bulk.
MOST_MEGABYTES, MOST_RATIO = 1_500.0, 2.0
# Memory is flat if the second half of the requests adds no more than that.
MOST_GROWTH = 0.05


def say(text: str) -> None:
    """How far it is."""
    print(f"  … {text}", file=sys.stderr, flush=True)


class ServedSpaces(ServedDeciban):
    """deciban serve with many spaces, all of which stay open."""

    def __init__(self, count: int) -> None:
        self.names = [f"user{number}@example.org" for number in range(count)]
        super().__init__([], open_spaces=count)

    def prepare(self, spaces: Spaces) -> None:
        """Make the spaces and teach them."""
        taught, _ = mails_of_benchmark()
        dice = random.Random(1)
        spaces.add(self.names, starter=True)
        for number, name in enumerate(self.names):
            if number % 100 == 0:
                say(f"{number:,} of {len(self.names):,} spaces are taught")
            with spaces.using(name) as opened:
                chosen = dice.sample(taught, OWN_LESSONS)
                preferences = opened.mail_filter.preferences
                opened.learn(
                    lesson_of(label, "", preferences, RawMessage("", data)) for label, data in chosen
                )


def memory(
    client: LoadClient, server: ServedSpaces, asked: Sequence[bytes], goals: list[Goal]
) -> Iterator[Table]:
    """What the processes hold once every space was asked."""
    before = server.megabytes()
    say("all spaces are asked in random order")
    load = client.put(server, _random_questions(server, asked, 20_000), ASKED_SECONDS)
    after = server.megabytes()
    goals.append(Goal(f"MB of memory, {len(server.names):,} spaces", after, at_most=MOST_MEGABYTES))
    rows = [
        ("spaces", len(server.names)),
        ("lessons of each, on the starter", OWN_LESSONS),
        ("MB of memory (PSS) of all processes before", before),
        ("MB of memory (PSS) once all were asked", after),
        ("questions per second, in random order", load.rate),
        ("p99, ms", load.quantile(0.99)),
        ("answers without a verdict", load.wrong),
    ]
    yield Table("many spaces asked in random order", ("", "figure"), rows)


def neighbours(
    client: LoadClient,
    server: ServedDeciban,
    asked: Sequence[bytes],
    goals: list[Goal],
    options: argparse.Namespace,
) -> Iterator[Table]:
    """The p99 of other spaces while one learns, and while it replays."""
    questions = [server.question(mail, "mail") for mail in asked]
    bodies = _bulks(server, asked, options.windows, options.bulk)

    def window() -> Load:
        return client.put(server, questions, WINDOW_SECONDS, RATE, 4)

    def beside(work: Callable[[int], subprocess.Popen[bytes]]) -> tuple[list[float], list[float]]:
        quiet, busy = [], []
        for number in range(options.windows):
            quiet.append(window().quantile(0.99))
            process = work(number)
            busy.append(window().quantile(0.99))
            process.wait()
            say(f"window {number + 1} of {options.windows}: {quiet[-1]:.1f} ms, then {busy[-1]:.1f}")
        return quiet, busy

    def learn(number: int) -> subprocess.Popen[bytes]:
        return _send(server, "learn", bodies[number], "application/x-ndjson")

    def forget(number: int) -> subprocess.Popen[bytes]:
        first = json.loads(bodies[0].read_text().splitlines()[number])
        body = server.folder / "forgotten"
        body.write_text(json.dumps({"message": first["message"]}))
        return _send(server, "forget", body, "application/json")

    rows = []
    for name, work in ((f"learning {options.bulk:,} mails", learn), ("replays, by forgetting", forget)):
        say(f"others are asked beside {name}")
        quiet, busy = beside(work)
        ratio = statistics.median(one / other for one, other in zip(busy, quiet, strict=True))
        rows.append((name, statistics.median(quiet), statistics.median(busy), ratio))
        goals.append(Goal(f"p99 of others beside {name} ÷ quiet", ratio, at_most=MOST_RATIO))
    columns = ("in one space", "p99 of others, quiet, ms", "beside it, ms", "ratio")
    title = f"Others are asked {RATE:g} times per second, median of {options.windows} windows"
    yield Table(title, columns, rows)


def endurance(
    client: LoadClient, server: ServedDeciban, asked: Sequence[bytes], goals: list[Goal], requests: int
) -> Iterator[Table]:
    """Memory over many requests."""
    questions = [server.question(mail) for mail in asked]
    rows: list[tuple[str, float, float, int]] = []
    count = 0
    while count < requests:
        load = client.put(server, questions, min(10.0, requests / 5_000))
        count += len(load.times)
        if count * STEPS // requests >= len(rows) + 1:
            rows.append((f"{count:,} requests", server.megabytes(), load.rate, load.wrong))
            say(f"{count:,} of {requests:,} requests: {rows[-1][1]:.0f} MB")
    halfway = rows[(len(rows) - 1) // 2][1]
    goals.append(
        Goal("memory after all requests ÷ after half of them", rows[-1][1] / halfway, 1 + MOST_GROWTH)
    )
    columns = ("after", "MB (PSS), all processes", "requests/s", "no verdict")
    yield Table("Memory over many requests", columns, rows)


def attempted(what: str, part: Iterator[Table]) -> Iterator[Table]:
    """The tables of a part; if it fails, a table that says so."""
    try:
        yield from part
    except Exception as error:
        traceback.print_exc()
        yield Table(what, ("", "figure"), [("did not finish", type(error).__name__)])


def _random_questions(server: ServedSpaces, asked: Sequence[bytes], count: int) -> list[bytes]:
    dice = random.Random(2)
    names = [name.replace("@", "%40") for name in server.names]
    first = [server.question(dice.choice(asked), name) for name in dice.sample(names, len(names))]
    return first + [server.question(dice.choice(asked), dice.choice(names)) for _ in range(count)]


def _bulks(server: ServedDeciban, asked: Sequence[bytes], windows: int, bulk: int) -> list[Path]:
    """Bodies of lines for each window, all of different mails."""
    paths = []
    for window in range(windows):
        path = server.folder / f"bulk-{window}"
        with path.open("w") as file:
            for number in range(bulk // windows):
                data = asked[number % len(asked)] + b"\n%d %d\n" % (window, number)
                line = {"message": b64encode(data).decode(), "label": ("spam", "ham")[number % 2]}
                file.write(json.dumps(line) + "\n")
        paths.append(path)
    return paths


def _send(server: ServedDeciban, verb: str, body: Path, kind: str) -> subprocess.Popen[bytes]:
    """Have a body sent by curl, which takes next to nothing of the cores."""
    return subprocess.Popen(
        [
            *("curl", "-sS", "-o", "/dev/null", "-X", "POST", "--data-binary", f"@{body}"),
            *("-H", f"Authorization: Bearer {server.key}", "-H", f"Content-Type: {kind}"),
            f"http://127.0.0.1:{server.port}/v1/spaces/busy/{verb}",
        ]
    )


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks served_spaces")
    for name, usual in (("spaces", 1_000), ("bulk", 30_000), ("windows", 9), ("requests", 0)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args(arguments)
    taught, asked = mails_of_benchmark()
    goals: list[Goal] = []

    def many_spaces() -> Iterator[Table]:
        with ServedSpaces(options.spaces) as many:
            yield from memory(client, many, asked, goals)

    def one_busy_space() -> Iterator[Table]:
        with ServedDeciban(taught, others=("busy",)) as server:
            yield from neighbours(client, server, asked, goals, options)

    def many_requests() -> Iterator[Table]:
        with ServedDeciban(taught) as server:
            yield from endurance(client, server, asked, goals, options.requests)

    with LoadClient() as client:
        yield from attempted("many spaces asked in random order", many_spaces())
        yield from attempted("others beside a busy space", one_busy_space())
        if options.requests:
            yield from attempted("Memory over many requests", many_requests())
    yield goals_table(goals)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
