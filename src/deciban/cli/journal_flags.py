"""The journal of the filter that was chosen, and ``--journal``, which has entries written into it.

A filter at ``filter.db`` has its journal at ``filter.db.journal``; all spaces of a folder have one together.
"""

from __future__ import annotations

import os

from deciban.cli.complaint import complain
from deciban.cli.configuration import Configuration
from deciban.cli.database import admission, chosen_path, spaces_folder
from deciban.errors import DecibanError, NoSuchEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.cli.parser import Parser
    from deciban.filter import Filter
    from deciban.journal.desk import Desk

SUFFIX = ".journal"
WITHOUT_ENTRY = "the journal has no entry of this"


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


def optional_desk(options: Namespace, mail_filter: Filter, door: str, wanted: bool) -> Desk | None:
    """The filter with its journal; one that cannot be opened is told, and keeps nobody from anything."""
    try:
        return open_desk(options, mail_filter, door, keeps_lessons=wanted, create=wanted)
    except (DecibanError, OSError) as error:
        complain(error, WITHOUT_ENTRY)
        return None


def close_desk(desk: Desk | None) -> None:
    """Write the journal, after all else is done; that it cannot be written is told."""
    if desk is not None:
        try:
            desk.writer.close()
        except (DecibanError, OSError) as error:
            complain(error, WITHOUT_ENTRY)


def existing_desk(options: Namespace, mail_filter: Filter, door: str) -> Desk:
    """The filter with its journal, which must be there."""
    desk = open_desk(options, mail_filter, door)
    if desk is None:
        raise NoSuchEntry(
            "There is no journal yet. Have one kept: deciban filter --journal, or set journal = yes."
        )
    return desk
