"""``deciban space``: keep many filters in one folder, one for each user."""

from __future__ import annotations

import sys

from deciban.cli.agreement import add_yes_flag, agreed, must_be_able_to_ask
from deciban.cli.database import add_spaces_flag, add_starter_flag, recipients_of, spaces_folder, starter_for
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, moment_text, refused, whole_number
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import harmless, say
from deciban.errors import NoSuchSpace, WrongUsage
from deciban.spaces.quota import Quota
from deciban.spaces.spaces import Spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.spaces.sqlite_registry import SpaceRecord

EXAMPLES = (
    ("deciban space add ann@example.org bob@example.org", "two spaces, made with their folder if needed"),
    ("deciban space add ann@example.org --shared /srv/deciban/site.state", "on top of what the site knows"),
    ("deciban space add sales --lessons 10000 --bytes 200M", "with a quota"),
    ("deciban space list", "all of them, with the bytes that they take"),
    ("deciban space list @example.org", "those with this in their names"),
    ("deciban space find ann+shop@example.org", "which space has the mail for an address"),
    ("deciban space rename ann@example.org ann@example.com", "whoever is using it goes on"),
    ("deciban space quota ann@example.org --lessons none --bytes 1G", "change one quota, lift the other"),
    ("deciban space delete bob@example.org", "asks, then removes it with all that it ever held"),
    ("deciban learn spam junk.mbox --space ann@example.org", "every verb of the filter takes --space"),
)
ACTIONS = ("add", "list", "find", "rename", "delete", "quota")
NONE = -1
UNITS = {"K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban space``."""
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="the spaces; rename: the name, and the new one; find: addresses",
    )
    parser.add_argument("--shared", metavar="FILE", help="add: on top of what deciban publish wrote there")
    add_starter_flag(parser)
    parser.add_argument("--lessons", type=_most, metavar="N", help="add, quota: at most N lessons, or none")
    parser.add_argument(
        "--bytes", type=_most, metavar="N", help="add, quota: of its database, such as 200M, or none"
    )
    add_yes_flag(parser)
    add_json_flag(parser, "one JSON object a line: the spaces")
    add_spaces_flag(parser)


def run(options: Namespace) -> int:
    """Do what was asked with the spaces."""
    _check(options)
    if options.action == "delete":
        must_be_able_to_ask(options, "delete")
    folder = spaces_folder(options.spaces)
    with Spaces(folder, create=options.action == "add") as spaces:
        if options.action == "delete" and not _agreed(options, spaces):
            print("deciban: nothing was deleted", file=sys.stderr)
            return 3
        records = _done(options, spaces)
        if options.json:
            for record in records:
                say_json(_record(spaces, record))
        else:
            _show(options.action, spaces, records)
    return 0


def _check(options: Namespace) -> None:
    """Refuse what cannot be meant."""
    action, names = options.action, options.names
    limits = options.lessons is not None or options.bytes is not None
    if (action == "rename" and len(names) != 2) or (action == "list" and len(names) > 1):
        raise WrongUsage(f"deciban space {action} {'NAME NEW' if action == 'rename' else '[PART OF A NAME]'}")
    if action != "list" and not names:
        raise WrongUsage(f"name the spaces: deciban space {action} NAME")
    if options.shared is not None and action != "add":
        raise WrongUsage("--shared is for add; later: deciban prefer --space NAME --shared FILE")
    if options.no_starter and action != "add":
        raise WrongUsage("--no-starter is for add; later: deciban prefer --space NAME --no-starter")
    if limits and action not in ("add", "quota"):
        raise WrongUsage("--lessons and --bytes are for add and quota")
    if action == "quota" and not limits:
        raise WrongUsage("say how much: --lessons N, --bytes N, or none; deciban space list shows quotas")


def _agreed(options: Namespace, spaces: Spaces) -> bool:
    names = [spaces.find(name).name for name in options.names]
    which = ", ".join(map(harmless, names))
    return agreed(options, f"Delete {counted(len(names), 'space')} for good, with all lessons: {which}?")


def _done(options: Namespace, spaces: Spaces) -> list[SpaceRecord]:
    """The spaces that were asked for, or changed."""
    names = options.names
    if options.action == "add":
        starter = not options.shared and starter_for(options) is not None
        return spaces.add(names, options.shared or "", _changed(Quota(), options), starter)
    if options.action == "rename":
        return [spaces.rename(*names)]
    if options.action == "delete":
        return [spaces.delete(name) for name in names]
    if options.action == "quota":
        found = [spaces.find(name) for name in names]  # all of them are there, before one is changed
        return [spaces.set_quota(each.name, _changed(each.quota, options)) for each in found]
    if options.action == "find":
        return [_found(spaces, address) for address in names]
    wanted = names[0].casefold() if names else ""
    return [record for record in spaces.all() if wanted in record.name.casefold()]


def _found(spaces: Spaces, address: str) -> SpaceRecord:
    found = recipients_of(spaces).space_of(address)
    if found is None:
        raise NoSuchSpace(
            f"No space has the mail for {address!r}: neither one of this name or domain, nor @, nor an alias."
        )
    return found


def _changed(quota: Quota, options: Namespace) -> Quota:
    given = {name: getattr(options, name) for name in Quota.field_names}
    changes = {name: None if most == NONE else most for name, most in given.items() if most is not None}
    return quota.replaced(**changes)


def _show(action: str, spaces: Spaces, records: list[SpaceRecord]) -> None:
    if action == "delete":
        say(f"deleted: {counted(len(records), 'space')}")
        return
    rows = [
        [
            record.name,
            f"{spaces.size_of(record):,}",
            _most_text(record.quota.lessons),
            _most_text(record.quota.bytes),
            moment_text(record.made),
        ]
        for record in records
    ]
    number = TableColumn(right=True)
    columns = [TableColumn(60, least=10), number, number, number, TableColumn()]
    titles = ["name", "bytes", "most lessons", "most bytes", "made"]
    for line in table_lines([titles, *rows], columns):
        say(line)
    say(counted(len(rows), "space"))


def _record(spaces: Spaces, record: SpaceRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "folder": spaces.folder_of(record),
        "made": record.made,
        "shared": None if record.begins_with_starter else record.shared or None,
        "starter": record.begins_with_starter,
        "bytes": spaces.size_of(record),
        "most_lessons": record.quota.lessons,
        "most_bytes": record.quota.bytes,
    }


def _most_text(most: int | None) -> str:
    return "-" if most is None else f"{most:,}"


def _most(text: str) -> int:
    """A number, perhaps with a unit; `NONE` for the word.

    >>> _most("10000"), _most("200M"), _most("none") == NONE
    (10000, 200000000, True)
    """
    if text == "none":
        return NONE
    number, unit = (text[:-1], UNITS[text[-1:]]) if text[-1:] in UNITS else (text, 1)
    if not (number.isdecimal() and number.isascii() and len(number) < 16):
        raise refused(f"must be a whole number, also with K, M or G, or none, got {text!r} instead")
    return whole_number(number) * unit
