"""Twenty Newsgroups: which of twenty groups was a post written for?

Three settings: a random two thirds of 19,997 posts, without the headers that hold the label; the split by
date; and that split stripped of headers, footers and quotes, so that only what people wrote is left.
`TextClassifier` with its defaults, Naive Bayes in both event models, and scikit-learn's best, all in the
same run.

    python examples/2_newsgroups.py                      the comparison, the learning curve, the telling words
    python examples/2_newsgroups.py --choose             how the defaults were chosen: on training texts only
    python examples/2_newsgroups.py --quick              every fortieth post
"""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from deciban import Bernoulli, Multinomial, NaiveBayes, TextClassifier, TextFeatures
from drawing import picture, save
from gallery import Split, by_date, every, newsgroups, options, stripped

ALL = ("counts", "words", "letters")
# The candidates of --choose: each witness alone, in pairs, all three; then other steps; then other smoothing.
CANDIDATES = [
    *({"witnesses": (name,), "rate": 0.4, "alpha": 0.1} for name in ALL),
    *({"witnesses": pair, "rate": 0.4, "alpha": 0.1} for pair in combinations(ALL, 2)),
    *({"witnesses": ALL, "rate": rate, "alpha": 0.1} for rate in (0.4, 0.2, 0.8)),
    *({"witnesses": ALL, "rate": 0.4, "alpha": alpha} for alpha in (0.003, 0.01, 0.03)),
]


def rivals(columns: int = 2**20) -> dict[str, object]:
    """scikit-learn's models with the features that suit them best, and deciban's."""
    words = {"sublinear_tf": True}
    pairs = {"sublinear_tf": True, "ngram_range": (1, 2)}
    return {
        "MultinomialNB": make_pipeline(TfidfVectorizer(), MultinomialNB(alpha=0.01)),
        "MultinomialNB, pairs": make_pipeline(TfidfVectorizer(**pairs), MultinomialNB(alpha=0.01)),
        "ComplementNB": make_pipeline(TfidfVectorizer(), ComplementNB()),
        "ComplementNB, pairs": make_pipeline(TfidfVectorizer(**pairs), ComplementNB(alpha=0.1)),
        "LinearSVC": make_pipeline(TfidfVectorizer(**words), LinearSVC()),
        "LinearSVC, pairs": make_pipeline(TfidfVectorizer(**pairs), LinearSVC()),
        "deciban NaiveBayes": make_pipeline(
            TextFeatures(named=True), NaiveBayes(Multinomial(), prior="empirical")
        ),
        "deciban TextClassifier": TextClassifier(n_features=columns),
    }


def compare(splits: dict[str, Split], columns: int) -> None:
    """Accuracy of every model in every setting, and what the last, deciban's, believes its accuracy to be."""
    print(f"{'accuracy':24}" + "".join(f"{name:>19}" for name in splits))
    for name in rivals():
        row, began, fitted = f"{name:24}", time.process_time(), []
        for learn, y, test, truth in splits.values():
            fitted.append(rivals(columns)[name].fit(learn, y))
            row += f"{np.mean(fitted[-1].predict(test) == truth):19.1%}"
        print(f"{row}{time.process_time() - began:9.0f} s of CPU", flush=True)
    sure = [
        model.predict_proba(test).max(axis=1).mean()
        for model, (_, _, test, _) in zip(fitted, splits.values(), strict=True)
    ]
    print(f"{'its mean probability':24}" + "".join(f"{share:19.1%}" for share in sure))


def choose(splits: dict[str, Split]) -> None:
    """Three-fold cross-validation of every candidate on training texts; test texts are not looked at."""
    print(f"{'cross-validated accuracy':46}" + "".join(f"{name:>19}" for name in splits) + f"{'mean':>8}")
    for candidate in CANDIDATES:
        scores = [cross_validated(candidate, learn, y) for learn, y, _, _ in splits.values()]
        told = f"{', '.join(candidate['witnesses'])}; rate {candidate['rate']}, α {candidate['alpha']}"
        print(
            f"{told:46}" + "".join(f"{score:19.2%}" for score in scores) + f"{np.mean(scores):8.2%}",
            flush=True,
        )


def cross_validated(candidate: dict[str, object], texts: list[str], y: np.ndarray) -> float:
    """The share of training texts that the other two folds classify rightly."""
    right = 0
    for learn, held in StratifiedKFold(3, shuffle=True, random_state=0).split(texts, y):
        model = TextClassifier(**candidate).fit([texts[i] for i in learn], y[learn])
        right += np.sum(model.predict([texts[i] for i in held]) == y[held])
    return right / len(texts)


def learning_curve(split: Split, columns: int, pictures: object) -> None:
    """Accuracy against the number of posts learned, for both event models and the committee."""
    learn, y, test, truth = split
    order = np.random.default_rng(0).permutation(len(learn))
    sizes = [size for size in (100, 300, 1000, 3000, 10000) if size < len(learn)] + [len(learn)]
    models = {
        "Bernoulli": lambda: make_pipeline(
            TextFeatures(named=True), NaiveBayes(Bernoulli(binarize=0.0), rule="mean", prior="empirical")
        ),
        "Multinomial": lambda: rivals()["deciban NaiveBayes"],
        "TextClassifier": lambda: TextClassifier(n_features=columns),
    }
    figure, (axes,) = picture()
    for name, model in models.items():
        curve = []
        for size in sizes:
            chosen = order[:size]
            fitted = model().fit([learn[i] for i in chosen], y[chosen])
            curve.append(float(np.mean(fitted.predict(test) == truth)))
        print(
            f"{name:16}"
            + "".join(f"{size:>8}: {score:.1%}" for size, score in zip(sizes, curve, strict=True))
        )
        axes.plot(sizes, curve, marker="o")
        axes.annotate(name, (sizes[-1], curve[-1]), xytext=(8, -3), textcoords="offset points")
    axes.set(
        xscale="log",
        xlabel="posts learned",
        ylabel="accuracy",
        ylim=(0, 1),
        title="Twenty Newsgroups, by date",
    )
    axes.set_xlim(right=sizes[-1] * 4)
    axes.grid(alpha=0.3)
    save(figure, pictures, "2_learning_curve")


def telling_words(quick: bool) -> None:
    """For each group, the words with the most evidence for it against all other groups together.

    Every fifth post in a quick run: from every fortieth nothing can be told but chance.
    """
    learn, y, _, _ = every(5 if quick else 1, by_date())
    words = TextFeatures(named=True, min_df=8 if quick else 20, binary=True)
    tally = Bernoulli().tally(words.fit_transform([stripped(post) for post in learn]), y)
    names = words.get_feature_names_out()
    own, others = tally.sums["ones"] + 1, tally.complement().sums["ones"] + 1
    own_rows, other_rows = tally.rows[:, None] + 2, tally.complement().rows[:, None] + 2
    decibans = 10 * np.log10((own / own_rows) / (others / other_rows))
    for group, row in zip(tally.labels, decibans, strict=True):
        print(f"{group:26}" + "  ".join(f"{names[j]} {row[j]:.0f}" for j in np.argsort(-row)[:7]))


def main() -> None:
    """The comparison, or how its one configuration was chosen."""
    told = options(__doc__, "choose")
    splits = newsgroups(told.quick)
    if told.choose:
        choose(splits)
        return
    columns = 2**16 if told.quick else 2**20
    compare(splits, columns)
    print("\nLearning curve, by date: accuracy after so many posts")
    learning_curve(splits["by date"], columns, told.pictures)
    print("\nMost telling words of each group, in decibans against all others (by date, stripped)")
    telling_words(told.quick)


if __name__ == "__main__":
    main()
