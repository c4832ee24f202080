"""Hidden labels: what unlabelled texts add, digits of several shapes, and what a step of EM costs.

    python -m benchmarks mixture                     # all three parts, about ten minutes
    python -m benchmarks.mixture step digits texts   # or some of them

Texts follow Nigam et al. (2000): a few labelled documents of Twenty Newsgroups, as many of each group, 10,000
unlabelled ones, bodies only, stop words dropped, every document scaled to one length. Their smoothing and
ours differ, and the test set is the official one by date. Length and α were chosen on the training documents
that a draw leaves over (about 1,000), with other seeds; docs/experiments.md has the search.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from benchmarks.corpora import newsgroups_by_date, unpack
from benchmarks.measure import interleaved
from deciban import Bernoulli, Mixture, MixtureClassifier, Multinomial, NaiveBayes
from deciban.errors import StillClimbing
from deciban.learners.hidden_labels import HiddenLabels
from deciban.learners.seeds import sow

SEEDS = range(10)
UNLABELLED = 10_000
LENGTH, ALPHA = 50, 0.1
GROUPS = 20
INK = -0.5


def bodies(texts: Sequence[str]) -> list[str]:
    return [text.partition("\n\n")[2] for text in texts]


def scaled(counts: Any) -> Any:
    length = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
    return sparse.csr_matrix(sparse.diags(LENGTH / length) @ counts)


def draw(y: Any, labelled: int, seed: int) -> tuple[Any, Any]:
    """As many labelled documents of each group, and the unlabelled ones."""
    order = np.random.default_rng(seed).permutation(len(y))
    each = [order[y[order] == group][: labelled // GROUPS] for group in np.unique(y)]
    known = np.concatenate(each)
    return known, order[~np.isin(order, known)][:UNLABELLED]


def texts() -> None:
    parts = newsgroups_by_date()
    reader = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[A-Za-z]{2,}")
    X = scaled(reader.fit_transform(bodies(parts["train"][0])))
    asked = scaled(reader.transform(bodies(parts["test"][0])))
    y, truth = (np.array(parts[part][1]) for part in ("train", "test"))
    print(
        f"Twenty Newsgroups by date, {X.shape[1]} words, {UNLABELLED} unlabelled, mean of {len(SEEDS)} seeds"
    )
    print(f"{'labelled':>10}{'MultinomialNB':>16}{'Naive Bayes':>14}{'EM':>8}{'gain':>8}{'least gain':>12}")
    for labelled in (20, 300):
        figures = []
        for seed in SEEDS:
            known, unknown = draw(y, labelled, seed)
            rows = np.concatenate([known, unknown])
            told = np.where(np.isin(rows, known), y[rows], "")
            settings: dict[str, Any] = {"rule": "mean", "prior": ALPHA, "label_prior": 1.0}
            with_all = MixtureClassifier(Multinomial(), **settings).fit(X[rows], told)
            alone = NaiveBayes(Multinomial(), **settings).fit(X[known], y[known])
            peer = MultinomialNB(alpha=ALPHA).fit(X[known], y[known])
            figures.append([np.mean(model.predict(asked) == truth) for model in (peer, alone, with_all)])
        theirs, before, after = np.mean(figures, axis=0)
        least = min(row[2] - row[1] for row in figures)
        print(
            f"{labelled:10}{theirs:16.1%}{before:14.1%}{after:8.1%}{after - before:8.1%}{least:12.1%}",
            flush=True,
        )


def usps() -> tuple[Any, Any, Any, Any]:
    def read(path: Path) -> tuple[Any, Any]:
        with gzip.open(path, "rt") as file:
            table = np.loadtxt(file)
        return table[:, 1:], table[:, 0].astype(int)

    root = unpack("usps")
    return (*read(root / "zip.train.gz"), *read(root / "zip.test.gz"))


def digits() -> None:
    """Naive Bayes with a pixel on above 0, where scikit-learn has its figure; mixtures with it on above -0.5.

    Threshold and prior of the mixtures were chosen on a fifth of the training digits (docs/experiments.md).
    """
    X, y, asked, truth = usps()
    print(f"USPS, {len(y)} digits to learn, {len(truth)} to read, grey from -1 to 1")
    for threshold in (0.0, INK):
        for name, model in {
            "BernoulliNB (scikit-learn)": BernoulliNB(),
            "NaiveBayes(Bernoulli)": NaiveBayes(Bernoulli()),
        }.items():
            learned, read = (np.greater(pixels, threshold) for pixels in (X, asked))
            right = np.mean(model.fit(learned, y).predict(read) == truth)
            print(f"{f'{name}, on above {threshold:g}':48}{right:8.1%}", flush=True)
    for components in (5, 20, 40):
        found = []
        for seed in range(5):
            model = MixtureClassifier(Bernoulli(binarize=INK), components, prior=0.1, random_state=seed)
            found.append(float(np.mean(model.fit(X, y).predict(asked) == truth)))
        each = f"{min(found):.1%} to {max(found):.1%} over 5 seeds"
        name = f"MixtureClassifier, {components} components a digit"
        print(f"{name:48}{statistics.fmean(found):8.1%}  {each}", flush=True)


def step() -> None:
    """One round of expecting and maximising, against what it consists of."""
    train = newsgroups_by_date()["train"]
    X = CountVectorizer().fit_transform(train[0]).astype(float)
    y = np.array(train[1])
    family, rows = Multinomial().welcome(X)
    hidden = HiddenLabels(family, rows, np.ones(len(y)), np.arange(GROUPS), "mean", 0.1)
    start = hidden.maximise(sow(family, rows, hidden.weight, GROUPS, np.random.default_rng(0)))
    ours = NaiveBayes(Multinomial(), rule="mean", prior=0.1).fit(X, y)
    theirs = MultinomialNB(alpha=0.1).fit(X, y)
    second = hidden.maximise(hidden.expect(start)[0])

    def both(model: Any) -> None:
        model.predict_joint_log_proba(X)
        model.fit(X, y)

    times = interleaved(
        {
            "the first step of EM": lambda: hidden.maximise(hidden.expect(start)[0]),
            "the second step of EM": lambda: hidden.maximise(hidden.expect(second)[0]),
            "NaiveBayes": lambda: both(ours),
            "MultinomialNB": lambda: both(theirs),
        }
    )
    print(
        f"{GROUPS} multinomials, {X.shape[0]} × {X.shape[1]} words: predict_joint_log_proba and fit together"
    )
    for name in ("NaiveBayes", "MultinomialNB"):
        print(f"  {name:16}{times[name] * 1e3:8.0f} ms")
    for name in ("the first step of EM", "the second step of EM"):
        ratios = [times[name] / times[peer] for peer in ("NaiveBayes", "MultinomialNB")]
        told = f"{ratios[0]:.2f}× NaiveBayes, {ratios[1]:.2f}× MultinomialNB"
        print(f"  {name:24}{times[name] * 1e3:8.0f} ms: {told}")
    whole = {
        "EM": lambda: Mixture(Multinomial(), GROUPS, rule="mean", prior=0.1, steps=10, random_state=0).fit(X)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StillClimbing)
        print(f"  ten steps, seeds and all: {interleaved(whole, 3)['EM']:.2f} s", flush=True)


PARTS = {"step": step, "digits": digits, "texts": texts}


def main(parts: Sequence[str] = ()) -> None:
    for name in parts or PARTS:
        PARTS[name]()
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
