"""Everything that can be told of a trial, gathered once for the terminal, for JSON and for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from deciban import metrics
from deciban.evaluate.bootstrap import Limits, Resampling
from deciban.evaluate.curves import CurvePoint, learning_curve
from deciban.evaluate.figures import Figures
from deciban.evaluate.label_figures import LabelFigures
from deciban.evaluate.mistakes import Mistake
from deciban.evaluate.promise import KeptPromise
from deciban.evaluate.telling_features import TellingFeature
from deciban.evaluate.trial import Trial
from deciban.value import Value

PROMISES = (0.01, 0.001)
ROUNDS = 1000


class Assessment(Value):
    """One subject on one stream."""

    name: str
    trial: Trial
    figures: Figures | None
    """None where there is no spam, or nothing else."""
    limits: dict[str, Limits]
    """95% limits of the figures, by name."""
    labels: LabelFigures
    curve: list[CurvePoint]
    """Empty where messages were not met one after the other."""
    reliability: list[metrics.Bin]
    """Empty where no probability was claimed."""
    promises: list[KeptPromise]
    mistakes: Sequence[Mistake]
    features: Mapping[str, Sequence[TellingFeature]]

    @classmethod
    def of(
        cls,
        name: str,
        trial: Trial,
        *,
        in_order: bool = True,
        rounds: int = ROUNDS,
        promises: Sequence[float | KeptPromise] = PROMISES,
        mistakes: Sequence[Mistake] = (),
        features: Mapping[str, Sequence[TellingFeature]] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Assessment:
        """Assess a trial; ``in_order`` if its messages were met one after the other.

        A promise is followed over the trial, unless it comes with what became of it (corrections.py).
        """
        spam, probabilities = trial.spam, trial.probabilities
        figures, limits, bins, kept = None, {}, [], []
        if trial.has_both_kinds:
            figures = Figures.of(trial)
            if rounds:
                rejected = [opinion.rejected for opinion in trial.opinions]
                resampling = Resampling(trial.scores, rejected, spam, probabilities)
                limits = resampling.limits(rounds, progress=progress)
            if probabilities is not None:
                bins = metrics.reliability(probabilities, spam)
            # A promise is kept by deciban's threshold, which reads log-odds.
            if in_order and any(opinion.totals for opinion in trial.opinions):
                kept = [
                    one if isinstance(one, KeptPromise) else KeptPromise.followed(one, trial)
                    for one in promises
                ]
        return cls(
            name=name,
            trial=trial,
            figures=figures,
            limits=limits,
            labels=LabelFigures.of(trial),
            curve=learning_curve(trial) if in_order else [],
            reliability=bins,
            promises=kept,
            mistakes=mistakes,
            features=features or {},
        )

    def record(self) -> dict[str, object]:
        """Everything but the single messages, ready for JSON."""
        record: dict[str, object] = {} if self.figures is None else dict(self.figures.record())
        return record | {
            "limits": {name: list(limits) for name, limits in self.limits.items()},
            "labels": self.labels.record(),
            "curve": [point.record() for point in self.curve],
            "reliability": [{"count": b.count, "said": b.said, "seen": b.seen} for b in self.reliability],
            "promises": [promise.record() for promise in self.promises],
            "mistakes": [mistake.record() for mistake in self.mistakes],
            "features": {
                label: [feature.record() for feature in found] for label, found in self.features.items()
            },
        }
