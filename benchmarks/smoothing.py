"""What smoothing does on Twenty Newsgroups, split by date: α = 0, ½, 1, empirical and cross-validated.

Accuracy, and the mean log-probability of the true label in nats (nearer to 0 is better), on the test
half; headers are kept except those that name the group, as the archive has them.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.corpora import newsgroups_by_date
from benchmarks.measure import Table, show
from deciban import Bernoulli, Multinomial, NaiveBayes
from deciban.errors import ImpossibleRows

PRIORS = {"α = 0": 0, "α = ½": 0.5, "α = 1": 1, "empirical": "empirical", "cross-validated": "cv"}
MODELS = {
    "Multinomial, mean": (Multinomial(), "mean"),
    "Multinomial, bayes": (Multinomial(), "bayes"),
    "Bernoulli, mean": (Bernoulli(binarize=0.0), "mean"),
}


def imagined(model: NaiveBayes) -> str:
    """The prior that a model ended up with, in words."""
    if model.prior == "cv":
        return f"α = {model.alpha_:g}"
    if model.prior == "empirical":
        prior = model.tally_.family._imagine(model.model_.prior, model.tally_)
        if isinstance(model.tally_.family, Bernoulli):
            ones, n = prior.sums["ones"][0, 0], prior.sums["n"][0, 0]
            return f"Beta({ones:.4f}, {n - ones:.2f})"
        return f"α = {prior.sums['count'][0, 0]:.4f}"
    return f"α = {model.prior:g}"


def main() -> list[Table]:
    warnings.simplefilter("ignore", ImpossibleRows)
    parts = newsgroups_by_date()
    words = CountVectorizer()
    train, test = words.fit_transform(parts["train"][0]), words.transform(parts["test"][0])
    labels, truth = np.array(parts["train"][1]), np.array(parts["test"][1])
    rows = []
    for name, (family, rule) in MODELS.items():
        for smoothing, prior in PRIORS.items():
            model = NaiveBayes(family, rule=rule, prior=prior).fit(train, labels)
            with np.errstate(divide="ignore"):
                log_p = model.predict_log_proba(test)
            right = float(np.mean(model.classes_[log_p.argmax(axis=1)] == truth))
            sure = float(log_p[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean())
            shown = f"{sure:.2f}" if np.isfinite(sure) else "−∞"  # JSON has no infinity
            rows.append((f"{name}, {smoothing}", imagined(model), f"{right:.1%}", shown))
    title = f"{len(labels):,} texts to learn, {len(truth):,} to classify, {train.shape[1]:,} words"
    return [Table(title, ("model and smoothing", "found", "accuracy", "log p"), rows)]


if __name__ == "__main__":
    show(main())
