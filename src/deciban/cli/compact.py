"""``deciban compact``: fold old lessons into one state, to make the database small."""

from __future__ import annotations

import sys

from deciban.cli.agreement import add_yes_flag, agreed, must_be_able_to_ask
from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, moment, moment_text
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import say
from deciban.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban compact --before 2026-01-01", "fold what was taught before this year"),
    ("deciban compact --before 2026-01-01 --yes", "the same without asking"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban compact``."""
    parser.add_argument("--before", type=moment, metavar="DATE", help="fold the lessons taught before then")
    add_yes_flag(parser)
    add_json_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Say what will go, ask, and fold it."""
    from deciban.ledger import Selection

    if options.before is None:
        raise WrongUsage("say which lessons to fold: deciban compact --before DATE")
    with open_filter(options) as mail_filter:
        count = mail_filter.count(Selection(until=options.before))
        if not count:
            raise WrongUsage(f"there is no lesson taught before {moment_text(options.before)} to fold")
        must_be_able_to_ask(options, "fold")
        if not agreed(
            options,
            f"{counted(count, 'lesson')} will stay learned, but can never be forgotten, relearned, listed, "
            "exported or merged one by one again. Fold?",
        ):
            print("deciban: nothing was folded", file=sys.stderr)
            return 3
        with ProgressLine() as line:
            folded = mail_filter.compact(options.before, line.relearning)
    if options.json:
        say_json({"folded": folded})
    else:
        say(f"folded: {counted(folded, 'lesson')}, learned for good")
    return 0
