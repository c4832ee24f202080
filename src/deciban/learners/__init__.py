"""Learners with scikit-learn's contract, on top of tallies."""

from deciban.learners.naive_bayes import NaiveBayes
from deciban.learners.select_features import SelectFeatures

__all__ = ["NaiveBayes", "SelectFeatures"]
