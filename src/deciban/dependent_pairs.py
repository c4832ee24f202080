"""Which pairs of features break the naive assumption: those that still tell of each other, given the label.

Naive Bayes takes features to be independent given the label. How far two of them are from that is their
conditional mutual information, in bits:

    I(A; B | label)  =  Σ p(a, b, label) · log2 [ p(a, b | label) / (p(a | label) · p(b | label)) ]

It is counted by levels: categories as they are (the rarest together), numbers cut at the quantiles of their
label, values of sparse rows as there or not. Pearson's χ², added up over the labels, says how surely it is no
accident. A label in which some pair of levels is expected less than once is left out of that, because its χ²
is none. p-values are corrected for the number of pairs (Holm, 1979).

What joining a pair would gain is told by the labels: how many bits per row their log-loss falls if A and B
are one category of both, instead of two that are taken to be independent. Each row is left out of the counts
that it is judged by.

>>> rng = np.random.default_rng(0)
>>> y = np.arange(2000) % 2
>>> first = rng.integers(0, 2, 2000)
>>> X = np.column_stack([first, first ^ y ^ (rng.random(2000) < 0.1), rng.integers(0, 3, 2000)])
>>> found = dependence(X, y, names=["a", "b", "c"])
>>> print(found)                                                  # b is a or not a, as the label has it
          bits         p     gain
a, b    0.4868   < 1e-99   0.4858
a, c    0.0026      0.26   0.0011
b, c    0.0013      0.45  -0.0009
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from scipy.stats import chi2

from deciban.errors import BadSetting, MissingExtra
from deciban.families import Bernoulli
from deciban.families.matrices import column_of, is_missing, names_of
from deciban.selection import information_gain

Floats = NDArray[np.float64]
SHOWN = 20
PAIRS_JOINED = 50  # so many pairs are tried together
EXPECTED = 1.0  # least count that χ² can do with
LAPLACE = 1.0


@dataclass(frozen=True)
class DependentPair:
    """Two features, and what they tell of each other."""

    first: Hashable
    second: Hashable
    information: float  # bits, given the label
    p_value: float  # of a pair that is independent given the label
    corrected: float  # … for the number of pairs
    gain: float | None  # bits per row that labels cost less if the two are joined; None if not tried


@dataclass(frozen=True, eq=False)
class DependentPairs:
    """All pairs of the strongest features, those that depend on each other most first."""

    names: tuple[Hashable, ...]
    information: Floats  # (features, features): bits given the label
    p_values: Floats  # (features, features)
    pairs: tuple[DependentPair, ...]

    def __str__(self) -> str:
        titles = [f"{pair.first}, {pair.second}" for pair in self.pairs[:SHOWN]]
        width = max(map(len, titles), default=0)
        lines = [f"{'':{width}}  {'bits':>8}  {'p':>8}  {'gain':>7}"]
        for title, pair in zip(titles, self.pairs, strict=False):
            gain = "" if pair.gain is None else f"{pair.gain:7.4f}"
            lines.append(f"{title:{width}}  {pair.information:8.4f}  {_p_text(pair.corrected):>8}  {gain}")
        if len(self.pairs) > SHOWN:
            lines.append(f"… and {len(self.pairs) - SHOWN:,} more pairs")
        return "\n".join(line.rstrip() for line in lines)

    def draw(self, axes: Any = None, most: int = 30) -> Any:
        """A picture by matplotlib: the features of the strongest pairs against each other. Gives the axes."""
        try:
            from matplotlib import colormaps
            from matplotlib.figure import Figure
        except ModuleNotFoundError:
            raise MissingExtra("Pictures need matplotlib. Run: pip install 'deciban[plots]'") from None
        if axes is None:
            axes = Figure(figsize=(7, 6), layout="constrained").add_subplot()
        named = [name for pair in self.pairs for name in (pair.first, pair.second)]
        places = [self.names.index(name) for name in list(dict.fromkeys(named))[:most]]
        shown = np.where(np.eye(len(places), dtype=bool), np.nan, self.information[np.ix_(places, places)])
        image = axes.imshow(shown, cmap=colormaps["viridis"], vmin=0)
        axes.set_xticks(range(len(places)), [str(self.names[place]) for place in places], rotation=90)
        axes.set_yticks(range(len(places)), [str(self.names[place]) for place in places])
        axes.figure.colorbar(
            image, ax=axes, label="bits that two features tell of each other, given the label"
        )
        axes.set_title("Which features are not independent")
        return axes


def dependence(
    X: Any,
    y: ArrayLike,
    *,
    names: Sequence[Hashable] | None = None,
    most: int = 300,
    levels: int = 4,
) -> DependentPairs:
    """Conditional mutual information of all pairs among the features that tell most about the label.

    Parameters
    ----------
    X : array, sparse matrix or frame
        Rows and columns of any kind. Missing values are left out, pair by pair.
    y : array
        The label of each row.
    names : sequence
        Names of the columns, if X has none.
    most : int
        How many features are looked at: those that tell most about the label.
    levels : int
        Into how many levels numbers are cut.
    """
    if levels < 2 or most < 2:
        raise BadSetting(f"levels and most must be 2 or more, got {levels!r} and {most!r} instead.")
    X = X if hasattr(X, "shape") else np.asarray(X)
    labels, truth = np.unique(np.asarray(y), return_inverse=True)
    if len(truth) != X.shape[0]:
        raise BadSetting(f"There must be one label per row, got {len(truth)} for {X.shape[0]} rows.")
    known = list(names) if names is not None else names_of(X) or list(range(X.shape[1]))
    if len(known) != X.shape[1]:
        raise BadSetting(f"Expected {X.shape[1]} names, got {len(known)} instead.")
    coded = _strongest(X, truth, most, levels)
    cells = LevelCells([levels_of for _, levels_of in coded])
    counts = [cells.counts(truth == label) for label in range(len(labels))]
    information, p_values = _statistics(cells, counts, len(truth))
    chosen = tuple(known[place] for place, _ in coded)
    return DependentPairs(chosen, information, p_values, _ranked(chosen, information, p_values, cells, truth))


class FeatureLevels(NamedTuple):
    """One feature by levels."""

    codes: NDArray[np.intp]  # (rows,), −1 where a value is missing
    numbers: Floats | None  # what is cut anew for each label, where it is a measurement
    most: int  # how many levels it has at most

    def under(self, rows: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The levels of the rows of one label: measurements are cut at the quantiles of these rows."""
        return self.codes[rows] if self.numbers is None else _cut(self.numbers[rows], self.most)


class LevelCells:
    """Features as levels laid side by side, and how often any two levels come together."""

    def __init__(self, features: Sequence[FeatureLevels]) -> None:
        self.features = features
        widths = [feature.most for feature in features]
        self.starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
        self.owner = np.repeat(np.arange(len(features)), widths)

    def counts(self, rows: NDArray[np.bool_]) -> Floats:
        """How many of the rows have both of two levels: (cells, cells)."""
        picked = [feature.under(rows) for feature in self.features]
        there = [np.flatnonzero(code >= 0) for code in picked]
        columns = [start + code[some] for start, code, some in zip(self.starts, picked, there, strict=False)]
        where = (np.concatenate(there), np.concatenate(columns))
        shape = (int(rows.sum()), int(self.starts[-1]))
        one_hot = sparse.csr_array((np.ones(len(where[0])), where), shape=shape)
        return np.asarray((one_hot.T @ one_hot).toarray())

    def blocks(self, cells: Floats, operation: np.ufunc = np.add) -> Floats:
        """The sum (or least) of each pair of features: (cells, cells) to (features, features)."""
        rows = operation.reduceat(cells, self.starts[:-1], axis=0)
        return np.asarray(operation.reduceat(rows, self.starts[:-1], axis=1))


def _statistics(cells: LevelCells, counts: Sequence[Floats], rows: int) -> tuple[Floats, Floats]:
    """Bits given the label, and p-values: (features, features) each."""
    size = len(cells.features)
    nats, statistic, freedom = (np.zeros((size, size)) for _ in range(3))
    for count in counts:
        margin = np.add.reduceat(count, cells.starts[:-1], axis=1)  # of a level, where the other is there
        whole = np.maximum(cells.blocks(count), 1e-300)
        beside = margin[:, cells.owner]
        expected = beside * beside.T / whole[np.ix_(cells.owner, cells.owner)]
        some = expected > 0
        ratio = np.divide(count, expected, out=np.ones(count.shape), where=some)
        nats += cells.blocks(xlogy(count, ratio))
        gap = np.divide((count - expected) ** 2, expected, out=np.zeros(count.shape), where=some)
        least = cells.blocks(np.where(some, expected, np.inf), np.minimum)
        used = np.add.reduceat(margin > 0, cells.starts[:-1], axis=0, dtype=int)
        free = (used - 1) * (used.T - 1)
        enough = (least >= EXPECTED) & (free > 0)
        statistic += np.where(enough, cells.blocks(gap) * (1 - 1 / whole), 0.0)
        freedom += np.where(enough, free, 0)
    p_values = np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    return np.maximum(nats, 0.0) / max(rows, 1) / np.log(2), p_values


def _ranked(
    names: Sequence[Hashable],
    information: Floats,
    p_values: Floats,
    cells: LevelCells,
    truth: NDArray[np.intp],
) -> tuple[DependentPair, ...]:
    first, second = np.triu_indices(len(names), 1)
    corrected = _holm(p_values[first, second])
    order = np.lexsort((-information[first, second], corrected > 0.05))
    pairs = []
    for number, place in enumerate(order.tolist()):
        a, b = int(first[place]), int(second[place])
        gain = (
            _gain(cells.features[a].codes, cells.features[b].codes, truth) if number < PAIRS_JOINED else None
        )
        told = (float(information[a, b]), float(p_values[a, b]), float(corrected[place]), gain)
        pairs.append(DependentPair(names[a], names[b], *told))
    return tuple(pairs)


def _holm(p_values: Floats) -> Floats:
    """Corrected so that the chance of any false alarm stays below p.

    >>> _holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    raised = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return corrected


def _gain(first: NDArray[np.intp], second: NDArray[np.intp], truth: NDArray[np.intp]) -> float:
    """How many bits per row labels cost less by the pair than by the two, each row left out of its counts."""
    both = (first >= 0) & (second >= 0)
    a, b, label = first[both], second[both], truth[both]
    table = np.zeros((int(a.max(initial=0)) + 1, int(b.max(initial=0)) + 1, int(truth.max(initial=0)) + 1))
    np.add.at(table, (a, b, label), 1)
    apart, joined = (_log_loss(table, whole) for whole in (False, True))
    return float((apart - joined) / max(len(label), 1) / np.log(2))


def _log_loss(table: Floats, joined: bool) -> float:
    """−log p(label) of all rows in a table (a, b, label), by the pair or by both features apart."""
    loss, labels = 0.0, table.shape[2]
    for own in range(labels):
        # Every row of this label: its own counts are one less, those of other labels as they are.
        scores = np.empty(table.shape)
        for label in range(labels):
            less = float(label == own)
            mine, whole = table[..., label], table[..., label].sum() - less
            parts = [mine] if joined else [mine.sum(axis=1, keepdims=True), mine.sum(axis=0, keepdims=True)]
            score = np.log(max(whole, 0.0) + LAPLACE)
            for part in parts:
                score = (
                    score
                    + np.log(np.maximum(part - less, 0.0) + LAPLACE)
                    - np.log(whole + LAPLACE * part.size)
                )
            scores[..., label] = score
        most = scores.max(axis=2)
        log_whole = most + np.log(np.exp(scores - most[..., None]).sum(axis=2))
        loss += float((table[..., own] * (log_whole - scores[..., own])).sum())
    return loss


def _strongest(X: Any, truth: NDArray[np.intp], most: int, levels: int) -> list[tuple[int, FeatureLevels]]:
    """The columns that tell most about the label, as levels, in their own order."""
    places, binary = range(X.shape[1]), sparse.issparse(X)
    if binary:  # a tally finds the strongest at once, however many columns there are
        there = sparse.csr_array(X != 0, dtype=np.int8)
        gains = information_gain(Bernoulli().tally(there, truth))
        places = np.argsort(-gains, kind="stable")[:most].tolist()
        X = sparse.csc_array(X)
    told = []
    for place in places:
        feature = _levels(column_of(X, place), levels, binary=binary)
        told.append((_bits(feature.codes, truth), place, feature))
        told = sorted(told, key=lambda one: -one[0])[:most] if len(told) > 2 * most else told
    kept = sorted(sorted(told, key=lambda one: -one[0])[:most], key=lambda one: one[1])
    telling = [(place, feature) for bits, place, feature in kept if bits > 0]
    if len(telling) < 2:
        raise BadSetting("Fewer than two columns tell anything about the label, so there are no pairs.")
    return telling


def _levels(values: NDArray[Any], levels: int, binary: bool) -> FeatureLevels:
    """The levels of one column."""
    missing = is_missing(values)
    codes = np.full(len(values), -1, dtype=np.intp)
    present = values[~missing]
    if binary:
        codes[~missing] = present != 0
        return FeatureLevels(codes, None, 2)
    distinct, own, times = np.unique(present, return_inverse=True, return_counts=True)
    if len(distinct) > levels and present.dtype.kind in "biuf":
        numbers = np.where(missing, np.nan, values).astype(float)
        return FeatureLevels(_cut(numbers, levels), numbers, levels)
    rank = np.empty(len(distinct), dtype=np.intp)
    rank[np.argsort(-times, kind="stable")] = np.arange(len(distinct))
    most = min(len(distinct), 2 * levels)  # the rarest categories are one
    codes[~missing] = np.minimum(rank, most - 1)[own]
    return FeatureLevels(codes, None, max(most, 1))


def _cut(numbers: Floats, levels: int) -> NDArray[np.intp]:
    """Numbers by their quantiles, −1 where one is missing.

    >>> _cut(np.array([1.0, 9.0, 2.0, np.nan, 8.0]), 2).tolist()
    [0, 1, 0, -1, 1]
    """
    present = ~np.isnan(numbers)
    if not present.any():
        return np.full(len(numbers), -1, dtype=np.intp)
    cuts = np.unique(np.quantile(numbers[present], np.arange(1, levels) / levels))
    return np.where(present, np.searchsorted(cuts, numbers, side="left"), -1)


def _bits(codes: NDArray[np.intp], truth: NDArray[np.intp]) -> float:
    """What a feature tells about the label."""
    there = codes >= 0
    shape = (int(codes.max(initial=0)) + 1, int(truth.max(initial=0)) + 1)
    places = np.ravel_multi_index((codes[there], truth[there]), shape)
    table = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
    whole = max(table.sum(), 1.0)
    apart = sum(xlogy(table.sum(axis=axis), table.sum(axis=axis)).sum() for axis in (0, 1))
    return float(max(xlogy(table, table).sum() - apart + xlogy(whole, whole), 0.0) / whole / np.log(2))


def _p_text(p: float) -> str:
    return "< 1e-99" if p < 1e-99 else f"{p:.2g}"
