"""The journal of the filter that was chosen, and ``--journal``, which has entries written into it.

A filter at ``filter.db`` has its journal at ``filter.db.journal``; all spaces of a folder have one together.
"""

from __future__ import annotations

import os

from deciban.cli.configuration import Configuration
from deciban.cli.database import admission, chosen_path, spaces_folder
from deciban.errors import NoSuchEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.cli.parser import Parser
    from deciban.filter import Filter
    from deciban.journal.desk import Desk

SUFFIX = ".journal"


def add_journal_flag(parser: Parser) -> None:
    """Add ``--journal``."""
    parser.add_argument(
        "--journal",
        action="store_true",
        help="keep what was decided, so that it can be listed and corrected (deciban journal)",
    )


def wants_journal(options: Namespace) -> bool:
    """Whether entries are to be written, by the flag or as configured."""
    return options.journal or Configuration.load().value("journal") == "yes"


def chosen_journal(options: Namespace) -> tuple[str, str]:
    """The path of the journal, which need not be there, and the id of the space that was chosen, if any."""
    if options.space is None:
        return os.path.realpath(chosen_path(options)) + SUFFIX, ""
    from deciban.spaces import Spaces

    with Spaces(spaces_folder(options.spaces)) as spaces:
        return spaces.journal_path, spaces.find(options.space).id


def open_desk(
    options: Namespace, mail_filter: Filter, door: str, keeps_lessons: bool = False, create: bool = False
) -> Desk | None:
    """The filter with its journal; None if there is no journal, unless it is to be made."""
    path, space = chosen_journal(options)
    if not create and not os.path.exists(path):
        return None
    from deciban.journal.desk import Desk
    from deciban.journal.journal_writer import JournalWriter
    from deciban.journal.sqlite_journal import SqliteJournal

    writer = JournalWriter(SqliteJournal(path, create))
    return Desk(mail_filter, writer, space, door, admission(options, mail_filter), keeps_lessons)


def existing_desk(options: Namespace, mail_filter: Filter, door: str) -> Desk:
    """The filter with its journal, which must be there."""
    desk = open_desk(options, mail_filter, door)
    if desk is None:
        raise NoSuchEntry(
            "There is no journal yet. Have one kept: deciban filter --journal, or set journal = yes."
        )
    return desk
