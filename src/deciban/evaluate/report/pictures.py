"""The pictures of a report, by matplotlib: ROC, learning curve, reliability, evidence, confusion.

Colours are those of Okabe and Ito, which the colour-blind tell apart, and no two lines differ by colour
alone. In the page the ink is `currentColor`, so that one picture serves light and dark; as files they have a
white ground. Labels come from index files, so nothing is read as mathematics or markup.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deciban import metrics
from deciban.decibans import DECIBANS_A_NAT, log_odds
from deciban.evaluate.assessment import Assessment
from deciban.evaluate.curves import roc_curve
from deciban.evaluate.label_figures import by_size
from deciban.evaluate.summary import calls_of
from deciban.whole_file import WholeFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")
# An ink that no picture uses otherwise, so that it can be found in the SVG again.
INK = "#010203"
INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color")
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "figure.constrained_layout.use": True,
    **dict.fromkeys(INKED, INK),
}
SIZE = (6.4, 4.2)
MOST_LABELS = 6
EVIDENCE_RANGE = 60.0  # decibans: a million to one


def inline_pictures(assessments: Sequence[Assessment]) -> dict[str, str]:
    """Each picture as an SVG element in the ink of the page, by name."""
    return {name: _inline(name, figure) for name, figure in _drawn(assessments)}


def write_pictures(folder: Path, assessments: Sequence[Assessment]) -> list[Path]:
    """Each picture as PNG and SVG in a folder; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in _drawn(assessments):
        for kind in ("png", "svg"):
            path = folder / f"{name}.{kind}"
            with WholeFile(path) as file:
                figure.savefig(file, format=kind, dpi=150, facecolor="white", metadata=_no_date(kind))
            written.append(path)
    return written


def _drawn(assessments: Sequence[Assessment]) -> Iterator[tuple[str, Figure]]:
    """Every picture for which there is something to draw."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    judged = [one for one in assessments if one.figures is not None]
    drawings: list[tuple[str, Callable[[Axes], None]]] = []
    if judged:
        drawings.append(("roc", partial(draw_roc, assessments=judged)))
    if any(one.curve for one in assessments):
        drawings.append(("learning-curve", partial(draw_learning_curve, assessments=assessments)))
    if any(one.reliability for one in judged):
        drawings.append(("reliability", partial(draw_reliability, assessments=judged)))
    for one in assessments:
        if evidence_by_label(one):
            drawings.append((f"evidence-{_slug(one.name)}", partial(draw_evidence, one=one)))
    for one in assessments:
        drawings.append((f"confusion-{_slug(one.name)}", partial(draw_confusion, one=one)))
    for name, draw in drawings:
        style: Any = STYLE | {"svg.hashsalt": name}  # no two pictures share an id
        with mpl.rc_context(style):
            figure = Figure(figsize=SIZE)
            draw(figure.add_subplot())
            yield name, figure


def draw_roc(axes: Axes, assessments: Sequence[Assessment]) -> None:
    """Good mail lost against spam missed, both on logarithmic axes: nearer to the lower left is better."""
    floor = 100.0
    for one, colour, line, marker in _styled(assessments):
        trial = one.trial
        spams = sum(trial.spam)
        hams = len(trial.spam) - spams
        # A share of 0 has no place on a logarithmic axis: it stands at half a message.
        least_lost, least_missed = 50 / hams, 50 / spams
        floor = min(floor, least_lost, least_missed)
        corners = roc_curve(trial.scores, trial.spam)
        lost = [max(corner[0], least_lost) for corner in corners]
        missed = [max(corner[1], least_missed) for corner in corners]
        axes.plot(lost, missed, color=colour, linestyle=line, label=one.name)
        if one.figures is not None:
            at = max(one.figures.ham_lost, least_lost), max(one.figures.spam_missed, least_missed)
            axes.plot(*at, marker=marker, color=colour, markersize=8, markeredgecolor="white")
    axes.set(xscale="log", yscale="log", xlim=(floor, 100), ylim=(floor, 100))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}%")
        axis.set_minor_formatter(lambda *_: "")
    axes.set_xlabel("good mail lost")
    axes.set_ylabel("spam missed")
    axes.set_title("Errors as the threshold moves (marked: at its own threshold)", fontsize=10)
    axes.legend(loc="upper right")


def draw_learning_curve(axes: Axes, assessments: Sequence[Assessment]) -> None:
    """1-ROCA% (or, without spam, wrong labels) over all messages so far."""
    by_roc = any(one.figures is not None for one in assessments)
    for one, colour, line, marker in _styled(assessments):
        points = [(point.messages, point.roc_loss if by_roc else point.wrong) for point in one.curve]
        shown = [(messages, value) for messages, value in points if value]
        if shown:
            axes.plot(
                *zip(*shown, strict=True),
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=4,
                label=one.name,
            )
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}%")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(lambda *_: "")
    axes.set_xlabel("messages so far")
    axes.set_ylabel("1 − area under the ROC curve" if by_roc else "wrong label")
    axes.set_title("Learning curve", fontsize=10)
    axes.legend(loc="best")


def draw_reliability(axes: Axes, assessments: Sequence[Assessment]) -> None:
    """What was said against what was seen, on axes of log-odds, since most verdicts are near 0 or 1."""
    from matplotlib.ticker import NullLocator

    edge = 1e-4
    axes.plot(
        [edge, 1 - edge], [edge, 1 - edge], color=INK, linewidth=0.8, linestyle=":", label="as it should be"
    )
    for one, colour, line, marker in _styled([one for one in assessments if one.reliability]):
        for number, group in enumerate(one.reliability):
            hits = round(group.count * group.seen)
            low, high = (_inside(limit, edge) for limit in metrics.clopper_pearson(hits, group.count))
            said, seen = _inside(group.said, edge), _inside(group.seen, edge)
            axes.plot([said, said], [low, high], color=colour, linestyle=line, linewidth=1)
            # A hollow mark where nothing or everything was spam: such shares have no place on this axis.
            hollow = hits in (0, group.count)
            axes.plot(
                said,
                seen,
                marker=marker,
                color=colour,
                markerfacecolor="none" if hollow else colour,
                linestyle="none",
                label=None if number else one.name,
            )
    ticks = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
    names = ("≤.0001", ".001", ".01", ".1", ".5", ".9", ".99", ".999", "≥.9999")
    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("logit")
        axis.set_minor_locator(NullLocator())
        axis.set_ticks(ticks, names)
    axes.tick_params(axis="x", rotation=30)
    axes.set_xlabel("probability of spam that was said")
    axes.set_ylabel("share of spam that was seen")
    axes.set_title("Reliability, with 95% limits (hollow: none or all)", fontsize=10)
    axes.legend(loc="upper left")


def draw_evidence(axes: Axes, one: Assessment) -> None:
    """How the evidence is spread in the mail of each label, in decibans."""
    values = evidence_by_label(one)
    bins = [step * 2.5 - EVIDENCE_RANGE for step in range(int(EVIDENCE_RANGE * 2 / 2.5) + 1)]
    for (label, decibans), colour, line in zip(values.items(), cycle(OKABE_ITO), cycle(LINES), strict=False):
        held = [min(max(value, -EVIDENCE_RANGE), EVIDENCE_RANGE - 1e-9) for value in decibans]
        axes.hist(held, bins=bins, histtype="stepfilled", color=colour, alpha=0.25)
        axes.hist(held, bins=bins, histtype="step", color=colour, linestyle=line, label=label)
    axes.axvline(0, color=INK, linewidth=0.8, linestyle=":")
    axes.set(yscale="log", ylim=(0.8, None))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_minor_formatter(lambda *_: "")
    what = "for spam" if one.figures is not None else "for the true label"
    axes.set_xlabel(f"evidence {what}, decibans (beyond ±{EVIDENCE_RANGE:.0f} at the edge)")
    axes.set_ylabel("messages")
    axes.set_title(f"Evidence by true label, {one.name}", fontsize=10)
    axes.legend(loc="upper center", ncols=2)


def evidence_by_label(one: Assessment) -> Mapping[str, list[float]]:
    """The decibans for spam (without spam: for the true label) of the mail of the largest labels."""
    shown = by_size(one.trial.labels)[:MOST_LABELS]
    values: dict[str, list[float]] = {label: [] for label in shown}
    for message, opinion in zip(one.trial.messages, one.trial.opinions, strict=True):
        totals = opinion.totals or {}
        if message.label not in values or message.label not in totals:
            continue
        nats = opinion.score if one.figures is not None else log_odds(totals, message.label)
        values[message.label].append(DECIBANS_A_NAT * nats)
    return {label: decibans for label, decibans in values.items() if decibans}


def draw_confusion(axes: Axes, one: Assessment) -> None:
    """True labels by row, what they were called by column; shaded by the share of the row, on a log scale."""
    confusion = one.labels.confusion
    columns = calls_of(confusion)
    counts = [[row.get(call, 0) for call in columns] for row in confusion.values()]
    # From one in a thousand to all: the rare errors are what one looks for.
    shades = [[max(3 + log10(n / sum(row)), 0) / 3 if n else 0 for n in row] for row in counts]
    # Not imshow, which embeds a bitmap: the page forbids images.
    axes.pcolormesh(shades, cmap="Blues", vmin=0, vmax=1.15, edgecolors="white", linewidth=0.5)
    axes.invert_yaxis()
    small = max(len(columns), len(counts)) > 12
    for y, row in enumerate(counts):
        for x, count in enumerate(row):
            if count:
                ink = "white" if shades[y][x] > 0.6 else "black"
                axes.text(
                    x + 0.5,
                    y + 0.5,
                    f"{count:,}",
                    ha="center",
                    va="center",
                    color=ink,
                    fontsize=5 if small else 10,
                )
    size = 6 if small else 10
    axes.set_xticks(
        [x + 0.5 for x in range(len(columns))],
        columns,
        rotation=45 if small else 0,
        ha="right" if small else "center",
        fontsize=size,
    )
    axes.set_yticks([y + 0.5 for y in range(len(counts))], list(confusion), fontsize=size)
    axes.grid(visible=False)
    axes.set_xlabel("was called")
    axes.set_ylabel("truly is")
    axes.set_title(f"Confusion, {one.name}", fontsize=10)


def _styled(assessments: Sequence[Assessment]) -> Iterator[tuple[Assessment, str, str, str]]:
    styles = zip(cycle(OKABE_ITO), cycle(LINES), cycle(MARKERS), strict=False)
    for one, (colour, line, marker) in zip(assessments, styles, strict=False):
        yield one, colour, line, marker


def _inside(share: float, edge: float) -> float:
    return min(max(share, edge), 1 - edge)


def _inline(name: str, figure: Figure) -> str:
    """An SVG element for a page: no prolog, ids of its own, in the ink of the page."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata=_no_date("svg"))
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    # The page sets the width.
    return re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
        r'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" \1>',
        svg,
        count=1,
    )


def _no_date(kind: str) -> dict[str, None]:
    """The same measurement draws the same file."""
    return {"Date": None} if kind == "svg" else {}


def _slug(name: str) -> str:
    """A name as part of a file name.

    >>> _slug("Vowpal Wabbit"), _slug("../x<y>")
    ('vowpal-wabbit', 'x-y')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "peer"
