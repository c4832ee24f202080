"""``deciban why``: explain the verdict about a message, by place in the message."""

from __future__ import annotations

from math import fsum

from deciban.cli.database import add_database_flag, add_server_flag, open_filter
from deciban.cli.decision_flags import add_decision_flags, decide_by
from deciban.cli.intake import Intake, add_sources, named_in
from deciban.cli.numbers import counted, digest, signed, whole_number
from deciban.cli.paint import Paint, add_color_flag, wants_color
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say, shortened, terminal_columns
from deciban.cli.verdict_text import colored, verdict_line
from deciban.committee.evidence_map import KINDS, EvidenceMap
from deciban.decibans import runner_up
from deciban.errors import NoSuchSource
from deciban.sources import RawMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter import Filter, Verdict
    from deciban.text import Message

EXAMPLES = (
    ("deciban why < mail.eml", "what speaks for the verdict and what against it, by place in the message"),
    ("deciban why --text mail.eml", "the message, its words coloured by what they say"),
    ("deciban why --html why.html mail.eml", "the same as a page for the browser"),
    ("deciban why --top 50 inbox.mbox@8412", "more of them"),
    ("deciban why --json mail.eml", "all of them, for machines"),
    (
        "deciban why --digest 548178c90c58e4a0e090322e990d21f0",
        "a lesson whose mail was kept (prefer --keep-mail)",
    ),
)
TOP = 32
SUBJECT_WIDTH = 60
KIND_WIDTH = 11
LEAST_MEANING = 20
# Where evidence is from, on a filter that rests on a shared one or on a starter.
SHARED, OWN = "foundation", "own lessons"
ORIGINS = {
    SHARED: "what it rests on says alone",
    OWN: "what your own lessons made of it",
}
# In a pipe lines are as long as they are useful.
PIPE_WIDTH = 100
BAR_WIDTH = 20


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban why``."""
    add_sources(parser, "the messages (default: standard input)", default=["-"])
    parser.add_argument(
        "--top",
        type=whole_number,
        default=TOP,
        metavar="N",
        help=f"so many places of the message, the strongest (default: {TOP})",
    )
    parser.add_argument(
        "--text", action="store_true", help="the message itself, its words coloured by evidence"
    )
    parser.add_argument(
        "--html", metavar="FILE", help="write a page with all of this, which fetches nothing, instead"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with all evidence")
    parser.add_argument(
        "--digest", type=digest, metavar="HEX", help="the kept mail of this lesson, instead of a file"
    )
    add_color_flag(parser)
    add_decision_flags(parser)
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Explain each message."""
    if options.server is not None:
        from deciban.cli.remote import why

        return why(options)
    from deciban.filter.mail import question_of, whereabouts_in
    from deciban.text import read

    intake = None if options.digest is not None else Intake(named_in(options), progress=False)
    articles = list[str]()
    with open_filter(options) as mail_filter:
        decide_by(mail_filter, options)
        messages = [_kept(mail_filter, options.digest)] if intake is None else intake
        for number, raw in enumerate(messages):
            message = read(raw.data)
            preferences = mail_filter.preferences
            question = question_of(message, preferences)
            verdict = mail_filter.why(question, whereabouts_in(message, preferences))
            shared = mail_filter.shared_evidence(question, verdict)
            if options.html is not None:
                articles.append(_article(raw, message, verdict, options.top))
            else:
                say_why(options, number, raw, message, verdict, shared)
    if articles:
        _write_page(options.html, articles)
    return 0 if intake is None else intake.exit_code()


def say_why(
    options: Namespace, number: int, raw: RawMessage, message: Message, verdict: Verdict, shared: float | None
) -> None:
    """Print one explanation, the first or a later one, as it was asked for."""
    if options.json:
        _say_json(raw, message, verdict, shared)
    elif options.text:
        say("\n" * bool(number) + "\n".join(_coloured(raw, message, verdict, options.color)))
    else:
        paint = Paint(options.color)
        lines = explanation(raw, message, verdict, shared=shared, top=options.top, paint=paint)
        say("\n" * bool(number) + "\n".join(lines))


def _kept(mail_filter: Filter, wanted: bytes) -> RawMessage:
    mail = mail_filter.kept_mail(wanted)
    if mail is None:
        raise NoSuchSource(
            f"no mail is kept under {wanted.hex()}; deciban prefer --keep-mail DAYS keeps what is taught then"
        )
    return RawMessage(wanted.hex(), mail)


def explanation(
    raw: RawMessage,
    message: Message,
    verdict: Verdict,
    *,
    shared: float | None = None,
    top: int = TOP,
    paint: Paint | None = None,
) -> Iterator[str]:
    """The lines of one explanation; what is shown adds up to the verdict."""
    paint = paint or Paint("never")
    yield from _heading(raw, message, verdict, paint)
    if not verdict.evidence:
        return
    found = EvidenceMap(message, verdict.evidence)
    width = terminal_columns() or PIPE_WIDTH
    yield _sides(verdict)
    yield from _bars(found.subtotals(), KINDS, width, paint)
    yield _line(found.total, paint.strong("in all"), paint)
    if shared is not None:
        yield "of that:"
        yield from _bars({SHARED: shared, OWN: found.total - shared}, ORIGINS, width, paint)
    yield ""
    yield from _places(found, top, width, paint)


def _heading(raw: RawMessage, message: Message, verdict: Verdict, paint: Paint) -> Iterator[str]:
    width = terminal_columns()
    subject = shortened(message.header("subject"), SUBJECT_WIDTH)
    title = harmless(raw.id) + (f"  “{subject}”" if subject else "")
    yield title if width is None else shortened(title, width)
    line = verdict_line(verdict)
    yield colored(line, verdict) if paint.is_on else line


def _sides(verdict: Verdict) -> str:
    second = runner_up(verdict.probabilities, verdict.label)
    return f"for {harmless(verdict.label)} (+) and for {harmless(second)} (−), in decibans:"


def _bars(subtotals: dict[str, float], meanings: dict[str, str], width: int, paint: Paint) -> Iterator[str]:
    """What each kind of place says, with a bar, and what it is where there is room for that."""
    most = max(map(abs, subtotals.values())) or 1.0
    longest = min(BAR_WIDTH, width - KIND_WIDTH - 10)
    room = width - KIND_WIDTH - longest - 12
    for kind, decibans in subtotals.items():
        block = "█" if decibans > 0 else "░"
        bar = f"{block * round(longest * abs(decibans) / most):{longest}}"
        meaning = shortened(meanings[kind], room) if room >= LEAST_MEANING else ""
        yield _line(decibans, f"{kind:{KIND_WIDTH}}  {paint.side(bar, decibans)}  {meaning}", paint)


def _places(found: EvidenceMap, top: int, width: int, paint: Paint) -> Iterator[str]:
    """The strongest places, those for the verdict first, and what all others say together."""
    shown = found.strongest(top)
    others = [spot.decibans for spot in found.strongest(len(found.spots))[len(shown) :]]
    weight = sum(abs(spot.decibans) for spot in shown)
    all_weight = weight + sum(map(abs, others))
    share = f", which carry {weight / all_weight:.0%} of the evidence" if others and all_weight else ""
    yield f"the strongest {counted(len(shown), 'place')}{share}:"
    for spot in sorted(shown, key=lambda spot: -spot.decibans):
        times = f"  ×{len(spot.places):,}" if len(spot.places) > 1 else ""
        room = max(width - KIND_WIDTH - 10 - len(times), 8)
        yield _line(spot.decibans, f"{spot.kind:{KIND_WIDTH}}  {shortened(spot.name, room)}{times}", paint)
    if others:
        yield _line(fsum(others), f"… {counted(len(others), 'more place')}", paint)


def _line(decibans: float, text: str, paint: Paint) -> str:
    """One line of evidence.

    >>> for decibans, text in (5.12, "subject:free"), (-0.3, "from:ann"):
    ...     print(_line(decibans, text, Paint("never")))
      +5.1  subject:free
      −0.3  from:ann
    """
    return f"{paint.side(f'{signed(decibans):>6}', decibans)}  {text}".rstrip()


def _coloured(raw: RawMessage, message: Message, verdict: Verdict, color: str) -> Iterator[str]:
    """The message coloured by evidence."""
    from shutil import get_terminal_size

    from deciban.cli.coloured_text import ColouredText

    yield from _heading(raw, message, verdict, Paint(color))
    if verdict.evidence:
        yield _sides(verdict)
        found = EvidenceMap(message, verdict.evidence)
        yield from ColouredText(message, found, wants_color(color), get_terminal_size().columns).lines()


def _article(raw: RawMessage, message: Message, verdict: Verdict, top: int) -> str:
    from deciban.cli.why_page import article

    found = EvidenceMap(message, verdict.evidence)
    sides = _sides(verdict).replace(", in decibans:", ", in decibans.") if verdict.evidence else ""
    return article(harmless(raw.id), verdict_line(verdict), sides, message, found, top)


def _write_page(path: str, articles: list[str]) -> None:
    from deciban.cli.why_page import page
    from deciban.errors import CannotWrite
    from deciban.whole_file import WholeFile

    try:
        with WholeFile(path) as file:
            file.write(page(articles).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}.") from None


def _say_json(raw: RawMessage, message: Message, verdict: Verdict, shared: float | None) -> None:
    import json

    from deciban.filter.why_record import why_record

    found = EvidenceMap(message, verdict.evidence) if verdict.evidence else None
    record = why_record(raw.id, message.digest, verdict, found, shared)
    print(json.dumps(record, separators=(",", ":")))
