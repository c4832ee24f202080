"""``deciban learn``: teach the filter messages of one label.

Only mail that came in counts for a promise (filter/threshold.py), so each lesson keeps an origin.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import chain

from deciban.cli.database import (
    add_database_flag,
    add_server_flag,
    add_starter_flag,
    admission,
    open_or_create_filter,
)
from deciban.cli.hands import Hands
from deciban.cli.intake import STANDARD_INPUT, Intake, add_sources, named_in
from deciban.cli.interrupts import Interrupts
from deciban.cli.journal_flags import add_journal_flag, close_desk, optional_desk, wants_journal
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, refused, whole_number
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say
from deciban.errors import DecibanError, WrongUsage
from deciban.filter.learned import Learned
from deciban.ledger.lesson import IMPORTED, INCOMING, SENT
from deciban.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator

    from deciban.cli.intake import Taught
    from deciban.engines import Engine
    from deciban.filter import Filter
    from deciban.filter.filter import Admission
    from deciban.filter.replaying import Progress
    from deciban.journal.desk import Desk
    from deciban.ledger import Lesson
    from deciban.sources import RawMessage

EXAMPLES = (
    ("deciban learn spam ~/Mail/junk.mbox", "teach a folder of spam"),
    ("deciban learn ham ~/Maildir ~/Mail/archive.tar.gz", "teach good mail from two places"),
    ("deciban learn invoices ~/Mail/invoices", "any other word is a label too, of good mail"),
    ("deciban learn spam - < mail.eml", "one message, such as from a key of a mail program"),
    ("deciban learn --by-folder ~/Maildir", "every folder as the label of its name, junk as spam"),
    ("deciban learn --by-folder Takeout.mbox --map labels.txt", "mail of Gmail, some labels renamed"),
    ("deciban learn ham ~/Maildir/.Sent", "mail that you wrote yourself, which counts for no promise"),
    ("deciban learn --origin imported spam corpus/spam", "mail that never came to you"),
    ("deciban learn --jobs 1 ham ~/Mail/archive", "much mail, and the other cores are left alone"),
    ("deciban learn ham inbox.mbox@8412", "that message was no spam: it is learned anew as ham"),
)
INTERRUPTED = 130
# `sample` is not among them: only who draws the sample knows its share.
ORIGINS = (INCOMING, SENT, IMPORTED)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban learn``."""
    parser.add_argument(
        "label",
        nargs="?",
        metavar="LABEL",
        help="what the messages are: spam, ham, or any word of yours for good mail",
    )
    add_sources(parser, "the messages; - for standard input")
    parser.add_argument(
        "--by-folder",
        metavar="PLACE",
        help="instead of LABEL and FILE: teach every mail folder in PLACE as the label of its name, or a "
        "Google Takeout mbox by its Gmail labels; junk is spam, trash, drafts and sent mail are left out",
    )
    parser.add_argument(
        "--map", metavar="FILE", help="--by-folder: a file of lines FOLDER = LABEL; no label leaves it out"
    )
    parser.add_argument(
        "--origin",
        choices=ORIGINS,
        help="how the mail came here: incoming (default), sent (default for a folder of that name) or "
        "imported from elsewhere; a promise rests on incoming mail alone",
    )
    parser.add_argument("--by", default="", metavar="NAME", help="who teaches, to be kept with each lesson")
    parser.add_argument(
        "--jobs",
        type=job_count,
        metavar="N",
        help="read many messages by N threads (default: one for each core)",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="read them by a Dask cluster, such as tcp://10.0.0.1:8786"
    )
    add_json_flag(parser)
    add_journal_flag(parser)
    add_starter_flag(parser)
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Learn every message of every source."""
    # All that can be wrong with the command is found before a database is made.
    intake, messages = _taught(options)
    first = next(messages, None)
    if first is None:
        return intake.exit_code()
    if options.server is not None:
        from deciban.cli.remote import learn

        return learn(options, intake, chain([first], messages))
    with open_or_create_filter(options) as mail_filter:
        admit = admission(options, mail_filter)
        keeps = wants_journal(options)
        desk = optional_desk(options, mail_filter, "learn", keeps)
        # Of a space, a server may answer meanwhile, which mixes nothing; after --by-folder no folder follows.
        settle = mail_filter.settle if options.space or options.by_folder else mail_filter.leave
        lesson = _Course(mail_filter, options.by, _hands(options), intake.relearning, admit, desk, settle)
        try:
            lesson.take(chain([first], messages))
        except KeyboardInterrupt:
            intake.note(lesson.where_it_stopped())
            return INTERRUPTED
        except DecibanError as error:
            raise (type(error)(f"{error} {lesson.what_is_kept()}") if lesson.count else error) from None
        finally:
            close_desk(desk)
        if options.json:
            say_json(lesson.record())
        else:
            say(lesson.result())
        with suppress(DecibanError):  # all is learned: a hint is no reason to fail
            if lesson.count and len(mail_filter.known_labels()) == 1:
                print("deciban: to tell messages apart, teach a second label as well", file=sys.stderr)
    return intake.exit_code()


def _taught(options: Namespace) -> tuple[Intake, Iterator[Taught]]:
    """The messages to learn, each with its label and origin."""
    intake, messages = _found(options)
    if options.origin is not None:
        return intake, ((label, options.origin, message) for label, _, message in messages)
    return intake, _with_a_note(intake, messages)


def _with_a_note(intake: Intake, messages: Iterable[Taught]) -> Iterator[Taught]:
    """The messages; before the first that counts as sent, a line says so."""
    told = False
    for label, origin, message in messages:
        if origin == SENT and not told:
            told = True
            intake.note(
                f"{harmless(message.id)} is in a folder of sent mail: all mail there is taught as sent, and "
                f"counts for no promise (--origin {INCOMING} if it came in)"
            )
        yield label, origin, message


def _found(options: Namespace) -> tuple[Intake, Iterator[Taught]]:
    """The messages, each with its label and the origin that its folder tells."""
    from functools import cache

    from deciban.cli.folder_labels import is_sent
    from deciban.committee.label import LIKE_SPAM, key_of, label_of

    if options.by_folder is not None:
        from deciban.cli.folder_intake import FolderIntake

        if options.label is not None or options.files_from is not None:
            raise WrongUsage("--by-folder takes the place of LABEL and FILE; name one folder or mbox")
        folders = FolderIntake(options.by_folder, options.map)
        return folders.intake, folders.taught()
    if options.label is None:
        raise WrongUsage("say what the messages are, and which: deciban learn LABEL FILE")
    if options.map is not None:
        raise WrongUsage("--map is for --by-folder")
    label = label_of(options.label)
    if key_of(label) in LIKE_SPAM:
        print(f"deciban: {label!r} is taught as a label of good mail; did you mean spam?", file=sys.stderr)
    intake = Intake(named_in(options))
    origin_in = cache(lambda place: SENT if is_sent(place) else INCOMING)
    return intake, ((label, origin_in(place), message) for place, message in intake.with_places())


def job_count(text: str) -> int:
    """A number from 1 upwards."""
    if whole_number(text) < 1:
        raise refused(f"must be 1 or more, got {text!r} instead")
    return int(text)


def _hands(options: Namespace) -> Hands:
    """Who reads the messages: a cluster that was named, or the cores of this machine if there are many."""

    def cluster() -> Engine:
        from deciban.engines import Dask

        return Dask(options.cluster.replace("dask://", "tcp://", 1))

    def threads() -> Engine:
        from deciban.engines.threads import Threads

        return Threads(options.jobs)

    if options.cluster is not None:
        return Hands(cluster, few=0)
    if options.jobs is not None:
        return Hands(None if options.jobs == 1 else threads, few=0)
    # A pipe may stall: what has come must be learned then, and not wait for the next bundle of messages.
    return Hands(None if STANDARD_INPUT in options.sources else threads)


def learn_sources(mail_filter: Filter, label: str, sources: Iterable[Source]) -> str:
    """Learn everything in the sources; the line that says what was done."""
    lesson = _Course(mail_filter, "")
    lesson.take((label, INCOMING, message) for source in sources for message in source)
    return lesson.result()


def learned_text(done: Learned, labels: dict[str, int]) -> str:
    """What was learned, in one line; ``labels`` has how many messages there were of each."""
    if not done.count:
        return "learned nothing"
    parts = [f"learned {counted(done.learned, 'message')} as {_labels_text(labels)}"]
    if done.relearned:
        parts.append(f"{done.relearned:,} relearned that had another label")
    if done.beside:
        parts.append(f"{done.beside:,} of them beside a folded lesson, which stays")
    if done.known:
        parts.append(f"{done.known:,} known already")
    return ", ".join(parts)


def _labels_text(labels: dict[str, int]) -> str:
    """The label, or each with how many messages it had."""
    if len(labels) == 1:
        return harmless(next(iter(labels)))
    counts = sorted(labels.items(), key=lambda item: -item[1])
    return ", ".join(f"{harmless(label)} ({count:,})" for label, count in counts)


class _Course:
    """Messages being learned, each under its label, and how far that is acknowledged."""

    def __init__(
        self,
        mail_filter: Filter,
        by: str,
        hands: Hands | None = None,
        relearning: Progress | None = None,
        admit: Admission = iter,
        desk: Desk | None = None,
        settle: Callable[[Progress | None], None] | None = None,
    ) -> None:
        self._desk = desk
        self._settle = settle or mail_filter.settle
        self._filter = mail_filter
        self._admit = admit
        self._relearning = relearning
        self._hands = hands or Hands(None)
        self._by = by
        self._learned = Learned()
        self._acknowledged = ""
        self._counts: dict[str, int] = {}

    def take(self, messages: Iterable[Taught]) -> None:
        with self._hands:
            self._learn(self._lessons(messages))

    def _lessons(self, messages: Iterable[Taught]) -> Iterator[Lesson]:
        """The lessons of the messages; those of one label and origin in a row are read together."""
        from itertools import groupby
        from operator import itemgetter

        for (given, origin), group in groupby(messages, key=itemgetter(0, 1)):
            label = self._filter.spelling(given)
            for lesson in self._read(label, origin, (message for *_, message in group)):
                self._counts[label] = self._counts.get(label, 0) + 1
                yield lesson

    def _read(self, label: str, origin: str, messages: Iterable[RawMessage]) -> Iterable[Lesson]:
        """The lessons of messages; a message that the journal has an entry of is known by it."""
        from functools import partial

        if self._desk is None:
            from deciban.filter.mail import lessons_of

            read = partial(lessons_of, label, self._by, self._filter.preferences, origin=origin)
            return self._hands.apply(read, messages)
        from deciban.journal.desk import tagged_lessons_of

        read_tagged = partial(tagged_lessons_of, label, self._by, self._filter.preferences, origin=origin)
        return (self._desk.recognised(*found) for found in self._hands.apply(read_tagged, messages))

    def _learn(self, lessons: Iterable[Lesson]) -> None:
        with Interrupts() as interrupts:
            admitted = self._admit(interrupts.between(lessons))
            self._filter.learn(admitted, self._acknowledge, self._relearning)
        self._settle(self._relearning)

    @property
    def count(self) -> int:
        """The messages that are durable by now."""
        return self._learned.count

    def result(self) -> str:
        """What was done, in one line."""
        return learned_text(self._learned, self._counts)

    def record(self) -> dict[str, object]:
        """What was done, for machines."""
        numbers = {name: getattr(self._learned, name) for name in Learned.field_names}
        return {"labels": self._counts, **numbers}

    def where_it_stopped(self) -> str:
        """What is safe after an interrupt, and how to go on."""
        return (
            f"interrupted; {self.result()}{self._where()}, and that is kept. "
            "The same command goes on from there: it passes over what is known."
        )

    def what_is_kept(self) -> str:
        """What is safe after an error."""
        return f"Before that, it {self.result()}{self._where()}, and that is kept."

    def _where(self) -> str:
        return f" up to {harmless(self._acknowledged)}" if self._acknowledged else ""

    def _acknowledge(self, learned: Learned, last: Lesson) -> None:
        self._learned, self._acknowledged = learned, last.source
        if self._desk is not None:
            self._desk.mark_taught()
