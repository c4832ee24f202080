"""Learners with scikit-learn's contract, on top of tallies."""

from deciban.learners.mixture import Mixture
from deciban.learners.mixture_classifier import MixtureClassifier
from deciban.learners.naive_bayes import NaiveBayes
from deciban.learners.neighbors import NeighborsClassifier, NeighborsRegressor
from deciban.learners.projections import RandomProjection
from deciban.learners.select_features import SelectFeatures
from deciban.learners.text_classifier import TextClassifier
from deciban.learners.text_features import TextFeatures

__all__ = [
    "Mixture",
    "MixtureClassifier",
    "NaiveBayes",
    "NeighborsClassifier",
    "NeighborsRegressor",
    "RandomProjection",
    "SelectFeatures",
    "TextClassifier",
    "TextFeatures",
]
