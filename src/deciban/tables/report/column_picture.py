"""One column in a picture: what the rows of each label have, and what the fitted family makes of it.

Numbers get a strip for each label, with a histogram and the density (or mass) that was fitted as a line.
Categories, yes or no, and the words of texts get a bar for each label, as long as the share of its rows, and
a mark where the fitted share is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.decibans import DECIBANS_A_NAT
from deciban.families.reading import Floats, Reading
from deciban.families.telling import read_telling
from deciban.families.texts import words_of
from deciban.tables.dates import MONTHS, WEEKDAYS
from deciban.tables.guess import CATEGORICAL, TEXT, Guess
from deciban.tables.report.chart import COLOURS, WIDTH, Chart, number_words, shortened_words
from deciban.tables.table_model import TableModel

BINS = 36
POINTS = 181
STRIP = 50
LINE = 9
MOST_CATEGORIES = 12
MOST_WORDS = 10
ROWS_LOOKED_AT = 20_000
NAMES = 104  # room for the names of categories
YES_OR_NO = {"bernoulli": ("0", "1"), "above-zero": ("0", "above 0")}


class ColumnPicture:
    """A column, its values under each label, and its fitted family."""

    def __init__(self, model: TableModel, column: Guess, values: NDArray[np.float64 | np.object_]) -> None:
        trial = model.trial
        assert trial is not None
        step = max(1, len(values) // ROWS_LOOKED_AT)
        self.column = column
        self.values, self.truth = values[::step], trial.truth[::step]
        self.shares = np.bincount(trial.truth, minlength=len(trial.labels)) / len(trial.truth)
        self.reading = _reading_of(model, column.name)
        # The commonest labels; more than there are colours would not be told apart.
        self.shown = np.argsort(-self.shares, kind="stable")[:COLOURS]
        self.names = [str(trial.labels[place]) for place in self.shown]

    @property
    def decibans(self) -> float:
        """What a value says for its row's own label, against all labels by their shares, in the mean."""
        told = self.reading.log_density(self.values[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = np.logaddexp.reduce(told + np.log(self.shares), axis=1)
            gain = told[np.arange(len(told)), self.truth] - whole
        return float(DECIBANS_A_NAT * np.nan_to_num(gain, posinf=0.0, neginf=0.0).mean())

    def svg(self) -> str:
        """The picture."""
        if self.column.family in YES_OR_NO:
            return self._bars(*self._yes_or_no())
        if self.column.family == CATEGORICAL:
            return self._bars(*self._categories())
        return self._bars(*self._words()) if self.column.family == TEXT else self._strips()

    # --- numbers -----------------------------------------------------------------------------

    def _strips(self) -> str:
        there = self.values[~np.isnan(self.values.astype(float))].astype(float)
        there = there[np.isfinite(there)]
        whole = self.column.family in ("poisson", "geometric") or bool((there == np.rint(there)).all())
        edges = bin_edges(there, whole)
        chart = Chart(edges[0], edges[-1], STRIP * len(self.shown) + 20)
        for number, label in enumerate(self.shown):
            self._strip(chart, number, int(label), edges, whole)
        chart.axis(STRIP * len(self.shown))
        return chart.svg(f"{self.column.name}: a histogram and the fitted {self.column.family} of each label")

    def _strip(self, chart: Chart, number: int, label: int, edges: Floats, whole: bool) -> None:
        own = self.values[self.truth == label].astype(float)
        own = own[np.isfinite(own)]
        counts = np.histogram(own, edges)[0]
        heights = counts / max(len(own), 1) / np.diff(edges)
        masses = self.column.family in ("poisson", "geometric")
        points = np.linspace(edges[0], edges[-1], POINTS)
        if masses:
            points = np.unique(np.clip(np.rint(points), np.ceil(edges[0]), np.floor(edges[-1])))
        elif self.column.family == "gamma":
            points = points[points > 0]
        fitted = np.exp(self.reading.log_density(points[:, None])[:, label])
        floor = STRIP * (number + 1)
        scale = (STRIP - 14) / max(heights.max(initial=0), fitted.max(initial=0), 1e-300)
        for place in np.flatnonzero(counts):
            left, right = chart.across(edges[place]), chart.across(edges[place + 1])
            high = scale * heights[place]
            span = _span_words(edges[place], edges[place + 1], whole)
            chart.bar(left, floor - high, right - left, high, f"c{number}", f"{span}: {counts[place]:,} rows")
        chart.line(zip(map(chart.across, points), floor - scale * fitted, strict=True), f"fit l{number}")
        chart.text(2, floor - STRIP + 11, shortened_words(self.names[number], 40))
        chart.line([(0, floor), (WIDTH, floor)], "axis")

    # --- categories --------------------------------------------------------------------------

    def _yes_or_no(self) -> tuple[list[str], Floats, Floats]:
        there = ~np.isnan(self.values.astype(float))
        ones = (self.values[there].astype(float) > 0).astype(float)
        seen = _mean_by_label(ones[:, None], self.truth[there], self.shown)
        fitted = np.exp(self.reading.log_density(np.array([[1.0]])))[0, self.shown, None]
        names = list(YES_OR_NO[self.column.family])
        return names, np.hstack([1 - seen, seen]), np.hstack([1 - fitted, fitted])

    def _categories(self) -> tuple[list[str], Floats, Floats]:
        there = np.array([text is not None for text in self.values])
        texts, truth = self.values[there], self.truth[there]
        names, counts = np.unique(texts.astype(str), return_counts=True)
        common = set(names[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
        chosen = sorted(common, key=_order_of)
        seen = _mean_by_label(np.array(chosen) == texts.astype(str)[:, None], truth, self.shown)
        rows = np.array(chosen, dtype=object).reshape(-1, 1)
        return chosen, seen, np.exp(self.reading.log_density(rows))[:, self.shown].T

    def _words(self) -> tuple[list[str], Floats, Floats]:
        told = [words_of(text) if text is not None else [] for text in self.values]
        words = list((self.reading.features.categories or ([],))[0])
        theta = self.reading.parameters.get("probability", np.ones((len(self.shares), len(words))))
        known = {word: place for place, word in enumerate(words)}
        has = np.zeros((len(self.shares), len(words)))
        for label, text in zip(self.truth, told, strict=True):
            has[label, [known[word] for word in text if word in known]] += 1
        # How much a word tells: the texts that have it, times how uneven the labels are.
        sure = np.log(np.maximum(theta, 1e-12))
        spread = sure.max(axis=0) - sure.min(axis=0)
        chosen = np.argsort(-(has.sum(axis=0) * spread), kind="stable")[:MOST_WORDS]
        texts = np.maximum(np.bincount(self.truth, minlength=len(self.shares)), 1)[:, None]
        length = has.sum(axis=1, keepdims=True) / texts
        names = [str(words[place]) for place in chosen]
        fitted = np.minimum(theta * length, 1.0)
        return names, (has / texts)[np.ix_(self.shown, chosen)], fitted[np.ix_(self.shown, chosen)]

    def _bars(self, names: Sequence[str], seen: Floats, fitted: Floats) -> str:
        """A group of bars for each name, one for each label; shares are (labels, names)."""
        most = max(float(seen.max(initial=0)), float(fitted.max(initial=0)), 1e-9)
        group = LINE * len(self.shown) + 5
        chart = Chart(0, most, group * len(names) + 20, left=NAMES, right=10)
        for row, name in enumerate(names):
            top = group * row
            chart.text(NAMES - 6, top + group / 2 + 2, shortened_words(name, 15), "end")
            for number, label in enumerate(self.names):
                y, share, expected = top + LINE * number, seen[number, row], fitted[number, row]
                tip = f"{name}, {label}: {share:.1%} of rows, fitted {expected:.1%}"
                chart.bar(NAMES, y, chart.across(share) - NAMES, LINE - 2, f"c{number}", tip)
                x = chart.across(expected)
                chart.line([(x, y - 1), (x, y + LINE - 1)], "mark")
        chart.axis(group * len(names), shares=True)
        return chart.svg(f"{self.column.name}: the share of each label's rows, and the fitted share")


def bin_edges(values: Floats, whole: bool) -> Floats:
    """The borders of a histogram, without the outermost values; whole numbers in the middle of a bin.

    >>> bin_edges(np.array([1.0, 2, 2, 3]), whole=True).tolist()
    [0.5, 1.5, 2.5, 3.5]
    """
    low, high = np.quantile(values, [0.005, 0.995]) if len(values) else (0.0, 1.0)
    if whole:
        width = max(1, int(np.ceil((high - low + 1) / BINS)))
        count = int(np.ceil((np.rint(high) - np.rint(low) + 1) / width))
        return np.asarray(np.rint(low) - 0.5 + width * np.arange(count + 1))
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, BINS + 1)


def _reading_of(model: TableModel, name: str) -> Reading:
    """The column read by itself, as it was read among all others."""
    part = next(part for part in model.learner.tally_.parts if name in part.features.names)
    return read_telling(part[[name]], model.learner.rule, model.learner.model_.prior)


def _mean_by_label(shares: NDArray[Any], truth: NDArray[np.intp], labels: NDArray[np.intp]) -> Floats:
    """The mean of the rows of each label; nothing where it has none."""
    means = np.zeros((len(labels), shares.shape[1]))
    for place, label in enumerate(labels):
        if (truth == label).any():
            means[place] = shares[truth == label].mean(axis=0)
    return means


def _order_of(name: str) -> tuple[float, str]:
    """Months and weekdays as in the calendar, numbers by size, anything else by its letters."""
    for calendar in (MONTHS, WEEKDAYS):
        if name in calendar:
            return float(calendar.index(name)), name
    try:
        return float(name), name
    except ValueError:
        return np.inf, name


def _span_words(low: float, high: float, whole: bool) -> str:
    if whole and high - low == 1:
        return number_words(low + 0.5)
    return f"{number_words(low)} to {number_words(high)}"
