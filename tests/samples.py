"""Random tables for every family: what the laws are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import numpy as np
from numpy.typing import NDArray

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Family,
    Gamma,
    Gaussian,
    Geometric,
    Multinomial,
    Poisson,
)

RULES = ("mle", "map", "mean", "bayes")
WIDTH = 4

FAMILIES: dict[str, Family] = {
    "bernoulli": Bernoulli(),
    "bernoulli above 1": Bernoulli(binarize=1.0),
    "categorical": Categorical(),
    "categorical of 6": Categorical(categories=6),
    "multinomial": Multinomial(),
    "poisson": Poisson(),
    "geometric": Geometric(),
    "gaussian": Gaussian(),
    "gaussian sharing over labels": Gaussian(shared="labels"),
    "gaussian sharing over features": Gaussian(shared="features", ddof=1),
    "gaussian sharing over all": Gaussian(shared="all"),
    "gamma": Gamma(),
    "columns": Columns([([0], Gaussian()), ([1, 2], Poisson())], rest=Categorical()),
}
# Sums of these are whole numbers, so the laws hold exactly; for the others up to rounding.
EXACT = {name for name, family in FAMILIES.items() if not isinstance(family, (Gaussian, Gamma, Columns))}


@dataclass(frozen=True)
class Sample:
    """Labelled rows, and weights for them."""

    X: NDArray[Any]
    y: NDArray[Any]
    weight: NDArray[Any]

    def __getitem__(self, rows: Any) -> Sample:
        return Sample(self.X[rows], self.y[rows], self.weight[rows])

    def __len__(self) -> int:
        return len(self.y)


def rows_for(family: Family, rng: np.random.Generator, count: int, width: int = WIDTH) -> NDArray[Any]:
    """Random rows inside the family's support."""
    if isinstance(family, Columns):
        real = rng.normal(3, 2, (count, 1))
        return np.hstack([real, rng.poisson(2, (count, 2)), rng.integers(0, 3, (count, width - 3))])
    if isinstance(family, Bernoulli):
        top = 2 if family.binarize is None else 4
        return rng.integers(0, top, (count, width))
    if isinstance(family, Categorical):
        return rng.integers(0, 5, (count, width))
    if isinstance(family, Gaussian):
        return rng.normal(rng.normal(0, 50), rng.uniform(0.1, 10), (count, width))
    if isinstance(family, Gamma):
        return rng.gamma(rng.uniform(0.5, 5), rng.uniform(0.1, 10), (count, width))
    return rng.poisson(rng.uniform(0.2, 4), (count, width))


@st.composite
def samples(
    draw: st.DrawFn, family: Family, least: int = 6, missing: bool = False, weighted: bool = False
) -> Sample:
    """Labelled rows in which every label has at least two rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = draw(st.integers(2, 4))
    count = draw(st.integers(max(least, 3 * labels), 40))
    X = rows_for(family, rng, count).astype(float if missing else None)
    y = np.array(["ham", "spam", "work", "list"])[np.arange(count) % labels]
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[: 3 * labels] = rows_for(family, rng, 3 * labels)  # every label sees every feature
    weight = rng.integers(1, 4, count).astype(float) if weighted else np.ones(count)
    return Sample(X, y, weight)


def tally_of(family: Family, sample: Sample) -> Any:
    """The sample's tally, weights and all."""
    return family.tally(sample.X, sample.y, weight=sample.weight)
