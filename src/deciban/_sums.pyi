from typing import Any

from numpy.typing import NDArray

def add_rows(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[Any],
    share_starts: NDArray[Any],
    labels: NDArray[Any],
    shares: NDArray[Any],
    sums: NDArray[Any],
) -> None: ...
def are_whole(values: NDArray[Any], limit: float) -> bool: ...
def are_within(values: NDArray[Any], limit: float) -> bool: ...
