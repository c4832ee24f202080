"""Which features tell labels apart: a number for each feature, from a tally alone.

    chi2                 how far the counts of a feature are from those of an unrelated one
    information_gain     how many bits of the label its presence tells (mutual information)
    log_odds             how far apart it pulls the two most different labels, in nats
    document_frequency   how many rows have it at all

No second pass over the data: what was tallied to learn is enough to select.

>>> from deciban import Bernoulli
>>> tally = Bernoulli().tally([[1, 1], [1, 0], [0, 1], [0, 0]], ["spam", "spam", "ham", "ham"])
>>> information_gain(tally).tolist()                     # the first word tells all, the second nothing
[1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deciban.errors import UnsuitableTally
from deciban.families import Bernoulli, Gaussian, Multinomial
from deciban.families.gaussian import scatter
from deciban.tally import Tally

Scores = NDArray[np.float64]


def chi2(tally: Tally) -> Scores:
    """χ² of observed counts against those expected if label and feature were independent.

    For 0/1 and for counts alike, this is scikit-learn's `chi2`.
    """
    counts = _counts(tally, "chi2")
    share = np.asarray(tally.rows, dtype=float)[:, None] / tally.rows.sum()
    expected = share * counts.sum(axis=0)
    terms = np.divide((counts - expected) ** 2, expected, out=np.zeros(counts.shape), where=expected > 0)
    return np.asarray(terms.sum(axis=0))


def information_gain(tally: Tally) -> Scores:
    """Bits that a feature tells about the label.

    From a Bernoulli tally: by being present or absent in a row. From a Multinomial one: by being the
    next word or another one. From a Gaussian one: by how much narrower it is under each label than in all
    rows together, with one imagined value of that width for each label.
    """
    if isinstance(tally.family, Gaussian):
        return _gaussian_gain(tally)
    counts = _counts(tally, "information_gain")
    totals = (
        np.asarray(tally.sums["n"], dtype=float)
        if isinstance(tally.family, Bernoulli)
        else np.broadcast_to(np.asarray(tally.sums["total"], dtype=float)[:, None], counts.shape)
    )
    joint = np.stack([counts, totals - counts])  # (with or without, labels, features)
    whole = np.maximum(joint.sum(axis=(0, 1)), 1e-300)
    together = xlogy(joint, joint).sum(axis=(0, 1))
    apart = xlogy(joint.sum(axis=0), joint.sum(axis=0)).sum(axis=0)
    apart += xlogy(joint.sum(axis=1), joint.sum(axis=1)).sum(axis=0)
    nats = (together - apart + xlogy(whole, whole)) / whole
    return np.asarray(np.maximum(nats, 0.0) / np.log(2))


def _gaussian_gain(tally: Tally) -> Scores:
    n = np.asarray(tally.sums["n"], dtype=float)
    whole = tally.family._is_constant(tally)
    together = scatter(tally.total())[0] / np.maximum(n.sum(axis=0), 1)
    together = np.where(whole | (together <= 0), 1.0, together)
    within = (np.maximum(scatter(tally), 0) + together) / (n + 1)
    shares = n / np.maximum(n.sum(axis=0), 1)
    bits = 0.5 * (np.log2(together) - (shares * np.log2(within)).sum(axis=0))
    return np.where(whole, 0.0, np.maximum(bits, 0.0))


def log_odds(tally: Tally) -> Scores:
    """The widest gap between two labels in the log-odds of a feature, each smoothed by Laplace."""
    counts = _counts(tally, "log_odds") + 1.0
    if isinstance(tally.family, Bernoulli):
        odds = np.log(counts) - np.log(tally.sums["n"] + 2.0 - counts)
    else:
        totals = np.asarray(tally.sums["total"], dtype=float)[:, None] + len(tally.features)
        odds = np.log(counts) - np.log(totals - counts)
    return np.asarray(odds.max(axis=0) - odds.min(axis=0))


def document_frequency(tally: Tally) -> Scores:
    """In how many rows a feature is present; only a Bernoulli tally knows."""
    if not isinstance(tally.family, Bernoulli):
        raise UnsuitableTally(
            f"document_frequency counts rows, but a {type(tally.family).__name__} tally has added up values, "
            "not rows. Tally with Bernoulli(binarize=0.0) instead."
        )
    return np.asarray(tally.sums["ones"].sum(axis=0), dtype=float)


SCORES: dict[str, Callable[[Tally], Scores]] = {
    "chi2": chi2,
    "information_gain": information_gain,
    "log_odds": log_odds,
    "document_frequency": document_frequency,
}


def _counts(tally: Tally, score: str) -> Scores:
    if isinstance(tally.family, Bernoulli):
        return np.asarray(tally.sums["ones"], dtype=float)
    if isinstance(tally.family, Multinomial):
        return np.asarray(tally.sums["count"], dtype=float)
    raise UnsuitableTally(
        f"{score} is read from a Bernoulli or Multinomial tally, not from {type(tally.family).__name__}. "
        "Tally with Bernoulli(binarize=0.0), or Multinomial() for counts; measurements have information_gain."
    )
