"""``deciban classify``: say what messages are."""

from __future__ import annotations

import sys
from itertools import islice

from deciban.cli.database import add_database_flag, add_server_flag, open_filter
from deciban.cli.decision_flags import add_decision_flags, decide_by
from deciban.cli.intake import Intake, add_sources, named_in
from deciban.cli.journal_flags import add_journal_flag, close_desk, optional_desk, wants_journal
from deciban.cli.paint import add_color_flag, wants_color
from deciban.cli.parser import Parser
from deciban.cli.terminal import columns_of, harmless, say, shortened, terminal_columns
from deciban.cli.verdict_text import allowed_note, exit_code, verdict_line
from deciban.decibans import UNSURE
from deciban.sources import RawMessage

EXAMPLES = (
    ("deciban classify < mail.eml", "one message: one line, and the verdict as the exit code"),
    ("deciban classify ~/Mail/inbox.mbox", "a table, one line per message"),
    ("find new -newer .seen -type f | deciban classify --files-from -", "the files of a list"),
    ("deciban classify --promise 0.001 < mail.eml", "more careful than usual, for this call"),
    ("deciban classify --json ~/Maildir > verdicts.jsonl", "one JSON object a line"),
    ("deciban classify --server http://127.0.0.1:8420 < mail.eml", "ask a server; $DECIBAN_KEY is the key"),
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from deciban.filter import Filter, Verdict
    from deciban.journal.desk import Desk
    from deciban.text import Message

    Line = Callable[[RawMessage, Message, Verdict], str]

SUBJECT_WIDTH = 60
# In fewer columns than these the probability is left out, which the decibans tell as well.
NARROW = 60
# Messages that are classified in one go: the first table line of a slow source waits for so many.
BATCH = 32
# After so many it is taken for a bulk: what a list of all rows costs is worth some 500 questions.
MANY = 500


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban classify``."""
    add_sources(parser, "the messages (default: standard input)", default=["-"])
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_color_flag(parser)
    add_decision_flags(parser)
    add_journal_flag(parser)
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Print a verdict for each message; the exit code is the verdict if there is but one."""
    if options.server is not None:
        from deciban.cli.remote import classify

        return classify(options)
    with open_filter(options) as mail_filter:
        decide_by(mail_filter, options)
        desk = optional_desk(options, mail_filter, "classify", True) if wants_journal(options) else None
        try:
            return _classify(options, mail_filter, desk)
        finally:
            close_desk(desk)


def _classify(options: Namespace, mail_filter: Filter, desk: Desk | None) -> int:
    from deciban.filter.mail import question_of, questions_of
    from deciban.text import read, read_many

    preferences = mail_filter.preferences
    # On a terminal the table moves on by itself.
    intake = Intake(named_in(options), progress=not sys.stdout.isatty())
    messages = iter(intake)
    first = next(messages, None)
    if first is None:
        return intake.exit_code()
    message = read(first.data)
    question = question_of(message, preferences)
    # An entry keeps the subtotals, too.
    verdict = mail_filter.classify(question) if desk is None else mail_filter.weigh(question)
    second = next(messages, None)
    if second is None:
        say(_line(options, _plain_line, desk)(first, message, verdict))
        return exit_code(verdict)
    table = VerdictTable(mail_filter.labels(), options, desk)
    table.add([first], [message], [verdict])
    while second is not None:
        batch = [second, *islice(messages, BATCH - 1)]
        read_batch = read_many([raw.data for raw in batch])
        questions = questions_of(read_batch, preferences)
        if desk is None:
            verdicts = mail_filter.classify_many(questions, in_bulk=intake.count >= MANY)
        else:
            verdicts = [mail_filter.weigh(question) for question in questions]
        table.add(batch, read_batch, verdicts)
        second = next(messages, None)
    intake.note(table.summary())
    return intake.exit_code()


def _line(options: Namespace, plain: Line, desk: Desk | None) -> Line:
    """What makes a line of a verdict, and an entry in the journal, if there is one."""
    if options.json:
        return _json_lines(desk)
    line = _in_color(plain) if wants_color(options.color) else plain
    if desk is None:
        return line

    def noted(raw: RawMessage, message: Message, verdict: Verdict) -> str:
        _note(desk, raw, verdict)
        return line(raw, message, verdict)

    return noted


def _note(desk: Desk, raw: RawMessage, verdict: Verdict) -> bytes:
    """Make an entry about a message; its id."""
    from deciban.filter.mail import lesson_of
    from deciban.journal.journal_entry import TOLD

    return desk.note(lesson_of("", "", desk.mail_filter.preferences, raw), verdict, TOLD)


def _json_lines(desk: Desk | None) -> Line:
    """What makes JSON of a verdict; one encoder for all, since `json.dumps` would make one for each line."""
    from json import JSONEncoder

    from deciban.filter.verdict_record import verdict_record

    encode = JSONEncoder(separators=(",", ":")).encode

    def line(raw: RawMessage, message: Message, verdict: Verdict) -> str:
        record = {"id": raw.id, "digest": message.digest.hex(), **verdict_record(verdict)}
        return encode(record if desk is None else {**record, "entry": _note(desk, raw, verdict).hex()})

    return line


def _plain_line(raw: RawMessage, message: Message, verdict: Verdict) -> str:  # noqa: ARG001 (as all lines)
    return verdict_line(verdict)


def _in_color(line: Line) -> Line:
    from deciban.cli.verdict_text import colored

    return lambda raw, message, verdict: colored(line(raw, message, verdict), verdict)


class VerdictTable:
    """Verdicts one below the other, counted."""

    def __init__(self, labels: Iterable[str], options: Namespace, desk: Desk | None) -> None:
        self._width = max(columns_of(harmless(label)) for label in (UNSURE, *labels))
        self._columns = terminal_columns()
        self._line = _line(options, self._table_line, desk)
        self._counts: dict[str, int] = {}

    def add(self, batch: list[RawMessage], messages: list[Message], verdicts: list[Verdict]) -> None:
        """Print some more."""
        # Said at once: encoding and printing a line by itself takes as long as making it.
        say("\n".join(map(self._line, batch, messages, verdicts)))
        for what in (verdict.decision for verdict in verdicts):
            self._counts[what] = self._counts.get(what, 0) + 1

    def _table_line(self, raw: RawMessage, message: Message, verdict: Verdict) -> str:
        shown = verdict.otherwise is None and verdict.probability is not None
        numbers = f"{verdict.decibans:6.1f} dB" if shown else " " * 9
        if self._columns is None or self._columns >= NARROW:
            numbers += f"  p={verdict.probability:.4f}" if shown else " " * 10
        note = "" if verdict.otherwise is None else f"  ({allowed_note(verdict.otherwise)})"
        label = f"{harmless(verdict.decision):{self._width}}"
        front = f"{label} {numbers}  "
        if self._columns is None:
            subject = shortened(message.header("subject"), SUBJECT_WIDTH)
            return f"{front}{harmless(raw.id)}  {subject}{note}".rstrip()
        room = max(self._columns - columns_of(front), 2)
        subject = shortened(message.header("subject") + note, min(SUBJECT_WIDTH, room // 2 - 1))
        place = shortened(raw.id, room - columns_of(subject) - 2 * bool(subject))
        return f"{front}{place}  {subject}".rstrip()

    def summary(self) -> str:
        """How many there were of each."""
        from deciban.cli.numbers import counted

        counts = sorted(self._counts.items(), key=lambda item: -item[1])
        parts = ", ".join(f"{count:,} {harmless(label)}" for label, count in counts)
        return f"{counted(sum(self._counts.values()), 'message')}: {parts}"
