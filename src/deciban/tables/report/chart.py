"""Rectangles, lines and words of a picture in SVG, in coordinates of its data.

>>> chart = Chart(low=0, high=10, height=40)
>>> chart.across(5)
180.0
>>> chart.text(4, 12, "a < b")
>>> print(chart.svg("sizes").splitlines()[2])
<text x="4" y="12">a &lt; b</text>
>>> ticks(0, 97)
[0, 20, 40, 60, 80]
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

WIDTH = 360  # as wide as a telephone shows, so that words keep their size there
COLOURS = 6  # classes c0 … c5 of the page


class Chart:
    """A picture that is drawn piece by piece."""

    def __init__(self, low: float, high: float, height: float, left: float = 0, right: float = 0) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self.height, self.left, self.width = height, left, WIDTH - left - right
        self._pieces: list[str] = []

    def across(self, value: float) -> float:
        """Where a value stands from left to right."""
        return self.left + self.width * (value - self.low) / (self.high - self.low)

    def bar(self, x: float, y: float, width: float, height: float, kind: str, tip: str = "") -> None:
        """A rectangle, with words that show when one points at it."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
        self._pieces.append(f'<rect {place} class="{kind}">{title}</rect>')

    def line(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._pieces.append(f'<polyline points="{path}" class="{kind}"/>')

    def dot(self, x: float, y: float, kind: str, tip: str = "") -> None:
        """A point."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        self._pieces.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="{kind}">{title}</circle>')

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        """Words that begin (class end: end, class mid: have their middle) at a place."""
        style = f' class="{kind}"' if kind else ""
        self._pieces.append(f'<text x="{x:g}" y="{y:g}"{style}>{escape(words)}</text>')

    def axis(self, y: float, shares: bool = False) -> None:
        """A line from left to right with its ticks, which may be shares of a whole."""
        self.line([(self.left, y), (self.left + self.width, y)], "axis")
        for value in ticks(self.low, self.high):
            x = round(self.across(value), 1)
            self.line([(x, y), (x, y + 4)], "axis")
            edge = "end" if x > WIDTH - 16 else "" if x < 12 else "mid"
            self.text(x, y + 15, f"{100 * value:.3g}%" if shares else number_words(value), edge)

    def svg(self, meaning: str) -> str:
        """The element; its meaning is for those who cannot see it."""
        body = "\n".join(self._pieces)
        return (
            f'<svg viewBox="0 0 {WIDTH} {self.height:g}" role="img">\n'
            f"<title>{escape(meaning)}</title>\n{body}\n</svg>"
        )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two limits, at most so many."""
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * int(step) if step == int(step) else number * step for number in range(first, last + 1)]


def number_words(value: float) -> str:
    """A number as short as a picture wants it.

    >>> [number_words(value) for value in (0.30000000000000004, 1500, 2e7, -0.5, 1e-7)]
    ['0.3', '1500', '20M', '−0.5', '1e−07']
    """
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= 10 * size or (abs(value) >= size and value % size == 0):
            return number_words(value / size) + unit
    words = f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.{4 if abs(value) >= 1000 else 3}g}"
    return words.replace("-", "−")


def shortened_words(text: str, most: int) -> str:
    """A text cut to so many letters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
