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
from deciban.metrics import calibration_error, log_loss
from deciban.text import read
from drawing import picture, save
from gallery import labelled_mail, options


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


def said_and_seen(odds: np.ndarray, spam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decibans in ten groups of as many mails each: what was said in the mean, and what came out.

    Half a mail is added to spam and ham: a group without any ham would have infinite odds.
    """
    groups = np.array_split(np.argsort(odds, kind="stable"), 10)
    said = [np.clip(DECIBANS_A_NAT * odds[group], -150, 150).mean() for group in groups]
    seen = [
        DECIBANS_A_NAT * np.log((spam[group].sum() + 0.5) / ((~spam[group]).sum() + 0.5)) for group in groups
    ]
    return np.array(said), np.array(seen)


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
    figure, axes = picture(columns=4, rows=2, height=5)
    print(
        f"{'on ' + str(len(truth)) + ' mails':26}{'wrong':>8}{'log-loss':>10}"
        f"{'calibration error':>19}{'wrong and sure':>16}"
    )
    for (name, each), calibration, spread in zip(odds.items(), axes[:4], axes[4:], strict=True):
        chances = expit(each[shown])
        wrong = (chances > 0.5) != np.array(truth)
        sure = wrong & ((chances > 0.999) | (chances < 0.001))
        print(
            f"{name:26}{wrong.mean():8.2%}{log_loss(chances.tolist(), truth):10.3f}"
            f"{calibration_error(chances.tolist(), truth):19.4f}{sure.sum():9} of {wrong.sum()}"
        )
        said, seen = said_and_seen(each[shown], np.array(truth))
        calibration.plot([-150, 150], [-150, 150], color="grey", linewidth=0.8, linestyle="--")
        calibration.plot(said, seen, "o-", markersize=4)
        calibration.set(title=name, xlim=(-155, 155), ylim=(-45, 45), xlabel="decibans said")
        spread.hist(np.clip(DECIBANS_A_NAT * each[shown], -150, 150), bins=np.linspace(-150, 150, 31))
        spread.set(xlabel="decibans said", yscale="log", xlim=(-155, 155), ylim=(0.7, 3_000))
    axes[0].set_ylabel("decibans seen")
    axes[4].set_ylabel("mails")
    save(figure, told.pictures, "6_overconfidence")


if __name__ == "__main__":
    main()
