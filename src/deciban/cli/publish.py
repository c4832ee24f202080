"""``deciban publish``: write what was learned into a file that personal filters can rest on."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    (
        "deciban publish --db /var/lib/deciban/site.db /srv/deciban/2026-11.state",
        "for everybody on this site",
    ),
    ("deciban prefer --shared /srv/deciban/2026-11.state", "what each of them does then"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban publish``."""
    parser.add_argument("path", metavar="FILE", help="the file to write; an older version there is replaced")
    add_json_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Write the file."""
    replaced = _version_at(options.path)
    with open_filter(options) as mail_filter:
        shared = mail_filter.publish(options.path)
    if replaced is not None and replaced != shared.digest:
        path = harmless(options.path)
        print(
            f"deciban: this replaced another version, which stays as {path}.{replaced}. Filters that "
            f"rest on it go on with it until each takes this one over: deciban prefer --shared {path}.",
            file=sys.stderr,
        )
    total = sum(shared.lessons.values())
    if options.json:
        say_json({"path": shared.path, "digest": shared.digest, "lessons": shared.lessons})
        return 0
    say(f"published: {counted(total, 'lesson')} as {harmless(options.path)}, digest {shared.digest}")
    return 0


def _version_at(path: str) -> str | None:
    """The digest of the version that will be replaced; None if there is none."""
    from deciban.errors import DecibanError
    from deciban.filter.shared_filter import look_at

    try:
        return look_at(path)[0].digest
    except DecibanError:
        return None
