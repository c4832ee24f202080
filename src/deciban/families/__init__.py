"""One file per family: what to add up for one value, and how to read the sums."""

from deciban.families.bernoulli import Bernoulli
from deciban.families.categorical import Categorical
from deciban.families.columns import Columns
from deciban.families.family import Family
from deciban.families.gamma import Gamma
from deciban.families.gaussian import Gaussian
from deciban.families.geometric import Geometric
from deciban.families.multinomial import Multinomial
from deciban.families.poisson import Poisson
from deciban.families.texts import Texts

__all__ = [
    "Bernoulli",
    "Categorical",
    "Columns",
    "Family",
    "Gamma",
    "Gaussian",
    "Geometric",
    "Multinomial",
    "Poisson",
    "Texts",
]
