"""deciban: a Bayesian classifier for mail, text and tables.

Names are imported when they are first asked for, so that classifying one mail from the command line
never waits for numpy, scipy or scikit-learn.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs 5 ms to import, on every call of the command line
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Tally": "deciban.tally",
    "Family": "deciban.families",
    "Bernoulli": "deciban.families",
    "Categorical": "deciban.families",
    "Columns": "deciban.families",
    "Gamma": "deciban.families",
    "Gaussian": "deciban.families",
    "Geometric": "deciban.families",
    "Multinomial": "deciban.families",
    "Poisson": "deciban.families",
    "Texts": "deciban.families",
    "Beta": "deciban.smoothing",
    "Empirical": "deciban.smoothing",
    "Jeffreys": "deciban.smoothing",
    "Laplace": "deciban.smoothing",
    "Values": "deciban.smoothing",
    "Fading": "deciban.fading",
    "Rolling": "deciban.rolling",
    "dependence": "deciban.dependent_pairs",
    "Mixture": "deciban.learners",
    "MixtureClassifier": "deciban.learners",
    "NaiveBayes": "deciban.learners",
    "NeighborsClassifier": "deciban.learners",
    "NeighborsRegressor": "deciban.learners",
    "RandomProjection": "deciban.learners",
    "SelectFeatures": "deciban.learners",
    "TextClassifier": "deciban.learners",
    "TextFeatures": "deciban.learners",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'deciban' has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        from deciban.errors import MissingExtra

        if error.name is None or error.name.split(".")[0] not in ("numpy", "scipy", "sklearn"):
            raise
        raise MissingExtra(
            f"deciban.{name} needs {error.name}, which the core install does not bring. "
            "Run: pip install 'deciban[learn]'"
        ) from None


def __dir__() -> list[str]:
    return __all__
