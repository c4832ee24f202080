"""Overconfidence: why Naive Bayes says 0 or 1, and what tempering and the judge do about it.

Naive Bayes multiplies the evidence of every word as if the words had nothing to do with each other. But a
mail that says "unsubscribe" also says "click here": the same evidence, counted twice, then twenty times.
The odds come out as if to the power of the number of repetitions. Tempering takes a root: the *mean*
evidence of a mail's words instead of the sum, times one number. The filter's judge learns that number, and
the weight of each of its witnesses, online.

    python examples/6_overconfidence.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from deciban import Bernoulli, Multinomial, NaiveBayes, TextFeatures
from deciban.committee.course import Course
from deciban.committee.extraction import features_of
from deciban.decibans import DECIBANS_A_NAT, log_odds
from deciban.metrics import calibration_error, log_loss, reliability
from deciban.text import read
from gallery import labelled_mail, options, picture, save


def spam_odds(
    family: object, texts: list[str], labels: np.ndarray, learned: int
) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds of spam by Naive Bayes for the mails after the learned ones, and the words of each."""
    words = TextFeatures(named=True)
    X = words.fit_transform(texts[:learned])
    rest = words.transform(texts[learned:])
    joint = NaiveBayes(family, rule="mean", prior=0.1).fit(X, labels[:learned]).predict_joint_log_proba(rest)
    return joint[:, 1] - joint[:, 0], np.maximum(np.diff(rest.indptr), 1)


def tempered(odds: np.ndarray, words: np.ndarray, spam: np.ndarray) -> np.ndarray:
    """Mean evidence a word, times the factor that suits the first third of the mails best."""
    mean, third = odds / words, len(odds) // 3
    best = minimize_scalar(
        lambda factor: log_loss(expit(factor * mean[:third]).tolist(), spam[:third].tolist()),
        bounds=(0.1, 200),
        method="bounded",
    )
    return best.x * mean


def judged(mails: list[tuple[str, bytes]], learned: int) -> np.ndarray:
    """Log-odds of spam by the filter, which learned the same mails."""
    course = Course()
    for label, data in mails[:learned]:
        course.learn(label, features_of(read(data)))
    return np.array([log_odds(course.score(features_of(read(data)))) for _, data in mails[learned:]])


def main() -> None:
    """Half of the mails to learn; a third of the rest sets the tempering; the others are judged."""
    told = options(__doc__)
    mails = labelled_mail(told.quick)
    texts = [(message := read(data)).header("subject") + "\n" + message.text for _, data in mails]
    labels, half = np.array([label for label, _ in mails]), len(mails) // 2
    spam = labels[half:] == "spam"
    multinomial, words = spam_odds(Multinomial(), texts, labels, half)
    bernoulli, _ = spam_odds(Bernoulli(binarize=0.0), texts, labels, half)
    odds = {
        "Naive Bayes, Bernoulli": bernoulli,
        "Naive Bayes, multinomial": multinomial,
        "multinomial, tempered": tempered(multinomial, words, spam),
        "the filter's judge": judged(mails, half),
    }
    shown = slice(len(spam) // 3, None)
    truth = spam[shown].tolist()
    figure, axes = picture(columns=2)
    print(
        f"{'on ' + str(len(truth)) + ' mails':26}{'wrong':>8}{'log-loss':>10}"
        f"{'calibration error':>19}{'wrong and sure':>16}"
    )
    for name, each in odds.items():
        chances = expit(each[shown])
        wrong = (chances > 0.5) != np.array(truth)
        sure = wrong & ((chances > 0.999) | (chances < 0.001))
        print(
            f"{name:26}{wrong.mean():8.2%}{log_loss(chances.tolist(), truth):10.3f}"
            f"{calibration_error(chances.tolist(), truth):19.4f}{sure.sum():9} of {wrong.sum()}"
        )
        bins = [one for one in reliability(chances.tolist(), truth) if one.count]
        axes[0].plot(
            [one.said for one in bins], [one.seen for one in bins], marker="o", markersize=4, label=name
        )
        decibans = np.clip(DECIBANS_A_NAT * each[shown], -150, 150)
        axes[1].hist(decibans, bins=60, histtype="step", linewidth=1.5)
    axes[0].plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--")
    axes[0].set(xlabel="probability of spam said", ylabel="share of spam seen")
    axes[1].set(xlabel="evidence for spam in decibans (±150 at most)", ylabel="mails", yscale="log")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    save(figure, told.pictures, "6_overconfidence")


if __name__ == "__main__":
    main()
