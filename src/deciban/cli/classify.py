"""``deciban classify``: say what messages are."""

from __future__ import annotations

import sys
from itertools import islice

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.parser import Parser
from deciban.cli.verdict_text import UNSURE, decision, exit_code, verdict_line, verdict_record
from deciban.sources import RawMessage, open_source

EXAMPLES = (
    ("deciban classify < mail.eml", "one message: one line, and the verdict as the exit code"),
    ("deciban classify ~/Mail/inbox.mbox", "a table, one line a message"),
    ("deciban classify --json ~/Maildir > verdicts.jsonl", "one JSON object a line"),
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter import Filter, Verdict
    from deciban.text import Message

SUBJECT_WIDTH = 60
# Messages that are classified in one go: the first table line of a slow source waits for so many.
BATCH = 32


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban classify``."""
    parser.add_argument(
        "sources", nargs="*", default=["-"], metavar="FILE", help="the messages (default: standard input)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print a verdict for each message; the exit code is the verdict if there is but one."""
    from deciban.text import read

    with open_filter(options) as mail_filter:
        messages = _messages(options.sources)
        first = next(messages, None)
        if first is None:
            print("deciban: no messages there", file=sys.stderr)
            return 3
        message = read(first.data)
        verdict = mail_filter.classify(message)
        second = next(messages, None)
        if second is None:
            _say_json(first, message, verdict) if options.json else _say_line(verdict)
            return exit_code(verdict)
        table = _Table(mail_filter, options.json)
        table.add(first, message, verdict)
        while second is not None:
            batch = [second, *islice(messages, BATCH - 1)]
            read_batch = [read(raw.data) for raw in batch]
            for raw, message, verdict in zip(
                batch, read_batch, mail_filter.classify_many(read_batch), strict=True
            ):
                table.add(raw, message, verdict)
            second = next(messages, None)
    print(table.summary(), file=sys.stderr)
    return 0


def _messages(paths: list[str]) -> Iterator[RawMessage]:
    if paths == ["-"]:
        # The delivery of one mail needs no progress line, the import of which takes a millisecond.
        yield from open_source("-")
        return
    from deciban.cli.progress_line import ProgressLine

    line = ProgressLine()
    sources = [open_source(path, on_skip=line.report) for path in paths]
    if sys.stdout.isatty():  # the table moves on by itself
        for source in sources:
            yield from source
    else:
        yield from line.follow(sources)


def _say_line(verdict: Verdict) -> None:
    from deciban.cli.terminal import say

    say(verdict_line(verdict))


def _say_json(raw: RawMessage, message: Message, verdict: Verdict) -> None:
    import json

    record = {"id": raw.id, "digest": message.digest.hex(), **verdict_record(verdict)}
    print(json.dumps(record, separators=(",", ":")))


class _Table:
    """Verdicts one below the other, counted."""

    def __init__(self, mail_filter: Filter, as_json: bool) -> None:
        self._width = max(map(len, (UNSURE, *mail_filter.labels())))
        self._as_json = as_json
        self._counts: dict[str, int] = {}

    def add(self, raw: RawMessage, message: Message, verdict: Verdict) -> None:
        from deciban.cli.terminal import harmless, say, shortened

        what = decision(verdict)
        self._counts[what] = self._counts.get(what, 0) + 1
        if self._as_json:
            _say_json(raw, message, verdict)
            return
        subject = shortened(message.header("subject"), SUBJECT_WIDTH)
        numbers = (
            f"{verdict.decibans:6.1f} dB  p={verdict.probability:.4f}" if verdict.probability else " " * 19
        )
        say(f"{harmless(what):{self._width}} {numbers}  {harmless(raw.id)}  {subject}".rstrip())

    def summary(self) -> str:
        from deciban.cli.terminal import harmless

        counts = sorted(self._counts.items(), key=lambda item: -item[1])
        parts = ", ".join(f"{count:,} {harmless(label)}" for label, count in counts)
        return f"deciban: {sum(self._counts.values()):,} messages: {parts}"
