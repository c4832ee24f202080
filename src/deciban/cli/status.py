"""``deciban status``: how good the filter is on your own mail, and which lessons deserve a second look."""

from __future__ import annotations

from math import isfinite

from deciban.cli.database import add_database_flag, database_path, open_filter
from deciban.cli.numbers import counted, moment_text
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say, shortened
from deciban.decibans import DECIBANS_A_NAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter.status import Quality, Status
    from deciban.filter.threshold import Assurance, Threshold
    from deciban.ledger import Lesson

EXAMPLES = (
    ("deciban status", "lessons, error rates, learning curve, doubtful lessons"),
    ("deciban status --json", "the same for machines"),
)
_BARS = " ▁▂▃▄▅▆▇█"


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban status``."""
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Print the status."""
    from deciban.filter.status import status_of
    from deciban.ledger import Selection

    with open_filter(options) as mail_filter:
        status = status_of(mail_filter)
        doubted = [Selection(digest=doubt.digest) for doubt in status.doubts]
        lessons = {lesson.digest: lesson for each in doubted for lesson in mail_filter.lessons(each)}
        if options.json:
            import json

            record = _strict(_record(status, lessons))
            print(json.dumps(record, separators=(",", ":"), allow_nan=False))
        else:
            say("\n".join(_page(database_path(options.db), status, lessons)))
    return 0


def _page(path: str, status: Status, lessons: dict[bytes, Lesson]) -> Iterator[str]:
    total = sum(status.lessons.values())
    counts = ", ".join(f"{count:,} {harmless(label)}" for label, count in status.lessons.items())
    yield f"{harmless(path)}: {counted(total, 'lesson')}" + (f" ({counts})" if total else "")
    yield from _grounds(status)
    if len(status.labels) < 2:
        yield "Every verdict is unsure until two labels were taught."
        return
    yield ""
    yield "Each lesson was classified before it was learned. What was said then:"
    if not status.examined:
        yield "  nothing yet: teach a few messages more"
        return
    wrong = status.examined - status.right
    share = wrong / status.examined
    yield f"  {counted(status.examined, 'lesson')} examined, {wrong:,} with the wrong label ({share:.2%})"
    if status.overall.good + status.overall.spam:
        yield from _quality(status)
    yield from ("", threshold_line(status.threshold, status.assurance))
    if status.standing is not None:
        lost, good = status.recent.lost, status.recent.good
        share = lost / max(good, 1)
        yield f"Promise {status.standing}: {lost:,} of the last {good:,} good mails had more ({share:.2%})."
    if len(status.curve) > 1:
        yield from _curve(status.curve)
    yield from _doubts(status, lessons)


def _grounds(status: Status) -> Iterator[str]:
    """What there is beside lessons that can be forgotten."""
    if status.folded.lessons:
        until = moment_text(status.folded.until / 1e6)
        yield f"{status.folded.lessons:,} of them, taught up to {until}, are folded and cannot be taken back."
    if status.shared is not None:
        from deciban.filter.shared_filter import is_unchanged

        known = ", ".join(f"{count:,} {harmless(label)}" for label, count in status.shared.lessons.items())
        path = harmless(status.shared.path)
        yield f"Rests on {path} ({known}), digest {status.shared.digest}."
        if not is_unchanged(status.shared):
            yield f"It is another version now, or gone. To take it over: deciban prefer --shared {path}"
    if status.mails.count:
        kept = counted(status.mails.count, "mail")
        yield f"Kept: {kept}, {counted(status.mails.size, 'byte')}; see deciban why --digest."


def _quality(status: Status) -> Iterator[str]:
    overall, recent = status.overall, status.recent
    columns = [("all", overall)]
    if (recent.good, recent.spam) != (overall.good, overall.spam):
        columns.append((f"last {recent.good + recent.spam:,}", recent))
    yield ""
    yield f"{'':32}" + "".join(f"{name:>26}" for name, _ in columns)
    cells = [_cells(quality) for _, quality in columns]
    for title in cells[0]:
        yield f"  {title:30}" + "".join(f"{column[title]:>26}" for column in cells)
    yield "  (≤: at most, with 95% confidence, if new mail resembles the mail taught)"


def threshold_line(threshold: Threshold, assurance: Assurance) -> str:
    """What is called spam, what that promises, and on how much evidence."""
    if threshold.promise is None:
        return (
            f"Called spam: what is more than {threshold.cost:g} times as likely spam as not. "
            "No promise was asked for (deciban prefer --promise 0.01)."
        )
    promise = f"Promised: at most {threshold.promise:.4%} of good mail is lost"
    if assurance.bar is None:
        needed = counted(assurance.needed, "examined good mail")
        return (
            f"{promise}. It takes {needed} to keep that, and there are "
            f"{assurance.good:,}: until then nothing is called spam, only unsure."
        )
    decibans = assurance.bar * DECIBANS_A_NAT
    return (
        f"{promise}. Called spam: what has more than {decibans:.1f} dB. However far one looks back over the "
        f"last {assurance.good:,} good mails, {assurance.needed:,} or more, at most that share had so much. "
        "Assumed: new good mail resembles them."
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
    return f"{hits:,} of {trials:,}, ≤ {most:.2%}"


def _curve(curve: tuple[tuple[int, float], ...]) -> Iterator[str]:
    """The learning curve, one column for so many exams."""
    worst = max(share for _, share in curve)
    yield ""
    yield f"Learning curve: wrong labels per {curve[0][0]:,} exams, the highest column is {worst:.1%}"
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


def _doubts(status: Status, lessons: dict[bytes, Lesson]) -> Iterator[str]:
    if not status.doubts:
        return
    yield ""
    yield "Lessons that contradicted the filter most. Was one taught wrongly? Its command undoes it:"
    for doubt in status.doubts:
        lesson = lessons[doubt.digest]
        what = f"taught as {harmless(doubt.label)}, looked like {harmless(doubt.best)}"
        mail = f"{shortened(lesson.sender, 40)}  {shortened(lesson.subject, 60)}"
        yield f"  {what} by {doubt.nats * DECIBANS_A_NAT:.1f} dB: {mail}".rstrip()
        yield f"    deciban forget --digest {doubt.digest.hex()}"


def _record(status: Status, lessons: dict[bytes, Lesson]) -> dict[str, object]:
    return {
        "lessons": status.lessons,
        "examined": status.examined,
        "right": status.right,
        "cost": status.threshold.cost,
        "promise": status.threshold.promise,
        "standing": status.standing,
        "assurance": {name: getattr(status.assurance, name) for name in ("bar", "good", "needed")},
        "overall": _quality_record(status.overall),
        "recent": _quality_record(status.recent),
        "curve": status.curve,
        "folded": {"lessons": status.folded.lessons, "until": status.folded.until / 1e6},
        "shared": status.shared
        and {name: getattr(status.shared, name) for name in ("path", "digest", "lessons")},
        "kept_mails": {"count": status.mails.count, "bytes": status.mails.size},
        "doubts": [
            {
                "digest": doubt.digest.hex(),
                "label": doubt.label,
                "best": doubt.best,
                "decibans": doubt.nats * DECIBANS_A_NAT,
                "sender": lessons[doubt.digest].sender,
                "subject": lessons[doubt.digest].subject,
                "source": lessons[doubt.digest].source,
            }
            for doubt in status.doubts
        ],
    }


def _strict(value: object) -> object:
    """The same with null for numbers that JSON has no word for: infinity, and what is no number.

    >>> _strict({"bar": float("inf"), "curve": ((1, 0.5),)})
    {'bar': None, 'curve': [[1, 0.5]]}
    """
    if isinstance(value, dict):
        return {key: _strict(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _quality_record(quality: Quality) -> dict[str, object]:
    return {name: getattr(quality, name) for name in (*quality.field_names, "lost_at_most", "missed_at_most")}
