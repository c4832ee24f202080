"""Data that change while they are learned: everything kept, a window, and a memory that fades.

Two heaps of points go once round a circle, opposite each other: halfway each lies where the other was. Batch
after batch is predicted, then learned. Tallies add, subtract and scale, so a window (`Rolling`) and a fading
memory (`Fading`) are sums like any other: nothing is fitted again.

    python examples/30_drift.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciban import Fading, Gaussian, NaiveBayes, Rolling
from drawing import curves, picture, save
from gallery import options

BATCH, SHOWN = 50, 20


def turning_heaps(steps: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of points, each label round its own middle, which moves on from batch to batch."""
    rng = np.random.default_rng(0)
    for step in range(steps):
        angle = 2 * np.pi * step / steps
        y = rng.choice(["left", "right"], BATCH)
        side = np.where(y == "left", -1.0, 1.0)[:, None] * np.array([np.cos(angle), np.sin(angle)])
        yield rng.normal(1.5 * side, 1.0), y


class Everything:
    """A memory that forgets nothing."""

    tally = None

    def add(self, tally: object) -> None:
        """The sum of all."""
        self.tally = tally if self.tally is None else self.tally + tally


def predicted(memory: object, steps: int) -> list[float]:
    """The share of each batch that was predicted rightly before it was learned."""
    model, right = NaiveBayes(), []
    for X, y in turning_heaps(steps):
        if memory.tally is None:
            model.fit(X, y)
        else:
            right.append(float((model.reread(memory.tally).predict(X) == y).mean()))
        memory.add(Gaussian().tally(X, y))
    return right


def main() -> None:
    """Three memories over the same batches."""
    asked = options(__doc__)
    steps = 100 if asked.quick else 400
    memories = {"everything": Everything(), "Rolling(10)": Rolling(10), "Fading(5)": Fading(5)}
    shares = {name: predicted(memory, steps) for name, memory in memories.items()}
    for name, right in shares.items():
        worst = min(np.mean(right[start : start + 10]) for start in range(0, steps - 10, 10))
        print(f"{name:12} {np.mean(right):6.1%} right, in the worst ten batches {worst:6.1%}")
    figure, (panel,) = picture()
    parts = {name: np.array_split(right, SHOWN) for name, right in shares.items()}
    places = [(number + 0.5) / SHOWN for number in range(SHOWN)]
    curves(panel, places, {name: [part.mean() for part in each] for name, each in parts.items()})
    panel.set(xlabel="rounds of the circle", ylabel="predicted rightly", ylim=(0, 1))
    panel.legend(loc="lower left")
    save(figure, asked.pictures, "30_drift")


if __name__ == "__main__":
    main()
