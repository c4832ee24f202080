"""Check a setting that counts something: how many neighbours, components, steps.

>>> whole_setting("k", 2.5)
Traceback (most recent call last):
...
deciban.errors.BadSetting: k must be a whole number of 1 or more, got 2.5 instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import BadSetting


def whole_setting(name: str, value: Any, least: int = 1) -> int:
    """The value as a whole number; refused if it is none, or too small."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise BadSetting(f"{name} must be a whole number of {least} or more, got {value!r} instead.")
    return int(value)
