"""Reading mail from files: deciban against Python's `email` and bogofilter's training, on SpamAssassin.

CPU time (user and system) per message over the whole corpus, the least of three interleaved passes; what
counts are the ratios within one run. `email` runs with its default policy, once only parsing and once also
decoding the text and the subject, which is closer to what deciban's reading does. bogofilter (if it is
installed) trains in bulk mode, that is: reads, tokenises and stores; its figure is a bound for reading plus
both views, which must be at least 3 times faster.

Two threads read and extract the same messages from memory; wall time, the best of some turns. It says
something only on a machine with two idle cores. How much of the work holds Python's lock is known anywhere:
at most what a message without text takes.
"""

from __future__ import annotations

import email
import email.policy
import math
import os
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from threading import Thread

from benchmarks.corpora import unpack
from benchmarks.measure import Table, least_cpu, show
from deciban.committee.extraction import features_of
from deciban.text import read
from deciban.text.views import extract

PASSES = 3
TURNS = 8


def bytes_of(file: Path) -> bytes:
    """The bytes of a file in few system calls, so that it is reading which is measured."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def read_by_deciban(files: list[Path]) -> None:
    for file in files:
        read(bytes_of(file))


def read_and_extract_by_deciban(files: list[Path]) -> None:
    for file in files:
        extract(read(bytes_of(file)))


def parse_by_email(files: list[Path]) -> None:
    for file in files:
        email.message_from_bytes(bytes_of(file), policy=email.policy.default)


def read_by_email(files: list[Path]) -> None:
    for file in files:
        message = email.message_from_bytes(bytes_of(file), policy=email.policy.default)
        for part in message.walk():
            if part.get_content_maintype() == "text":
                try:
                    part.get_content()
                except (LookupError, KeyError):  # charsets that are none
                    continue
        try:
            str(message["subject"])
        except (IndexError, AttributeError, TypeError, ValueError):  # it gives up on some real headers
            continue


def train_bogofilter(files: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as home:
        for option, spam in (("-s", True), ("-n", False)):
            names = [str(file) for file in files if file.parent.name.startswith("spam") == spam]
            subprocess.run(
                ["bogofilter", "-d", home, option, "-b"], input="\n".join(names) + "\n", text=True, check=True
            )


def in_threads(count: int, contents: list[bytes]) -> None:
    """Read and extract them in so many threads."""

    def work(first: int) -> None:
        for content in contents[first::count]:
            features_of(read(content))

    threads = [Thread(target=work, args=(first,)) for first in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def threads_beside_one(contents: list[bytes]) -> Table:
    """Two threads beside one, and what holds Python's lock."""
    best = dict.fromkeys((1, 2), math.inf)
    for _ in range(TURNS):
        for count in best:
            begun = time.perf_counter()
            in_threads(count, contents)
            best[count] = min(best[count], time.perf_counter() - begun)
    empty = [b"Subject: hi\n\n"] * len(contents)
    cpu = least_cpu({"mail": partial(in_threads, 1, contents), "empty": partial(in_threads, 1, empty)}, TURNS)
    row = ("two threads", best[1] / best[2], 100 * cpu["empty"] / cpu["mail"], os.getloadavg()[0])
    return Table(
        "read and both views in threads", ("", "× one", "lock held, at most %", "load average"), [row]
    )


def main() -> list[Table]:
    files = [file for file in sorted(unpack("spamassassin").glob("*/*")) if file.is_file()]
    calls = {
        "deciban, read": partial(read_by_deciban, files),
        "deciban, read and both views": partial(read_and_extract_by_deciban, files),
        "email (default policy), parse only": partial(parse_by_email, files),
        "email (default policy), with text": partial(read_by_email, files),
    }
    if shutil.which("bogofilter"):
        calls["bogofilter, train in bulk"] = partial(train_bogofilter, files)
    else:
        print("bogofilter is not installed, so it is left out (apt-get install bogofilter)")
    seconds = least_cpu(calls, PASSES)
    rows = [
        (
            name,
            1000 * spent / len(files),
            spent / seconds["deciban, read"],
            spent / seconds["deciban, read and both views"],
        )
        for name, spent in seconds.items()
    ]
    columns = ("", "ms a message", "times reading", "times with views")
    contents = [bytes_of(file) for file in files[:2000]]
    return [Table(f"{len(files):,} messages", columns, rows), threads_beside_one(contents)]


if __name__ == "__main__":
    show(main())
