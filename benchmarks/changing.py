"""Naive Bayes where data change: everything kept, a window (Rolling), and fading memory (Fading).

Batches come one after the other; each is predicted, then learned. *Turning heaps*: two heaps of points whose
means go once round a circle, opposite each other, so that halfway each lies where the other was.
*Weather*: what a day in Seattle was like, four years one after the other, learned from rain, wind and
temperatures. There the seasons change, and last month tells more than last summer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Table, show
from benchmarks.nine_tables import weather
from deciban import Fading, Gaussian, NaiveBayes, Rolling
from deciban.tally import Tally

Batch = tuple[NDArray[np.float64], NDArray[np.str_]]
STEPS = 200
BATCH = 50


def turning_heaps(seed: int = 0) -> Iterator[Batch]:
    """Two heaps that change places, and change back."""
    rng = np.random.default_rng(seed)
    for step in range(STEPS):
        angle = 2 * np.pi * step / STEPS
        y = rng.choice(["left", "right"], BATCH)
        side = np.where(y == "left", -1.0, 1.0)[:, None] * np.array([np.cos(angle), np.sin(angle)])
        yield rng.normal(1.5 * side, 1.0), y


def days() -> Iterator[Batch]:
    """The weather in its order, a month at a time."""
    labelled = weather()
    names = ("precipitation", "temp_max", "temp_min", "wind")
    X = np.column_stack([labelled.table.numbers(name) for name in names])
    for start in range(0, len(X), 30):
        yield X[start : start + 30], labelled.labels[start : start + 30]


class Everything:
    """Forgets nothing."""

    tally: Tally | None = None

    def add(self, tally: Tally) -> Tally:
        """The sum of all."""
        self.tally = tally if self.tally is None else self.tally + tally
        return self.tally


def accuracy(batches: Iterable[Batch], memory: Everything | Rolling | Fading) -> float:
    """The share of rows that were predicted rightly before they were learned."""
    right = asked = 0
    model = NaiveBayes()
    for X, y in batches:
        if memory.tally is not None:
            right += int((model.reread(memory.tally).predict(X) == y).sum())
            asked += len(y)
        else:
            model.fit(X, y)
        memory.add(Gaussian().tally(X, y))
    return right / asked


def main() -> list[Table]:
    memories = {
        "everything": Everything,
        "Rolling(10)": lambda: Rolling(10),
        "Rolling(40)": lambda: Rolling(40),
        "Fading(5)": lambda: Fading(5),
        "Fading(20)": lambda: Fading(20),
    }
    rows = [
        (name, *(100 * accuracy(batches(), make()) for batches in (turning_heaps, days)))
        for name, make in memories.items()
    ]
    return [Table("right before it was learned, %", ("", "turning heaps", "weather"), rows)]


if __name__ == "__main__":
    show(main())
