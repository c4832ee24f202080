"""Fading: a tally in which what is older counts less, for data that change.

Before a tally is added, all that is there is multiplied by 2^(−elapsed / half-life). Nothing is kept but the
sum:

>>> from deciban import Poisson
>>> fading = Fading(half_life=1)
>>> for calls in ([[4]], [[4]], [[8]]):
...     tally = fading.add(Poisson().tally(calls, ["day"]))
>>> tally.sums["sum"].tolist(), tally.rows.tolist()      # 4/4 + 4/2 + 8, of 1/4 + 1/2 + 1 rows
([[11]], [1.75])

A model of it is `model.reread(tally)`. `Rolling` forgets exactly, and at once.
"""

from __future__ import annotations

import math

import numpy as np

from deciban.errors import BadSetting
from deciban.tally import Tally

GONE = 1e-6  # rows; a label of which less is left is forgotten, so that smoothing does not remember it either


class Fading:
    """A sum of tallies that halves with every half-life.

    Parameters
    ----------
    half_life : after so much time the weight of a row is a half. Time is counted in tallies, unless `add` is
        told how much has elapsed.

    Attributes
    ----------
    tally : the faded sum; None before the first.

    Examples
    --------
    >>> from deciban import Gaussian, NaiveBayes
    >>> model = NaiveBayes().fit([[0.0], [4.0]], ["low", "high"])
    >>> fading = Fading(half_life=1)
    >>> for rows in ([[0.0], [4.0]], [[1.0], [5.0]], [[2.0], [6.0]]):
    ...     tally = fading.add(Gaussian().tally(rows, ["low", "high"]))
    >>> model.reread(tally).predict([[1.4], [5.4]]).tolist()
    ['low', 'high']
    """

    def __init__(self, half_life: float) -> None:
        if not 0 < half_life < math.inf:
            raise BadSetting(f"half_life must be above 0, got {half_life!r} instead.")
        self.half_life = half_life
        self.tally: Tally | None = None

    def add(self, tally: Tally, elapsed: float = 1.0) -> Tally:
        """The faded sum with one more tally in it; so much time has elapsed since the one before."""
        if not 0 <= elapsed < math.inf:
            raise BadSetting(f"elapsed must be 0 or more, got {elapsed!r} instead.")
        if self.tally is None:
            self.tally = tally
            return tally
        whole = self.tally * 2.0 ** (-elapsed / self.half_life) + tally
        left = np.asarray(whole.rows) > GONE
        self.tally = whole if left.all() else whole.keep_labels(left)
        return self.tally
