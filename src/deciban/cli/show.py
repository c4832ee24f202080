"""``deciban show``: the labels of the filter, their strongest words, and what it learned about one word."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.numbers import counted, signed, whole_number
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter.word_evidence import WordEvidence

EXAMPLES = (
    ("deciban show", "the labels, and the words that speak for each most"),
    ("deciban show --top 100 --json", "more of them, for machines"),
    ("deciban show subject:free money", "what was learned about these features of the view `words`"),
)
TOP = 12
NAME_WIDTH = 50


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban show``."""
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="features of the view words, as `deciban why` names them"
    )
    parser.add_argument(
        "--top", type=whole_number, default=TOP, metavar="N", help=f"so many words a label (default: {TOP})"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print labels with their strongest words, or the evidence of each word."""
    from deciban.filter.word_evidence import strongest_words, word_evidence

    with open_filter(options) as mail_filter:
        labels = mail_filter.labels()
        words = {word: word_evidence(mail_filter, word) for word in options.words}
        strongest = {} if words else strongest_words(mail_filter, options.top)
    if options.json:
        import json

        looked_up = {
            word: {label: _record(found) for label, found in rows.items()} for word, rows in words.items()
        }
        tops = {
            label: [{"name": word.name, **_record(word)} for word in rows]
            for label, rows in strongest.items()
        }
        print(json.dumps({"labels": labels, "strongest": tops, "words": looked_up}, separators=(",", ":")))
        return 0
    lines = _words(words) if words else _labels(labels, strongest)
    for line in lines:
        say(line)
    return 0


def _labels(labels: dict[str, int], strongest: dict[str, list[WordEvidence]]) -> Iterator[str]:
    width = max((len(harmless(label)) for label in labels), default=0)
    for label, count in labels.items():
        yield f"{harmless(label):{width}}  {counted(count, 'lesson')}"
    for label, words in strongest.items():
        if words:
            yield ""
            yield f"strongest for {harmless(label)}, in decibans of a message with this word alone:"
        for word in words:
            name = shortened(word.name, NAME_WIDTH)
            yield f"{signed(word.decibans):>6}  {name:{NAME_WIDTH}}  {_counts(word)}"


def _words(words: dict[str, dict[str, WordEvidence]]) -> Iterator[str]:
    for word, rows in words.items():
        yield harmless(word)
        width = max((len(harmless(label)) for label in rows), default=0)
        for label, found in rows.items():
            times = counted(found.counts[label], "time")
            yield f"  {harmless(label):{width}}  counted {times}, {signed(found.decibans)} dB"


def _counts(word: WordEvidence) -> str:
    """In how many lessons it was counted.

    >>> from deciban.filter.word_evidence import WordEvidence
    >>> _counts(WordEvidence("free", {"spam": 12, "ham": 1}, 9.0))
    'spam 12, ham 1'
    """
    seen = [(label, count) for label, count in word.counts.items() if count]
    return ", ".join(f"{harmless(label)} {count:,}" for label, count in seen)


def _record(word: WordEvidence) -> dict[str, object]:
    return {"counts": word.counts, "decibans": word.decibans}
