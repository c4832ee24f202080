"""``deciban journal``: what was decided about which message, and what became of it, the newest first."""

from __future__ import annotations

from itertools import islice

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.journal_flags import existing_desk
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, digest, moment, moment_text, signed, whole_number
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import harmless, say
from deciban.errors import WrongUsage
from deciban.journal.entry_record import entry_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from deciban.journal.desk import Desk
    from deciban.journal.journal_entry import JournalEntry
    from deciban.journal.sqlite_journal import EntrySelection

EXAMPLES = (
    ("deciban journal", "the last 20 messages, with the ids of their entries"),
    ("deciban journal invoice october", "those with both words in sender, subject or source"),
    ("deciban journal --verdict unsure --since 2026-11-01", "what the filter could not decide"),
    ("deciban journal --corrected", "what was taught afterwards"),
    ("deciban journal --entry 7a90c2b7e6354f1d8a90c2b7e6354f1d", "all that is kept about one message"),
    ("deciban journal --limit 0 --json > journal.jsonl", "all of it, one JSON object a line"),
    ("deciban journal --days 90", "keep entries for 90 days from now on; 0 keeps and erases all"),
    ("deciban journal --sample", "for cron: teach a tenth of the good mail that nobody contested"),
)
ENTRIES_SHOWN = 20


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban journal``."""
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="entries with every WORD in sender, subject or source"
    )
    parser.add_argument("--entry", type=digest, metavar="ID", help="all that this entry keeps")
    parser.add_argument("--sender", metavar="ADDRESS", help="messages from this address in the From field")
    parser.add_argument("--verdict", metavar="LABEL", help="messages that were called this, or unsure")
    parser.add_argument("--door", metavar="DOOR", help="messages that came so: filter, classify, milter …")
    parser.add_argument("--taught", metavar="LABEL", help="messages that were taught as this")
    parser.add_argument("--corrected", action="store_true", help="messages that were taught afterwards")
    parser.add_argument("--since", type=moment, metavar="DATE", help="entries of then or later")
    parser.add_argument("--until", type=moment, metavar="DATE", help="entries before then")
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=ENTRIES_SHOWN,
        metavar="N",
        help=f"so many entries, 0 for all (default: {ENTRIES_SHOWN})",
    )
    parser.add_argument("--days", type=whole_number, metavar="N", help="keep entries for N days from now on")
    parser.add_argument(
        "--sample",
        action="store_true",
        help="teach a random tenth of the good verdicts that nobody contested for three days",
    )
    add_json_flag(parser, "one JSON object a line")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print the entries that are meant, or change what is kept."""
    if options.days is not None and options.sample:
        raise WrongUsage("choose one: --days or --sample")
    with open_filter(options) as mail_filter:
        desk = existing_desk(options, mail_filter, "journal")
        with desk.writer:
            if options.days is not None:
                return _keep_for(options, desk)
            if options.sample:
                return _draw_sample(options, desk)
            if options.entry is not None:
                return _show(options, desk.entry(options.entry))
            entries = desk.writer.journal.entries(desk.space, _selection(options))
            shown = list(islice(entries, options.limit or None))
            count = desk.writer.journal.count(desk.space)
    if options.json:
        for entry in shown:
            say_json(entry_record(entry))
        return 0
    for line in _lines(shown):
        say(line)
    say(f"{len(shown):,} of {count:,} entries" if len(shown) < count else _counted(count))
    return 0


def _show(options: Namespace, entry: JournalEntry) -> int:
    if options.json:
        say_json(entry_record(entry))
        return 0
    for name, text in _details(entry):
        say(f"{name:8}  {harmless(text)}")
    return 0


def _details(entry: JournalEntry) -> Iterator[tuple[str, str]]:
    """What is kept about one message, by name."""
    yield "entry", entry.id.hex()
    yield "time", moment_text(entry.moment / 1e6)
    yield "door", f"{entry.door}: {entry.done}"
    for name in ("source", "sender", "subject", "date", "message_id"):
        if getattr(entry, name):
            yield name.replace("_id", "-ID"), getattr(entry, name)
    if entry.verdict is not None:
        yield "verdict", _verdict_text(entry.verdict)
    if entry.outcome is not None:
        before = f" (before: {entry.outcome.before})" if entry.outcome.before else ""
        yield "taught", f"as {entry.outcome.label}{before}, {moment_text(entry.outcome.moment / 1e6)}"


def _verdict_text(verdict: dict[str, Any]) -> str:
    """A verdict with its subtotals, in decibans, if it has some: entries of earlier versions have none.

    >>> subtotals = {"words": 14.21, "letters": 7.13, "prior": -0.4}
    >>> _verdict_text({"verdict": "spam", "label": "spam", "decibans": 20.94, "subtotals": subtotals})
    'spam, +20.9 dB: words +14.2, letters +7.1, prior −0.4'
    """
    unsure = f" ({verdict['label']})" if verdict["verdict"] != verdict["label"] and verdict["label"] else ""
    parts = ", ".join(f"{name} {signed(each)}" for name, each in verdict.get("subtotals", {}).items())
    return f"{verdict['verdict']}{unsure}, {signed(verdict['decibans'])} dB" + (f": {parts}" if parts else "")


def _keep_for(options: Namespace, desk: Desk) -> int:
    desk.writer.journal.keep_for(options.days)
    left = desk.writer.journal.count(desk.space)
    if options.json:
        say_json({"days": options.days, "entries": left})
    else:
        say(f"entries are kept for {counted(options.days, 'day')}; there are {_counted(left)}")
    return 0


def _draw_sample(options: Namespace, desk: Desk) -> int:
    drawn = desk.draw_sample()
    if options.json:
        say_json({"sampled": drawn})
    else:
        say(f"taught as a sample: {counted(drawn, 'message')}")
    return 0


def _selection(options: Namespace) -> EntrySelection:
    from deciban.journal.sqlite_journal import EntrySelection

    return EntrySelection(
        since=options.since,
        until=options.until,
        sender=options.sender,
        door=options.door,
        verdict=options.verdict,
        taught=options.taught,
        corrected=options.corrected,
        words=tuple(options.words),
    )


def _lines(entries: list[JournalEntry]) -> list[str]:
    rows = []
    for entry in entries:
        verdict = entry.verdict["verdict"] if entry.verdict else "-"
        taught = "" if entry.outcome is None else f"taught as {entry.outcome.label}"
        rows.append(
            [entry.id.hex(), moment_text(entry.moment / 1e6), verdict, taught, entry.sender, entry.subject]
        )
    plain = TableColumn()
    columns = [plain, plain, plain, plain, TableColumn(30, least=10), TableColumn(60, least=10)]
    return list(table_lines(rows, columns))


def _counted(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"
