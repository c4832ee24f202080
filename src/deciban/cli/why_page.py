"""An explanation as a page: the message coloured by evidence, in one HTML file that runs and fetches nothing.

What is shown is what strangers wrote: all of it is made harmless and escaped (see also html_page.py).
"""

from __future__ import annotations

from html import escape

from deciban.cli.numbers import signed
from deciban.cli.passages import level_of, passages, peak_of
from deciban.cli.terminal import harmless
from deciban.committee.evidence_map import KINDS
from deciban.html_page import FRAME, html_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.cli.passages import Passage
    from deciban.committee.evidence_map import EvidenceMap, Spot
    from deciban.text import Message

STYLE = """
body { max-width: 60rem; }
.title { color: var(--soft); }
table { width: 100%; }
td { padding: .1rem .6rem .1rem 0; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; width: 3.5rem; }
td.kind { color: var(--soft); white-space: nowrap; width: 6rem; }
.message td.title { width: 6rem; font-size: .8rem; padding-top: .25rem; }
.message td.number { font-size: .8rem; padding-top: .25rem; color: var(--soft); }
.message tr.begins td { border-top: 1px solid var(--line); }
.words { white-space: pre-wrap; }
.words span, .key span { border-radius: 3px; }
article + article { border-top: 3px double var(--line); margin-top: 3rem; }
@media (max-width: 30rem) {
  td { padding-right: .4rem; } td.kind, .message td.title { width: 3.6rem; font-size: .75rem;
    white-space: normal; } td.number { width: 2.8rem; }
}
"""


def page(articles: Iterable[str]) -> str:
    """The whole page."""
    return html_page("deciban why", FRAME + STYLE, "\n".join(articles))


def article(title: str, verdict: str, sides: str, message: Message, found: EvidenceMap, top: int) -> str:
    """One message: the verdict, what each kind of place says, the strongest places, and the message."""
    return "\n".join(_article(title, verdict, sides, message, found, top))


def _article(
    title: str, verdict: str, sides: str, message: Message, found: EvidenceMap, top: int
) -> Iterator[str]:
    subject = harmless(message.header("subject"))
    yield f"<article>\n<h1>{escape(subject) or '<i>no subject</i>'}</h1>"
    yield f"<p>{escape(title)}<br><b>{escape(verdict)}</b></p>"
    yield f'<p class="key">{escape(sides)} Ten decibans are odds of 10 to 1. <span class="f3">for</span> '
    yield '<span class="a3">against</span></p>'
    yield from _kinds(found.subtotals(), found.total)
    yield "<h2>The message</h2>"
    yield from _message(list(passages(message, found)))
    yield "<h2>The strongest places</h2>\n<table>"
    strongest = found.strongest(top)
    peak = max((abs(spot.decibans) for spot in strongest), default=0.0)
    yield from (_spot_row(spot, peak) for spot in strongest)
    yield "</table>\n</article>"


def _kinds(subtotals: dict[str, float], total: float) -> Iterator[str]:
    most = max(map(abs, subtotals.values()), default=0.0) or 1.0
    yield "<table>"
    for kind, decibans in subtotals.items():
        side = "f4" if decibans > 0 else "a4"
        bar = f'<span class="bar {side}" style="width:{100 * abs(decibans) / most:.0f}%"></span>'
        yield f'<tr><td class="number">{signed(decibans)}</td><td class="kind" title="{KINDS[kind]}">'
        yield f"{kind}</td><td>{bar}</td></tr>"
    yield f'<tr><td class="number"><b>{signed(total)}</b></td><td class="kind">in all</td><td></td></tr>'
    yield "</table>"


def _message(shown: list[Passage]) -> Iterator[str]:
    peak = peak_of(shown)
    yield '<table class="message">'
    for passage in shown:
        words = "".join(_word(text, decibans, peak) for text, decibans in passage.pieces)
        figure = signed(passage.decibans) if passage.pieces or passage.decibans else ""
        begins = ' class="begins"' if passage.title else ""
        yield f'<tr{begins}><td class="number">{figure}</td><td class="title">{escape(passage.title)}</td>'
        yield f'<td class="words">{words}</td></tr>'
    yield "</table>"


def _word(text: str, decibans: float, peak: float) -> str:
    level = level_of(decibans, peak)
    word = text.strip()
    if not level or not word:
        return escape(text)
    side = "f" if decibans > 0 else "a"
    before, _, behind = text.partition(word)
    painted = f'<span class="{side}{level}" title="{signed(decibans)} dB">{escape(word)}</span>'
    return f"{before}{painted}{behind}"


def _spot_row(spot: Spot, peak: float) -> str:
    times = f" <small>×{len(spot.places)}</small>" if len(spot.places) > 1 else ""
    side = f"{'f' if spot.decibans > 0 else 'a'}{max(level_of(spot.decibans, peak), 1)}"
    name = harmless(spot.name[:400])
    return (
        f'<tr><td class="number"><span class="{side}">{signed(spot.decibans)}</span></td>'
        f'<td class="kind">{spot.kind}</td><td>{escape(name)}{times}</td></tr>'
    )
