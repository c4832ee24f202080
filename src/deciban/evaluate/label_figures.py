"""How well any number of labels are told apart: accuracy, log-loss and who is taken for whom.

>>> from deciban.evaluate.index import LabelledMessage
>>> from deciban.evaluate.subject import Opinion
>>> from deciban.evaluate.trial import Trial
>>> messages = [LabelledMessage(label, None) for label in ("work", "work", "home", "spam")]
>>> totals = [{"work": 2.0, "home": 0.0}, {"work": 0.0, "home": 1.0}, {"work": 0.0, "home": 1.0}, None]
>>> opinions = [Opinion(0.0, False, None, each, each and max(each, key=each.get)) for each in totals]
>>> figures = LabelFigures.of(Trial(messages, opinions))
>>> figures.accuracy, figures.right, figures.messages, round(figures.log_loss, 4), figures.unforeseen
(50.0, 2, 4, 0.5845, 1)
>>> figures.confusion["work"]
{'work': 1, 'home': 1}
"""

from __future__ import annotations

from collections import Counter
from math import exp, log
from statistics import fmean

from deciban import metrics
from deciban.decibans import SPAM, UNSURE, log_odds
from deciban.evaluate.subject import Opinion
from deciban.evaluate.trial import Trial
from deciban.value import Value


class LabelFigures(Value):
    """Accuracy in percent, the log-loss in nats and the confusion matrix."""

    messages: int
    right: int
    """How many messages have their true label as the most probable one."""
    log_loss: float | None
    """−mean ln p(true label), over messages of a label known by then; None where no totals were given."""
    unforeseen: int
    """Messages of a label that had not been taught: they count as wrong, and not in the log-loss."""
    confusion: dict[str, dict[str, int]]
    """How many of each true label (in the order of size) were called what; "unsure" is a call of its own."""

    @property
    def accuracy(self) -> float:
        """The share that was right, in percent."""
        return 100 * self.right / self.messages

    @property
    def limits(self) -> tuple[float, float]:
        """The 95% limits of the accuracy (Clopper and Pearson)."""
        low, high = metrics.clopper_pearson(self.right, self.messages)
        return 100 * low, 100 * high

    @classmethod
    def of(cls, trial: Trial) -> LabelFigures:
        """The figures of one trial."""
        pairs = list(zip(trial.labels, trial.opinions, strict=True))
        confusion: dict[str, dict[str, int]] = {label: {} for label in by_size(trial.labels)}
        for truth, opinion in pairs:
            row = confusion[truth]
            row[opinion.said] = row.get(opinion.said, 0) + 1
        foreseen = [(truth, opinion.totals) for truth, opinion in pairs if truth in (opinion.totals or {})]
        losses = [min(-_log_probability(log_odds(totals, truth)), -log(1e-15)) for truth, totals in foreseen]  # type: ignore[arg-type]
        claimed = any(opinion.totals for _, opinion in pairs)
        return cls(
            messages=len(pairs),
            right=sum(is_right(truth, opinion) for truth, opinion in pairs),
            log_loss=fmean(losses) if losses else None,
            unforeseen=len(pairs) - len(foreseen) if claimed else 0,
            confusion=confusion,
        )

    def record(self) -> dict[str, object]:
        """The figures by name, ready for JSON."""
        return {"accuracy": self.accuracy, "accuracy_limits": list(self.limits)} | self.as_dict()


def is_right(truth: str, opinion: Opinion) -> bool:
    """Whether the most probable label is the true one; or, without labels, whether spam is told rightly."""
    if opinion.totals:
        return max(opinion.totals, key=opinion.totals.__getitem__) == truth
    if opinion.label not in (None, UNSURE):
        return opinion.label == truth
    return opinion.rejected == (truth == SPAM)


def by_size(labels: list[str]) -> list[str]:
    """The different labels, the most frequent first."""
    counts = Counter(labels)
    return sorted(counts, key=lambda label: (-counts[label], label))


def _log_probability(log_odds_of_it: float) -> float:
    """Ln p of log-odds, without overflow.

    >>> round(_log_probability(0.0), 4), _log_probability(-1000.0), _log_probability(1000.0)
    (-0.6931, -1000.0, 0.0)
    """
    return min(log_odds_of_it, 0.0) - log(1 + exp(-abs(log_odds_of_it)))
