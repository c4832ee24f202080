"""``deciban import``: take over lessons that were exported."""

from __future__ import annotations

import os
import sys

from deciban.cli.database import (
    add_database_flag,
    add_starter_flag,
    admission,
    chosen_path,
    open_or_create_filter,
)
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import say, tell_that_it_waits
from deciban.errors import NoSuchSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import IO

EXAMPLES = (
    ("deciban import lessons.jsonl", "all of its lessons or none; what is known stays as it is"),
    ("ssh laptop deciban export | deciban import -", "from another machine"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban import``."""
    parser.add_argument("path", metavar="FILE", help="what deciban export wrote; - for standard input")
    add_json_flag(parser)
    add_starter_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Import the lessons."""
    if options.path == "-":
        tell_that_it_waits()
        stream: IO[str] = sys.stdin
    else:
        try:
            stream = open(options.path, encoding="utf-8", errors="replace")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise NoSuchSource(
                f"{options.path!r} cannot be read: {error.strerror}; nothing was imported"
            ) from None
    with stream:
        if not os.path.exists(chosen_path(options)):
            # A filter that is made for an import which is then refused would be left behind, empty.
            stream = _checked(stream)
        with stream, open_or_create_filter(options) as mail_filter, ProgressLine() as line:
            count = mail_filter.import_(stream, line.relearning, admission(options, mail_filter))
    if options.json:
        say_json({"lessons": count})
    else:
        say(f"{counted(count, 'lesson')} taken over")
    return 0


def _checked(stream: IO[str]) -> IO[str]:
    """The same lines once more, all of which were read as lessons."""
    from tempfile import TemporaryFile

    from deciban.ledger.exchange import read_lessons

    if not stream.seekable():
        copy = TemporaryFile("w+", encoding="utf-8", errors="surrogatepass")  # noqa: SIM115 (closed by run)
        copy.writelines(stream)
        copy.seek(0)
        stream = copy
    for _ in read_lessons(stream):
        pass
    stream.seek(0)
    return stream
