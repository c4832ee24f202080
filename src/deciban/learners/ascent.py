"""Try several starts, and climb from the best one to its peak: progress, early stopping, and Ctrl-C.

Each start is tried for ten steps, and the one that came highest goes on (`python -m benchmarks mixture
clusters` has the figures). Where a component dies on the way, the next best start goes on instead.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from deciban.errors import BadSetting, NotEnoughValues, StillClimbing
from deciban.learners.hidden_labels import Climb, HiddenLabels, Step
from deciban.learners.whole_setting import whole_setting
from deciban.membership import Matrix
from deciban.tally import Tally

TRIED_STEPS = 10


@dataclass(frozen=True)
class Ascent:
    """How many starts EM tries, when it stops, and how it tells its progress."""

    restarts: int
    steps: int
    tolerance: float
    verbose: bool = False
    callback: Callable[[Step], bool | None] | None = None

    def __post_init__(self) -> None:
        for name in ("restarts", "steps"):
            whole_setting(name, getattr(self, name))
        if not (isinstance(self.tolerance, Real) and self.tolerance >= 0):
            raise BadSetting(f"tolerance must be 0 or more, got {self.tolerance!r} instead.")

    @classmethod
    def of(cls, learner: Any) -> Ascent:
        """As a learner's parameters say."""
        return cls(learner.restarts, learner.steps, learner.tolerance, learner.verbose, learner.callback)

    def run(
        self,
        hidden: HiddenLabels,
        start: Callable[[], Matrix],
        accept: Callable[[Tally], Any] = lambda _: None,
    ) -> Climb:
        """The best climb; `accept` raises NotEnoughValues where a component has died."""
        tried, failed = self._tries(hidden, start)
        for restart, climb in sorted(tried, key=lambda one: -one[1].history[-1]):
            try:
                whole = self._climb(hidden, restart, self.steps, so_far=climb)
                accept(whole.parameters.tally)
            except NotEnoughValues as error:
                failed = error
                continue
            self._warn(whole)
            return whole
        assert failed is not None
        raise failed

    def _tries(
        self, hidden: HiddenLabels, start: Callable[[], Matrix]
    ) -> tuple[list[tuple[int, Climb]], NotEnoughValues | None]:
        """How far each start comes in a few steps; and the last error, where a component died."""
        steps = min(TRIED_STEPS, self.steps) if self.restarts > 1 else self.steps
        tried: list[tuple[int, Climb]] = []
        failed = None
        for restart in range(self.restarts):
            try:
                climb = self._climb(hidden, restart, steps, start())
            except NotEnoughValues as error:
                failed = error
                continue
            tried.append((restart, climb))
            if climb.interrupted:
                break
        return tried, failed

    def _climb(
        self, hidden: HiddenLabels, restart: int, steps: int, start: Any = None, so_far: Climb | None = None
    ) -> Climb:
        return hidden.climb(
            start,
            steps=steps,
            tolerance=self.tolerance,
            watch=lambda *step: self._watch(Step(restart, *step)),
            so_far=so_far,
        )

    def _warn(self, climb: Climb) -> None:
        if climb.interrupted:
            told = "EM was interrupted; the best that it had found is kept."
        elif not climb.converged:
            told = (
                f"EM was still gaining after {self.steps} steps. Give it more steps, or a larger tolerance."
            )
        else:
            return
        warnings.warn(told, StillClimbing, stacklevel=4)

    def _watch(self, step: Step) -> bool | None:
        if self.verbose:
            where = f"start {step.restart + 1}, step {step.number}"
            told = f"{where}: objective {step.objective:.6g}, +{step.gain:.3g}"
            print(told, file=sys.stderr, flush=True)
        return None if self.callback is None else self.callback(step)
