"""Whole numbers that only name the rows: ids, which look like counts and tell nothing.

A column of different whole numbers is taken for an id

    by its name      id, index, nr …, or something that ends in _id, Id or ID
    by filling       each number of a range comes once, in any order: counts would leave gaps and repeat
    by its steps     100, 110, 120 …: from row to row always the same
    by its codes     all of one length, six digits or more, or in the order of the rows; and what they tell
                     about the label, learned from one half of the rows, does not help with the other

A year is not an id, though years fill a range too.

>>> rng, y = np.random.default_rng(0), np.array(["a", "b"] * 50)
>>> id_reason("patient", rng.permutation(100) + 1.0, y)
'an id: each number from 1 to 100 once'
>>> id_reason("wage", np.rint(rng.normal(50_000, 9_000, 100)), y)
>>> id_reason("account", rng.integers(10**7, 10**8, 100).astype(float), y)
'an id: different codes of 8 digits that tell nothing about the label'
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from deciban.families import Gaussian
from deciban.tables.label_loss import label_loss, share_loss

NAMED = re.compile(
    r"(^|.*[\W_])(id|uuid|guid|index|idx|nr|no|row|row number|key)$|^$|unnamed: 0$", re.IGNORECASE
)
CAMEL = re.compile(r".*[a-z](Id|ID)$")
YEAR = re.compile(r"year|jahr|\byr\b|ann[eé]e|año|anno", re.IGNORECASE)
ENOUGH = 20  # with fewer rows a range is filled by chance
SLACK = 1.1  # a range is filled if it is not longer than this many times its numbers
CODE_DIGITS = 6
NATS_BY_CHANCE = 3.0  # a column tells something if it makes all labels together more than 20 times as likely


def id_reason(name: str, numbers: NDArray[np.float64], y: NDArray[np.str_]) -> str | None:
    """Why these whole numbers, without gaps, only name the rows; None if they do not."""
    distinct = np.unique(numbers)
    count = len(numbers)
    if _is_named(name) and (len(distinct) == count or (len(distinct) > ENOUGH and 2 * len(distinct) > count)):
        return "an id, by its name"
    if len(distinct) < count or count < 3 or YEAR.search(name):
        return None
    steps = np.unique(np.diff(numbers))
    if len(steps) == 1 and (count >= 5 or steps[0] == 1):
        return f"an id: numbered in steps of {abs(steps[0]):g}"
    low, high = int(distinct[0]), int(distinct[-1])
    if count >= ENOUGH and high - low + 1 <= SLACK * count:
        return f"an id: each number from {low:,} to {high:,} once"
    return _suspected(distinct, steps, numbers, y)


def _suspected(
    distinct: NDArray[np.float64],
    steps: NDArray[np.float64],
    numbers: NDArray[np.float64],
    y: NDArray[np.str_],
) -> str | None:
    """Codes, or numbers in the order of the rows, that tell nothing about the label."""
    digits = len(str(int(distinct[0])))
    codes = distinct[0] > 0 and digits >= CODE_DIGITS and digits == len(str(int(distinct[-1])))
    ordered = steps[0] > 0 or steps[-1] < 0
    if len(numbers) < ENOUGH or not (codes or ordered):
        return None
    if len(y) * (share_loss(y) - label_loss(Gaussian(), numbers[:, None], y)) > NATS_BY_CHANCE:
        return None
    what = f"different codes of {digits} digits" if codes else "different numbers in the order of the rows"
    return f"an id: {what} that tell nothing about the label"


def _is_named(name: str) -> bool:
    return bool(NAMED.match(name.strip()) or CAMEL.match(name.strip()))
