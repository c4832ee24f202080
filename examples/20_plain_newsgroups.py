"""Plain Naive Bayes on Twenty Newsgroups, as textbooks have done it since 1997, beside what is used today.

All words but the 100 commonest and those that come fewer than three times, one imagined sighting of each
(Laplace), the multinomial model: textbooks tell of 89% right on a random third of the posts. Here the
headers that hold the label are taken out first. All models learn the same posts; boosting, whose trees ask
for single words, gets the 500 most telling ones.

    python examples/20_plain_newsgroups.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from deciban import Multinomial, NaiveBayes, SelectFeatures, TextClassifier, TextFeatures
from drawing import picture, save
from gallery import newsgroups, options

COMMONEST, RAREST = 100, 3


def main() -> None:
    """Accuracy of each model on the same third of the posts."""
    told = options(__doc__)
    learn, y, test, truth = newsgroups(told.quick)["random two thirds"]
    words = TextFeatures(named=True)
    X, X_test = words.fit_transform(learn), words.transform(test)
    often = np.asarray(X.sum(axis=0)).ravel()
    kept = np.setdiff1d(np.flatnonzero(often >= RAREST), np.argsort(-often, kind="stable")[:COMMONEST])
    print(f"{len(y):,} posts learned, {len(truth):,} classified; {len(kept):,} of {X.shape[1]:,} words kept")
    X, X_test = X[:, kept], X_test[:, kept]
    most = 100 if told.quick else 500
    telling = SelectFeatures(k=most).fit(X, y)
    dense, dense_test = (telling.transform(each).toarray() for each in (X, X_test))
    tfidf = TfidfTransformer(sublinear_tf=True)
    trees = HistGradientBoostingClassifier(
        max_iter=4 if told.quick else 30, max_leaf_nodes=15, random_state=0
    )
    models = {
        "plain Naive Bayes, α = 1": (NaiveBayes(Multinomial(), rule="mean", prior=1), X, X_test),
        "Naive Bayes, empirical α": (NaiveBayes(Multinomial(), prior="empirical"), X, X_test),
        f"boosting, {most:,} words": (trees, dense, dense_test),
        "logistic regression": (make_pipeline(tfidf, LogisticRegression(C=10, max_iter=200)), X, X_test),
        "linear SVM": (make_pipeline(tfidf, LinearSVC()), X, X_test),
        "TextClassifier": (TextClassifier(n_features=2**16 if told.quick else 2**20), learn, test),
    }
    right = {}
    print(f"{'':28}{'right':>7}{'CPU':>9}")
    for name, (model, rows, rows_test) in models.items():
        began = time.process_time()
        right[name] = np.mean(model.fit(rows, y).predict(rows_test) == truth)
        print(f"{name:28}{right[name]:7.1%}{time.process_time() - began:7.0f} s", flush=True)
    figure, (axes,) = picture(height=3.2)
    drawn = axes.barh(list(right)[::-1], list(right.values())[::-1])
    shares = [f"{share:.1%}" for share in list(right.values())[::-1]]
    axes.bar_label(drawn, shares, label_type="center", color="white")
    axes.axvline(0.89, color="black", linestyle=":", label="what textbooks tell of")
    axes.set(xlim=(0, 1), xlabel="accuracy")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1))
    save(figure, told.pictures, "20_plain_newsgroups")


if __name__ == "__main__":
    main()
