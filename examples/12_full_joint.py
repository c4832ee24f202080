"""The full joint against the naive model: how many rows it takes to believe nothing.

Eight yes-or-no features of two labels. The full joint assumes nothing and has 2⁸ − 1 = 255 numbers to learn
per label; Naive Bayes assumes independence given the label and has 8. Where that holds, it comes near the
best that anybody can do (the Bayes error, known here because we made the data) with a hundred rows. Where
it fails, it stays where it is, however many rows there are, and the full joint passes it.

    python examples/12_full_joint.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import Bernoulli, Categorical, NaiveBayes
from drawing import picture, save
from gallery import options

WIDTH = 8
CODES = 2 ** np.arange(WIDTH)
ROWS = (20, 50, 100, 300, 1_000, 3_000, 10_000)


def chances(seed: int, dependent: bool) -> np.ndarray:
    """P(row | label) of each of the 256 possible rows: (labels, rows)."""
    rng = np.random.default_rng(seed)
    cells = (np.arange(2**WIDTH)[:, None] & CODES) > 0
    if dependent:
        # Label 1 likes neighbours that are equal, label 0 those that differ; each feature alone says nothing.
        equal = (cells[:, ::2] == cells[:, 1::2]).sum(axis=1)
        weights = np.stack([1.6 ** -equal.astype(float), 1.6 ** equal.astype(float)])
    else:
        on = rng.uniform(0.25, 0.75, (2, WIDTH))
        weights = np.stack([np.where(cells, one, 1 - one).prod(axis=1) for one in on])
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(joint: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows as features, as one code each, and their labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    codes = np.where(labels, *(rng.choice(2**WIDTH, count, p=joint[label]) for label in (1, 0)))
    return ((codes[:, None] & CODES) > 0).astype(float), codes[:, None], labels


def main() -> None:
    """Accuracy against rows, where independence holds and where it does not."""
    told = options(__doc__)
    repetitions, tested = (3, 3_000) if told.quick else (20, 20_000)
    figure, axes = picture(columns=2, height=3.6)
    for panel, dependent in zip(axes, (False, True), strict=True):
        joint = chances(1, dependent)
        best = joint.max(axis=0).sum() / 2
        features, codes, truth = drawn(joint, tested, seed=0)
        print(
            f"\n{'dependent' if dependent else 'independent'} features; nobody can have more than {best:.1%}"
        )
        print(f"{'rows':>8}{'full joint':>12}{'naive':>8}")
        curves = []
        for count in ROWS:
            right = []
            for seed in range(1, repetitions + 1):
                X, code, y = drawn(joint, count, seed)
                naive = NaiveBayes(Bernoulli()).fit(X, y)
                full = NaiveBayes(Categorical(categories=tuple(range(2**WIDTH)))).fit(code, y)
                right.append(
                    [np.mean(full.predict(codes) == truth), np.mean(naive.predict(features) == truth)]
                )
            curves.append(np.mean(right, axis=0))
            print(f"{count:8,}{curves[-1][0]:12.1%}{curves[-1][1]:8.1%}", flush=True)
        panel.plot(ROWS, curves, marker="o", label=["full joint, 255 per label", "naive, 8 per label"])
        panel.axhline(best, color="grey", linestyle="--", label="the best there is")
        panel.set(xscale="log", xlabel="rows", ylabel="accuracy", ylim=(0.45, 0.95))
        panel.set_title("dependent given the label" if dependent else "independent given the label")
        panel.legend(loc="upper left")
    save(figure, told.pictures, "12_full_joint")


if __name__ == "__main__":
    main()
