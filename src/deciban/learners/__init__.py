"""Learners with scikit-learn's contract, on top of tallies."""

from deciban.learners.mixture import Mixture
from deciban.learners.mixture_classifier import MixtureClassifier
from deciban.learners.naive_bayes import NaiveBayes
from deciban.learners.select_features import SelectFeatures
from deciban.learners.text_features import TextFeatures

__all__ = ["Mixture", "MixtureClassifier", "NaiveBayes", "SelectFeatures", "TextFeatures"]
