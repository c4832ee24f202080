"""``deciban show``: the labels of the filter, their strongest words, and what it learned about one word."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.numbers import counted, signed, whole_number
from deciban.cli.paint import Paint, add_color_flag
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.word_evidence import WordEvidence

EXAMPLES = (
    ("deciban show", "the labels, and the words that speak for each most"),
    ("deciban show --top 100 --json", "more of them, for machines"),
    ("deciban show subject:free money", "what was learned about these features of the view `words`"),
)
TOP = 12
NAME_WIDTH = 50
SCALE = "a message with this word alone"
NOTE = "In a mail of many words each counts for less: deciban why shows how much."


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban show``."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="features of the view words, as `deciban read --features words` names them",
    )
    parser.add_argument(
        "--top", type=whole_number, default=TOP, metavar="N", help=f"so many words a label (default: {TOP})"
    )
    parser.add_argument("--labels", action="store_true", help="the labels only, one on each line")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_color_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print labels with their strongest words, or the evidence of each word."""
    from deciban.filter.word_evidence import strongest_words, word_evidence, words_record

    with open_filter(options) as mail_filter:
        labels = mail_filter.labels()
        if options.labels:
            for label in mail_filter.known_labels():
                say(harmless(label))
            return 0
        words = {word: word_evidence(mail_filter, word) for word in options.words}
        strongest = {} if words else strongest_words(mail_filter, options.top)
        shared = mail_filter.shared()
    if options.json:
        import json

        record: dict[str, object] = {"labels": labels, **words_record(strongest, words)}
        if shared is not None:
            record["shared"] = shared.lessons
        print(json.dumps(record, separators=(",", ":")))
        return 0
    paint = Paint(options.color)
    lines = _words(words) if words else _labels(labels, shared, strongest, paint)
    for line in lines:
        say(line)
    return 0


def _labels(
    labels: dict[str, int],
    shared: SharedFilter | None,
    strongest: dict[str, list[WordEvidence]],
    paint: Paint,
) -> Iterator[str]:
    rows = []
    lessons = {} if shared is None else shared.lessons
    of_whom = "the starter" if shared is not None and shared.is_starter else "the shared filter"
    for label in dict.fromkeys((*labels, *lessons)):
        others = f", and {lessons.get(label, 0):,} of {of_whom}" if shared is not None else ""
        rows.append([label, f"{counted(labels.get(label, 0), 'lesson')}{others}"])
    yield from table_lines(rows, [TableColumn(least=10), TableColumn(least=12)])
    for label, words in strongest.items():
        if words:
            yield ""
            yield paint.strong(f"strongest for {harmless(label)}, in decibans of {SCALE}:")
        rows = [[signed(word.decibans), word.name, _counts(word) + _shared_part(word)] for word in words]
        columns = [TableColumn(right=True), TableColumn(NAME_WIDTH, least=10), TableColumn(least=12)]
        yield from table_lines(rows, columns, indent="  ")
    if any(strongest.values()):
        yield ""
        yield NOTE


def _words(words: dict[str, dict[str, WordEvidence]]) -> Iterator[str]:
    for word, rows in words.items():
        yield harmless(word)
        width = max((len(harmless(label)) for label in rows), default=0)
        for label, found in rows.items():
            times = f"counted {counted(found.counts[label], 'time')}, {signed(found.decibans)} dB"
            yield f"  {harmless(label):{width}}  {times}{_shared_part(found, label)}"
    yield f"These are decibans of {SCALE}. {NOTE}"


def _shared_part(word: WordEvidence, label: str = "") -> str:
    """What came from the shared filter and what from own lessons; nothing where there is no shared filter.

    >>> from deciban.filter.word_evidence import WordEvidence
    >>> word = WordEvidence("free", {"spam": 12}, 9.0, WordEvidence("free", {"spam": 10}, 7.5))
    >>> _shared_part(word), _shared_part(word, "spam")
    ('; shared +7.5, own +1.5', '; shared 10 times and +7.5 dB, own 2 times and +1.5 dB')
    """
    if word.shared is None:
        return ""
    shared, own = signed(word.shared.decibans), signed(word.decibans - word.shared.decibans)
    if not label:
        return f"; shared {shared}, own {own}"
    times = word.shared.counts.get(label, 0)
    own_times = counted(word.counts[label] - times, "time")
    return f"; shared {counted(times, 'time')} and {shared} dB, own {own_times} and {own} dB"


def _counts(word: WordEvidence) -> str:
    """In how many lessons it was counted.

    >>> from deciban.filter.word_evidence import WordEvidence
    >>> _counts(WordEvidence("free", {"spam": 12, "ham": 1}, 9.0))
    'spam 12, ham 1'
    """
    seen = [(label, count) for label, count in word.counts.items() if count]
    return ", ".join(f"{harmless(label)} {count:,}" for label, count in seen)
