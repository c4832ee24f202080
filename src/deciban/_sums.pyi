from typing import Any

from numpy.typing import NDArray

def add_rows(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[Any],
    labels: NDArray[Any],
    weights: NDArray[Any],
    sums: NDArray[Any],
) -> None: ...
