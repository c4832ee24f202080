"""Which lessons are meant, and how they are listed: the same for `deciban lessons` and `deciban forget`."""

from __future__ import annotations

from deciban.cli.numbers import digest, moment, moment_text
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.ledger.lesson import INCOMING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from deciban.cli.parser import Parser
    from deciban.ledger import Lesson, Selection


def add_selection_flags(parser: Parser) -> None:
    """Add everything by which lessons can be found."""
    parser.add_argument("--digest", type=digest, metavar="HEX", help="the lesson of this digest")
    parser.add_argument("--sender", metavar="ADDRESS", help="lessons from this address in the From field")
    parser.add_argument(
        "--source",
        metavar="PLACE",
        help="lessons from this file, folder or message id, as it was written then",
    )
    parser.add_argument("--label", metavar="LABEL", help="lessons of this label")
    parser.add_argument("--by", metavar="NAME", help="lessons that NAME taught (deciban learn --by)")
    parser.add_argument("--since", type=moment, metavar="DATE", help="lessons taught then or later")
    parser.add_argument("--until", type=moment, metavar="DATE", help="lessons taught before then")


def selection_of(options: Namespace) -> Selection:
    """The lessons that the flags mean."""
    from deciban.committee.label import label_of
    from deciban.ledger import Selection

    given = {name: getattr(options, name) for name in Selection.field_names}
    if given["label"] is not None:
        given["label"] = label_of(given["label"])
    return Selection(**given)


def lesson_lines(lessons: Sequence[Lesson], digests: bool = False) -> Iterator[str]:
    """A table of lessons: label, when it was taught, sender and subject; the digest first, if asked for.

    Their origin stands behind the label if one of them did not come in.
    """
    columns = [TableColumn(), TableColumn(), TableColumn(30, least=10), TableColumn(60, least=10)]
    rows = [
        [lesson.label, moment_text(lesson.taught / 1e6), lesson.sender, lesson.subject] for lesson in lessons
    ]
    if any(lesson.origin != INCOMING for lesson in lessons):
        columns.insert(1, TableColumn())
        for row, lesson in zip(rows, lessons, strict=True):
            row.insert(1, lesson.origin)
    if digests:
        columns.insert(0, TableColumn())
        rows = [[lesson.digest.hex(), *row] for lesson, row in zip(lessons, rows, strict=True)]
    return table_lines(rows, columns)
