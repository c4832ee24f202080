"""No component may be narrower than a floor: a Gaussian that shrinks to a point is infinitely likely there.

The floor is a share of the variance that a column has over all rows, so that it does not depend on units. A
tally below the floor is lifted: its squares grow until its variance, with the imagined values included, is
the floor. If variances are not shared, that is the likeliest variance that is allowed, so EM still never
lowers its objective.

>>> from deciban import Gaussian
>>> family, rows = Gaussian()._welcome(np.array([[0.0], [0.0], [4.0], [4.0]]))
>>> floor = variance_floor(family, rows, np.ones(4), 0.01)
>>> tally = family._gather(rows, Membership.expected(np.array([[1.0], [1.0], [0.0], [0.0]]), np.array([0])))
>>> lifted(tally, tally, floor).read("mle").parameters["variance"].round(9).tolist()
[[0.04]]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from deciban.errors import BadSetting
from deciban.families import Family, Gaussian
from deciban.families.gaussian import scatter
from deciban.families.reading import Floats
from deciban.membership import Membership
from deciban.tally import Tally


def variance_floor(family: Family, rows: Any, weight: Floats, share: Any) -> Tally | None:
    """The least variances, as the squares of a tally with one label; None where there is no floor."""
    if isinstance(share, (bool, str)) or not 0 <= share < 1:
        raise BadSetting(f"variance_floor must be a share from 0 to below 1, got {share!r} instead.")
    if not share:
        return None
    return _floor(family._gather(rows, Membership.expected(weight[:, None], np.array([0]))), float(share))


def _floor(crowd: Tally, share: float) -> Tally:
    if isinstance(crowd.family, Gaussian):
        variance = np.maximum(scatter(crowd), 0.0) / np.maximum(crowd.sums["n"], 1e-300)
        return replace(crowd, sums={**crowd.sums, "squares": share * variance})
    return replace(crowd, parts=tuple(_floor(part, share) for part in crowd.parts))


def lifted(tally: Tally, whole: Tally, floor: Tally | None) -> Tally:
    """The tally, its variances at least those of the floor; `whole` has the imagined values, too.

    It is the same tally, not a copy, where nothing is below the floor.
    """
    if floor is None:
        return tally
    if isinstance(tally.family, Gaussian):
        lacking = np.maximum(floor.sums["squares"] * whole.sums["n"] - scatter(whole), 0.0)
        if not lacking.any():
            return tally
        return replace(tally, sums={**tally.sums, "squares": tally.sums["squares"] + lacking})
    parts = tuple(lifted(*each) for each in zip(tally.parts, whole.parts, floor.parts, strict=True))
    if all(one is other for one, other in zip(parts, tally.parts, strict=True)):
        return tally
    return replace(tally, parts=parts)
