"""Learners with scikit-learn's contract, on top of tallies."""

from deciban.learners.naive_bayes import NaiveBayes
from deciban.learners.select_features import SelectFeatures
from deciban.learners.text_classifier import TextClassifier
from deciban.learners.text_features import TextFeatures

__all__ = ["NaiveBayes", "SelectFeatures", "TextClassifier", "TextFeatures"]
