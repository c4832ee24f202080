"""``deciban status``: how good the filter is on your own mail, and which lessons deserve a second look."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, chosen_path, open_filter
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted, moment_text, percent, share_text
from deciban.cli.paint import Paint, add_color_flag
from deciban.cli.parser import Parser
from deciban.cli.table_lines import TableColumn, table_lines
from deciban.cli.terminal import harmless, say, shortened, terminal_columns
from deciban.decibans import DECIBANS_A_NAT
from deciban.filter.status_record import status_record
from deciban.filter.threshold import Assurance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.status import Quality, Status
    from deciban.filter.threshold import Threshold
    from deciban.ledger import Lesson

EXAMPLES = (
    ("deciban status", "what became of good mail and of spam, label by label, and doubtful lessons"),
    ("deciban status --full", "also error rates with their limits, calibration and the learning curve"),
    ("deciban status --json", "the same for machines"),
    ("deciban status --alert || mail -s 'look at the filter' ann", "for cron: says only what is wrong"),
)
WRONG = 1
_BARS = " ▁▂▃▄▅▆▇█"


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban status``."""
    parser.add_argument("--full", action="store_true", help="also the technical figures")
    parser.add_argument(
        "--alert",
        action="store_true",
        help="only what is wrong: changed mail, a broken promise, no lessons for 30 days; exit code 1 if so",
    )
    add_json_flag(parser)
    add_color_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print the status."""
    from time import time

    from deciban.filter.alerts import alerts_of
    from deciban.filter.status import status_of
    from deciban.ledger import Selection

    with open_filter(options) as mail_filter:
        status = status_of(mail_filter)
        alerts = list(alerts_of(status, time()))
        doubted = [Selection(digest=doubt.digest) for doubt in status.doubts]
        lessons = {lesson.digest: lesson for each in doubted for lesson in mail_filter.lessons(each)}
        if options.json:
            say_json(status_record(status, lessons, alerts))
        elif options.alert:
            for alert in alerts:
                say(alert.text)
        else:
            paint = Paint(options.color)
            for line in _page(chosen_path(options), status, lessons, options.full, paint):
                say(line)
            for alert in alerts:
                say(paint.bad(alert.text))
    return WRONG if options.alert and alerts else 0


def _page(path: str, status: Status, lessons: dict[bytes, Lesson], full: bool, paint: Paint) -> Iterator[str]:
    total = sum(status.lessons.values())
    yield f"{harmless(path)}: {counted(total, 'lesson')}"
    yield from _grounds(status)
    if len(status.labels) < 2:
        yield "Every verdict is unsure until two labels were taught."
        return
    yield ""
    if not status.examined:
        yield "Nothing can be said yet about how good it is: teach a few messages more."
        return
    yield from _plain_words(status, paint)
    yield from ("", *_label_table(status, paint), "")
    yield threshold_line(status.threshold, status.assurance)
    if status.standing is not None:
        lost, good = status.lost, status.good
        had_more = f"{lost:,} of the last {good:,} good mails that came in had more ({percent(lost, good)})"
        yield f"Promise {status.standing}: {had_more}."
    if full:
        yield from _figures(status)
    yield from _doubts(status, lessons, paint)
    if not full:
        yield from ("", "deciban status --full shows error rates with their limits and the learning curve.")


def _plain_words(status: Status, paint: Paint) -> Iterator[str]:
    """What a person wants to know: what became of good mail and of spam, or how often it was right."""
    recent = status.recent
    lately = "the last " if recent.good + recent.spam < status.overall.good + status.overall.spam else ""
    if recent.good:
        lost = paint.good("none") if not recent.lost else paint.bad(f"{recent.lost:,}")
        yield f"Of {lately}{counted(recent.good, 'good mail')} it would have lost {lost}."
    if recent.spam:
        missed = f"{recent.missed:,}" if recent.missed else "none"
        yield f"Of {lately}{counted(recent.spam, 'spam mail')} {missed} would have come through."
    if not recent.spam:
        yield f"Of {counted(status.examined, 'message')} it put {status.right:,} under the right label."
    yield "That is what it said about each message before it was taught."


def _label_table(status: Status, paint: Paint) -> Iterator[str]:
    """One row for each label: lessons, how many were told rightly, and what the others were taken for."""
    rows = [["label", "lessons", "examined", "right", "the others were taken for"]]
    for label, exams in status.by_label.items():
        others = ", ".join(f"{best} {count:,}" for best, count in exams.taken_for.items())
        right = percent(exams.right, exams.examined) if exams.examined else "-"
        rows.append([label, f"{exams.lessons:,}", f"{exams.examined:,}", right, others])
    number = TableColumn(right=True)
    columns = [TableColumn(30, least=6), number, number, number, TableColumn(60, least=4)]
    title, *lines = table_lines(rows, columns)
    yield paint.faint(title)
    yield from lines


def _figures(status: Status) -> Iterator[str]:
    """The technical figures."""
    wrong = status.examined - status.right
    examined = counted(status.examined, "lesson")
    yield ""
    yield f"{examined} examined, {wrong:,} with the wrong label ({percent(wrong, status.examined)})"
    if status.overall.good + status.overall.spam:
        yield from _quality(status)
    if len(status.curve) > 1:
        yield from _curve(status.curve)


def _grounds(status: Status) -> Iterator[str]:
    """What there is beside lessons that can be forgotten."""
    if status.folded.lessons:
        until = moment_text(status.folded.until / 1e6)
        yield f"{status.folded.lessons:,} of them, taught up to {until}, are folded and cannot be taken back."
    if status.shared is not None and status.shared.is_starter:
        yield from _starter(status.shared, status.belief)
    elif status.shared is not None:
        from deciban.filter.shared_filter import is_unchanged

        known = ", ".join(f"{count:,} {harmless(label)}" for label, count in status.shared.lessons.items())
        path = harmless(status.shared.path)
        yield f"Rests on {path} ({known}), digest {status.shared.digest}."
        if not is_unchanged(status.shared):
            yield f"It is another version now, or gone. To take it over: deciban prefer --shared {path}"
    if status.mails.count:
        kept = counted(status.mails.count, "mail")
        yield f"Kept: {kept}, {counted(status.mails.size, 'byte')}; see deciban why --digest."


def _starter(starter: SharedFilter, belief: float | None) -> Iterator[str]:
    """What came with deciban, and how far it is believed."""
    from deciban.filter.starter import newest_file, starter_in

    known = ", ".join(f"{count:,} {harmless(label)}" for label, count in starter.lessons.items())
    version = starter.path.partition(":")[2]
    yield f"Began with the starter, version {version} ({known}), digest {starter.digest}."
    if belief is not None:
        starters, own = share_text(belief), share_text(1 - belief)
        yield f"It is believed to {starters}, and your own lessons, without it or against it, to {own}."
    newest = newest_file()
    if newest is not None and starter_in(newest) != starter:
        yield "This deciban came with another starter. To move to it: deciban prefer --starter"


def _quality(status: Status) -> Iterator[str]:
    overall, recent = status.overall, status.recent
    columns = [("all", overall)]
    if (recent.good, recent.spam) != (overall.good, overall.spam):
        columns.append((f"last {recent.good + recent.spam:,}", recent))
    cells = [_cells(quality) for _, quality in columns]
    rows = [["", *(name for name, _ in columns)]]
    rows += [[title, *(column[title] for column in cells)] for title in cells[0]]
    yield ""
    yield from table_lines(rows, [TableColumn(least=12), *(TableColumn(least=14, right=True) for _ in cells)])
    yield "(≤: at most, with 95% confidence, if new mail resembles the mail taught)"


def threshold_line(threshold: Threshold, assurance: Assurance) -> str:
    """What is called spam, what that promises, and on how much evidence."""
    if threshold.promise is None:
        return (
            f"Called spam: what is more than {threshold.cost:g} times as likely spam as not. "
            "No promise was asked for (deciban prefer --promise 0.01)."
        )
    promise = f"Promised: at most {share_text(threshold.promise)} of good mail is lost"
    if assurance.bar is None:
        needed = counted(assurance.needed, "examined good mail")
        return (
            f"{promise}. It takes {needed} to keep that, and of those that came in there are "
            f"{assurance.good:,}: until then nothing is called spam, only unsure."
        )
    decibans = assurance.bar * DECIBANS_A_NAT
    return (
        f"{promise}. Called spam: what has more than {decibans:.1f} dB. However far one looks back over the "
        f"last {assurance.good:,} good mails, {assurance.needed:,} or more, at most that share had so much. "
        f"{_rests_on(assurance)}Assumed: new good mail resembles them."
    )


def _rests_on(assurance: Assurance) -> str:
    """Who sorted the good mails: the user, or nobody, and a sample stands for them."""
    if not assurance.sampled:
        return "All of them came in and were taught. "
    return (
        f"They came in: {assurance.good - assurance.sampled:,} were taught, and a sample stands for "
        f"{assurance.sampled:,} that nobody contested. "
    )


def _cells(quality: Quality) -> dict[str, str]:
    return {
        "good mail called spam": _rate(quality.lost, quality.good, quality.lost_at_most),
        "spam not called spam": _rate(quality.missed, quality.spam, quality.missed_at_most),
        "ROC area (1-ROCA%)": _number(quality.roc_loss),
        "calibration (probabilities off)": _number(quality.calibration_error),
        "log-loss in nats": _number(quality.log_loss),
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _rate(hits: int, trials: int, most: float | None) -> str:
    if most is None:
        return "-"
    return f"{hits:,} of {trials:,}, ≤ {share_text(most)}"


def _curve(curve: tuple[tuple[int, float], ...]) -> Iterator[str]:
    """The learning curve, one column for so many exams."""
    worst = max(share for _, share in curve)
    yield ""
    yield f"Learning curve: wrong labels per {curve[0][0]:,} exams, the highest column is {share_text(worst)}"
    yield "  " + bars([share for _, share in curve])
    yield f"  1{curve[-1][0]:>{max(len(curve) - 1, 1)},}"


def bars(shares: list[float]) -> str:
    """A small plot: the worst share is a full block, nothing at all a space above the line.

    >>> bars([0.4, 0.2, 0.05, 0.0])
    '█▄▁·'
    """
    worst = max(shares)
    # Anything that is not nothing must be seen.
    return "".join(_BARS[max(round(share / worst * 8), 1)] if share else "·" for share in shares)


def _doubts(status: Status, lessons: dict[bytes, Lesson], paint: Paint) -> Iterator[str]:
    if not status.doubts:
        return
    width = terminal_columns()
    yield ""
    yield "Lessons that contradicted the filter most. Was one taught wrongly? Its command undoes it:"
    for doubt in status.doubts:
        lesson = lessons[doubt.digest]
        what = f"taught as {doubt.label}, looked like {doubt.best} by {doubt.nats * DECIBANS_A_NAT:.1f} dB"
        mail = f"{shortened(lesson.sender, 40)}  {shortened(lesson.subject, 60)}"
        yield "  " + shortened(f"{what}: {mail}".rstrip(), 1_000 if width is None else max(width - 2, 2))
        yield paint.faint(f"    deciban forget --digest {doubt.digest.hex()}")
