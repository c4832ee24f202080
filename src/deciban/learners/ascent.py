"""Several climbs, of which the best is kept: restarts, progress, early stopping, and what to do on Ctrl-C."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deciban.errors import BadSetting, NotEnoughValues, StillClimbing
from deciban.learners.hidden_labels import Climb, HiddenLabels, Step
from deciban.membership import Matrix


@dataclass(frozen=True)
class Ascent:
    """How often, how far and how closely watched EM is run."""

    restarts: int
    steps: int
    tolerance: float
    verbose: bool = False
    callback: Callable[[Step], bool | None] | None = None

    def __post_init__(self) -> None:
        for name in ("restarts", "steps"):
            if not getattr(self, name) >= 1:
                raise BadSetting(f"{name} must be 1 or more, got {getattr(self, name)!r} instead.")
        if not self.tolerance >= 0:
            raise BadSetting(f"tolerance must be 0 or more, got {self.tolerance!r} instead.")

    @classmethod
    def of(cls, learner: Any) -> Ascent:
        """As a learner's parameters say."""
        return cls(learner.restarts, learner.steps, learner.tolerance, learner.verbose, learner.callback)

    def run(self, hidden: HiddenLabels, start: Callable[[], Matrix]) -> Climb:
        """The climb with the highest objective; one that fails, because a component died, does not count."""
        best: Climb | None = None
        failed: NotEnoughValues | None = None
        for restart in range(self.restarts):
            try:
                climb = hidden.climb(
                    start(),
                    steps=self.steps,
                    tolerance=self.tolerance,
                    watch=lambda *step, restart=restart: self._watch(Step(restart, *step)),
                )
            except NotEnoughValues as error:
                failed = error
                continue
            if best is None or climb.history[-1] > best.history[-1]:
                best = climb
            if climb.interrupted:
                warnings.warn(
                    "EM was interrupted; the best that it had found is kept.", StillClimbing, stacklevel=3
                )
                return best
        if best is None:
            assert failed is not None
            raise failed
        if not best.converged:
            warnings.warn(
                f"EM was still gaining after {self.steps} steps. Give it more steps, or a larger tolerance.",
                StillClimbing,
                stacklevel=3,
            )
        return best

    def _watch(self, step: Step) -> bool | None:
        if self.verbose:
            where = f"start {step.restart + 1}, step {step.number}"
            told = f"{where}: objective {step.objective:.6g}, +{step.gain:.3g}"
            print(told, file=sys.stderr, flush=True)
        return None if self.callback is None else self.callback(step)
