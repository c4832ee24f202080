"""Why a row was given its answer: the neighbours behind it, and what each of them said.

>>> why = NeighborsExplanation("spam", 0.75, (Neighbor(3, "spam", 0.5, 0.75), Neighbor(0, "ham", 1.5, 0.25)))
>>> print(why)
spam, by .75 of the vote
     .75  spam  row 3, 0.5 away
     .25  ham  row 0, 1.5 away
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SHOWN = 10


@dataclass(frozen=True)
class Neighbor:
    """A row that was learned, its answer, how far it is and its share of the vote."""

    row: int  # its position among the rows that are kept, in the order in which they were learned
    answer: Any
    distance: float
    share: float


@dataclass(frozen=True)
class NeighborsExplanation:
    """An answer and the neighbours whose shares make it, nearest first."""

    answer: Any
    share: float | None  # what the answer has of the vote; a mean has none
    neighbors: tuple[Neighbor, ...]

    def __str__(self) -> str:
        if self.share is None:
            lines = [f"{self.answer:g}, the mean of {len(self.neighbors)} neighbours"]
        else:
            lines = [f"{self.answer}, by {_share(self.share)} of the vote"]
        for one in self.neighbors[:SHOWN]:
            answer = f"{one.answer:g}" if self.share is None else one.answer
            lines.append(f"{_share(one.share):>8}  {answer}  row {one.row}, {one.distance:.4g} away")
        if len(self.neighbors) > SHOWN:
            rest = sum(one.share for one in self.neighbors[SHOWN:])
            lines.append(f"{_share(rest):>8}  {len(self.neighbors) - SHOWN} further neighbours")
        return "\n".join(lines)


def _share(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")
