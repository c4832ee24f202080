from typing import Any

from numpy.typing import NDArray

def sort_nearest_first(distances: NDArray[Any], rows: NDArray[Any]) -> None: ...
def keep_nearest(found: NDArray[Any], start: int, distances: NDArray[Any], rows: NDArray[Any]) -> None: ...
def shortlist(
    products: NDArray[Any],
    offsets: NDArray[Any],
    lengths: NDArray[Any],
    slopes: NDArray[Any],
    curve: float,
    start: int,
    smallest: NDArray[Any],
    least: NDArray[Any],
    rows: NDArray[Any],
    sizes: NDArray[Any],
) -> None: ...
def settle(least: NDArray[Any], rows: NDArray[Any], sizes: NDArray[Any], smallest: NDArray[Any]) -> None: ...
def rank_shortlists(
    queries: NDArray[Any],
    known: NDArray[Any],
    query_scales: NDArray[Any],
    row_scales: NDArray[Any],
    shortlists: NDArray[Any],
    sizes: NDArray[Any],
    distances: NDArray[Any],
    rows: NDArray[Any],
) -> None: ...
