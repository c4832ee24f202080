"""Locality-sensitive hashing beside the graph that deciban uses for approximate neighbours.

A random plane through the middle of the rows has each of them on one of its sides. Close rows are mostly on
the same side, so b planes make a key of b bits that close rows often share. A search looks only at the rows
with its own key, in each of several tables: more tables find more of the true neighbours and look at more
rows. A graph walks from row to nearer row instead; its breadth is how many candidates it keeps on the way.

    python examples/21_hashing.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from deciban import NeighborsClassifier
from deciban.learners.neighbors import Graph
from drawing import picture, save
from gallery import options

BITS, TABLES = (6, 10, 14), (1, 2, 5, 10, 20, 40)


def rows(count: int, seed: int) -> np.ndarray:
    """Digits, shifted a little at random: many rows, few true dimensions."""
    rng = np.random.default_rng(seed)
    digits = load_digits().data
    return digits[rng.integers(0, len(digits), count)] + rng.normal(0, 2.0, (count, digits.shape[1]))


def keys(X: np.ndarray, planes: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """On which side of each plane a row lies, as one number per table."""
    sides = np.einsum("rc,tbc->trb", X - middle, planes) > 0
    return sides @ (1 << np.arange(planes.shape[1]))


def main() -> None:
    """How many true nearest neighbours are found, against how many rows are looked at."""
    told = options(__doc__)
    X, asked = rows(2_000 if told.quick else 20_000, seed=1), rows(100 if told.quick else 500, seed=2)
    y = np.zeros(len(X))
    nearest = NeighborsClassifier(k=1).fit(X, y).kneighbors(asked)[1][:, 0]
    rng = np.random.default_rng(0)
    figure, (axes,) = picture(height=4)
    print(f"{len(X):,} rows; how often the true nearest neighbour is found, and how many rows are looked at")
    for number, bits in enumerate(BITS):
        planes = rng.normal(size=(max(TABLES), bits, X.shape[1]))
        same = keys(asked, planes, X.mean(axis=0))[:, :, None] == keys(X, planes, X.mean(axis=0))[:, None, :]
        met = [same[:tables].any(axis=0) for tables in TABLES]
        found = [each[np.arange(len(asked)), nearest].mean() for each in met]
        looked = [each.sum(axis=1).mean() for each in met]
        for tables, recall, share in zip(TABLES, found, looked, strict=True):
            print(f"hashing, {bits:2} bits, {tables:2} tables{recall:10.1%}{share:10,.0f} rows")
        axes.plot(looked, found, "os^"[number] + "-", markersize=5, label=f"hashing, {bits} bits")
    for breadth in (8, 32, 64):
        graph = NeighborsClassifier(k=1, search=Graph(breadth=breadth)).fit(X, y)
        recall = np.mean(graph.kneighbors(asked)[1][:, 0] == nearest)
        print(f"graph, breadth {breadth:<13}{recall:10.1%}")
    axes.axhline(recall, color="black", linestyle=":", label=f"graph, breadth {breadth}")
    axes.set(xscale="log", xlabel="rows looked at", ylabel="nearest neighbour found", ylim=(0, 1.05))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    save(figure, told.pictures, "21_hashing")


if __name__ == "__main__":
    main()
