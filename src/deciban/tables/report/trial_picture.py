"""How sure and how right: what was said about held-out rows against what was seen."""

from __future__ import annotations

from collections.abc import Sequence

from deciban import metrics
from deciban.tables.report.chart import WIDTH, Chart

HEIGHT = 250
LEFT, BELOW = 42, 40


def reliability_picture(groups: Sequence[metrics.Bin]) -> str:
    """A point for each group of rows, with 95% limits; on the line, what was said is what was seen.

    >>> reliability_picture([metrics.Bin(10, 0.9, 0.8)]).count("<circle")
    1
    """
    low = min([*(group.said for group in groups), *(group.seen for group in groups), 0.9])
    start = max(0.0, int(low * 10) / 10 - 0.1)
    chart = Chart(start, 1, HEIGHT, left=LEFT, right=14)
    floor, top = HEIGHT - BELOW, 10

    def up(share: float) -> float:
        return floor - (floor - top) * (max(share, start) - start) / (1 - start)

    for tenth in range(round(start * 10), 11, 1 if start >= 0.5 else 2):
        chart.line([(LEFT, up(tenth / 10)), (WIDTH - 14, up(tenth / 10))], "grid")
        chart.text(LEFT - 6, up(tenth / 10) + 4, f"{10 * tenth}%", "end")
    chart.line([(chart.across(start), up(start)), (chart.across(1), up(1))], "ideal")
    for group in groups:
        hits = round(group.count * group.seen)
        least, most = metrics.clopper_pearson(hits, group.count)
        x = chart.across(group.said)
        chart.line([(x, up(least)), (x, up(most))], "fit l0")
        tip = (
            f"{group.count:,} rows: said {group.said:.1%}, right {group.seen:.1%} ({least:.1%} to {most:.1%})"
        )
        chart.dot(x, up(group.seen), "c0 full", tip)
    chart.axis(floor, shares=True)
    chart.text((LEFT + WIDTH) / 2, HEIGHT - 6, "probability that was said", "mid")
    return chart.svg("Of rows given about the same probability, how many were right")
