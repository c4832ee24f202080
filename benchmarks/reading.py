"""Reading mail from files: deciban against Python's `email` and bogofilter's training, on SpamAssassin.

CPU time (user and system) per message over the whole corpus, the least of three interleaved passes; what
counts are the ratios within one run. `email` runs with its default policy, once only parsing and once also
decoding the text and the subject, which is closer to what deciban's reading does. bogofilter (if it is
installed) trains in bulk mode, that is: reads, tokenises and stores; its figure is a bound for reading plus
both views, which must be at least 3 times faster.
"""

from __future__ import annotations

import email
import email.policy
import os
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.corpora import unpack
from benchmarks.measure import Table, least_cpu, show
from deciban.text import read
from deciban.text.views import extract

PASSES = 3


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
    return [Table(f"{len(files):,} messages", columns, rows)]


if __name__ == "__main__":
    show(main())
