"""``deciban export``: write all lessons in an open format."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (("deciban export > lessons.jsonl", "for a backup, or for another machine: see deciban import"),)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban export``."""
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Write the lessons to standard output."""
    with open_filter(options) as mail_filter:
        count = mail_filter.export(sys.stdout)
        left_out = mail_filter.folded().lessons
    sys.stdout.flush()  # only what was written is claimed
    about = (
        f"; {left_out:,} folded ones have no lesson to export any more: copy the database" if left_out else ""
    )
    print(f"deciban: {counted(count, 'lesson')} exported{about}", file=sys.stderr)
    return 0
