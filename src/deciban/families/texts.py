"""Texts: free text in a column of a table, by the words that are in it. A note, a title, a description.

    T(x) = which words x has    tally: in how many texts each word was    prior: Dirichlet(α), α of each word
    log p(x | θ) = Σ log θ_w  over the different words w of x

Words are runs of letters and digits, in lower case; Chinese and Japanese, which have no spaces, are read by
pairs of letters. A word counts once per text, however often it comes. The vocabulary is found in the data, in
any batch. `bayes` draws the words from Pólya's urn, as `Multinomial` does.

>>> notes = Texts().tally([["Fever, and cough"], ["no fever"], ["fever again"]], ["flu", "no", "flu"])
>>> notes.features.categories[0].tolist(), notes.sums["count"].tolist()
(['again', 'and', 'cough', 'fever', 'no'], [[1, 1, 1, 2, 0], [0, 0, 0, 1, 1]])
>>> np.exp(notes.read("mean", prior=1).log_likelihood([["COUGH!"], ["unheard-of"]])).round(2).tolist()
[[0.2, 0.14], [1.0, 1.0]]

A word that was never learned says nothing: it would only tell which label has fewer texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import gammaln

from deciban.families.categorical import Categorical, CategoricalReading
from deciban.families.cells import Cells
from deciban.families.matrices import is_missing
from deciban.families.reading import Breakdown, Floats, Form, Reading
from deciban.schema import Schema
from deciban.tally import Tally

LONGEST = 40  # letters of a word; what follows is cut off
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")


def words_of(text: Any) -> list[str]:
    """The different words of a text, sorted.

    >>> words_of("It's a fever — a HIGH fever. 发烧了")
    ['a', 'fever', 'high', "it's", '发烧', '烧了']
    """
    return sorted({piece for word in _WORD.findall(str(text).casefold()) for piece in _pieces(word)})


def _pieces(word: str) -> Iterator[str]:
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            yield word[end : run.start()][:LONGEST]
        letters, end = run.group(), run.end()
        yield from (letters[place : place + 2] for place in range(max(len(letters) - 1, 1)))
    if end < len(word):
        yield word[end:][:LONGEST]


@dataclass(frozen=True)
class Texts(Categorical):
    """Free text, as the set of its words.

    Parameters
    ----------
    categories : always None: words are found in the texts.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> rows = [["buy now"], ["cheap, buy"], ["see you at noon"], ["lunch at noon"]]
    >>> NaiveBayes(Texts()).fit(rows, ["spam", "spam", "ham", "ham"]).predict([["buy cheap"]]).tolist()
    ['spam']
    """

    def _distinct(self, X: Any) -> list[NDArray[Any]]:
        """The words of each column, sorted."""
        return [_sorted({word for words in _told(column) for word in words}) for column in X.T]

    def _cells_of(self, features: Schema) -> Cells:
        """Words are looked up one by one."""
        return WordCells(features)

    def _something_new(self, imagined: Tally) -> NDArray[np.float64]:
        """Nothing is imagined of words that were never learned."""
        return np.zeros((len(imagined.labels), len(imagined.features)))

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:
        """θ for each label and word; under `bayes` a text is drawn from an urn."""
        point = super()._read_posterior(posterior, imagined, rule)
        assert isinstance(point, CategoricalReading)
        weights = {"count": point.form.weights["count"]}
        never = point.impossible and Form({"count": point.impossible.weights["count"]}, point.form.offset)
        urn = posterior.features.add_up(np.asarray(posterior.sums["count"], dtype=float))
        parameters = {"probability": point.parameters["probability"]}
        form = Form(weights, point.form.offset)
        features = posterior.features
        return TextsReading(
            self, posterior.labels, features, parameters, form, never, urn if rule == "bayes" else None
        )

    def _draw_rows(
        self,
        parameters: Mapping[str, NDArray[Any]],
        number: int,
        tally: Tally,
        label: int,
        rng: np.random.Generator,
    ) -> NDArray[Any]:
        """Texts with as many words as those of the label have on the average."""
        features, rows = tally.features, max(float(tally.rows[label]), 1.0)
        assert features.categories is not None
        table = np.empty((number, len(features)), dtype=object)
        pieces = zip(features.categories, features.starts[:-1], features.starts[1:], strict=True)
        for column, (known, start, end) in enumerate(pieces):
            shares = np.asarray(parameters["probability"])[start:end]
            lengths = rng.poisson(float(tally.sums["count"][label, start:end].sum()) / rows, number)
            for row, length in enumerate(lengths):
                table[row, column] = " ".join(known[rng.choice(len(known), length, p=shares / shares.sum())])
        return table


@dataclass(frozen=True, eq=False)
class TextsReading(CategoricalReading):
    """Shares of words; with an urn, each further word of a text is drawn from a fuller urn."""

    urn: Floats | None = None  # how much is in the urn of each label and column: seen and imagined

    def _block(self, X: Any) -> Floats:
        value = super()._block(X)
        return value if self.urn is None else value + self._filling(X).sum(axis=2)

    def explain(self, X: Any) -> Breakdown:
        """What the words of each column say together."""
        count = self._cells.one_hot(X)["count"]
        told = self._filling(X)
        for label, weights in enumerate(self.form.weights["count"]):
            told[:, label] += (count @ self._by_column(weights)).toarray()
        if self.impossible is not None:
            for label, weights in enumerate(self.impossible.weights["count"]):
                told[:, label][(count @ self._by_column(weights)).toarray() > 0] = -np.inf
        return Breakdown(np.zeros(told.shape[:2]), told)

    def silenced(self, silent: NDArray[np.bool_]) -> Reading:
        """Their urns too."""
        quiet = super().silenced(silent)
        assert isinstance(quiet, TextsReading)
        return quiet if self.urn is None else replace(quiet, urn=np.where(silent, 0.0, self.urn))

    def _by_column(self, weights: Floats) -> Any:
        """The weights of the words, each in the column of its feature: (cells, features)."""
        places = (np.arange(len(weights)), self.features.owner)
        return sparse.csr_array((weights, places), shape=(len(weights), len(self.features)))

    @cached_property
    def _owners(self) -> Any:
        return self._by_column(np.ones(self.features.cells))

    def _filling(self, X: Any) -> Floats:
        """N log A − log A(A + 1)…(A + N − 1) for the N words of a column: (rows, labels, features)."""
        if self.urn is None:
            return np.zeros((len(X), len(self.labels), len(self.features)))
        words = (self._cells.one_hot(X)["count"] @ self._owners).toarray()[:, None, :]
        some = np.where(self.urn > 0, self.urn, 1.0)
        drawn = words * np.log(some) - (gammaln(some + words) - gammaln(some))
        return np.asarray(np.where(self.urn > 0, drawn, 0.0))


class WordCells(Cells):
    """Finds the cells of the words of every text."""

    def __init__(self, features: Schema) -> None:
        self._features = features
        assert features.categories is not None
        self._known: list[Mapping[str, int]] = [
            {str(word): int(start) + place for place, word in enumerate(words)}
            for start, words in zip(features.starts[:-1], features.categories, strict=True)
        ]

    def one_hot(self, X: NDArray[Any]) -> dict[str, Any]:
        """T(x): a one in the cell of each word that is there."""
        if X.shape[1] != len(self._known):
            raise ValueError(f"Expected {len(self._known)} columns, got {X.shape[1]} instead.")
        columns = [list(_told(column)) for column in X.T]
        cells, starts = [], [0]
        for row in range(len(X)):
            for known, texts in zip(self._known, columns, strict=True):
                cells += [known[word] for word in texts[row] if word in known]
            starts.append(len(cells))
        shape = (len(X), self._features.cells)
        indices, pointers = np.array(cells, dtype=np.int32), np.array(starts, dtype=np.int32)
        return {"count": sparse.csr_array((np.ones(len(cells)), indices, pointers), shape=shape)}


def _told(column: NDArray[Any]) -> Iterator[list[str]]:
    """The words of each text of a column; a gap has no words."""
    gaps = is_missing(column)
    return ([] if gap else words_of(text) for gap, text in zip(gaps, column, strict=True))


def _sorted(words: set[str]) -> NDArray[Any]:
    """Words as objects: in an array of texts every word would take as much room as the longest."""
    found = np.empty(len(words), dtype=object)
    found[:] = sorted(words)
    return found
