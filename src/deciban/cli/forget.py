"""``deciban forget``: take back what was taught, as if it had never been."""

from __future__ import annotations

import sys

from deciban.cli.agreement import add_yes_flag, agreed, must_be_able_to_ask
from deciban.cli.database import add_database_flag, add_server_flag, open_filter
from deciban.cli.intake import STANDARD_INPUT, Intake, add_sources, named_in
from deciban.cli.journal_flags import open_desk
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.lesson_flags import add_selection_flags, lesson_lines, selection_of
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import say
from deciban.errors import FoldedLesson, WrongUsage
from deciban.filter.lesson_record import lesson_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.filter import Filter
    from deciban.journal.desk import Desk
    from deciban.ledger import Lesson, Selection

EXAMPLES = (
    ("deciban forget mail.eml", "this message"),
    ("deciban forget --digest 548178c90c58e4a0e090322e990d21f0", "the same, by what `status` shows of it"),
    ("deciban forget --sender joe@example.org --label spam", "what came from Joe and was taught as spam"),
    ("deciban forget --source ~/Mail/junk.mbox", "everything taught from there"),
    ("deciban forget --by nightly --since 2026-11-15 --yes", "what a job taught since then, without asking"),
)
LESSONS_SHOWN = 20


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban forget``."""
    add_sources(parser, "messages to forget; - for standard input")
    add_selection_flags(parser)
    add_yes_flag(parser)
    add_json_flag(parser, "one JSON object: the lessons that are gone")
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Show what will go, ask, and forget it."""
    selection = selection_of(options)
    names_messages = bool(options.sources or options.files_from)
    if not names_messages and not selection:
        raise WrongUsage("say what to forget: messages, --digest, --sender, --source, --label, --by, a date")
    must_be_able_to_ask(
        options, "forget", reads_input=STANDARD_INPUT in (*options.sources, options.files_from)
    )
    if options.server is not None:
        from deciban.cli.remote import forget

        return forget(options, selection)
    intake = Intake(named_in(options)) if names_messages else None
    with open_filter(options) as mail_filter:
        selections = [selection]
        if intake is not None:
            from deciban.text import read

            digests = dict.fromkeys(read(raw.data).digest for raw in intake)
            if code := intake.exit_code():
                return code
            selections = [selection.replaced(digest=wanted) for wanted in digests]
        lessons = [lesson for chosen in selections for lesson in mail_filter.lessons(chosen)]
        entries = _Entries(open_desk(options, mail_filter, "forget"), selections, lessons)
        if not lessons and not entries.count and not mail_filter.is_swept():
            return _finish(options, [], 0, "nothing more to forget", mail_filter.sweep())
        if not lessons and not entries.count:
            raise _nothing_found(mail_filter, [chosen.digest for chosen in selections if chosen.digest])
        if not options.json:
            _list(lessons)
        if not agreed(options, f"Forget {_these(len(lessons))}{entries.text}?"):
            print("deciban: nothing was forgotten", file=sys.stderr)
            return 3
        with ProgressLine() as line:
            count = mail_filter.forget_all((lesson.digest for lesson in lessons), line.relearning)
        entries.erase()
        done = f"forgotten: {count:,}{entries.text}, as if never taught"
        return _finish(options, lessons, entries.count, done, mail_filter.is_swept())


class _Entries:
    """What the journal has about the messages to forget."""

    def __init__(self, desk: Desk | None, selections: list[Selection], lessons: list[Lesson]) -> None:
        self._desk = desk
        self._ids: list[bytes] = []
        if desk is None:
            return
        digests = {lesson.digest for lesson in lessons}
        for chosen in selections:
            # A message that was only asked about has no lesson: only its digest or its sender can be meant.
            if chosen == type(chosen)(digest=chosen.digest):
                digests.add(chosen.digest or b"")
            elif chosen == type(chosen)(sender=chosen.sender):
                self._ids += desk.writer.journal.identities(desk.space, sender=chosen.sender)
        self._ids += desk.writer.journal.identities(desk.space, digests)

    @property
    def count(self) -> int:
        return len({*self._ids})

    @property
    def text(self) -> str:
        entries = "entry" if self.count == 1 else "entries"
        return f" and {self.count:,} {entries} of the journal" if self._ids else ""

    def erase(self) -> None:
        if self._desk is not None:
            with self._desk.writer:
                self._desk.writer.journal.erase_entries(self._ids)


def _finish(options: Namespace, lessons: list[Lesson], entries: int, done: str, swept: bool) -> int:
    """Say what is done, and whether traces of what was forgotten are left."""
    if options.json:
        forgotten = [lesson_record(lesson) for lesson in lessons]
        say_json({"forgotten": forgotten, "entries": entries, "swept": swept})
    else:
        say(done)
    if not swept:
        print(
            "deciban: traces of it stay for now, since others read the database or it cannot be written; "
            "whatever changes the database next removes them: learn, prefer, or forget again",
            file=sys.stderr,
        )
    return 0


def _nothing_found(mail_filter: Filter, digests: list[bytes]) -> Exception:
    """Why there is nothing to forget."""
    if mail_filter.is_folded(digests):
        return FoldedLesson(
            "that lesson was folded by deciban compact: it stays learned and cannot be forgotten one by one"
        )
    count = mail_filter.folded().lessons
    were = "was" if count == 1 else "were"
    folded = f"; {counted(count, 'lesson')} {were} folded, and can be found by the message only"
    return WrongUsage(f"nothing like that was ever taught, or it is forgotten already{folded * bool(count)}")


def _list(lessons: list[Lesson]) -> None:
    """Show the lessons that will go, the first of them one by one."""
    for line in lesson_lines(lessons[:LESSONS_SHOWN]):
        say(line)
    if len(lessons) > LESSONS_SHOWN:
        say(f"… {len(lessons) - LESSONS_SHOWN:,} more")


def _these(count: int) -> str:
    return "this lesson" if count == 1 else f"these {count:,} lessons"
