"""Smoothing: what to believe of a word that a label was never seen with.

A prior is a tally that was imagined: α of every word, added to what was counted. α = 0 believes the counts,
and one unseen word makes a label impossible. "empirical" finds the α that makes the counts themselves most
likely, from the tally alone; "cv" the one that explains held-out labels best, from a tally of each fold.

    python examples/4_smoothing.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import beta, dirichlet

from deciban import Bernoulli, Multinomial, NaiveBayes, TextFeatures
from deciban.errors import ImpossibleRows
from gallery import by_date, every, options, picture, save

PRIORS = {"α = 0": 0, "α = ½": 0.5, "α = 1": 1, "empirical": "empirical", "cross-validated": "cv"}
MODELS = {"Multinomial": Multinomial(), "Bernoulli": Bernoulli(binarize=0.0)}


def main() -> None:
    """Accuracy and held-out likelihood for each prior, and pictures of priors."""
    told = options(__doc__)
    warnings.simplefilter("ignore", ImpossibleRows)
    learn, y, test, truth = every(10, by_date()) if told.quick else by_date()
    words = TextFeatures(named=True)
    X, X_test = words.fit_transform(learn), words.transform(test)
    print(f"Twenty Newsgroups by date: {len(y)} posts to learn, {len(truth)} to classify, {X.shape[1]} words")
    print(f"{'':14}{'smoothing':18}{'accuracy':>9}{'log p of the true label':>26}")
    for name, family in MODELS.items():
        for smoothing, prior in PRIORS.items():
            model = NaiveBayes(family, rule="mean", prior=prior).fit(X, y)
            with np.errstate(divide="ignore"):
                log_p = model.predict_log_proba(X_test)
            right = np.mean(model.classes_[log_p.argmax(axis=1)] == truth)
            sure = log_p[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean()
            print(f"{name:14}{smoothing:18}{right:9.1%}{sure:21.2f} nats", flush=True)
    accuracy_by_alpha(X, y, X_test, truth, told.pictures)
    draw_priors(told.pictures)


def accuracy_by_alpha(X: object, y: np.ndarray, X_test: object, truth: np.ndarray, pictures: object) -> None:
    """How smoothing lifts accuracy: one tally, read with many α."""
    alphas = [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3]
    figure, (axes,) = picture()
    for name, family in MODELS.items():
        tally = family.tally(X, y)
        log_prior = np.log(tally.rows / tally.rows.sum())
        curve = []
        for alpha in alphas:
            scores = tally.read("mean", prior=alpha).log_likelihood(X_test) + log_prior
            curve.append(np.mean(tally.labels[scores.argmax(axis=1)] == truth))
        axes.plot(alphas, curve, marker="o", label=name)
    axes.set(xscale="log", xlabel="α, imagined sightings of each word", ylabel="accuracy", ylim=(0, 1))
    axes.legend(frameon=False, loc="lower left")
    axes.grid(alpha=0.3)
    save(figure, pictures, "4_accuracy_by_alpha")


def draw_priors(pictures: object) -> None:
    """What α believes before it has seen anything, and after 3 of 4 mails had the word."""
    figure, axes = picture(columns=3, height=3.4)
    chance = np.linspace(0.001, 0.999, 400)
    for alpha in (0.5, 1, 5):
        axes[0].plot(chance, beta(alpha, alpha).pdf(chance), label=f"α = {alpha:g}")
        axes[1].plot(chance, beta(alpha + 3, alpha + 1).pdf(chance), label=f"α = {alpha:g}")
    axes[0].set(title="Beta(α, α): before", xlabel="chance of the word", ylabel="density", ylim=(0, 4))
    axes[1].set(title="after 3 of 4 mails had it", xlabel="chance of the word", ylim=(0, 4))
    axes[0].legend(frameon=False, loc="upper center")
    grid = np.array([(i, j, 60 - i - j) for i in range(1, 60) for j in range(1, 60 - i)]) / 60
    density = dirichlet([5, 2, 2]).pdf(grid.T)
    shown = axes[2].tricontourf(grid[:, 1] + grid[:, 0] / 2, grid[:, 0], density, levels=12, cmap="cividis")
    axes[2].set(
        title="Dirichlet(5, 2, 2): three words", xticks=[0, 1], yticks=[], xlim=(-0.1, 1.1), ylim=(0, 1.1)
    )
    axes[2].set_xticklabels(["only “the”", "only “of”"])
    axes[2].text(0.5, 1.0, "only “free”", ha="center")
    figure.colorbar(shown, ax=axes[2], label="density", shrink=0.8)
    save(figure, pictures, "4_priors")


if __name__ == "__main__":
    main()
