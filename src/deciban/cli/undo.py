"""``deciban undo``: take back a correction, as if it had never been made."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.journal_flags import close_desk, existing_desk
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import digest
from deciban.cli.parser import Parser
from deciban.cli.terminal import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban undo 7a90c2b7e6354f1d8a90c2b7e6354f1d", "its lesson is as it was before: another, or none"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban undo``."""
    parser.add_argument("entry", type=digest, metavar="ID", help="of the entry whose message was taught")
    add_json_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Take the lesson back."""
    with open_filter(options) as mail_filter:
        desk = existing_desk(options, mail_filter, "undo")
        try:
            desk.undo(options.entry)
        finally:
            close_desk(desk)
    if options.json:
        say_json({"entry": options.entry.hex()})
    else:
        say("undone")
    return 0
