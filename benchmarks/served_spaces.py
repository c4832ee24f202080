"""Many spaces on one server: the memory of 1,000 of them, and what a bulk in one is to the others.

    python -m benchmarks served_spaces                 all of it
    python -m benchmarks served_spaces 500000          the same, and memory over so many requests

Every space begins with the starter, as `deciban space add` makes it, and learns mails of its own. Questions
go to spaces in random order, from load_client.c. Beside a bulk of lessons or a replay in one space, others
are asked at a steady rate; windows with and without it are interleaved, and a figure is the median.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.load_client import Load, LoadClient
from benchmarks.measure import Table, show
from benchmarks.serving import mails_of_benchmark
from benchmarks.serving_peers import ServedDeciban
from deciban.filter.mail import lesson_of
from deciban.sources import RawMessage
from deciban.spaces import Spaces

SPACES, OWN_LESSONS = 1_000, 20
ASKED_SECONDS = 20.0
WINDOWS, WINDOW_SECONDS, RATE = 9, 4.0, 150.0
BULK = 30_000
STEPS = 10


class ServedSpaces(ServedDeciban):
    """deciban serve with many spaces, all of which stay open."""

    def prepare(self, spaces: Spaces) -> None:
        """Make the spaces and teach them."""
        taught, _ = mails_of_benchmark()
        dice = random.Random(1)
        self.names = [f"user{number}@example.org" for number in range(SPACES)]
        spaces.add(self.names, starter=True)
        for name in self.names:
            with spaces.using(name) as opened:
                chosen = dice.sample(taught, OWN_LESSONS)
                preferences = opened.mail_filter.preferences
                opened.learn(
                    lesson_of(label, "", preferences, RawMessage("", data)) for label, data in chosen
                )


def memory(client: LoadClient, server: ServedSpaces, asked: Sequence[bytes]) -> Table:
    """What the processes hold once every space was asked."""
    before = server.megabytes()
    load = client.put(server, _random_questions(server, asked, 20_000), ASKED_SECONDS)
    rows = [
        ("spaces", SPACES),
        ("lessons of each, on the starter", OWN_LESSONS),
        ("MB of memory (PSS) of all processes before", before),
        ("MB of memory (PSS) once all were asked", server.megabytes()),
        ("questions per second, in random order", load.rate),
        ("p99, ms", load.quantile(0.99)),
        ("answers without a verdict", load.wrong),
    ]
    return Table("1,000 spaces asked in random order", ("", "figure"), rows)


def neighbours(client: LoadClient, server: ServedDeciban, asked: Sequence[bytes]) -> Table:
    """The p99 of other spaces while one learns, and while it replays."""
    questions = [server.question(mail, "mail") for mail in asked]
    bodies = _bulks(server, asked)

    def window() -> Load:
        return client.put(server, questions, WINDOW_SECONDS, RATE, 4)

    def beside(work: Callable[[int], subprocess.Popen[bytes]]) -> tuple[list[float], list[float]]:
        quiet, busy = [], []
        for number in range(WINDOWS):
            quiet.append(window().quantile(0.99))
            process = work(number)
            busy.append(window().quantile(0.99))
            process.wait()
        return quiet, busy

    def learn(number: int) -> subprocess.Popen[bytes]:
        return _send(server, "learn", bodies[number], "application/x-ndjson")

    def forget(number: int) -> subprocess.Popen[bytes]:
        first = json.loads(bodies[0].read_text().splitlines()[number])
        body = server.folder / "forgotten"
        body.write_text(json.dumps({"message": first["message"]}))
        return _send(server, "forget", body, "application/json")

    rows = []
    for name, work in ((f"learning {BULK:,} mails", learn), ("replays, by forgetting", forget)):
        quiet, busy = beside(work)
        ratios = [one / other for one, other in zip(busy, quiet, strict=True)]
        rows.append((name, statistics.median(quiet), statistics.median(busy), statistics.median(ratios)))
    columns = ("in one space", "p99 of others, quiet, ms", "beside it, ms", "ratio")
    return Table(f"Others are asked {RATE:g} times per second, median of {WINDOWS} windows", columns, rows)


def endurance(client: LoadClient, server: ServedDeciban, asked: Sequence[bytes], requests: int) -> Table:
    """Memory over many requests."""
    questions = [server.question(mail) for mail in asked]
    rows, count = [], 0
    while count < requests:
        load = client.put(server, questions, 10.0)
        count += len(load.times)
        if count * STEPS // requests >= len(rows) + 1:
            rows.append((f"{count:,} requests", server.megabytes(), load.rate, load.wrong))
    return Table(
        "Memory over many requests", ("after", "MB (PSS), all processes", "requests/s", "no verdict"), rows
    )


def _random_questions(server: ServedSpaces, asked: Sequence[bytes], count: int) -> list[bytes]:
    dice = random.Random(2)
    names = [name.replace("@", "%40") for name in server.names]
    first = [server.question(dice.choice(asked), name) for name in dice.sample(names, len(names))]
    return first + [server.question(dice.choice(asked), dice.choice(names)) for _ in range(count)]


def _bulks(server: ServedDeciban, asked: Sequence[bytes]) -> list[Path]:
    """Bodies of lines for each window, all of different mails."""
    paths = []
    for window in range(WINDOWS):
        path = server.folder / f"bulk-{window}"
        with path.open("w") as file:
            for number in range(BULK // WINDOWS):
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


def main(arguments: Sequence[str] = ()) -> list[Table]:
    taught, asked = mails_of_benchmark()
    tables = []
    with LoadClient() as client:
        with ServedSpaces([], open_spaces=SPACES) as many:
            tables.append(memory(client, many, asked))
        with ServedDeciban(taught, others=("busy",)) as server:
            tables.append(neighbours(client, server, asked))
            if arguments:
                tables.append(endurance(client, server, asked, int(arguments[0])))
    return tables


if __name__ == "__main__":
    show(main(sys.argv[1:]))
