"""Neighbours vote: regions of three labels, how many of seven agree, and what one wrong label does.

With one neighbour every row has a region of its own, also the one whose label is wrong (in the circle). Seven
neighbours outvote it, and how many of them agree says how sure that is.

    python examples/17_votes.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import NeighborsClassifier
from drawing import picture, places_of, points, regions, save, votes
from gallery import options

CENTRES = np.array([[0.0, 0.0], [3.0, 0.5], [1.2, 2.8]])
NAMES = np.array(["blue", "orange", "green"])


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three clouds that overlap, one per label."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 3
    return CENTRES[labels] + rng.normal(0, 0.9, (count, 2)), labels


def main() -> None:
    """Regions of 1 and votes of 7 neighbours, and the neighbourhood of a wrong label under both."""
    told = options(__doc__)
    X, y = rows(90, seed=1)
    X_test, truth = rows(3_000, seed=2)
    wrong = int(np.argmin(((X - CENTRES[0]) ** 2).sum(axis=1)))  # in the middle of label 0
    spoiled = np.where(np.arange(len(y)) == wrong, 1, y)
    around = X[wrong] + np.random.default_rng(3).normal(0, 0.3, (1_000, 2))
    models = {k: NeighborsClassifier(k=k).fit(X, spoiled) for k in (1, 7)}
    for k, model in models.items():
        right, nearby = np.mean(model.predict(X_test) == truth), np.mean(model.predict(around) == 0)
        print(f"k = {k}: {right:.1%} right; around the wrong label {nearby:.1%} are still called right")
    figure, axes = picture(columns=2, rows=2, height=8.4)
    wide, near = np.array([-2.5, 5.5]), np.array([-1.3, 1.3])
    views = (
        ("k = 1: every row has its region", 1, wide, 0),
        ("k = 7: how many of them are orange", 7, wide, 0),
        ("k = 1 around a wrong label", 1, near, X[wrong]),
        ("k = 7 around a wrong label", 7, near, X[wrong]),
    )
    for panel, (title, k, side, centre) in zip(axes, views, strict=True):
        across, up = (
            np.linspace(*limits, 100 if told.quick else 400) for limits in (side + np.zeros((2, 1)))
        )
        across, up = across + np.ravel(centre)[0], up + np.ravel(centre)[-1]
        shares = models[k].predict_proba(places_of(across, up))
        if panel is axes[1]:
            figure.colorbar(votes(panel, across, up, 7 * shares[:, 1], 7), ax=panel, label="votes of 7")
        else:
            regions(panel, across, up, shares.argmax(axis=1), 3)
        points(panel, X, NAMES[spoiled], names=NAMES, size=30)
        panel.plot(*X[wrong], "o", markersize=17, fillstyle="none", color="black")
        panel.set(title=title, xlim=across[[0, -1]], ylim=up[[0, -1]], xticks=[], yticks=[], aspect="equal")
    axes[0].legend(loc="lower right", frameon=True)
    save(figure, told.pictures, "17_votes")


if __name__ == "__main__":
    main()
