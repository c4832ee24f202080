"""``deciban filter``: a message from standard input to standard output, with the verdict in its header."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.parser import Parser
from deciban.cli.tag import tagged, untagged
from deciban.cli.verdict_text import tags_of
from deciban.errors import DecibanError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

EXAMPLES = (
    ("deciban filter < mail.eml > tagged.eml", "add X-Deciban, X-Spam-Flag and X-Spam-Status"),
    ("deciban filter --db /var/lib/deciban/all.db < mail.eml", "with the filter of a whole site"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban filter``."""
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Tag the message. Whatever happens, the message itself comes out."""
    from deciban.filter.mail import question_of

    message = sys.stdin.buffer.read()
    output = sys.stdout.buffer
    try:
        with open_filter(options) as mail_filter:
            verdict = mail_filter.classify(question_of(message, mail_filter.preferences))
    except DecibanError:
        # Without a verdict, but never with one from outside, and never lost; the exit code tells.
        output.write(untagged(message))
        output.flush()
        raise
    output.write(tagged(message, tags_of(verdict)))
    output.flush()
    return 0
