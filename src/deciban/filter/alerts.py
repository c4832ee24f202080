"""What somebody should look at: mail that has changed, a promise that is broken, lessons that have stopped.

`deciban status --alert` tells it to cron by an exit code.
"""

from __future__ import annotations

from deciban.metrics import BROKEN
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.filter.status import Status

SILENT_DAYS = 30
MICROSECONDS_A_DAY = 86_400_000_000


class Alert(Value):
    """One thing to look at."""

    kind: str
    """`changed`, `promise` or `silence`."""
    text: str


def alerts_of(status: Status, now: float) -> Iterator[Alert]:
    """What there is to look at, at a time in seconds since 1970."""
    if status.changed is not None:
        yield Alert(
            "changed",
            f"Mail has changed: {status.changed:,} lessons ago it no longer was what was taught before. "
            "Teach what is judged wrongly now.",
        )
    if status.standing == BROKEN and status.threshold.promise is not None:
        yield Alert(
            "promise",
            f"The promise is broken: {status.lost:,} of the last {status.good:,} good mails that came in lie "
            f"above the bar, more than {status.threshold.promise:g} of them.",
        )
    silent = int((now * 1e6 - status.last_taught) / MICROSECONDS_A_DAY)
    if status.lessons and silent >= SILENT_DAYS:
        yield Alert(
            "silence",
            f"Nothing was taught for {silent:,} days, so nobody knows how good the filter is by now.",
        )
