"""Generative against discriminative: Naive Bayes and logistic regression on the same mails, from 10 on.

Naive Bayes models how mail of each label is written, logistic regression only where the labels part. The
first needs fewer mails, because each word is learned by itself; the second is not harmed by words that come
together, and so it catches up (Ng and Jordan, "On discriminative vs. generative classifiers", 2002).

    python examples/13_generative.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from deciban import Multinomial, NaiveBayes, TextFeatures
from deciban.text import read
from drawing import picture, save
from gallery import labelled_mail, options

COUNTS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 4_000)
# Mails have few hundred different words; each is a column, and its presence is the feature.
COLUMNS = 2**14


def main() -> None:
    """Error against mails learned, the mean of several draws."""
    told = options(__doc__)
    mails = labelled_mail(told.quick)
    y = np.array([label for label, _ in mails])
    X = TextFeatures(n_features=COLUMNS).fit_transform([read(data).text for _, data in mails])
    X.data[:] = 1
    held = len(y) // 3
    counts = [count for count in COUNTS if count <= len(y) - held]
    draws = 3 if told.quick else 10
    errors = np.zeros((len(counts), 2))
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(y))
        test, rest = order[:held], order[held:]
        for row, count in enumerate(counts):
            learned = both_labels(rest, y, count)
            models = (
                NaiveBayes(Multinomial(), rule="mean", prior="empirical"),
                LogisticRegression(max_iter=1_000),
            )
            for column, model in enumerate(models):
                model.fit(X[learned], y[learned])
                errors[row, column] += np.mean(model.predict(X[test]) != y[test]) / draws
    print(f"{len(y):,} mails, {held:,} of them classified; error, mean of {draws} draws")
    print(f"{'mails learned':>14}{'Naive Bayes':>13}{'logistic':>10}")
    for count, (generative, discriminative) in zip(counts, errors, strict=True):
        print(f"{count:14,}{generative:13.1%}{discriminative:10.1%}")
    figure, (axes,) = picture()
    axes.plot(counts, errors, marker="o", label=["Naive Bayes", "logistic regression"])
    axes.set(xscale="log", yscale="log", xlabel="mails learned", ylabel="error", title="mail by its words")
    axes.legend()
    save(figure, told.pictures, "13_generative")


def both_labels(rows: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    """The first so many rows, with at least one of each label among them."""
    firsts = [rows[np.argmax(y[rows] == label)] for label in np.unique(y)]
    others = [row for row in rows if row not in firsts]
    return np.array([*firsts, *others[: count - len(firsts)]])


if __name__ == "__main__":
    main()
