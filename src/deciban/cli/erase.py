"""``deciban erase``: erase all that is kept from or about one person, with a report."""

from __future__ import annotations

import os
import sys

from deciban.cli.agreement import add_yes_flag, agreed, must_be_able_to_ask
from deciban.cli.complaint import complain
from deciban.cli.database import add_database_flag, chosen_path, spaces_folder
from deciban.cli.journal_flags import SUFFIX, chosen_journal
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say
from deciban.errors import DecibanError, NoSuchSource
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.journal.correspondent import Correspondent, Found

EXAMPLES = (
    ("deciban erase joe@example.org", "in your filter and in all spaces; shows what there is, and asks"),
    ("deciban erase joe@example.org --space ann@example.org", "in one space only"),
    ("deciban erase joe@example.org --spaces /srv/spaces --yes --json", "in all of a folder, for machines"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban erase``."""
    parser.add_argument("address", metavar="ADDRESS", help="of the person")
    add_yes_flag(parser)
    add_json_flag(parser)
    add_database_flag(parser)
    parser.add_note(
        "Erased are lessons, journal entries and kept mail in which the address stands, or among whose "
        "features it is, and the address in contacts and allow lists. Backups, exports and mailboxes are "
        "not reached."
    )


class FilterPlace(Value):
    """A filter to look into, with its journal."""

    name: str
    """Of its space, or the path of the database."""
    path: str
    journal: str
    space: str = ""


def run(options: Namespace) -> int:
    """Show what there is about the person, ask, and erase it."""
    from deciban.journal.correspondent import Correspondent

    person = Correspondent(options.address)
    must_be_able_to_ask(options, "erase")
    failed: list[str] = []
    found = {
        place: each for place in _places(options) if (each := _visit(place, person, None, failed)) is not None
    }
    bearing = _bearing(options, person)
    if not options.json:
        for line in _report(found, person, bearing):
            say(line)
    count = sum(map(bool, found.values()))
    if count and not agreed(options, f"Erase all of it in {counted(count, 'filter')}?"):
        print("deciban: nothing was erased", file=sys.stderr)
        return 3
    for place, each in found.items():
        if each:
            _visit(place, person, each, failed)
    if options.json:
        say_json(
            {
                "address": person.address,
                "filters": [_record(*item) for item in found.items()],
                "spaces": list(bearing.spaces),
                "keys": list(bearing.keys),
                "failed": failed,
            }
        )
    elif count:
        say("erased")
    return 3 if failed else 0


def _visit(
    place: FilterPlace, person: Correspondent, erasing: Found | None, failed: list[str]
) -> Found | None:
    """Look into one filter, or erase there what was found; one that is broken keeps no other back."""
    try:
        return _look(place, person, erasing)
    except (DecibanError, OSError) as error:
        complain(error, f"{place.name} was passed over")
        failed.append(place.name)
        return None


def _look(place: FilterPlace, person: Correspondent, erasing: Found | None) -> Found:
    from contextlib import ExitStack

    from deciban.cli.progress_line import ProgressLine
    from deciban.filter import Filter
    from deciban.journal.sqlite_journal import SqliteJournal

    with ExitStack() as opened:
        mail_filter = opened.enter_context(Filter.open(place.path, create=False))
        has_journal = os.path.exists(place.journal)
        journal = opened.enter_context(SqliteJournal(place.journal)) if has_journal else None
        if erasing is None:
            return person.find(mail_filter, journal, place.space)
        with ProgressLine() as line:
            person.erase(erasing, mail_filter, journal, line.relearning)
        return erasing


def _places(options: Namespace) -> Iterator[FilterPlace]:
    """Where to look: what was named, or the user's own filter and all spaces."""
    if options.space is not None:
        journal, space = chosen_journal(options)
        yield FilterPlace(options.space, chosen_path(options), journal, space)
        return
    path = chosen_path(options)
    if options.db is not None or (options.spaces is None and os.path.exists(path)):
        yield FilterPlace(path, path, os.path.realpath(path) + SUFFIX)
    if options.db is None:
        yield from _all_spaces(options)


def _all_spaces(options: Namespace) -> Iterator[FilterPlace]:
    from deciban.spaces import Spaces

    try:
        spaces = Spaces(spaces_folder(options.spaces))
    except NoSuchSource:
        if options.spaces is not None:
            raise
        return
    with spaces:
        used = [record for record in spaces.all() if spaces.size_of(record)]
        for record in used:
            yield FilterPlace(record.name, spaces.database_of(record), spaces.journal_path, record.id)


class Bearing(Value):
    """What bears the address of the person in the registry of spaces; it is told, not erased."""

    spaces: tuple[str, ...] = ()
    """Their names."""
    keys: tuple[str, ...] = ()
    """The ids of those that name the address in their note or pattern."""


def _bearing(options: Namespace, person: Correspondent) -> Bearing:
    """Spaces that were never used are here too."""
    from deciban.spaces import Spaces

    if options.db is not None:
        return Bearing()
    try:
        spaces = Spaces(spaces_folder(options.spaces))
    except (DecibanError, OSError):  # that was told when its spaces were looked into
        return Bearing()
    with spaces:
        names = tuple(record.name for record in spaces.all() if person.is_in(record.name))
        keys = tuple(
            key.id for key in spaces.keys.all() if person.is_in(key.note) or person.is_in(key.scope.pattern)
        )
    if options.space is not None:
        names = tuple(name for name in names if name == options.space)
    return Bearing(names, keys)


def _report(found: dict[FilterPlace, Found], person: Correspondent, bearing: Bearing) -> Iterator[str]:
    """What there is in each filter, and what cannot be erased."""
    for place, each in found.items():
        if each:
            yield (
                f"{harmless(place.name)}: {counted(len(each.lessons), 'lesson')} "
                f"({counted(each.mails, 'kept mail')}), {len(each.entries):,} in the journal, "
                f"{each.contacts:,} in contacts and allow lists"
            )
    if not any(found.values()):
        yield f"nothing about {harmless(person.address)} in {counted(len(found), 'filter')}"
    folded = sum(each.folded for each in found.values())
    if folded:
        yield f"{counted(folded, 'folded lesson')} cannot be told apart any more, and stay."
    for path in sorted({each.rests_on for each in found.values()} - {""}):
        yield f"The shared filter {harmless(path)} is not changed: erase in the filter that published it."
    for name in map(harmless, bearing.spaces):
        yield f"The space {name} bears the address: deciban space delete {name}"
    for identity in bearing.keys:
        yield f"The key {identity} names the address: deciban key revoke {identity}"


def _record(place: FilterPlace, found: Found) -> dict[str, object]:
    return {
        "filter": place.name,
        "lessons": [digest.hex() for digest in found.lessons],
        "entries": [identity.hex() for identity in found.entries],
        "mails": found.mails,
        "contacts": found.contacts,
        "folded": found.folded,
        "shared": found.rests_on or None,
    }
