"""``deciban show``: the labels of the filter, and what it learned about words."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban show", "the labels and how many lessons each has"),
    ("deciban show subject:free money", "what was learned about these features of the view `words`"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban show``."""
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="features of the view words, as `deciban why` names them"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print labels, or the evidence of each word."""
    with open_filter(options) as mail_filter:
        labels = mail_filter.labels()
        words = {word: mail_filter.word(word) for word in options.words}
    if options.json:
        import json

        record = {
            word: {label: {"count": found.count, "weight": found.weight} for label, found in rows.items()}
            for word, rows in words.items()
        }
        print(json.dumps({"labels": labels, "words": record}, separators=(",", ":")))
        return 0
    width = max((len(harmless(label)) for label in labels), default=0)
    if not words:
        for label, count in labels.items():
            say(f"{harmless(label):{width}}  {count:,} lessons")
    for word, rows in words.items():
        say(harmless(word))
        for label, found in rows.items():
            say(f"  {harmless(label):{width}}  counted {found.count:,} times, weight {found.weight:+.3f}")
    return 0
