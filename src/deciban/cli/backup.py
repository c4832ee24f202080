"""``deciban backup``: copy the database to a file, also while it is in use."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, existing_database
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban backup ~/backups/mail-2026-11-15.db", "whoever learns or classifies meanwhile goes on"),
    ("deciban backup --force ~/backups/mail.db", "replace the backup of yesterday"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban backup``."""
    parser.add_argument("path", metavar="FILE", help="the file to write: it appears whole or not at all")
    parser.add_argument("--force", action="store_true", help="replace FILE if it is there")
    add_json_flag(parser)
    add_database_flag(parser)
    parser.add_note(
        "A damaged database is not backed up. A backup holds all lessons, also those that you forget later: "
        "deciban forget does not reach into it."
    )


def run(options: Namespace) -> int:
    """Write the backup."""
    from deciban.filter.safekeeping import back_up

    lessons = back_up(existing_database(options), options.path, options.force)
    if options.json:
        say_json({"path": options.path, "lessons": lessons})
    else:
        say(f"backed up: {counted(lessons, 'lesson')} as {harmless(options.path)}")
    return 0
