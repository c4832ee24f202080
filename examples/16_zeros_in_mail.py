"""Smoothing on the spam folders: what one imagined sighting of every word is worth.

With α = 0 a mail with one word that no spam had cannot be spam. A mail with such a word for each label is
impossible under both, and the label prior decides. With α = 1 every word was seen once more than it was.

    python examples/16_zeros_in_mail.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import warnings

import numpy as np

from deciban import Multinomial, NaiveBayes, TextFeatures
from deciban.errors import ImpossibleRows
from deciban.text import read
from drawing import picture, save
from gallery import labelled_mail, options

ALPHAS = (0, 0.001, 0.01, 0.1, 1, 10)


def main() -> None:
    """Accuracy against α; two thirds of the mail are learned, the others classified."""
    told = options(__doc__)
    warnings.simplefilter("ignore", ImpossibleRows)
    mails = labelled_mail(told.quick)
    held = len(mails) // 3
    texts, y = [read(data).text for _, data in mails], np.array([label for label, _ in mails])
    words = TextFeatures(named=True)
    X, X_test = words.fit_transform(texts[held:]), words.transform(texts[:held])
    seen = NaiveBayes(Multinomial()).fit(X, y[held:]).tally_.sums["count"] > 0
    unseen = (X_test @ ~seen.T) > 0  # (mails, labels): has a word that the label was never seen with
    print(f"{X.shape[0]:,} mails learned, {held:,} classified, {X.shape[1]:,} words")
    print(f"{unseen.all(axis=1).mean():.1%} of these have a new word for ham and a new word for spam")
    accuracy = []
    for alpha in ALPHAS:
        model = NaiveBayes(Multinomial(), rule="mean", prior=alpha).fit(X, y[held:])
        accuracy.append(np.mean(model.predict(X_test) == y[:held]))
        print(f"α = {alpha:<6g}{accuracy[-1]:8.1%} right")
    figure, (axes,) = picture(height=3.4)
    axes.bar([f"{alpha:g}" for alpha in ALPHAS], accuracy)
    axes.bar_label(axes.containers[0], [f"{share:.1%}" for share in accuracy])
    axes.set(xlabel="α, imagined sightings of each word", ylabel="accuracy", ylim=(0.5, 1.03))
    save(figure, told.pictures, "16_zeros_in_mail")


if __name__ == "__main__":
    main()
