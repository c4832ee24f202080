"""``deciban key``: let programs into spaces, each with no more rights than it needs."""

from __future__ import annotations

from time import time

from deciban.cli.database import add_spaces_flag, spaces_folder
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, moment, moment_text
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import say
from deciban.errors import WrongUsage
from deciban.spaces.key import Key, KeyScope, key_record
from deciban.spaces.rights import RIGHTS
from deciban.spaces.spaces import Spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban key add --space ann@example.org --rights classify,learn", "for one space; shown once"),
    ("deciban key add --pattern '*@example.org' --rights classify --note milter", "for a whole domain"),
    (
        "deciban key add --all --rights classify,learn,forget,read,admin --expires 2027-01-01",
        "for everything",
    ),
    ("deciban key list", "all keys, without their secrets, with their last use"),
    ("deciban key revoke 4f1d8a90c2b7e635", "from now on it opens nothing"),
)
ACTIONS = ("add", "list", "revoke")


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban key``."""
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument("ids", nargs="*", metavar="ID", help="revoke: the ids of keys")
    parser.add_argument("--rights", metavar="RIGHTS", help=f"add: some of {','.join(RIGHTS)}")
    parser.add_argument("--space", metavar="NAME", help="add: for this space")
    parser.add_argument(
        "--pattern", metavar="PATTERN", help="add: for spaces whose whole name matches; * is any"
    )
    parser.add_argument("--all", action="store_true", help="add: for all spaces")
    parser.add_argument("--expires", type=moment, metavar="DATE", help="add: until then (default: for ever)")
    parser.add_argument("--note", default="", metavar="TEXT", help="add: what it is for")
    add_json_flag(parser, "one JSON object a line: the keys")
    add_spaces_flag(parser)


def run(options: Namespace) -> int:
    """Do what was asked with the keys."""
    if options.action == "add" and options.ids:
        raise WrongUsage(f"say what the key may do by a flag: --rights {','.join(options.ids)}")
    if (options.action == "revoke") != bool(options.ids):
        raise WrongUsage("name the keys by their ids for revoke, and only there: deciban key revoke ID")
    with Spaces(spaces_folder(options.spaces)) as spaces:
        secret = None
        if options.action == "add":
            key, secret = _add(options, spaces)
            keys = [key]
        elif options.action == "revoke":
            keys = [spaces.keys.revoke(identity) for identity in options.ids]
        else:
            keys = spaces.keys.all()
        names = {record.id: record.name for record in spaces.all()}
    if options.json:
        for key in keys:
            say_json(_record(key, names, secret))
        return 0
    if secret is not None:
        say(secret)
        return 0
    for line in _lines(keys, names):
        say(line)
    say(counted(len(keys), "key") + (" revoked" if options.action == "revoke" else ""))
    return 0


def _add(options: Namespace, spaces: Spaces) -> tuple[Key, str]:
    if (options.space is not None) + (options.pattern is not None) + options.all != 1:
        raise WrongUsage("say where the key opens: --space NAME, --pattern PATTERN or --all")
    if not options.rights:
        raise WrongUsage(f"say what the key may do: --rights with some of {','.join(RIGHTS)}")
    if options.expires is not None and options.expires <= time():
        raise WrongUsage("the key would have expired already; check --expires")
    space = "" if options.space is None else spaces.find(options.space).id
    expires = None if options.expires is None else int(options.expires)
    scope = KeyScope(space, options.pattern or "")
    return spaces.keys.add(options.rights.split(","), scope, expires, options.note)


def _lines(keys: list[Key], names: dict[str, str]) -> list[str]:
    rows = [["id", "rights", "spaces", "expires", "last used", "note"]]
    for key in keys:
        expires = "never" if key.expires is None else moment_text(key.expires)
        used = "never" if key.used is None else moment_text(key.used)
        rights = ",".join(right for right in RIGHTS if right in key.rights)
        rows.append([key.id, rights, _where(key, names) or "all", expires, used, key.note])
    plain = TableColumn()
    return list(
        table_lines(rows, [plain, plain, TableColumn(40, least=8), plain, plain, TableColumn(40, least=4)])
    )


def _where(key: Key, names: dict[str, str]) -> str:
    """The name or the pattern of the spaces that a key is for; empty for all."""
    return names.get(key.scope.space, key.scope.space) if key.scope.space else key.scope.pattern


def _record(key: Key, names: dict[str, str], secret: str | None) -> dict[str, object]:
    record = key_record(key, names)
    return record if secret is None else {**record, "key": secret}
