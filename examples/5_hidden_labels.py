"""Hidden labels: what can be learned from posts whose group nobody told.

Without any label, EM tallies each post under the clusters that it is *expected* to belong to, reads the
tally, and expects again: Naive Bayes with soft labels. k-means, the best known clustering, stands beside it.
With a few labels, some rows of the same tally are observed and the rest expected.

    python examples/5_hidden_labels.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sparse
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from deciban import Mixture, MixtureClassifier, Multinomial, NaiveBayes
from drawing import matrix, picture, save
from gallery import by_date, every, options

# Every post is scaled to so many words before the semi-supervised climb: Naive Bayes is far too sure of long
# ones, and EM would never leave its first guess. Chosen with ALPHA on training posts: docs/experiments.md.
LENGTH, ALPHA = 50, 0.1
# The median post weighs 78 words as counts, and 7 as a row of TF-IDF: α is as much smaller.
CLUSTER_ALPHA = {"counts": 0.1, "TF-IDF": 0.01}


def cluster(X: sparse.csr_matrix, groups: np.ndarray, words: np.ndarray, pictures: object) -> None:
    """Purity of EM and k-means on the same rows, and the telling words of what EM found."""
    count = len(np.unique(groups))
    rows = {
        "counts": (X, normalize(X)),  # EM takes counts as they are; k-means does better with length 1
        "TF-IDF": (TfidfTransformer(sublinear_tf=True).fit_transform(X),) * 2,
    }
    print(f"{len(groups)} posts, {X.shape[1]} words, {count} clusters, the best of 3 starts")
    print(f"{'':16}{'purity':>8}{'CPU':>9}")
    for name, (for_em, for_means) in rows.items():
        mixture = Mixture(
            Multinomial(),
            count,
            rule="mean",
            prior=CLUSTER_ALPHA[name],
            label_prior="uniform",
            restarts=3,
            random_state=0,
        )
        means = KMeans(n_clusters=count, n_init=3, random_state=0)
        for model, given in ((mixture, for_em), (means, for_means)):
            began = time.process_time()
            pure = table(model.fit(given).labels_, groups).max(axis=1).sum() / len(groups)
            method = "EM" if model is mixture else "k-means"
            print(f"{f'{method}, {name}':16}{pure:8.1%}{time.process_time() - began:7.1f} s", flush=True)
    tell(mixture, table(mixture.labels_, groups), np.unique(groups), words, pictures)


def table(clusters: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """How many posts of each group every cluster has: (clusters, groups)."""
    names = np.unique(groups)
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (clusters, np.searchsorted(names, groups)), 1)
    return counts


def tell(
    mixture: Mixture, counts: np.ndarray, groups: np.ndarray, words: np.ndarray, pictures: object
) -> None:
    """The most telling words of each cluster, and which groups it holds, as a table and a picture.

    A word is telling if it comes often *and* has evidence for the cluster against all others.
    """
    tally, alpha = mixture.tally_, mixture.prior
    here = tally.read("mean", prior=alpha).parameters["probability"]
    elsewhere = tally.complement().read("mean", prior=alpha).parameters["probability"]
    telling = here * np.log(here / elsewhere)
    # In the order of the group that most of their posts are from, so that the picture has a diagonal.
    order = np.lexsort((-counts.max(axis=1), counts.argmax(axis=1)))
    print(f"\n{'posts':>5}  {'most are from':32}most telling words")
    for cluster in order:
        most = counts[cluster].argmax()
        share = counts[cluster, most] / max(counts[cluster].sum(), 1)
        top = ", ".join(words[np.argsort(-telling[cluster])[:6]])
        print(f"{counts[cluster].sum():5}  {f'{groups[most]} {share:.0%}':32}{top}")
    figure, (axes,) = picture(height=6.4, wide=True)
    rows = [", ".join(words[np.argsort(-telling[cluster])[:3]]) for cluster in order]
    shown = matrix(axes, counts[order] / counts.sum(axis=0), rows, groups)
    axes.set_ylabel("clusters that EM found, by their most telling words")
    figure.colorbar(shown, ax=axes, label="share of the group's posts", shrink=0.8)
    save(figure, pictures, "5_clusters")


def scaled(X: sparse.csr_matrix) -> sparse.csr_matrix:
    """Every post as if it had so many words."""
    lengths = np.maximum(np.asarray(X.sum(axis=1)).ravel(), 1)
    return sparse.csr_matrix(sparse.diags(LENGTH / lengths) @ X)


def few_labels(
    X: object, y: np.ndarray, X_test: object, truth: np.ndarray, draws: int, pictures: object
) -> None:
    """Accuracy on later posts when only so many labels are known: the labelled posts alone, and all posts."""
    settings = {"rule": "mean", "prior": ALPHA, "label_prior": 1.0}
    groups = np.unique(y)
    sizes = [
        each * len(groups)
        for each in (1, 5, 15, 50, 150)
        if each < np.bincount(np.searchsorted(groups, y)).min()
    ]
    alone, with_all = [], []
    print(f"\n{'labels':>8}{'Naive Bayes':>14}{'EM':>8}{'gain':>8}    (mean of {draws} draws)")
    for size in sizes:
        before, after = [], []
        for draw in range(draws):
            order = np.random.default_rng(draw).permutation(len(y))
            known = np.concatenate([order[y[order] == group][: size // len(groups)] for group in groups])
            told = np.full(len(y), "", dtype=y.dtype)  # an empty label is a hidden one
            told[known] = y[known]
            simple = NaiveBayes(Multinomial(), **settings).fit(X[known], y[known])
            before.append(np.mean(simple.predict(X_test) == truth))
            mixed = MixtureClassifier(Multinomial(), **settings).fit(X, told)
            after.append(np.mean(mixed.predict(X_test) == truth))
        alone.append(np.mean(before))
        with_all.append(np.mean(after))
        print(f"{size:8}{alone[-1]:14.1%}{with_all[-1]:8.1%}{with_all[-1] - alone[-1]:+8.1%}", flush=True)
    figure, (axes,) = picture()
    axes.plot(sizes, with_all, marker="o", label="EM, with the posts whose labels are hidden")
    axes.plot(sizes, alone, marker="s", label="Naive Bayes, labelled posts only")
    axes.set(xscale="log", xlabel="labels known", ylabel="accuracy", ylim=(0, 1))
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.legend(loc="upper left")
    axes.grid(alpha=0.3)
    save(figure, pictures, "5_few_labels")


def main() -> None:
    """Clusters without a label, then more and more labels."""
    told = options(__doc__)
    learn, y, test, truth = every(10, by_date()) if told.quick else by_date()
    reader = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[A-Za-z]{2,}", dtype=np.float64)
    X = reader.fit_transform(post.partition("\n\n")[2] for post in learn)
    X_test = reader.transform(post.partition("\n\n")[2] for post in test)
    cluster(X, y, reader.get_feature_names_out(), told.pictures)
    few_labels(scaled(X), y, scaled(X_test), truth, 1 if told.quick else 2, told.pictures)


if __name__ == "__main__":
    main()
