"""``deciban merge``: take over the lessons of other filters."""

from __future__ import annotations

import os

from deciban.cli.database import add_database_flag, database_path, open_or_create_filter
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
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
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Merge each of the others into the filter."""
    into = database_path(options.db)
    for path in options.others:
        if not os.path.isfile(path):
            raise NoSuchSource(f"there is no database {path!r}; nothing was merged")
        if os.path.exists(into) and os.path.samefile(path, into):
            raise WrongUsage(f"{path!r} cannot be merged into itself")
    with open_or_create_filter(options) as mail_filter:
        for path in options.others:
            count = mail_filter.merge(path)
            left_out = _folded_in(path)
            about = f"; {counted(left_out, 'folded lesson')} cannot be taken over" if left_out else ""
            say(f"{harmless(path)}: {counted(count, 'lesson')} taken over{about}")
    return 0


def _folded_in(path: str) -> int:
    from deciban.ledger import open_ledger

    with open_ledger(path, read_only=True) as ledger:
        return ledger.folded().lessons
