"""``deciban lessons``: list and search what was taught, the newest first."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.lesson_flags import add_selection_flags, lesson_lines, selection_of
from deciban.cli.numbers import counted, whole_number
from deciban.cli.parser import Parser
from deciban.cli.terminal import say
from deciban.filter.lesson_record import lesson_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from deciban.ledger import Lesson

EXAMPLES = (
    ("deciban lessons", "the last 20 that were taught"),
    ("deciban lessons invoice october", "those with both words in sender, subject or source"),
    ("deciban lessons --label spam --since 2026-11-01", "spam that was taught this month"),
    ("deciban lessons --page 3 --limit 50", "the 101st to the 150th"),
    ("deciban lessons --limit 0 --json > lessons.jsonl", "all of them, one JSON object a line"),
)
LESSONS_SHOWN = 20


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban lessons``."""
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="lessons with every WORD in sender, subject or source"
    )
    add_selection_flags(parser)
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=LESSONS_SHOWN,
        metavar="N",
        help=f"so many on a page, 0 for all (default: {LESSONS_SHOWN})",
    )
    parser.add_argument("--page", type=whole_number, default=1, metavar="N", help="which page (default: 1)")
    add_json_flag(parser, "one JSON object a line")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print one page of the lessons that are meant."""
    from deciban.filter.lesson_page import LessonPage

    with open_filter(options) as mail_filter:
        lessons = _with_words(mail_filter.lessons(selection_of(options)), options.words)
        page = LessonPage.of(lessons, options.limit, max(options.page, 1))
        folded = mail_filter.folded().lessons
    if options.json:
        for lesson in page.lessons:
            say_json(lesson_record(lesson))
        return 0
    for line in lesson_lines(page.lessons, digests=True):
        say(line)
    say(_summary(page.first, len(page.lessons), page.count, folded))
    return 0


def _with_words(lessons: Iterable[Lesson], words: list[str]) -> Iterator[Lesson]:
    """The lessons with every word, whatever its case, somewhere in sender, subject or source."""
    wanted = [word.casefold() for word in words]
    for lesson in lessons:
        text = f"{lesson.sender}\n{lesson.subject}\n{lesson.source}".casefold()
        if all(word in text for word in wanted):
            yield lesson


def _summary(first: int, shown: int, count: int, folded: int) -> str:
    """Which of how many are shown.

    >>> _summary(21, 20, 1204, 0), _summary(1, 1, 1, 0), _summary(1, 0, 0, 3)
    ('21 to 40 of 1,204 lessons', '1 lesson', '0 lessons; 3 folded lessons are not listed')
    """
    if shown == count:
        text = counted(count, "lesson")
    elif shown:
        text = f"{first:,} to {first + shown - 1:,} of {counted(count, 'lesson')}"
    else:
        text = f"nothing on this page; there are {counted(count, 'lesson')}"
    are = "is" if folded == 1 else "are"
    return text + (f"; {counted(folded, 'folded lesson')} {are} not listed" if folded else "")
