"""Mixed columns: a family for each column, and why integrating parameters out pays with few rows.

Spambase has 57 columns: shares of words and characters, mostly 0, and lengths of runs of capitals, with
long tails. A Gaussian fits none of them. `Columns` gives each group what it is: whether a word is there at
all (Bernoulli), and Gamma for lengths. The medical table is scikit-learn's breast cancer data: 30 positive
measurements of cells.

    python examples/7_mixed_columns.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from deciban import Bernoulli, Columns, Gamma, NaiveBayes
from deciban.errors import ImpossibleRows
from drawing import curves, picture, save, ticks
from gallery import ARCHIVES, members, options


def tables() -> dict[str, tuple[np.ndarray, np.ndarray, Columns]]:
    """Rows, labels and a family for the columns of each table."""
    cancer = load_breast_cancer()
    # A measurement of 0 (no concave points) is outside of a Gamma's support: the least other stands for it.
    X = np.where(cancer.data > 0, cancer.data, np.where(cancer.data > 0, cancer.data, np.inf).min(axis=0))
    found = {"breast cancer": (X, cancer.target, Columns([(range(30), Gamma())]))}
    if (ARCHIVES / "spambase.tar.gz").exists():
        text = dict(members("spambase"))["spambase.data"].decode()
        rows = np.array([line.split(",") for line in text.split()], dtype=float)
        family = Columns([(range(54), Bernoulli(binarize=0.0)), (range(54, 57), Gamma())])
        found["Spambase"] = (rows[:, :-1], rows[:, -1].astype(int), family)
    else:
        print("There is no ../shared/data/spambase.tar.gz: only the medical table is shown.")
    return found


def models(family: Columns) -> dict[str, object]:
    """deciban's columns read in three ways, and scikit-learn's two."""
    return {
        "Columns, bayes": NaiveBayes(family, rule="bayes", prior=1),
        "Columns, map": NaiveBayes(family, rule="map", prior=1),
        "Columns, mle": NaiveBayes(family, rule="mle", prior=0),
        "GaussianNB": GaussianNB(),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }


def accuracy(model: object, X: np.ndarray, y: np.ndarray, size: int, repeats: int) -> float:
    """Mean accuracy over random samples of so many rows to learn, on the rest."""
    draws = StratifiedShuffleSplit(repeats, train_size=size, random_state=0).split(X, y)
    return float(np.mean([model.fit(X[learn], y[learn]).score(X[rest], y[rest]) for learn, rest in draws]))


def main() -> None:
    """Accuracy with 10, 100 and 1,000 rows to learn."""
    told = options(__doc__)
    warnings.simplefilter("ignore", ImpossibleRows)  # mle and map meet words that a label never had
    found = tables()
    figure, axes = picture(columns=len(found))
    for panel, (name, (X, y, family)) in zip(axes, found.items(), strict=True):
        sizes = [size for size in (10, 30, 100, 300, 1000, 3000) if size < 0.9 * len(y)]
        print(f"{name:22}" + "".join(f"{size:>8} rows" for size in sizes))
        lines = {}
        for model_name, model in models(family).items():
            lines[model_name] = [accuracy(model, X, y, size, 3 if told.quick else 20) for size in sizes]
            print(f"{model_name:22}" + "".join(f"{share:13.1%}" for share in lines[model_name]))
        curves(panel, sizes, lines)
        ticks(panel, sizes)
        panel.set(xlabel="rows learned", title=name, xlim=(8, 3_700), ylim=(0.65, 1))
        # `map` often lies right below `mle`.
        panel.lines[2].set(linestyle="--", markersize=9, fillstyle="none")
    axes[0].set_ylabel("accuracy")
    axes[0].legend(loc="lower right")
    save(figure, told.pictures, "7_mixed_columns")


if __name__ == "__main__":
    main()
