"""Hidden labels: clusters found again, what unlabelled texts add, digits of several shapes, costs of a step.

    python -m benchmarks mixture                     # all four parts, some minutes
    python -m benchmarks mixture step digits         # or some of them

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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from benchmarks.corpora import newsgroups_by_date, unpack
from benchmarks.measure import Goal, Table, cpu_seconds, goals_table, interleaved, show
from deciban import Bernoulli, Gaussian, Mixture, MixtureClassifier, Multinomial, NaiveBayes
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


def texts() -> Table:
    parts = newsgroups_by_date()
    reader = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[A-Za-z]{2,}")
    X = scaled(reader.fit_transform(bodies(parts["train"][0])))
    asked = scaled(reader.transform(bodies(parts["test"][0])))
    y, truth = (np.array(parts[part][1]) for part in ("train", "test"))
    rows = []
    for labelled in (20, 300):
        figures = []
        for seed in SEEDS:
            known, unknown = draw(y, labelled, seed)
            both = np.concatenate([known, unknown])
            told = np.where(np.isin(both, known), y[both], "")
            settings: dict[str, Any] = {"rule": "mean", "prior": ALPHA, "label_prior": 1.0}
            with_all = MixtureClassifier(Multinomial(), **settings).fit(X[both], told)
            alone = NaiveBayes(Multinomial(), **settings).fit(X[known], y[known])
            peer = MultinomialNB(alpha=ALPHA).fit(X[known], y[known])
            figures.append([np.mean(model.predict(asked) == truth) for model in (peer, alone, with_all)])
        theirs, before, after = np.mean(figures, axis=0)
        least = min(row[2] - row[1] for row in figures)
        shares = (theirs, before, after, after - before, least)
        rows.append((f"{labelled} labelled", *(f"{share:.1%}" for share in shares)))
    size = f"{X.shape[1]:,} words, {UNLABELLED:,} unlabelled texts, mean of {len(SEEDS)} seeds"
    columns = ("accuracy", "MultinomialNB", "NaiveBayes", "with the unlabelled", "gain", "least gain")
    return Table(f"Twenty Newsgroups by date: {size}", columns, rows)


def usps() -> tuple[Any, Any, Any, Any]:
    def read(path: Path) -> tuple[Any, Any]:
        with gzip.open(path, "rt") as file:
            table = np.loadtxt(file)
        return table[:, 1:], table[:, 0].astype(int)

    root = unpack("usps")
    return (*read(root / "zip.train.gz"), *read(root / "zip.test.gz"))


def digits() -> Table:
    """Naive Bayes with a pixel on above 0, where scikit-learn has its figure; mixtures with it on above -0.5.

    Threshold and prior of the mixtures were chosen on a fifth of the training digits (docs/experiments.md).
    """
    X, y, asked, truth = usps()
    rows = []
    for threshold in (0.0, INK):
        for name, model in {
            "BernoulliNB (scikit-learn)": BernoulliNB(),
            "NaiveBayes(Bernoulli)": NaiveBayes(Bernoulli()),
        }.items():
            learned, read = (np.greater(pixels, threshold) for pixels in (X, asked))
            right = np.mean(model.fit(learned, y).predict(read) == truth)
            rows.append((f"{name}, pixel on above {threshold:g}", f"{right:.1%}", ""))
    for components in (5, 20, 40):
        found = []
        for seed in range(5):
            model = MixtureClassifier(Bernoulli(binarize=INK), components, prior=0.1, random_state=seed)
            found.append(float(np.mean(model.fit(X, y).predict(asked) == truth)))
        each = f"{min(found):.1%} to {max(found):.1%}"
        name = f"MixtureClassifier, {components} components a digit, on above {INK:g}"
        rows.append((name, f"{statistics.fmean(found):.1%}", each))
    title = f"USPS: {len(y):,} digits to learn, {len(truth):,} to read, grey from -1 to 1"
    return Table(title, ("", "accuracy", "over 5 seeds"), rows)


def step() -> Table:
    """One round of expecting and maximising, against what it consists of."""
    train = newsgroups_by_date()["train"]
    X = CountVectorizer().fit_transform(train[0]).astype(float)
    y = np.array(train[1])
    family, rows = Multinomial()._welcome(X)
    hidden = HiddenLabels(family, rows, np.ones(len(y)), np.arange(GROUPS), "mean", 0.1)
    start = hidden.maximise(sow(hidden.spoken, hidden.weight, GROUPS, np.random.default_rng(0)))
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
    rows = [
        (f"{name}, predict_joint_log_proba and fit", 1e3 * times[name], None, None)
        for name in ("NaiveBayes", "MultinomialNB")
    ]
    for name in ("the first step of EM", "the second step of EM"):
        ratios = (times[name] / times[peer] for peer in ("NaiveBayes", "MultinomialNB"))
        rows.append((name, 1e3 * times[name], *ratios))
    ten = Mixture(Multinomial(), GROUPS, rule="mean", prior=0.1, steps=10, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StillClimbing)
        whole = interleaved({"EM": lambda: ten.fit(X)}, 3)["EM"]
    rows.append(("ten steps, seeds and all", 1e3 * whole, None, None))
    title = f"{GROUPS} multinomials, {X.shape[0]:,} × {X.shape[1]:,} words: what a step of EM takes"
    return Table(title, ("", "ms", "÷ NaiveBayes", "÷ MultinomialNB"), rows)


def heaps(seed: int, width: int, apart: float) -> tuple[Any, Any]:
    """2,000 rows of eight Gaussians, some wider than others; their centres scatter by `apart` per column."""
    random = np.random.default_rng(seed)
    centres, scales = random.normal(size=(8, width)) * apart, np.exp(0.3 * random.normal(size=(8, 1)))
    truth = random.integers(0, 8, 2000)
    return centres[truth] + random.normal(size=(2000, width)) * scales[truth], truth


def clusters() -> Table:
    """How often all eight are found: as far as the peak above the true labels tells them apart, less 3%."""
    draws, rows = range(20), []
    for width, apart in ((2, 7.0), (2, 4.0), (5, 3.5), (10, 3.0), (10, 6.0), (20, 4.0)):
        found: dict[str, list[bool]] = {}
        times: dict[str, list[float]] = {}
        for seed in draws:
            X, truth = heaps(seed, width, apart)
            best = adjusted_rand_score(truth, Mixture(Gaussian(), 8, init=truth).fit(X).labels_)
            models = {
                "deciban": Mixture(Gaussian(), 8, random_state=seed),
                "deciban, 1 start": Mixture(Gaussian(), 8, restarts=1, random_state=seed),
                "scikit-learn": GaussianMixture(8, covariance_type="diag", random_state=seed),
                "scikit-learn, 5 starts": GaussianMixture(
                    8, covariance_type="diag", n_init=5, random_state=seed
                ),
            }
            for name, model in models.items():
                started = cpu_seconds()
                labels = model.fit_predict(X)
                times.setdefault(name, []).append(cpu_seconds() - started)
                found.setdefault(name, []).append(adjusted_rand_score(truth, labels) >= best - 0.03)
        ratio = statistics.median(times["deciban"]) / statistics.median(times["scikit-learn, 5 starts"])
        rows.append((f"{width} columns, {apart:g} apart", *(sum(each) for each in found.values()), ratio))
    columns = ("", *found, "time, deciban ÷ scikit-learn, 5 starts")
    return Table(f"Eight Gaussians: found in so many of {len(draws)} draws", columns, rows)


PARTS = {"clusters": clusters, "step": step, "digits": digits, "texts": texts}


def main(parts: Sequence[str] = ()) -> Iterator[Table]:
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"benchmarks: mixture has no part {unknown.pop()!r}; it has {', '.join(PARTS)}")
    for name in parts or PARTS:
        yield (table := PARTS[name]())
        if name == "clusters":
            yield goals_table(goals(table))


def goals(found: Table) -> Iterator[Goal]:
    """All eight are found as often as by scikit-learn, by default on both sides."""
    ours, theirs = (sum(int(row[place] or 0) for row in found.rows) for place in (1, 3))
    yield Goal("draws in which deciban finds all, ÷ scikit-learn's", ours / theirs, at_least=1)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
