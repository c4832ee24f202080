"""``deciban merge``: take over the lessons of other filters."""

from __future__ import annotations

import os

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
from deciban.cli.terminal import harmless, say
from deciban.errors import NoSuchSource, WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban merge laptop.db", "what the filter of the laptop was taught, too"),
    ("deciban merge --db site.db ann.db bob.db", "one filter out of two"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban merge``."""
    parser.add_argument("others", nargs="+", metavar="DATABASE", help="the databases of other filters")
    add_json_flag(parser)
    add_starter_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Merge each of the others into the filter."""
    into = chosen_path(options)
    left_out: dict[str, int] = {}
    for path in options.others:
        if not os.path.isfile(path):
            what = "a folder, no database" if os.path.isdir(path) else "no database"
            raise NoSuchSource(f"{path!r} is {what}; nothing was merged")
        if os.path.exists(into) and os.path.samefile(path, into):
            raise WrongUsage(f"{path!r} cannot be merged into itself")
        left_out[path] = _folded_in(path)  # before a filter is made: it may be no ledger
    with open_or_create_filter(options) as mail_filter, ProgressLine() as line:
        admit = admission(options, mail_filter)
        merged = {path: mail_filter.merge(path, line.relearning, admit) for path in options.others}
    if options.json:
        say_json(
            {
                "merged": [
                    {"path": path, "lessons": count, "folded": left_out[path]}
                    for path, count in merged.items()
                ]
            }
        )
        return 0
    for path, count in merged.items():
        rest = left_out[path]
        about = f"; {counted(rest, 'folded lesson')} cannot be taken over" if rest else ""
        say(f"{harmless(path)}: {counted(count, 'lesson')} taken over{about}")
    return 0


def _folded_in(path: str) -> int:
    from deciban.ledger import open_ledger

    with open_ledger(path, read_only=True) as ledger:
        return ledger.folded().lessons
