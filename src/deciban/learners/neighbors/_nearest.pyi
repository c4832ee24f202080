from typing import Any

from numpy.typing import NDArray

def sort_nearest_first(distances: NDArray[Any], rows: NDArray[Any]) -> None: ...
def keep_nearest(found: NDArray[Any], start: int, distances: NDArray[Any], rows: NDArray[Any]) -> None: ...
def shortlist(
    products: NDArray[Any],
    offsets: NDArray[Any],
    margins: NDArray[Any],
    start: int,
    smallest: NDArray[Any],
    values: NDArray[Any],
    rows: NDArray[Any],
    sizes: NDArray[Any],
) -> None: ...
def settle(values: NDArray[Any], rows: NDArray[Any], sizes: NDArray[Any], limits: NDArray[Any]) -> None: ...
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
