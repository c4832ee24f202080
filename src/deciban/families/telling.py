"""What a classifier leaves out of a tally, so that only features that can tell labels apart speak.

Three kinds of cells have nothing to say about a label, though every rule would read something into them:

    constant   a feature that was the same in every row. Labels of different sizes leave different doubts
               about it: with 1,000 rows of one label and 20 of another, five columns of zeros turned
               p(rare) = .988 into .004. It is silent: no value of it moves a verdict.
    empty      a feature of which every value is missing. It is silent too.
    lacking    a feature of which one label has no value, but others have. That label borrows a few values
               like those of all labels together.

>>> from deciban import Gaussian
>>> rows = [[1.0, 7.0], [2.0, 7.0], [8.0, 7.0], [9.0, 7.0]]
>>> reading = read_telling(Gaussian().tally(rows, ["a", "a", "b", "b"]), "bayes", 1)
>>> reading.evidence([[1.5, 7.5]]).features.round(2).tolist()       # the second column is silent
[[[-2.43, 0.0], [-3.55, 0.0]]]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.families.columns import Columns, ColumnsReading
from deciban.families.reading import Breakdown, Floats, NarrowReading, Reading
from deciban.tally import Tally, narrow

# A label that has no value borrows this many, like those of all labels: enough for every rule, and too few to
# weigh much in a variance that labels share.
LENT = 5.0


def read_telling(tally: Tally, rule: str, prior: Any, whole: Tally | None = None) -> Reading:
    """A tally read for verdicts; `whole` is what was learned, where the tally is made from it."""
    imagined = tally.family._imagined_for(rule, prior, tally)
    return _read(tally, imagined, rule, silent_features(tally if whole is None else whole))


def read_density(tally: Tally, rule: str, prior: Any) -> Reading:
    """A tally read for chances of whole rows; measurements that never varied have no density."""
    silent = features_without_density(tally)
    if not silent.any():
        return tally.read(rule, prior)
    return _read(tally, tally.family._imagined_for(rule, prior, tally), rule, silent)


def silent_features(tally: Tally) -> NDArray[np.bool_]:
    """Which features are the same in every row, or missing in all of them."""
    if isinstance(tally.family, Columns):
        parts = [silent_features(part) for part in tally.parts]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])
    return np.asarray(tally.family._is_constant(tally) | ~narrow(tally.family._seen(tally)).any(axis=0))


def features_without_density(tally: Tally) -> NDArray[np.bool_]:
    """Which features are missing in all rows, or measurements that are the same in all of them."""
    if isinstance(tally.family, Columns):
        parts = [features_without_density(part) for part in tally.parts]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])
    if tally.family._measured:
        return silent_features(tally)
    empty = ~narrow(tally.family._seen(tally)).any(axis=0)
    return np.broadcast_to(empty, len(tally.features))


def _read(tally: Tally, imagined: Tally, rule: str, silent: NDArray[np.bool_]) -> Reading:
    family = tally.family
    if isinstance(family, Columns):
        starts = np.cumsum([len(part.features) for part in tally.parts])[:-1]
        triples = zip(tally.parts, imagined.parts, np.split(silent, starts), strict=True)
        parts = tuple(_read(part, dream, rule, mine) for part, dream, mine in triples)
        return ColumnsReading(family, tally.labels, tally.features, parts)
    if silent.all():
        return SilentReading(family, tally)
    tally = lend(tally, silent)
    if not silent.any():
        return family._read_posterior(tally + imagined, imagined, rule)
    if family._pools_features:
        narrow, dream = tally[~silent], imagined[~silent]
        reading = narrow.family._read_posterior(narrow + dream, dream, rule)
        return NarrowReading(reading, tally.features, silent)
    posterior = family._with_placeholders(tally + imagined, silent, rule)
    return family._read_posterior(posterior, imagined, rule).silenced(silent)


def lend(tally: Tally, silent: NDArray[np.bool_]) -> Tally:
    """The tally with a few values of all labels under each label that has none."""
    seen = tally.family._seen(tally)
    lacking = narrow(seen) == 0
    if not lacking.any() or not (lacking := lacking & ~silent).any():
        return tally
    n = np.maximum(seen.sum(axis=0, dtype=float), 1e-300)
    per_cell = tally.features.owner if tally.features.categories is not None else slice(None)
    sums = {
        name: np.where(lacking[:, per_cell], LENT * values.sum(axis=0, dtype=float) / n[per_cell], values)
        for name, values in tally.sums.items()
    }
    return replace(tally, sums=sums)


class SilentReading(Reading):
    """No feature tells anything."""

    def __init__(self, family: Any, tally: Tally) -> None:
        self.family, self.labels, self.features = family, tally.labels, tally.features
        self.parameters: dict[str, NDArray[Any]] = {}

    def score(self, X: Any) -> Floats:
        """Nothing."""
        return np.zeros((X.shape[0], len(self.labels)))

    def explain(self, X: Any) -> Breakdown:
        """Nothing, of each feature."""
        return Breakdown(self.score(X), np.zeros((X.shape[0], len(self.labels), len(self.features))))
