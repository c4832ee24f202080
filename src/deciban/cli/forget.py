"""``deciban forget``: take back what was taught, as if it had never been."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.numbers import counted, digest, moment, moment_text
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import harmless, say, shortened
from deciban.errors import FoldedLesson, WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter import Filter
    from deciban.ledger import Lesson

EXAMPLES = (
    ("deciban forget mail.eml", "this message"),
    ("deciban forget --digest 548178c90c58e4a0e090322e990d21f0", "the same, by what `status` shows of it"),
    ("deciban forget --sender joe@example.org --label spam", "what came from Joe and was taught as spam"),
    ("deciban forget --source ~/Mail/junk.mbox", "everything taught from there"),
    ("deciban forget --since 2026-11-15 --yes", "everything taught since that day, without asking"),
)
LESSONS_SHOWN = 20


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban forget``."""
    parser.add_argument("sources", nargs="*", metavar="FILE", help="messages to forget; - for standard input")
    parser.add_argument("--digest", type=digest, metavar="HEX", help="the lesson of this digest")
    parser.add_argument("--sender", metavar="ADDRESS", help="lessons from this address in the From field")
    parser.add_argument(
        "--source",
        metavar="PLACE",
        help="lessons from this file, folder or message id, as it was written then",
    )
    parser.add_argument("--label", metavar="LABEL", help="lessons of this label")
    parser.add_argument("--since", type=moment, metavar="DATE", help="lessons taught then or later")
    parser.add_argument("--until", type=moment, metavar="DATE", help="lessons taught before then")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Show what will go, ask, and forget it."""
    from deciban.ledger import Selection

    selection = Selection(**{name: getattr(options, name) for name in Selection.field_names})
    if not options.sources and not selection:
        raise WrongUsage("say what to forget: messages, --digest, --sender, --source, --label or a date")
    if not options.yes and ("-" in options.sources or not sys.stdin.isatty()):
        raise WrongUsage("nobody can be asked here whether to forget; add --yes to do it without asking")
    line = ProgressLine()
    sources = line.open(options.sources)
    with open_filter(options) as mail_filter:
        selections = [selection]
        if sources:
            from deciban.text import read

            digests = dict.fromkeys(read(raw.data).digest for raw in line.follow(sources))
            selections = [selection.replaced(digest=wanted) for wanted in digests]
        lessons = [lesson for chosen in selections for lesson in mail_filter.lessons(chosen)]
        if not lessons and not mail_filter.is_swept():
            return _finish("nothing more to forget", mail_filter.sweep())
        if not lessons:
            raise _nothing_found(mail_filter, [chosen.digest for chosen in selections if chosen.digest])
        say("\n".join(_listing(lessons)))
        if not options.yes and not _agreed(len(lessons)):
            print("deciban: nothing was forgotten", file=sys.stderr)
            return 3
        count = mail_filter.forget_all(lesson.digest for lesson in lessons)
        return _finish(f"forgotten: {count:,}, as if never taught", mail_filter.is_swept())


def _finish(done: str, swept: bool) -> int:
    """Say what is done, and whether traces of what was forgotten are left."""
    say(done)
    if not swept:
        print(
            "deciban: while others read the database, traces of it stay in its log; whatever changes the "
            "database next removes them: learn, prefer, or forget again",
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


def _listing(lessons: list[Lesson]) -> Iterator[str]:
    """The lessons that will go, the first of them one by one."""
    width = max(len(lesson.label) for lesson in lessons)
    for lesson in lessons[:LESSONS_SHOWN]:
        yield (
            f"{harmless(lesson.label):{width}}  {moment_text(lesson.taught / 1e6)}  "
            f"{shortened(lesson.sender, 30):30}  {shortened(lesson.subject, 50)}"
        ).rstrip()
    if len(lessons) > LESSONS_SHOWN:
        yield f"… {len(lessons) - LESSONS_SHOWN:,} more"


def _agreed(count: int) -> bool:
    """Whether the person at the terminal says yes."""
    what = "this lesson" if count == 1 else f"these {count:,} lessons"
    print(f"Forget {what}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
