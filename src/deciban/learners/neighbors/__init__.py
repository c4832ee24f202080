"""Neighbours: the answer of the rows that are nearest, exact or approximate, over any distance."""

from deciban.learners.neighbors.approximate import Graph
from deciban.learners.neighbors.classifier import NeighborsClassifier
from deciban.learners.neighbors.neighbors_explanation import Neighbor, NeighborsExplanation
from deciban.learners.neighbors.regressor import NeighborsRegressor

__all__ = ["Graph", "Neighbor", "NeighborsClassifier", "NeighborsExplanation", "NeighborsRegressor"]
