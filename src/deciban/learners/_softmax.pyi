from typing import Any

from numpy.typing import NDArray

def take_steps(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[Any],
    labels: NDArray[Any],
    order: NDArray[Any],
    weights: NDArray[Any],
    squares: NDArray[Any],
    rate: float,
    rest: float,
    importance: NDArray[Any] | None = None,
) -> None: ...
