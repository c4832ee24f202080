"""Why a row was given its label: the evidence of each feature, in decibans, which add up.

A deciban is a tenth of a power of ten in the odds: +10 dB make the winner ten times likelier against
the runner-up, +20 dB a hundred times, −10 dB ten times less likely.

>>> why = Explanation("spam", "ham", prior=-3.0, intercept=0.0, features=(
...     FeatureEvidence("viagra", 21.5), FeatureEvidence("meeting", -6.0)))
>>> why.decibans
12.5
>>> print(why)
spam rather than ham: 12.5 dB
     -3.0 dB  label prior
    +21.5 dB  viagra
     -6.0 dB  meeting
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

SHOWN = 10


@dataclass(frozen=True)
class FeatureEvidence:
    """What one feature says for the winner and against the runner-up."""

    name: Hashable
    decibans: float
    absent: bool = False  # it speaks by not being there

    def __str__(self) -> str:
        return f"{self.decibans:+9.1f} dB  {'no ' if self.absent else ''}{self.name}"


@dataclass(frozen=True)
class Explanation:
    """The winner against the runner-up, feature by feature, strongest first."""

    label: Any
    runner_up: Any
    prior: float  # decibans of the label prior
    intercept: float  # decibans that belong to no feature (the length of a text, in Pólya's urn)
    features: tuple[FeatureEvidence, ...]
    absence: float = 0.0  # decibans of all features that are neither there nor listed

    @property
    def decibans(self) -> float:
        """The log-odds of the winner against the runner-up: the sum of everything here."""
        return math.fsum([self.prior, self.intercept, self.absence, *(one.decibans for one in self.features)])

    def __str__(self) -> str:
        lines = [f"{self.label} rather than {self.runner_up}: {self.decibans:.1f} dB"]
        lines.append(f"{self.prior:+9.1f} dB  label prior")
        if self.intercept:
            lines.append(f"{self.intercept:+9.1f} dB  belonging to no feature")
        told = [feature for feature in self.features if feature.decibans]
        lines += [str(feature) for feature in told[:SHOWN]]
        if len(told) > SHOWN:
            rest = math.fsum(feature.decibans for feature in told[SHOWN:])
            lines.append(f"{rest:+9.1f} dB  {len(told) - SHOWN} further features")
        if self.absence:
            lines.append(f"{self.absence:+9.1f} dB  all others, which are not there")
        return "\n".join(lines)
