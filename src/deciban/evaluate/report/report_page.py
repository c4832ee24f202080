"""The report: figures, pictures, features and mistakes on one page, the most important in plain words first.

Subjects, texts and features are what strangers wrote, so every text goes through `html.escape` (see also
html_page.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from deciban.committee.evidence_map import Spot
from deciban.evaluate.assessment import Assessment
from deciban.evaluate.mistakes import MOST_CHARACTERS, Mistake
from deciban.evaluate.summary import MEANINGS, ROWS, figure_cell, in_plain_words
from deciban.evaluate.telling_features import TellingFeature
from deciban.html_page import FRAME, html_page

STYLE = """
h1 { font-size: 1.6rem; }
h2 { margin-top: 2.5rem; font-size: 1.2rem; }
p, figcaption, dl { max-width: 44rem; }
.plain { color: var(--ink); font-size: 1.1rem; }
.pictures, .labels { display: grid; gap: 1.5rem; }
.pictures { grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); }
.labels { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
figure { margin: 0; min-width: 0; }
figure svg { width: 100%; height: auto; color: var(--ink); }
.wide { overflow-x: auto; }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; font-weight: normal; }
td.number, th.number { text-align: right; }
td.number { white-space: nowrap; } .wide th { overflow-wrap: normal; }
dt { margin-top: .5rem; } dd { margin: 0 0 0 1rem; color: var(--soft); }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; }
.evidence td { border: 0; padding: 0 .75rem 0 0; }
.evidence td.kind { color: var(--soft); }
.for { color: var(--for-ink); }
.against { color: var(--against-ink); }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
@media (max-width: 30rem) { th, td { padding-right: .5rem; } }
"""
CAPTIONS = {
    "roc": "How much spam is missed for how much good mail lost. Lower and further left is better.",
    "learning-curve": "The figure over all messages so far; the first ones are guesses for every filter.",
    "reliability": "Where 9 of 10 verdicts of .9 are right, the points lie on the line.",
    "evidence": "Ten decibans are odds of 10 to 1, twenty of 100 to 1.",
    "confusion": "Rows are what messages are, columns what they were called.",
}


def page(
    assessments: Sequence[Assessment], pictures: Mapping[str, str], title: str, made_by: str = ""
) -> str:
    """The whole page; ``made_by`` says by which command and version."""
    body = "\n".join(_body(assessments, pictures, title, made_by))
    return html_page(f"deciban on {title}", FRAME + STYLE, body)


def _body(
    assessments: Sequence[Assessment], pictures: Mapping[str, str], title: str, made_by: str
) -> Iterator[str]:
    messages = max(len(one.trial.messages) for one in assessments)
    yield f"<h1>How well {escape(title)} is told apart</h1>"
    yield "".join(f'<p class="plain">{escape(line)}</p>' for line in map(in_plain_words, assessments))
    same = " All filters met the same messages in the same order." if len(assessments) > 1 else ""
    made = f"<br>{escape(made_by)}" if made_by else ""
    yield f"<p>{messages:,} messages.{same}{made}</p>"
    yield from _figures([one for one in assessments if one.figures is not None])
    yield from _labels(assessments)
    yield '<h2>Pictures</h2>\n<div class="pictures">'
    for name, svg in pictures.items():
        kind = next((kind for kind in CAPTIONS if name.startswith(kind)), "")
        yield f"<figure>{svg}<figcaption>{escape(CAPTIONS.get(kind, ''))}</figcaption></figure>"
    yield "</div>"
    for one in assessments:
        yield from _promises(one)
        yield from _features(one)
        yield from _mistakes(one)


def _figures(judged: Sequence[Assessment]) -> Iterator[str]:
    if not judged:
        return
    yield '<h2>Figures</h2>\n<div class="wide"><table><tr><th></th>'
    yield "".join(f'<th class="number">{escape(one.name)}</th>' for one in judged) + "</tr>"
    for name, (title, digits) in ROWS.items():
        cells = []
        for one in judged:
            value, _, limits = figure_cell(one, name, digits).strip().partition(" ")
            cells.append(f'<td class="number">{value}<br><small>{limits.strip()}</small></td>')
        yield f"<tr><th>{escape(title)}</th>{''.join(cells)}</tr>"
    yield "</table></div><p>Below each figure the limits between which 95% of the resamples lie.</p>"
    yield '<details class="meanings"><summary>What the figures mean</summary><dl>'
    for name, meaning in MEANINGS.items():
        yield f"<dt>{escape(ROWS[name][0])}</dt><dd>{escape(meaning)}</dd>"
    yield "</dl></details>"


def _labels(assessments: Sequence[Assessment]) -> Iterator[str]:
    yield '<h2>Labels</h2>\n<div class="wide"><table><tr><th></th><th class="number">right</th>'
    yield '<th class="number">of</th><th class="number">accuracy</th><th>95%</th>'
    yield '<th class="number">log-loss</th></tr>'
    for one in assessments:
        labels = one.labels
        low, high = labels.limits
        nats = "–" if labels.log_loss is None else f"{labels.log_loss:.4f}"
        yield (
            f'<tr><th>{escape(one.name)}</th><td class="number">{labels.right:,}</td>'
            f'<td class="number">{labels.messages:,}</td><td class="number">{labels.accuracy:.2f}%</td>'
            f'<td><small>{low:.2f}–{high:.2f}</small></td><td class="number">{nats}</td></tr>'
        )
    yield "</table></div>"


def _promises(one: Assessment) -> Iterator[str]:
    if one.promises:
        yield f"<h2>Promises, {escape(one.name)}</h2><ul>"
        yield from (f"<li>{escape(str(promise))}</li>" for promise in one.promises)
        yield "</ul>"


def _features(one: Assessment) -> Iterator[str]:
    if not one.features:
        return
    yield f"<h2>Strongest features, {escape(one.name)}</h2>"
    yield "<p>What spoke most for a label in its own mail: decibans in the mean of the mails that have it, "
    yield "on the scale of <code>deciban why</code>, where all features of a mail add up to its verdict; "
    yield "and the share of mail that has it.</p>"
    yield '<div class="labels">'
    for label, features in one.features.items():
        yield f"<div><h3>{escape(label)}</h3><table>{''.join(map(_feature_row, features))}</table></div>"
    yield "</div>"


def _feature_row(feature: TellingFeature) -> str:
    return (
        f'<tr><td class="number">{_signed(feature.decibans, 2)}</td>'
        f'<td class="number">{feature.share:.0%}</td><td>{escape(feature.name)}</td></tr>'
    )


def _mistakes(one: Assessment) -> Iterator[str]:
    if not one.mistakes:
        return
    yield f"<h2>Worst mistakes, {escape(one.name)}</h2>"
    yield "<p>Each with the places in the message that decided it, by what was known when the message came, "
    yield "in decibans on the scale of <code>deciban why</code>.</p>"
    yield from map(_mistake, one.mistakes)


def _mistake(mistake: Mistake) -> str:
    label, taken_for = escape(mistake.label), escape(mistake.taken_for)
    return (
        f"<details><summary><b>{mistake.decibans:.1f} dB</b> {label}, taken for {taken_for}: "
        f"{escape(mistake.subject) or '<i>no subject</i>'}</summary>"
        f"<p>Message {mistake.number:,}, {escape(mistake.name)}, "
        f"from {escape(mistake.sender) or 'nobody'}</p>"
        f"<blockquote>{escape(mistake.text)}</blockquote>"
        f'<p><span class="for">For {taken_for} (+)</span> and '
        f'<span class="against">for {label} (−)</span>, in decibans:</p>'
        f'<table class="evidence">{"".join(map(_spot_row, mistake.spots))}</table></details>'
    )


def _spot_row(spot: Spot) -> str:
    side = "for" if spot.decibans > 0 else "against"
    number = f'<td class="number">{_signed(spot.decibans)}</td>'
    name = escape(spot.name[:MOST_CHARACTERS])
    return f'<tr class="{side}">{number}<td class="kind">{spot.kind}</td><td>{name}</td></tr>'


def _signed(decibans: float, digits: int = 1) -> str:
    """A number with a sign as wide as the plus.

    >>> _signed(5.12), _signed(-0.3)
    ('+5.1', '−0.3')
    """
    return f"{decibans:+.{digits}f}".replace("-", "−")
