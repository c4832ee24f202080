"""How good a model of a table is: accuracy and log-loss of held-out rows, beside the majority."""

from __future__ import annotations

import math

from deciban.value import Value


class TableFigures(Value):
    """What was measured on rows that were not learned."""

    rows: int
    folds: int
    accuracy: float
    log_loss: float
    """Nats per row; 0 is certain and right."""
    majority_accuracy: float
    """Of always saying the commonest label."""
    majority_log_loss: float
    """Of always saying how common each label is."""

    def _check(self) -> None:
        for name, value in self.as_dict().items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"{name} = {value!r}")

    @property
    def error(self) -> float:
        """The standard error of the accuracy."""
        return math.sqrt(self.accuracy * (1 - self.accuracy) / self.rows)

    def record(self) -> dict[str, float]:
        """The figures by name."""
        return self.as_dict()

    def __str__(self) -> str:
        return (
            f"accuracy {self.accuracy:.1%} ± {self.error:.1%} in {self.folds} folds of {self.rows:,} rows; "
            f"the majority alone {self.majority_accuracy:.1%}\n"
            f"log-loss {self.log_loss:.3f} nats; the shares of the labels alone {self.majority_log_loss:.3f}"
        )
