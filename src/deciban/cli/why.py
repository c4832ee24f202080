"""``deciban why``: explain the verdict about a message, feature by feature."""

from __future__ import annotations

import sys

from deciban.cli.database import add_database_flag, open_filter
from deciban.cli.numbers import digest, signed, whole_number
from deciban.cli.parser import Parser
from deciban.cli.progress_line import ProgressLine
from deciban.cli.terminal import harmless, say, shortened
from deciban.cli.verdict_text import verdict_line
from deciban.decibans import runner_up
from deciban.errors import NoSuchSource
from deciban.sources import RawMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from deciban.committee.evidence import Evidence
    from deciban.filter import Filter, Verdict
    from deciban.text import Message

EXAMPLES = (
    ("deciban why < mail.eml", "the features that speak for the verdict, and those against it"),
    ("deciban why --top 50 inbox.mbox@8412", "more of them"),
    ("deciban why --json mail.eml", "all of them, for machines"),
    (
        "deciban why --digest 548178c90c58e4a0e090322e990d21f0",
        "a lesson whose mail was kept (prefer --keep-mail)",
    ),
)
TOP = 12
NAME_WIDTH = 70


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban why``."""
    parser.add_argument(
        "sources", nargs="*", default=["-"], metavar="FILE", help="the messages (default: standard input)"
    )
    parser.add_argument(
        "--top",
        type=whole_number,
        default=TOP,
        metavar="N",
        help=f"so many words for the verdict and so many against it (default: {TOP})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with all evidence")
    parser.add_argument(
        "--digest", type=digest, metavar="HEX", help="the kept mail of this lesson, instead of a file"
    )
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Explain each message."""
    from deciban.filter.mail import question_of, whereabouts_in
    from deciban.text import read

    line = ProgressLine()
    sources: list[Iterable[RawMessage]] = []
    if options.digest is None:
        sources += line.open(options.sources)
    count = 0
    with open_filter(options) as mail_filter:
        if options.digest is not None:
            sources = [[_kept(mail_filter, options.digest)]]
        for source in sources:
            for raw in source:
                message = read(raw.data)
                preferences = mail_filter.preferences
                question = question_of(message, preferences)
                verdict = mail_filter.why(question, whereabouts_in(message, preferences))
                count += 1
                if options.json:
                    _say_json(raw, message, verdict)
                else:
                    say("\n" * (count > 1) + "\n".join(explanation(raw, message, verdict, options.top)))
    if not count:
        print("deciban: no messages there", file=sys.stderr)
    return 0 if count else 3


def _kept(mail_filter: Filter, wanted: bytes) -> RawMessage:
    mail = mail_filter.kept_mail(wanted)
    if mail is None:
        raise NoSuchSource(
            f"no mail is kept under {wanted.hex()}; mail taught after deciban prefer --keep-mail DAYS is"
        )
    return RawMessage(wanted.hex(), mail)


def explanation(raw: RawMessage, message: Message, verdict: Verdict, top: int = TOP) -> Iterator[str]:
    """The lines of one explanation; what is shown adds up to the verdict."""
    subject = shortened(message.header("subject"), NAME_WIDTH)
    yield f"{harmless(raw.id)}" + (f"  “{subject}”" if subject else "")
    yield verdict_line(verdict)
    if not verdict.evidence:
        return
    second = runner_up(verdict.probabilities, verdict.label)
    yield f"for {harmless(verdict.label)} (+) and for {harmless(second)} (−), in decibans:"
    words = [item for item in verdict.evidence if item.view == "words"]
    yield from _strongest("words", words, top)
    yield from _strongest("letters", [item for item in verdict.evidence if item.view == "letters"], top // 3)
    for item in verdict.evidence:
        if item.view not in ("words", "letters"):
            yield _line(item.decibans, f"{item.name}: what the filter believes before it reads")
    yield _line(verdict.decibans, "in all")


def _strongest(view: str, evidence: Sequence[Evidence], top: int) -> Iterator[str]:
    ranked = sorted(evidence, key=lambda item: -item.decibans)
    pro = [item for item in ranked if item.decibans > 0][:top]
    contra = [item for item in reversed(ranked) if item.decibans < 0][:top][::-1]
    for item in (*pro, *contra):
        name = item.name if view == "words" else f"“{item.name.removeprefix('letters:')}”"
        yield _line(item.decibans, shortened(name, NAME_WIDTH))
    rest = len(evidence) - len(pro) - len(contra)
    if rest:
        shown = sum(item.decibans for item in (*pro, *contra))
        total = sum(item.decibans for item in evidence)
        yield _line(total - shown, f"… {rest:,} more {view}")


def _line(decibans: float, text: str) -> str:
    """One item of evidence.

    >>> print(_line(5.12, "subject:free")), print(_line(-0.3, "from:ann"))
      +5.1  subject:free
      −0.3  from:ann
    (None, None)
    """
    return f"{signed(decibans):>6}  {text}"


def _say_json(raw: RawMessage, message: Message, verdict: Verdict) -> None:
    import json

    from deciban.filter.verdict_record import verdict_record

    record = {
        "id": raw.id,
        "digest": message.digest.hex(),
        **verdict_record(verdict),
        "evidence": [
            {"name": item.name, "view": item.view, "decibans": item.decibans, "places": item.places}
            for item in verdict.evidence
        ],
    }
    print(json.dumps(record, separators=(",", ":")))
