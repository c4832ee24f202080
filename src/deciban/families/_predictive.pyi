from typing import Any

from numpy.typing import NDArray

def take_logs(values: NDArray[Any], logs: NDArray[Any]) -> None: ...
def take_log_odds(
    part: NDArray[Any], whole: NDArray[Any], odds: NDArray[Any], absent: NDArray[Any]
) -> bool: ...
def add_rises(
    starts: NDArray[Any],
    columns: NDArray[Any],
    counts: NDArray[Any],
    which: NDArray[Any] | None,
    insides: NDArray[Any],
    known: NDArray[Any],
    lengths: NDArray[Any],
    total: NDArray[Any],
) -> None: ...
def add_falls(
    values: NDArray[Any],
    means: NDArray[Any],
    widths: NDArray[Any],
    powers: NDArray[Any],
    total: NDArray[Any],
) -> None: ...
