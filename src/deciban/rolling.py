"""Rolling: the tally of the last so many tallies, for data that change.

A tally that leaves the window is subtracted, so a step costs the same however long the window is:

>>> from deciban import Poisson
>>> rolling = Rolling(window=2)
>>> for calls in ([[1]], [[5]], [[9]]):
...     tally = rolling.add(Poisson().tally(calls, ["day"]))
>>> tally.sums["sum"].tolist()                           # 5 + 9; the 1 is forgotten
[[14]]

A model of it is `model.reread(tally)`. Counts are exact. Real sums are added up anew once per window, so that
rounding cannot pile up, and a Gaussian's pivot follows the data. `Fading` forgets by and by instead.
"""

from __future__ import annotations

from collections import deque

from deciban.errors import BadSetting
from deciban.tally import Tally


class Rolling:
    """A window over tallies: add one, and the oldest is subtracted.

    Parameters
    ----------
    window : how many tallies are kept.

    Attributes
    ----------
    tally : the sum of those in the window; None before the first.

    Examples
    --------
    >>> from deciban import Gaussian, NaiveBayes
    >>> model = NaiveBayes().fit([[0.0], [4.0]], ["low", "high"])
    >>> rolling = Rolling(window=2)
    >>> for rows in ([[0.0], [4.0]], [[1.0], [5.0]], [[2.0], [6.0]]):
    ...     tally = rolling.add(Gaussian().tally(rows, ["low", "high"]))
    >>> len(rolling), model.reread(tally).predict([[1.4], [5.4]]).tolist()
    (2, ['low', 'high'])
    """

    def __init__(self, window: int) -> None:
        if isinstance(window, bool) or not isinstance(window, int) or window < 1:
            raise BadSetting(f"window must be a whole number of 1 or more, got {window!r} instead.")
        self.window = window
        self.tally: Tally | None = None
        self._kept: deque[Tally] = deque()
        self._subtracted = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, tally: Tally) -> Tally:
        """The sum of the window with one more tally in it."""
        whole = tally if self.tally is None else self.tally + tally
        kept, subtracted = deque(self._kept), self._subtracted
        kept.append(tally)
        if len(kept) > self.window:
            oldest, subtracted = kept.popleft(), (subtracted + 1) % self.window
            whole = whole - oldest if subtracted else sum(kept, start=0)  # type: ignore[assignment]
        self.tally, self._kept, self._subtracted = whole, kept, subtracted  # all of it, or nothing
        return whole
