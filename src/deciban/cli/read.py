"""``deciban read``: show what the filter sees in a message."""

from __future__ import annotations

from deciban.cli.intake import Intake, add_sources, named_in
from deciban.cli.numbers import counted, whole_number
from deciban.cli.parser import Parser
from deciban.cli.terminal import say
from deciban.sources import RawMessage

EXAMPLES = (
    ("deciban read mail.eml", "headers, parts, facts, links and text of one message"),
    ("deciban read --limit 3 ~/Mail/inbox.mbox", "the first three messages of an mbox"),
    ("deciban read inbox.mbox@8412", "the one message of that id"),
    ("deciban read --features words mail.eml", "also the features of the view `words`"),
    ("deciban read --json Takeout.zip > mail.jsonl", "all messages of an archive, one JSON object a line"),
    ("deciban read - < mail.eml", "a message from standard input"),
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # the views are loaded only where features are asked for
    from argparse import Namespace

    from deciban.text.views import Traced, View

VIEWS: tuple[View, ...] = ("words", "letters")
# Enough to see what a mailbox holds; a machine that reads JSON wants them all.
MESSAGES_SHOWN = 10


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban read``."""
    add_sources(
        parser,
        "a message, text or page; an mbox, Maildir, MH or plain folder; a tar or zip archive; "
        "the id of a message; - for standard input",
    )
    parser.add_argument(
        "--features",
        nargs="?",
        choices=(*VIEWS, "all"),
        const="all",
        metavar="VIEW",
        help="also the features that the filter learns from, of one view (words or letters) or of all; "
        "put it behind the files or give the view",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line, nothing cut")
    parser.add_argument(
        "--limit",
        type=whole_number,
        metavar="N",
        help=f"at most N messages in all, 0 for no limit (default: {MESSAGES_SHOWN}; none with --json)",
    )
    parser.add_argument("--full", action="store_true", help="cut no list and no text")


def run(options: Namespace) -> int:
    """Print each message of each source."""
    # Every name is looked up before the first is read, so that a typing error costs no waiting.
    intake = Intake(named_in(options), progress=False)
    limit = options.limit if options.limit is not None else 0 if options.json else MESSAGES_SHOWN
    for number, raw in enumerate(intake):
        if limit and number == limit:
            intake.count -= 1  # it was only looked for
            intake.note(f"stopped after {counted(limit, 'message')} (--limit 0 reads all)")
            break
        _print(raw, options, first=number == 0)
    return intake.exit_code()


def _print(raw: RawMessage, options: Namespace, first: bool) -> None:
    from deciban.text import read

    message = read(raw.data)
    features: dict[str, list[Traced]] = {}
    if options.features:
        from deciban.text.views import trace

        features = {view: trace(message, view) for view in VIEWS if options.features in (view, "all")}
    if options.json:
        import json

        from deciban.cli.message_record import message_record

        print(json.dumps(message_record(raw, message, features), separators=(",", ":")))
        return
    from deciban.cli.message_page import MessagePage

    page = MessagePage(raw, message, options.full)
    lines = [*page.lines()]
    for view, found in features.items():
        lines += page.feature_lines(view, found)
    say(("" if first else "\n") + "\n".join(lines))
