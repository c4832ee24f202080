"""``deciban correct``: teach a message that was judged, without the mail, by the id of its entry."""

from __future__ import annotations

from contextlib import suppress

from deciban.cli.database import add_database_flag, add_server_flag, open_filter
from deciban.cli.journal_flags import close_desk, existing_desk
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import digest
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say
from deciban.errors import DecibanError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban correct 7a90c2b7e6354f1d8a90c2b7e6354f1d ham", "this was good mail; the journal has its id"),
    ("deciban correct 7a90c2b7e6354f1d8a90c2b7e6354f1d spam --by ann", "who says so is kept with the lesson"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban correct``."""
    parser.add_argument(
        "entry", type=digest, metavar="ID", help="of the entry: deciban journal, or X-Deciban-Id"
    )
    parser.add_argument("label", metavar="LABEL", help="what the message is")
    parser.add_argument("--by", default="", metavar="NAME", help="who teaches, to be kept with the lesson")
    add_json_flag(parser)
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Teach the message of the entry."""
    from deciban.committee.label import label_of

    label = label_of(options.label)
    if options.server is not None:
        from deciban.cli.remote import correct

        return correct(options, label)
    with open_filter(options) as mail_filter:
        label = mail_filter.spelling(label)
        desk = existing_desk(options, mail_filter, "correct")
        try:
            learned = desk.correct(options.entry, label, options.by)
            with suppress(DecibanError, OSError):  # the message is taught; the next correction draws
                desk.draw_sample()
        finally:
            close_desk(desk)
    if options.json:
        say_json({"entry": options.entry.hex(), "label": label, "known": bool(learned.known)})
    else:
        say(f"{'known already' if learned.known else 'learned'} as {harmless(label)}")
    return 0
