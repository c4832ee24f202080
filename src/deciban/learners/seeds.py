"""Where EM starts: each component grows from one row, its seed.

A seed alone has no spread, so a component begins as its seed and a tenth of an average row:

    start_k = tally(seed_k) + 0.1 · tally(all rows) / rows

Seeds may be any rows ("rows"), or rows that are far from each other ("spread"). To spread them, rows are
drawn by the chance that they belong to *none* of the seeds so far, but to the crowd of all rows. A few rows
are drawn each time, and the one that explains all rows best becomes the next seed. That is greedy k-means++
(Arthur and Vassilvitskii, 2007) for any family, with log p in place of a squared distance.

>>> from deciban import Poisson
>>> family, rows = Poisson()._welcome(np.array([[0], [1], [0], [90], [95], [99]]))
>>> shares = sow(AdmittedRows(family, rows), np.ones(6), 2, np.random.default_rng(0))
>>> (shares[:, 0] > 0.5).tolist() in ([True] * 3 + [False] * 3, [False] * 3 + [True] * 3)
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import NotEnoughValues
from deciban.families.family import PEAK
from deciban.families.reading import Floats, Reading
from deciban.learners.admitted_rows import ONE, AdmittedRows
from deciban.learners.hidden_labels import share_out
from deciban.tally import Tally

# Below a tenth, components hardly reach beyond their seed; with a whole average row every Gaussian component
# is as wide as all the data, and the second seed is as good as any.
OF_ALL = 0.1
# This part of an imagined value keeps a constant column from having no variance.
A_TRACE = 1e-3


def sow(
    rows: AdmittedRows,
    weight: Floats,
    count: int,
    rng: np.random.Generator,
    *,
    spread: bool = True,
    hard: bool = False,
) -> Floats:
    """The share of each row in each of so many components; rows without weight take no part."""
    if np.count_nonzero(weight) < count:
        found = np.count_nonzero(weight)
        raise NotEnoughValues(
            f"{count} components need as many rows to start from, but n_samples = {found}. "
            "Ask for fewer components."
        )
    try:
        joint = _grow(rows, weight, count, rng, spread)
    except NotEnoughValues:  # rows that are all alike cannot be told apart by a seed: deal them out instead
        joint = np.where(rng.integers(0, count, len(weight))[:, None] == np.arange(count), 0.0, -np.inf)
    shares, _ = share_out(joint, hard)
    return np.asarray(shares * weight[:, None])


def _grow(rows: AdmittedRows, weight: Floats, count: int, rng: np.random.Generator, spread: bool) -> Floats:
    """log p of each row under each component, one seed drawn after the other."""
    crowd = rows.gather(weight[:, None], ONE)
    soil = Soil.of(crowd, weight)
    by_crowd = _read(crowd).score(rows.values).ravel()
    joint = np.empty((len(weight), count))
    nearest, left = np.full(len(weight), -np.inf), weight > 0
    for component in range(count):
        chance, drawn = np.where(left, weight, 0.0), 1
        if spread and component:
            with np.errstate(over="ignore"):
                apart = chance / (1 + np.exp(nearest - by_crowd))
            chance = apart if apart.sum() > 0 else chance
            drawn = min(
                2 + int(math.log(count)), int(np.count_nonzero(chance))
            )  # as many as scikit-learn draws
        candidates = rng.choice(len(weight), drawn, replace=False, p=chance / chance.sum())
        grown = soil.grow(rows.taken(candidates)).score(rows.values)
        best = 0 if drawn == 1 else _most_explained(grown, nearest, by_crowd, weight)
        joint[:, component] = grown[:, best]
        left[candidates[best]] = False
        nearest = np.maximum(nearest, joint[:, component])
    return joint


def grow_from(rows: AdmittedRows, weight: Floats, given: AdmittedRows) -> Floats:
    """The share of each row in components that grow from rows given, one for each component."""
    soil = Soil.of(rows.gather(weight[:, None], ONE), weight)
    shares, _ = share_out(soil.grow(given).score(rows.values))
    return np.asarray(shares * weight[:, None])


@dataclass(frozen=True)
class Soil:
    """What each component begins with besides its seed, as tallies with one label."""

    average: Tally  # a part of an average row
    imagined: Tally
    _laid: dict[int, tuple[Tally, Tally]] = field(default_factory=dict)  # both, for so many seeds

    @classmethod
    def of(cls, crowd: Tally, weight: Floats) -> Soil:
        """That of all rows."""
        imagined = crowd.family._imagine(1, crowd) * A_TRACE
        return cls(crowd * (OF_ALL / weight.sum()) + imagined, imagined)

    def grow(self, seeds: AdmittedRows) -> Reading:
        """A component for each seed, all read at once: reading them one by one took four fifths of a fit."""
        labels = np.arange(seeds.values.shape[0])
        tally = seeds.gather(np.eye(len(labels)), labels)
        if len(labels) not in self._laid:
            self._laid[len(labels)] = _repeated(self.average, labels), _repeated(self.imagined, labels)
        average, imagined = self._laid[len(labels)]
        return tally.family._read_posterior(tally + average, imagined, PEAK)


def _repeated(tally: Tally, labels: NDArray[Any]) -> Tally:
    """The one label of a tally, as often as there are labels."""
    return replace(
        tally,
        labels=labels,
        rows=np.repeat(tally.rows, len(labels)),
        sums={name: np.repeat(values, len(labels), axis=0) for name, values in tally.sums.items()},
        parts=tuple(_repeated(part, labels) for part in tally.parts),
    )


def _most_explained(grown: Floats, nearest: Floats, by_crowd: Floats, weight: Floats) -> int:
    """Which of the components makes all rows likeliest, each by its nearest seed or by the crowd."""
    nearer = np.maximum(nearest[:, None], grown)
    # np.logaddexp takes half as long again; what it is more exact by decides nothing here.
    with np.errstate(invalid="ignore"):  # −∞ twice
        told = np.maximum(nearer, by_crowd[:, None]) + np.log(1 + np.exp(-abs(nearer - by_crowd[:, None])))
    return int(np.argmax(weight @ np.where(weight[:, None] > 0, told, 0.0)))


def _read(tally: Tally) -> Reading:
    imagined = tally.family._imagine(1, tally) * A_TRACE
    return tally.family._read_posterior(tally + imagined, imagined, PEAK)
