"""The page of a table: figures, labels, confusion, reliability, columns, and the evidence of single rows.

Names and values are what strangers wrote, so every text is escaped; html_page.py forbids everything else.
Everything that is said about rows was said by models that had not seen them (table_trial.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from deciban.html_page import html_page
from deciban.learners.explanation import Explanation
from deciban.tables.guess import DROP, Guess
from deciban.tables.report.chart import COLOURS, number_words, shortened_words
from deciban.tables.report.column_picture import ColumnPicture
from deciban.tables.report.trial_picture import reliability_picture
from deciban.tables.table import Table
from deciban.tables.table_model import TableModel
from deciban.tables.table_trial import TableTrial

ROWS_OF_A_KIND = 4  # surest mistakes, least sure rows, surest right ones
COLUMNS_SHOWN = 10
MOST_CONFUSED = 30  # labels in the confusion matrix
STYLE = """
:root { color-scheme: light dark; --ground: #fff; --card: #f7f7f5; --ink: #1c1c1c; --soft: #5a5a5a;
  --line: #d4d4d4; --for: #b34700; --against: #0067a3; --shade: 0 114 178;
  --k0: #0072B2; --k1: #D55E00; --k2: #009E73; --k3: #B45C92; --k4: #B87F00; --k5: #3C93C2; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --card: #1e2125; --ink: #e8e8e8; --soft: #a8a8a8; --line: #3a3d42;
    --for: #E69F00; --against: #56B4E9; --shade: 86 180 233;
    --k0: #4BA6DE; --k1: #F08A45; --k2: #35C79B; --k3: #E09CC4; --k4: #E6B84A; --k5: #9AD0F0; }
}
* { box-sizing: border-box; }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; max-width: 76rem;
  margin: 1.5rem auto 4rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin-bottom: .3rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .3rem; }
h3 { font-size: 1rem; margin: 0; }
p { color: var(--soft); max-width: 44rem; margin: .3rem 0 1rem; }
b { color: var(--ink); }
.figures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
.figures div, .cards > * { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .7rem .9rem; }
.figures strong { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.figures span { color: var(--soft); font-size: .9rem; }
.cards, .pair { display: grid; gap: 1rem; align-items: start; }
.cards { grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
.pair { grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 1rem 2.5rem; }
.pair > * { min-width: 0; }
.cards p { font-size: .85rem; margin: 0 0 .5rem; }
svg { width: 100%; max-width: 27rem; height: auto; display: block; font: 11px system-ui, sans-serif; }
svg text { fill: currentColor; }
svg .end { text-anchor: end; } svg .mid { text-anchor: middle; }
polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.axis { stroke: var(--soft); stroke-width: 1; } .grid { stroke: var(--line); stroke-width: 1; }
.mark { stroke: var(--ink); } .ideal { stroke: var(--soft); stroke-dasharray: 4 4; }
rect, circle { fill-opacity: .45; } .full { fill-opacity: 1; }
.c0 { fill: var(--k0); } .c1 { fill: var(--k1); } .c2 { fill: var(--k2); }
.c3 { fill: var(--k3); } .c4 { fill: var(--k4); } .c5 { fill: var(--k5); }
.l0 { stroke: var(--k0); } .l1 { stroke: var(--k1); } .l2 { stroke: var(--k2); }
.l3 { stroke: var(--k3); } .l4 { stroke: var(--k4); } .l5 { stroke: var(--k5); }
.key { list-style: none; padding: 0; margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .35rem; }
.cards-key { position: sticky; top: 0; background: var(--ground); padding: .4rem 0; font-size: .9rem; }
.key small { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
.confusion td { text-align: right; border: 1px solid var(--line); min-width: 2.6rem; white-space: nowrap; }
.confusion th { font-weight: normal; color: var(--soft); overflow-wrap: normal; }
.confusion .right { font-weight: bold; }
.dropped th { font-weight: normal; padding-left: 0; overflow-wrap: normal; }
.dropped td { color: var(--soft); }
details { border: 1px solid var(--line); border-radius: 8px; padding: .5rem .9rem; margin: .5rem 0;
  background: var(--card); }
summary { cursor: pointer; }
.evidence { width: 100%; table-layout: fixed; margin: .5rem 0; }
.evidence td { padding: .12rem .4rem .12rem 0; }
.evidence td.n { width: 5.2rem; } .evidence td.side { width: 34%; }
.evidence i { display: block; height: .75rem; margin-top: .4rem; border-radius: 2px; min-width: 1px; }
.evidence .up { background: var(--for); } .evidence .down { background: var(--against); }
.up-word { color: var(--for); } .down-word { color: var(--against); }
@media (max-width: 30rem) { .evidence td.side { width: 24%; } .evidence td { font-size: .9rem; } }
"""


def table_page(model: TableModel, table: Table, title: str) -> str:
    """The whole page of a model that was fitted to this table."""
    assert model.trial is not None, "a model that was loaded has no trial"
    lines = np.flatnonzero([text is not None for text in table.texts(model.label)])
    rows = model.admit(table)[lines]
    body = [
        *_head(model, title),
        *_labels(model, model.trial),
        '<div class="pair">',
        *_confusion(model.trial),
        *_reliability(model),
        "</div>",
        *_columns(model, rows),
        *_rows(model.trial, rows, lines),
    ]
    return html_page(f"deciban table: {title}", STYLE, "\n".join(body))


def _head(model: TableModel, title: str) -> Iterator[str]:
    figures = model.figures
    yield f"<h1>{escape(title)}: how well <i>{escape(model.label)}</i> is told</h1>"
    left_out = f" {model.unlabelled:,} rows without a label were left out." if model.unlabelled else ""
    yield (
        f"<p>{figures.rows:,} rows, {len(model.used)} columns learned from, {figures.folds} folds: every row "
        f"was asked about by a model that had not seen it.{left_out}</p>"
    )
    ratio = figures.log_loss / figures.majority_log_loss if figures.majority_log_loss else 1.0
    yield '<div class="figures">'
    yield (
        f"<div>accuracy<strong>{figures.accuracy:.1%} ± {figures.error:.1%}</strong>"
        f"<span>{figures.majority_accuracy:.1%} by always saying the commonest label</span></div>"
    )
    yield (
        f"<div>log-loss<strong>{figures.log_loss:.3f} nats</strong>"
        f"<span>{figures.majority_log_loss:.3f} by the shares of the labels alone; this is {ratio:.0%} of it"
        "</span></div>"
    )
    temper = model.learner.model_.temper
    if temper is not None:
        yield (
            f"<div>evidence counts<strong>× {temper.exponent:.2f}</strong>"
            "<span>below 1 where columns repeat each other, so that probabilities mean what they say"
            "</span></div>"
        )
    yield "</div>"


def _labels(model: TableModel, trial: TableTrial) -> Iterator[str]:
    shares = sorted(model.shares.items(), key=lambda pair: -pair[1])
    counts = np.bincount(trial.truth, minlength=len(trial.labels))
    count = {str(label): int(n) for label, n in zip(trial.labels, counts, strict=True)}
    yield '<h2>Labels</h2>\n<ul class="key">'
    for number, (label, share) in enumerate(shares):
        yield (
            f"<li>{_swatch(number)}{escape(shortened_words(label, 60))} "
            f"<small>{share:.1%}, {count[label]:,} rows</small></li>"
        )
    yield "</ul>"
    if len(shares) > COLOURS:
        yield f"<p>The pictures show the {COLOURS} commonest of {len(shares):,} labels.</p>"


def _swatch(number: int) -> str:
    """The colour of a label, if it has one."""
    return f'<i style="background:var(--k{number})"></i>' if number < COLOURS else ""


def _confusion(trial: TableTrial) -> Iterator[str]:
    order = np.argsort(-np.bincount(trial.truth, minlength=len(trial.labels)), kind="stable")[:MOST_CONFUSED]
    count = trial.confusion()[np.ix_(order, order)]
    names = [escape(shortened_words(str(trial.labels[place]), 24)) for place in order]
    yield "<section>\n<h2>Confusion</h2>"
    yield "<p>Rows of the table by what they are, columns by what they were taken for.</p>"
    yield '<div class="wide"><table class="confusion"><tr><th></th>'
    yield "".join(f'<th class="n">{name}</th>' for name in names) + "</tr>"
    for row, (name, numbers) in enumerate(zip(names, count.tolist(), strict=True)):
        cells = []
        for column, number in enumerate(numbers):
            share = number / max(sum(numbers), 1)
            kind = ' class="right"' if row == column else ""
            cells.append(f'<td{kind} style="background:rgb(var(--shade)/{0.6 * share:.2f})">{number:,}</td>')
        yield f"<tr><th>{name}</th>{''.join(cells)}</tr>"
    yield "</table></div>\n</section>"


def _reliability(model: TableModel) -> Iterator[str]:
    assert model.trial is not None
    yield "<section>\n<h2>Reliability</h2>"
    yield "<p>Rows in groups by how sure their label was said to be, and how many of them were right, with "
    yield "95% limits. On the dashed line, probabilities mean what they say.</p>"
    yield reliability_picture(model.trial.reliability())
    yield "</section>"


def _columns(model: TableModel, rows: Table) -> Iterator[str]:
    pictures = [ColumnPicture(model, column, rows.values(column.name)) for column in model.used]
    ranked = sorted(((picture.decibans, picture) for picture in pictures), key=lambda pair: -pair[0])
    yield "<h2>Columns</h2>"
    yield "<p>What tells most comes first. Bars are the data, lines the family that was fitted: where they "
    yield "disagree, <code>--family COLUMN=FAMILY</code> may help. <b>dB per row</b>: what a value says for "
    yield "the label of its row, by itself, in the mean; ten are odds of 10 to 1.</p>"
    yield '<ul class="key cards-key">'
    for number, label in enumerate(pictures[0].names):
        yield f"<li>{_swatch(number)}{escape(shortened_words(label, 30))}</li>"
    yield '</ul>\n<div class="cards">'
    for decibans, picture in ranked:
        column = picture.column
        yield (
            f"<section><h3>{escape(shortened_words(column.name, 80))}</h3>"
            f"<p><b>{escape(column.family)}</b> ({escape(column.why)}) · {decibans:.1f} dB per row</p>"
            f"{picture.svg()}</section>"
        )
    yield "</div>"
    yield from _dropped([column for column in model.columns if column not in model.used])


def _dropped(columns: Sequence[Guess]) -> Iterator[str]:
    if not columns:
        return
    yield '<h2>Not learned from</h2>\n<div class="wide"><table class="dropped">'
    for column in columns:
        why = (
            column.why
            if column.family == DROP
            else f"{column.family}, {column.why}: see the columns made of it"
        )
        yield f"<tr><th>{escape(shortened_words(column.name, 60))}</th><td>{escape(why)}</td></tr>"
    yield "</table></div>"


# --- single rows -----------------------------------------------------------------------------


def _rows(trial: TableTrial, rows: Table, lines: NDArray[np.intp]) -> Iterator[str]:
    yield "<h2>Single rows</h2>"
    yield '<p>What each column says <span class="up-word">for the label that was given</span> and <span '
    yield 'class="down-word">against it, for the runner-up</span>, in decibans, which add up. '
    yield "<code>deciban table why</code> explains any row.</p>"
    for title, chosen in chosen_rows(trial).items():
        if chosen:
            yield f"<h3>{title}</h3>"
        for row, told in zip(chosen, trial.why(chosen), strict=True):
            yield from _row(trial, row, int(lines[row]) + 1, told, rows)


def chosen_rows(trial: TableTrial) -> dict[str, list[int]]:
    """The rows worth looking at."""
    sure, right = trial.probability, trial.right
    by_sureness = np.argsort(-sure, kind="stable")
    wrong = by_sureness[~right[by_sureness]]
    good = by_sureness[right[by_sureness]]
    doubtful = [row for row in by_sureness[::-1].tolist() if row not in wrong[:ROWS_OF_A_KIND]]
    return {
        "Surest mistakes": wrong[:ROWS_OF_A_KIND].tolist(),
        "Least sure": doubtful[:ROWS_OF_A_KIND],
        "Surest and right": good[:ROWS_OF_A_KIND].tolist(),
    }


def _row(trial: TableTrial, row: int, line: int, told: Explanation, rows: Table) -> Iterator[str]:
    truth = str(trial.labels[trial.truth[row]])
    said = escape(shortened_words(str(told.label), 40))
    fate = "right" if trial.right[row] else f"wrong: it is <b>{escape(shortened_words(truth, 40))}</b>"
    yield (
        f"<details><summary>Row {line:,}: <b>{said}</b>, {trial.probability[row]:.1%} sure, {fate}</summary>"
        f"<p>{said} rather than {escape(shortened_words(str(told.runner_up), 40))}: "
        f"{_signed(told.decibans)} dB</p>"
    )
    parts = [("the shares of the labels", told.prior)]
    if told.intercept:
        parts.append(("the offset of the label, by tempering", told.intercept))
    shown = told.features[:COLUMNS_SHOWN]
    for feature in shown:
        name = str(feature.name)
        parts.append((f"{name} = {_value_words(rows.values(name)[row])}", feature.decibans))
    rest = told.features[COLUMNS_SHOWN:]
    if rest:
        parts.append((f"{len(rest)} further columns", sum(feature.decibans for feature in rest)))
    most = max(abs(decibans) for _, decibans in parts) or 1.0
    yield (
        '<table class="evidence">' + "".join(_evidence(*part, most) for part in parts) + "</table></details>"
    )


def _evidence(name: str, decibans: float, most: float) -> str:
    side = "up" if decibans > 0 else "down"
    share = 100 * abs(decibans) / most if np.isfinite(decibans) else 100
    return (
        f'<tr><td class="n">{_signed(decibans)} dB</td>'
        f'<td class="side"><i class="{side}" style="width:{share:.0f}%"></i></td>'
        f"<td>{escape(shortened_words(name, 120))}</td></tr>"
    )


def _signed(decibans: float) -> str:
    return f"{decibans:+.1f}".replace("-", "−")


def _value_words(value: object) -> str:
    if value is None or value != value:
        return "missing"
    return number_words(value) if isinstance(value, float) else str(value)
