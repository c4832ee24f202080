"""A recipe for grading: which grade a student will get, from columns of every kind, with gaps.

Grades have an order, and the likeliest grade is not the one that is least wrong: where A and C are likely, B
is never far off. So the grade is read from the whole posterior: its median makes the error in grades
smallest. Who handed in nothing has no score: such a gap is skipped, not filled. The students are made up.

    python examples/25_grading.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from deciban import Bernoulli, Columns, Gamma, Gaussian, NaiveBayes, Poisson
from drawing import matrix, picture, save
from gallery import options

GRADES = np.array(["A", "B", "C", "D", "F"])
FAMILY = Columns({"score": Gaussian(), "missed": Poisson(), "hours": Gamma(), "asked": Bernoulli()})


def students(count: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Mean score of the exercises, lessons missed, hours a week, whether they asked; and the grade."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 1, count)
    table = pd.DataFrame(
        {
            "score": 65 + 12 * skill + rng.normal(0, 10, count),
            "missed": rng.poisson(np.exp(1 - 0.6 * skill)),
            "hours": rng.gamma(3, np.exp(0.3 + 0.25 * skill)),
            "asked": (rng.random(count) < 1 / (1 + np.exp(-skill))).astype(float),
        }
    )
    table.loc[rng.random(count) < 0.2, "score"] = np.nan
    exam = skill + rng.normal(0, 0.4, count)
    return table, GRADES[np.searchsorted([-0.9, -0.3, 0.3, 0.9], -exam)]


def main() -> None:
    """Errors of the likeliest grade and of the median of the posterior."""
    told = options(__doc__)
    X, y = students(500 if told.quick else 2_000, seed=1)
    X_test, truth = students(2_000, seed=2)
    true = np.searchsorted(GRADES, truth)
    shares = NaiveBayes(FAMILY).fit(X, y).predict_proba(X_test)
    answers = {
        "always C": np.full(len(true), 2),
        "the likeliest grade": shares.argmax(axis=1),
        "the median of the posterior": (shares.cumsum(axis=1) < 0.5).sum(axis=1),
    }
    print(f"{len(y):,} students learned, {len(true):,} graded")
    print(f"{'':36}{'right':>8}{'off by':>9}{'by two or more':>16}")
    for name, said in answers.items():
        off = np.abs(said - true)
        print(f"{name:36}{np.mean(off == 0):8.1%}{off.mean():9.3f}{np.mean(off > 1):16.1%}")
    said = answers["the median of the posterior"]
    counts = np.zeros((5, 5))
    np.add.at(counts, (true, said), 1)
    figure, (axes,) = picture(height=3.8)
    shown = matrix(axes, counts / counts.sum(axis=1, keepdims=True), GRADES, GRADES)
    axes.set_xticks(range(5), GRADES, rotation=0)
    axes.set(xlabel="grade said", ylabel="grade given", title="the median of the posterior")
    figure.colorbar(shown, ax=axes, label="share of those with this grade")
    save(figure, told.pictures, "25_grading")


if __name__ == "__main__":
    main()
