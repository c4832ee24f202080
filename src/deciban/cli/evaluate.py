"""``deciban evaluate``: measure the filter on labelled mail, beside others if they are installed."""

from __future__ import annotations

import sys

from deciban.cli.numbers import whole_number
from deciban.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from deciban.evaluate import LabelledMessage, Subject, Trial

EXAMPLES = (
    ("deciban evaluate corpus/index.tsv", "classify each message, then learn it, in the order of the index"),
    ("deciban evaluate --seed 1 corpus/index.tsv", "in an order that the number decides"),
    ("deciban evaluate --half --seed 1 corpus/index.tsv", "learn one half, classify the other"),
    ("deciban evaluate --peer bogofilter corpus/index.tsv", "the same for bogofilter, in one table"),
)
PEER_NAMES = ("bogofilter", "spamassassin", "vowpal-wabbit")


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban evaluate``."""
    parser.add_argument(
        "index", metavar="INDEX", help="a file of lines: label, tab, path of a message beside the index"
    )
    parser.add_argument(
        "--seed", type=whole_number, metavar="N", help="shuffle by this number (default: the index's order)"
    )
    parser.add_argument("--half", action="store_true", help="learn one half and classify the other")
    parser.add_argument(
        "--peer",
        action="append",
        choices=PEER_NAMES,
        default=[],
        metavar="NAME",
        help=f"also measure {', '.join(PEER_NAMES)}; may be given several times",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object by name")


def run(options: Namespace) -> int:
    """Try each subject on the same messages in the same order, and print their figures."""
    from deciban.evaluate import PEERS, DecibanCommittee, Figures, read_index
    from deciban.evaluate.figures import table

    messages = read_index(options.index)
    subjects: dict[str, Callable[[], Subject]] = {"deciban": DecibanCommittee}
    subjects |= {name: peer for name, peer in PEERS.items() if flag_name(name) in options.peer}
    figures = {}
    for name, subject in subjects.items():
        with subject() as started:
            figures[name] = Figures.of(_trial(started, messages, options))
    if options.json:
        import json

        print(
            json.dumps(
                {name: {key: getattr(row, key) for key in row.__slots__} for name, row in figures.items()}
            )
        )
    else:
        print(table(figures))
    return 0


def flag_name(name: str) -> str:
    """A peer as it is typed.

    >>> flag_name("Vowpal Wabbit")
    'vowpal-wabbit'
    """
    return name.lower().replace(" ", "-")


def _trial(subject: Subject, messages: Sequence[LabelledMessage], options: Namespace) -> Trial:
    from deciban.evaluate import online, shuffled, split_in_half

    progress = _Counter(subject.name, len(messages))
    if options.half:
        return split_in_half(subject, messages, options.seed or 0, progress)
    order = messages if options.seed is None else shuffled(messages, options.seed)
    return online(subject, order, progress)


class _Counter:
    """How many messages are done, on a terminal only."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._alive = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        if self._alive and (done % 100 == 0 or done == self._total):
            end = "\r\x1b[K" if done == self._total else ""
            sys.stderr.write(f"\r\x1b[K{self._name}: {done:,} of {self._total:,} messages{end}")
            sys.stderr.flush()
