"""Neighbours vote: regions of three labels, how many of seven agree, and what one wrong label does.

With one neighbour every row has a region of its own, also the one whose label is wrong (in the circle). Seven
neighbours outvote it, and how many of them agree says how sure that is.

    python examples/17_votes.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap

from deciban import NeighborsClassifier
from gallery import COLOURS, options, picture, save

CENTRES = np.array([[0.0, 0.0], [3.0, 0.5], [1.2, 2.8]])
SIDE = (-2.5, 5.5)


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three clouds that overlap, one per label."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 3
    return CENTRES[labels] + rng.normal(0, 0.9, (count, 2)), labels


def main() -> None:
    """Three panels: 1 neighbour, the votes of 7, and a wrong label under both."""
    told = options(__doc__)
    X, y = rows(90, seed=1)
    X_test, truth = rows(3_000, seed=2)
    wrong = int(np.argmin(((X - CENTRES[0]) ** 2).sum(axis=1)))  # in the middle of label 0
    spoiled = np.where(np.arange(len(y)) == wrong, 1, y)
    grid = np.linspace(*SIDE, 80 if told.quick else 240)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    shades = ListedColormap(COLOURS[:3])
    around = X[wrong] + np.random.default_rng(3).normal(0, 0.3, (1_000, 2))
    figure, axes = picture(columns=3, height=4.4)
    for panel, k in zip(axes, (1, 7, 7), strict=True):
        model = NeighborsClassifier(k=k).fit(X, spoiled)
        votes = model.predict_proba(points)
        if panel is axes[1]:
            shown = panel.scatter(*points.T, c=7 * votes.max(axis=1), cmap="Greys_r", s=2, vmin=2, vmax=7)
            figure.colorbar(shown, ax=panel, label="votes for the winner, of 7", shrink=0.7)
        else:
            panel.scatter(*points.T, c=votes.argmax(axis=1), cmap=shades, s=2, alpha=0.25)
        panel.scatter(*X.T, c=spoiled, cmap=shades, s=22, edgecolor="white", linewidth=0.5)
        panel.plot(*X[wrong], "o", markersize=15, fillstyle="none", color="black")
        panel.set(
            title=f"k = {k}" + (", votes" if panel is axes[1] else ""),
            xlim=SIDE,
            ylim=SIDE,
            xticks=[],
            yticks=[],
            aspect="equal",
        )
    for k in (1, 7):
        model = NeighborsClassifier(k=k).fit(X, spoiled)
        right, nearby = np.mean(model.predict(X_test) == truth), np.mean(model.predict(around) == 0)
        print(f"k = {k}: {right:.1%} right; around the wrong label {nearby:.1%} are still called right")
    save(figure, told.pictures, "17_votes")


if __name__ == "__main__":
    main()
