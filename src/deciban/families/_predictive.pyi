from typing import Any

from numpy.typing import NDArray

def add_rises(
    starts: NDArray[Any],
    columns: NDArray[Any],
    counts: NDArray[Any],
    urn: NDArray[Any],
    logs: NDArray[Any],
    further: NDArray[Any],
    others: NDArray[Any],
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
