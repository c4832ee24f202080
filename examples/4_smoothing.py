"""Smoothing: what to believe of a word that a label was never seen with.

A prior is a tally that was imagined: α of every word, added to what was counted. α = 0 believes the counts,
and one unseen word makes a label impossible. "empirical" finds the α that makes the counts themselves most
likely, from the tally alone; "cv" the one that explains held-out labels best, from a tally of each fold.

    python examples/4_smoothing.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from scipy.stats import beta, dirichlet

from deciban import Bernoulli, Multinomial, NaiveBayes, TextFeatures
from deciban.errors import ImpossibleRows
from deciban.smoothing import Empirical
from drawing import picture, save, simplex
from gallery import by_date, every, options

PRIORS = {"α = 0": 0, "α = ½": 0.5, "α = 1": 1, "empirical": "empirical", "cross-validated": "cv"}
MODELS = {"Multinomial": Multinomial(), "Bernoulli": Bernoulli(binarize=0.0)}
ALPHAS = [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3]


def main() -> None:
    """Accuracy and held-out likelihood for each prior, and pictures of priors."""
    told = options(__doc__)
    warnings.simplefilter("ignore", ImpossibleRows)
    learn, y, test, truth = every(10, by_date()) if told.quick else by_date()
    words = TextFeatures(named=True)
    X, X_test = words.fit_transform(learn), words.transform(test)
    print(f"Twenty Newsgroups by date: {len(y)} posts to learn, {len(truth)} to classify, {X.shape[1]} words")
    print(f"{'':14}{'smoothing':18}{'accuracy':>9}{'log p of the true label':>26}")
    figure, axes = picture(columns=2, height=3.6)
    for panel, (name, family) in zip(axes, MODELS.items(), strict=True):
        tally = family.tally(X, y)
        log_prior = np.log(tally.rows / tally.rows.sum())
        scores = (tally.read("mean", prior=alpha).log_likelihood(X_test) + log_prior for alpha in ALPHAS)
        panel.plot(ALPHAS, [np.mean(tally.labels[each.argmax(axis=1)] == truth) for each in scores], "-k")
        for number, (smoothing, prior) in enumerate(PRIORS.items()):
            model = NaiveBayes(family, rule="mean", prior=prior).fit(X, y)
            of_truth = np.arange(len(truth)), np.searchsorted(model.classes_, truth)
            right = np.mean(model.predict(X_test) == truth)
            # A post that its own label makes impossible counts as such, also where all labels do so.
            possible = np.isfinite(model.model_.reading.log_likelihood(X_test)[of_truth]).all()
            sure = model.predict_log_proba(X_test)[of_truth].mean() if possible else -np.inf
            print(f"{name:14}{smoothing:18}{right:9.1%}{sure:21.2f} nats", flush=True)
            alpha = {"empirical": found(tally), "cv": getattr(model, "alpha_", None)}.get(prior, prior)
            if alpha:  # a logarithmic axis has no 0
                panel.plot(alpha, right, "oos^D"[number], color=f"C{number}", markersize=8, label=smoothing)
        panel.set(xscale="log", xlabel="α, imagined sightings of each word", ylim=(0.3, 0.9), title=name)
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("accuracy")
    axes[0].legend(loc="lower left")
    save(figure, told.pictures, "4_accuracy_by_alpha")
    draw_priors(told.pictures)


def found(tally: object) -> float:
    """The α of empirical Bayes, of a word that is there."""
    imagined = Empirical().imagine(tally).sums
    return float(imagined["count" if "count" in imagined else "ones"].flat[0])


def draw_priors(pictures: Path | None) -> None:
    """What α believes before it has seen anything, and after 3 of 4 mails had the word; and a Dirichlet."""
    figure, axes = picture(columns=3, height=3.2)
    chance = np.linspace(0.001, 0.999, 400)
    for panel, seen, title in zip(
        axes, ((0, 0), (3, 1)), ("before", "after 3 of 4 mails had it"), strict=False
    ):
        for alpha in (0.5, 1, 5):
            panel.plot(
                chance,
                beta(alpha + seen[0], alpha + seen[1]).pdf(chance),
                label=f"Beta({alpha:g}, {alpha:g})",
            )
        panel.set(title=title, xlabel="chance of the word", ylim=(0, 4))
    axes[0].set_ylabel("density")
    axes[0].legend(loc="upper center")
    shown = simplex(axes[2], dirichlet([5, 2, 2]).pdf, ("“free”", "“the”", "“of”"), most=10)
    axes[2].set_title("Dirichlet(5, 2, 2)")
    figure.colorbar(shown, ax=axes[2], label="density", shrink=0.8)
    save(figure, pictures, "4_priors")


if __name__ == "__main__":
    main()
