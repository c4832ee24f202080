"""WeightedText: texts as rows of unit length, in which rare words weigh more (TF-IDF).

A word that comes n times in a text, and in d of N texts learned, weighs

    (1 + log n) · (1 + log((1 + N) / (1 + d)))          then each row is divided by its length √Σ²

The logarithm of n, because the second mention of a word says less than the first; N / d, because what most
texts have tells no label apart; unit length, so that a long text does not shout. Without d the softmax
weights lose 2.4 points of accuracy on Twenty Newsgroups stripped of headers, and .3 to .9 on the others
(docs/experiments.md).

N and d are sums, so further texts are learned by adding them:

>>> view = WeightedText(TextFeatures(n_features=2**8))
>>> _ = view.learn(["the cat", "the dog"])
>>> view.transform(["the cat"]).data.round(2).tolist()       # "the" is in both texts, "cat" in one
[0.58, 0.81]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from deciban.families.reading import Floats
from deciban.learners.text_features import TextFeatures


class WeightedText:
    """The columns of hashed `TextFeatures`, weighed by how rare they are among the texts learned."""

    def __init__(self, features: TextFeatures) -> None:
        self.features = features
        self.texts = 0
        self.texts_with = np.zeros(features.n_features, dtype=np.int64)

    def learn(self, texts: Sequence[str | bytes]) -> Any:
        """Count in how many texts each column is; the counts of these texts, to be weighed."""
        counts = self.features.transform(texts)
        self.texts += counts.shape[0]
        self.texts_with += np.bincount(counts.indices, minlength=len(self.texts_with))
        return counts

    def transform(self, texts: Sequence[str | bytes]) -> Any:
        """Texts as weighed rows."""
        return self.weigh(self.features.transform(texts))

    def weigh(self, counts: Any) -> Any:
        """Counts as weighed rows of unit length."""
        weighed = (1 + np.log(counts.data)) * self.rarity(counts.indices)
        lengths = np.sqrt(np.add.reduceat(np.append(weighed**2, 0.0), counts.indptr[:-1]))
        lengths[np.diff(counts.indptr) == 0] = 1.0  # reduceat gives an empty row the entry that follows it
        weighed /= np.repeat(lengths, np.diff(counts.indptr))
        return sparse.csr_matrix((weighed, counts.indices, counts.indptr), shape=counts.shape)

    def rarity(self, columns: Any) -> Floats:
        """1 + log((1 + N) / (1 + d)) of some columns."""
        return np.asarray(1 + np.log((1 + self.texts) / (1 + self.texts_with[columns])))
