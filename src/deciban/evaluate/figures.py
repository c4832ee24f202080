"""The figures of a trial, and a table of them.

>>> from deciban.evaluate.subject import Opinion
>>> from deciban.evaluate.index import LabelledMessage
>>> from deciban.evaluate.trial import Trial
>>> messages = [LabelledMessage(label, None) for label in ("ham", "ham", "spam", "spam")]
>>> opinions = [Opinion(score, score > 0.5, score) for score in (0.1, 0.6, 0.4, 0.9)]
>>> figures = Figures.of(Trial(messages, opinions))
>>> print(table({"example": figures}))
                   1-ROCA%   ham%  spam%   lam%  missed at .1%  at .01%  log-loss
example             25.000  50.00  50.00  50.00          50.00    50.00    0.5108
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from deciban import metrics
from deciban.evaluate.trial import Trial
from deciban.value import Value


class Figures(Value, kw_only=True):
    """All in percent, except figures about probabilities, which are None if no probability was claimed."""

    roc_loss: float
    ham_lost: float
    spam_missed: float
    lam: float
    missed_at_one_in_1000: float
    """Spam missed if the threshold had been set to lose .1% of the ham."""
    missed_at_one_in_10000: float
    log_loss: float | None
    """In nats."""
    brier: float | None
    calibration_error: float | None

    @classmethod
    def of(cls, trial: Trial) -> Figures:
        """The figures of one trial."""
        scores, spam, probabilities = trial.scores, trial.spam, trial.probabilities
        errors = metrics.misclassified([opinion.rejected for opinion in trial.opinions], spam)
        return cls(
            roc_loss=metrics.roc_loss(scores, spam),
            ham_lost=errors.ham,
            spam_missed=errors.spam,
            lam=errors.lam,
            missed_at_one_in_1000=metrics.spam_missed(scores, spam, 0.001),
            missed_at_one_in_10000=metrics.spam_missed(scores, spam, 0.0001),
            log_loss=None if probabilities is None else metrics.log_loss(probabilities, spam),
            brier=None if probabilities is None else metrics.brier(probabilities, spam),
            calibration_error=None
            if probabilities is None
            else metrics.calibration_error(probabilities, spam),
        )

    @classmethod
    def mean(cls, several: Sequence[Figures]) -> Figures:
        """The mean of each figure over several trials; None if it is None in one of them."""
        columns = {name: [getattr(figures, name) for figures in several] for name in cls.field_names}
        return cls(
            **{name: None if None in column else fmean(column) for name, column in columns.items()}  # type: ignore[arg-type]
        )

    def record(self) -> dict[str, float | None]:
        """The figures by name, ready for JSON."""
        return self.as_dict()


def table(rows: Mapping[str, Figures]) -> str:
    """One line a subject, in plain text."""
    lines = [f"{'':18}{'1-ROCA%':>8}   ham%  spam%   lam%  missed at .1%  at .01%  log-loss"]
    for name, row in rows.items():
        nats = "-" if row.log_loss is None else f"{row.log_loss:.4f}"
        lines.append(
            f"{name:18}{three(row.roc_loss):>8}{row.ham_lost:7.2f}{row.spam_missed:7.2f}{row.lam:7.2f}"
            f"{row.missed_at_one_in_1000:15.2f}{row.missed_at_one_in_10000:9.2f}{nats:>10}"
        )
    return "\n".join(lines)


def three(percent: float) -> str:
    """Three decimals, four where they are needed to see a figure at all."""
    return f"{percent:.3f}" if percent >= 0.1 else f"{percent:.4f}"
