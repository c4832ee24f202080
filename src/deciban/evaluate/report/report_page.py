"""The page: one HTML file without scripts, fonts or anything else that would be fetched.

Subjects, texts and features are what strangers wrote, so every text goes through `html.escape`, and a content
security policy forbids scripts and every request besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from deciban.committee.evidence import Evidence
from deciban.evaluate.assessment import Assessment
from deciban.evaluate.mistakes import Mistake
from deciban.evaluate.summary import ROWS, figure_cell
from deciban.evaluate.telling_features import TellingFeature
from deciban.html_page import html_page

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1c1c1c; --soft: #5a5a5a; --line: #d4d4d4;
  --for: #b34700; --against: #0067a3; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --ink: #e8e8e8; --soft: #a8a8a8; --line: #3a3d42;
    --for: #E69F00; --against: #56B4E9; }
}
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; font-size: 1.2rem; }
p, figcaption { color: var(--soft); max-width: 44rem; }
.pictures, .labels { display: grid; gap: 1.5rem; }
.pictures { grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); }
.labels { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
figure { margin: 0; }
figure svg { width: 100%; height: auto; color: var(--ink); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
small { color: var(--soft); }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.evidence td { border: 0; padding: 0 .75rem 0 0; overflow-wrap: anywhere; }
.for { color: var(--for); }
.against { color: var(--against); }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line);
  overflow-wrap: anywhere; }
"""
CAPTIONS = {
    "roc": "How much spam is missed for how much good mail lost. Lower and further left is better.",
    "learning-curve": "The figure over all messages so far; the first ones are guesses for every filter.",
    "reliability": "Where 9 of 10 verdicts of .9 are right, the points lie on the line.",
    "evidence": "Ten decibans are odds of 10 to 1, twenty of 100 to 1.",
    "confusion": "Rows are what messages are, columns what they were called.",
}


def page(assessments: Sequence[Assessment], pictures: Mapping[str, str], title: str) -> str:
    """The whole page."""
    return html_page(f"deciban on {title}", STYLE, "\n".join(_body(assessments, pictures, title)))


def _body(assessments: Sequence[Assessment], pictures: Mapping[str, str], title: str) -> Iterator[str]:
    messages = max(len(one.trial.messages) for one in assessments)
    yield f"<h1>How well {escape(title)} is told apart</h1>"
    yield f"<p>{messages:,} messages. All filters met the same messages in the same order.</p>"
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
    yield "".join(f'<th class="number">{escape(one.name)}</th><th></th>' for one in judged) + "</tr>"
    for name, (title, digits) in ROWS.items():
        cells = []
        for one in judged:
            value, _, limits = figure_cell(one, name, digits).strip().partition(" ")
            cells.append(f'<td class="number">{value}</td><td><small>{limits.strip()}</small></td>')
        yield f"<tr><th>{escape(title)}</th>{''.join(cells)}</tr>"
    yield "</table></div><p>Behind each figure the limits between which 95% of the resamples lie.</p>"


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
    yield "<p>Each with the features that decided it, by what was known when the message came, in decibans "
    yield "on the scale of <code>deciban why</code>.</p>"
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
        f'<table class="evidence">{"".join(map(_evidence_row, mistake.evidence))}</table></details>'
    )


def _evidence_row(item: Evidence) -> str:
    side = "for" if item.decibans > 0 else "against"
    number = f'<td class="number">{_signed(item.decibans)}</td>'
    return f'<tr class="{side}">{number}<td>{escape(item.name)}</td></tr>'


def _signed(decibans: float, digits: int = 1) -> str:
    """A number with a sign as wide as the plus.

    >>> _signed(5.12), _signed(-0.3)
    ('+5.1', '−0.3')
    """
    return f"{decibans:+.{digits}f}".replace("-", "−")
