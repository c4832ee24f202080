"""``deciban import``: take over lessons that were exported."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_or_create_filter
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.terminal import say, tell_that_it_waits
from deciban.errors import NoSuchSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban import lessons.jsonl", "all of its lessons or none; what is known stays as it is"),
    ("ssh laptop deciban export | deciban import -", "from another machine"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban import``."""
    parser.add_argument("path", metavar="FILE", help="what deciban export wrote; - for standard input")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Import the lessons."""
    if options.path == "-":
        tell_that_it_waits()
        stream = sys.stdin
    else:
        try:
            stream = open(options.path, encoding="utf-8", errors="replace")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise NoSuchSource(
                f"{options.path!r} cannot be read: {error.strerror}; nothing was imported"
            ) from None
    with stream, open_or_create_filter(options) as mail_filter:
        say(f"{counted(mail_filter.import_(stream), 'lesson')} taken over")
    return 0
