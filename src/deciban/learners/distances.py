"""How far a query is from a row: distances between vectors, between counts, and between texts.

The query always comes first, in `distance(query, row)` as in every formula below. For some distances that
matters, because they are not the same in both directions:

    Euclidean          √Σ (q − r)²
    Cosine             1 − q·r / (|q| |r|)           a row of zeros is 1 away from everything
    Manhattan          Σ |q − r|
    Chebyshev          max |q − r|
    Minkowski          (Σ |q − r|^p)^(1/p)           p = 1 is Manhattan, 2 Euclidean, ∞ Chebyshev
    JensenShannon      √(½ KL(p‖m) + ½ KL(s‖m)),     p, s: the shares of q and r; m = (p + s) / 2
    KullbackLeibler    KL(p‖s) = Σ p log(p / s)      in nats; never the same both ways
    Edit               insertions, deletions and substitutions that turn one text into the other
    Compression        (C(qr) − min(C(q), C(r))) / max(C(q), C(r)),  C: bytes after compressing

Shares of counts are smoothed, (count + α) / (total + α · columns): without that, a word of the query that a
row lacks would make Kullback–Leibler infinite. Its α is ½ unless told. Jensen–Shannon is finite without
smoothing, so there α is 0.

>>> Euclidean().between(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
[[5.0, 1.0]]
>>> Compression().between(["abcabcabc" * 9], ["abcabcabc" * 8, "the quick brown fox"]).round(2).tolist()
[[0.0, 0.7]]
>>> as_distance("kullback_leibler")
KullbackLeibler(smoothing=0.5)
>>> as_distance(lambda query, row: max(query - row)).between(np.array([[1.0, 5.0]]), np.array([[2.0, 2.0]]))
array([[3.]])
"""

from __future__ import annotations

import lzma
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import rel_entr
from sklearn.metrics.pairwise import manhattan_distances

from deciban.errors import BadSetting, MissingExtra, NotTexts, OutsideSupport
from deciban.families.support import Support

Floats = NDArray[np.float64]

COUNTS = Support("counts, x ≥ 0", "Drop the row, or use Euclidean() or Manhattan().", least=0)


class Distance(ABC):
    """How far each query is from each row."""

    takes: ClassVar[str] = "vectors"  # or "texts", or "anything"

    def admit(self, rows: Any) -> None:  # noqa: B027, most distances take any numbers
        """Refuse rows that have no distance of this kind."""

    @abstractmethod
    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query (down) from each row (across); no entry depends on another."""


@dataclass(frozen=True)
class Euclidean(Distance):
    """The straight line, √Σ (q − r)²."""

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        return np.asarray(cdist(dense(queries), dense(rows), "euclidean"))


@dataclass(frozen=True)
class Cosine(Distance):
    """One minus the cosine of the angle; a row of zeros has none and is 1 away from everything."""

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        left, right = (direction(dense(values)) for values in (queries, rows))
        halves = cdist(left, right, "sqeuclidean") / 2  # |u − v|² / 2 = 1 − u·v, and exactly 0 where u = v
        halves[~left.any(axis=1)] = 1.0
        halves[:, ~right.any(axis=1)] = 1.0
        return np.asarray(halves)


@dataclass(frozen=True)
class Manhattan(Distance):
    """The way along the streets of a grid, Σ |q − r|."""

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        if sparse.issparse(queries) and sparse.issparse(rows):
            return np.asarray(manhattan_distances(queries, rows))
        return np.asarray(cdist(dense(queries), dense(rows), "cityblock"))


@dataclass(frozen=True)
class Chebyshev(Distance):
    """The largest difference in any column, max |q − r|."""

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        return np.asarray(cdist(dense(queries), dense(rows), "chebyshev"))


@dataclass(frozen=True)
class Minkowski(Distance):
    """(Σ |q − r|^p)^(1/p), for any p of 1 or more."""

    p: float = 2.0

    def admit(self, rows: Any) -> None:  # noqa: ARG002, any numbers will do
        """Refuse a power that makes no distance."""
        if isinstance(self.p, (bool, str)) or not self.p >= 1:
            raise BadSetting(f"p must be 1 or more, got {self.p!r} instead.")

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        return np.asarray(cdist(dense(queries), dense(rows), "minkowski", p=self.p))


@dataclass(frozen=True)
class Shares(Distance):
    """A distance between counts, by the shares that each column has of its row."""

    smoothing: float = 0.0  # α, imagined counts of every column

    def admit(self, rows: Any) -> None:
        """Refuse negative counts, and rows without any count where nothing is imagined."""
        if not self.smoothing >= 0:
            raise BadSetting(f"smoothing must be 0 or more, got {self.smoothing!r} instead.")
        COUNTS.check(type(self).__name__, rows)
        totals = np.asarray(rows.sum(axis=1)).ravel()
        if self.smoothing == 0 and not totals.all():
            raise OutsideSupport(
                f"{type(self).__name__} needs a count in every row, but row {int(np.argmin(totals))} has "
                f"none. Drop it, or imagine some: {type(self).__name__}(smoothing=0.5)."
            )

    def shares(self, rows: Any) -> Floats:
        """(count + α) / (total + α · columns) of dense rows."""
        counts = dense(rows) + self.smoothing
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class JensenShannon(Shares):
    """The root of the Jensen–Shannon divergence in nats: from 0 to √log 2, a metric."""

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        return np.asarray(cdist(self.shares(queries), self.shares(rows), "jensenshannon"))


@dataclass(frozen=True)
class KullbackLeibler(Shares):
    """What it costs, in nats a count, to describe the query by the shares of the row."""

    smoothing: float = 0.5

    def admit(self, rows: Any) -> None:
        """Refuse negative counts; without smoothing nearly every distance would be infinite."""
        if not self.smoothing > 0:
            raise BadSetting(
                f"KullbackLeibler needs smoothing above 0, got {self.smoothing!r} instead: a column that "
                "only the query has would be infinitely surprising."
            )
        super().admit(rows)

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        right = self.shares(rows)
        return np.array([rel_entr(left, right).sum(axis=1) for left in self.shares(queries)]).reshape(
            len(queries) if isinstance(queries, list) else queries.shape[0], right.shape[0]
        )


@dataclass(frozen=True)
class Edit(Distance):
    """Levenshtein's distance; `normalized` divides it by the length of the longer text (needs rapidfuzz)."""

    normalized: bool = False
    takes: ClassVar[str] = "texts"

    def between(self, queries: Sequence[Any], rows: Sequence[Any]) -> Floats:
        """The distance of each query from each row."""
        try:
            from rapidfuzz.distance import Levenshtein
            from rapidfuzz.process import cdist as compare
        except ModuleNotFoundError:
            raise MissingExtra(
                "The edit distance needs rapidfuzz, which is not installed. "
                "Run: pip install 'deciban[neighbors]'"
            ) from None
        scorer = Levenshtein.normalized_distance if self.normalized else Levenshtein.distance
        return np.asarray(compare(list(queries), list(rows), scorer=scorer, dtype=np.float64))


def _zlib_size(content: bytes) -> int:
    return len(zlib.compress(content, 9))


# A raw stream with one filter: an .xz file's header would weigh more than a short text.
LZMA_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]


def _lzma_size(content: bytes) -> int:
    return len(lzma.compress(content, format=lzma.FORMAT_RAW, filters=LZMA_FILTERS))


COMPRESSORS: dict[str, Callable[[bytes], int]] = {"zlib": _zlib_size, "lzma": _lzma_size}


@dataclass(frozen=True)
class Compression(Distance):
    """The normalised compression distance: how much of a row the query does not say already.

    zlib looks back 32 KB, so it suits texts up to 16 KB; lzma looks back megabytes and takes 20 times as
    long on 8 KB.
    """

    compressor: str = "zlib"
    takes: ClassVar[str] = "texts"

    def admit(self, rows: Any) -> None:  # noqa: ARG002, any text compresses
        """Refuse a compressor that there is not."""
        if self.compressor not in COMPRESSORS:
            raise BadSetting(
                f"compressor must be one of {', '.join(COMPRESSORS)}, got {self.compressor!r} instead."
            )

    def between(self, queries: Sequence[Any], rows: Sequence[Any]) -> Floats:
        """The distance of each query from each row."""
        size = COMPRESSORS[self.compressor]
        left, right = ([_bytes(text) for text in texts] for texts in (queries, rows))
        own = np.array([size(text) for text in left])[:, None]
        others = np.array([size(text) for text in right])[None, :]
        both = np.array([[size(query + row) for row in right] for query in left]).reshape(
            len(left), len(right)
        )
        return np.asarray((both - np.minimum(own, others)) / np.maximum(own, others))


@dataclass(frozen=True)
class OfFunction(Distance):
    """Any function of a query and a row; it may be asymmetric, and take anything that rows can be."""

    function: Callable[[Any, Any], float]
    takes: ClassVar[str] = "anything"

    def between(self, queries: Any, rows: Any) -> Floats:
        """The distance of each query from each row."""
        left, right = (dense(values) if sparse.issparse(values) else values for values in (queries, rows))
        found = np.array([[float(self.function(query, row)) for row in right] for query in left])
        if np.isnan(found).any():
            raise OutsideSupport("The distance function returned NaN: it must order every row.")
        return found.reshape(len(left), len(right))


DISTANCES: dict[str, type[Distance]] = {
    "euclidean": Euclidean,
    "cosine": Cosine,
    "manhattan": Manhattan,
    "chebyshev": Chebyshev,
    "minkowski": Minkowski,
    "jensen_shannon": JensenShannon,
    "kullback_leibler": KullbackLeibler,
    "edit": Edit,
    "compression": Compression,
}


def as_distance(distance: Any) -> Distance:
    """A distance from its name, from a function of (query, row), or as it is."""
    if isinstance(distance, Distance):
        return distance
    if isinstance(distance, str) and distance in DISTANCES:
        return DISTANCES[distance]()
    if callable(distance) and not isinstance(distance, type):
        return OfFunction(distance)
    raise BadSetting(
        f"distance must be one of {', '.join(DISTANCES)}, a Distance or a function of (query, row), "
        f"got {distance!r} instead."
    )


def dense(values: Any) -> NDArray[Any]:
    """Rows as an array in double precision."""
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)


def direction(values: Floats) -> Floats:
    """Each row divided by its length; zeros stay zeros."""
    return np.asarray(values * inverse_lengths(values)[:, None])


def inverse_lengths(values: Any) -> Floats:
    """One divided by the length of each row; 0 for a row of zeros, which has no direction.

    The largest entry is divided out first, so that squares neither overflow nor vanish.
    """
    if not values.shape[1]:
        return np.zeros(values.shape[0])
    magnitudes = abs(values)
    largest = magnitudes.max(axis=1)
    largest = np.asarray(largest.todense() if sparse.issparse(largest) else largest, dtype=np.float64).ravel()
    safe = np.where(largest == 0, 1.0, largest)
    if sparse.issparse(values):
        squares = sum_of_squares(scaled(values, 1 / safe))
    else:
        squares = np.square(values / safe[:, None], dtype=np.float64).sum(axis=1)
    lengths = safe * np.sqrt(squares)
    return np.where(largest == 0, 0.0, 1 / np.where(largest == 0, 1.0, lengths))


def scaled(rows: Any, scales: Floats) -> Any:
    """Sparse rows, each times a number; their entries stay in order, so that sums round the same way."""
    factors = np.repeat(scales, np.diff(rows.indptr))
    return sparse.csr_array((rows.data * factors, rows.indices, rows.indptr), shape=rows.shape)


def sum_of_squares(rows: Any) -> Floats:
    """Σ r² of each sparse row, in the order of its entries."""
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def _bytes(text: str | bytes) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise NotTexts(f"Expected texts (str or bytes), got {type(text).__name__} instead.")
