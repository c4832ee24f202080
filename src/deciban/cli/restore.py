"""``deciban restore``: put a backup in the place of the database."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, database_to_make
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban restore ~/backups/mail-2026-11-15.db", "as it was then; what is there now is kept beside it"),
    ("deciban restore ~/.local/share/deciban/filter.db.before-restore", "back again"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban restore``."""
    parser.add_argument("path", metavar="FILE", help="a backup, or any other copy of a database")
    parser.add_argument(
        "--force", action="store_true", help="replace DATABASE.before-restore, if there is one from before"
    )
    add_json_flag(parser)
    add_database_flag(parser)
    parser.add_note(
        "The backup is checked first; a damaged one changes nothing. The database as it was is kept as "
        "DATABASE.before-restore, until deciban forget removes it. Whoever has the database open goes on "
        "with what was restored."
    )


def run(options: Namespace) -> int:
    """Restore the backup."""
    from deciban.filter.safekeeping import restore

    lessons, kept = restore(database_to_make(options), options.path, options.force)
    if options.json:
        say_json({"lessons": lessons, "kept": kept})
        return 0
    about = f"; what was there is kept as {harmless(kept)}" if kept else ""
    say(f"restored: {counted(lessons, 'lesson')}{about}")
    return 0
