r"""`TextFeatures`: texts to a sparse matrix of word or character counts, at the speed of the compiled core.

What `CountVectorizer` and `HashingVectorizer` do, with the tokeniser and the hash of the mail filter:

>>> texts = ["Free money!", "money, money, money"]
>>> features = TextFeatures(named=True).fit(texts)
>>> features.get_feature_names_out().tolist()
['free', 'money']
>>> features.transform(texts).toarray()
array([[1., 1.],
       [0., 3.]])

When hashed (the default), nothing is learned: the column of an n-gram is the top bits of its 64-bit hash. So
any number of machines can transform any number of texts without agreeing on a vocabulary first. When named,
the columns are the n-grams seen in `fit`, in the order in which they first came (scikit-learn sorts them by
name).

Differences from scikit-learn's default ``token_pattern=r"(?u)\b\w\w+\b"`` with ``lowercase=True``: on ASCII
text there is only one: of a word longer than 256 bytes only the beginning counts. Beyond ASCII, combining
marks belong to their word (``\w`` splits Hindi words at their vowels); Chinese, Japanese, Thai, Lao, Khmer
and Burmese give overlapping pairs of characters where ``\w+`` gives whole sentences; a pictograph is a word;
zero-width characters are dropped; compatible forms are made plain; and lookalike letters are read as Latin
where they mix with it.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from secrets import randbits
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from deciban.errors import BadSetting, NotTexts, NoWordsLeft
from deciban.families.matrices import is_frame
from deciban.text._text_counts import TextCounts, Vocabulary, count_texts

Columns = npt.NDArray[np.int32]

# The texts of one batch together have this many characters: their table of about 40,000 keys fits the L2
# cache.
BATCH_CHARACTERS = 1 << 18


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Counts the words or characters of texts, and their n-grams, as the columns of a sparse matrix.

    Parameters
    ----------
    analyzer : "word" or "char"
    ngram_range : (int, int)
        n-grams of at least and at most so many words (8 at most) or characters.
    named : bool
        Learn a vocabulary in `fit`, or (the default) hash n-grams to columns.
    n_features : int
        Columns when hashed: a power of two from 2 to 2**31.
    binary : bool
        Say 1 however often something occurs.
    min_df, max_df : int or float
        When named, keep what occurs in at least and at most so many texts, or that share of them.
    max_features : int, optional
        When named, keep only so many, those that occur most often.
    shortest : int
        Characters that a word has at least.
    dtype : numpy type of the counts
    n_jobs : int, optional
        Threads; -1 is one for each core. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : the column of each n-gram, where it is named.

    Examples
    --------
    Texts are str, or bytes in UTF-8, from any iterable: they are read in batches, never all at once.

    >>> TextFeatures(ngram_range=(1, 2), n_features=2**18).transform(iter(["one two"])).shape
    (1, 262144)
    """

    def __init__(
        self,
        *,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        named: bool = False,
        n_features: int = 2**20,
        binary: bool = False,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        shortest: int = 2,
        dtype: npt.DTypeLike = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.named = named
        self.n_features = n_features
        self.binary = binary
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.shortest = shortest
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: Iterable[str | bytes], y: Any = None) -> Self:  # noqa: ARG002
        """Learn the vocabulary; when hashed, only check the parameters."""
        if self.named:
            self._learned(X)
        else:
            self._check_parameters()
        return self

    def fit_transform(self, X: Iterable[str | bytes], y: Any = None, **_: Any) -> sp.csr_matrix:  # noqa: ARG002
        """`fit` and `transform` in one walk over the texts."""
        return self._learned(X) if self.named else self.transform(X)

    def transform(self, X: Iterable[str | bytes]) -> sp.csr_matrix:
        """The counts of each text, one row a text."""
        self._check_parameters()
        if not self.named:
            counts = self._matrix(
                ((batch, None) for batch in self._counted(X, naming=False)), self.n_features
            )
            counts.has_sorted_indices = True
            return counts
        check_is_fitted(self, "vocabulary_")
        vocabulary = self.vocabulary_
        known = (
            (batch, _numbers(vocabulary.look_up(batch), np.int32)) for batch in self._counted(X, naming=False)
        )
        return _without_unknown(self._matrix(known, len(vocabulary)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:  # noqa: ARG002
        """The n-gram of each column, or a running number when hashed."""
        if not self.named:
            return np.array([f"textfeatures{i}" for i in range(self.n_features)], dtype=object)
        check_is_fitted(self, "vocabulary_")
        return np.array(list(self.vocabulary_.names()), dtype=object)

    def _learned(self, texts: Iterable[str | bytes]) -> sp.csr_matrix:
        """Learns the vocabulary of some texts and gives their counts."""
        self._check_parameters()
        vocabulary = Vocabulary(randbits(64))
        learned = (
            (batch, _numbers(vocabulary.learn(batch), np.int32))
            for batch in self._counted(texts, naming=True)
        )
        counts = self._matrix(learned, None)
        kept = self._kept(counts)
        if not len(kept):
            raise NoWordsLeft(
                f"{counts.shape[0]} texts have {len(vocabulary)} different words, and none is left. "
                "Give texts with words, or relax min_df, max_df and shortest."
            )
        self.vocabulary_ = vocabulary
        if len(kept) < len(vocabulary):
            self.vocabulary_ = vocabulary.keep(kept.tolist())
            counts = counts[:, kept]
        return counts

    def _kept(self, counts: sp.csr_matrix) -> npt.NDArray[np.intp]:
        """The columns that min_df, max_df and max_features leave."""
        texts, columns = counts.shape
        if (
            self.min_df in (0, 1)
            and isinstance(self.max_df, float)
            and self.max_df == 1.0
            and not self.max_features
        ):
            return np.arange(columns)
        occurrences = np.bincount(counts.indices, minlength=columns)
        least = self.min_df if isinstance(self.min_df, int) else self.min_df * texts
        most = self.max_df if isinstance(self.max_df, int) else self.max_df * texts
        kept = np.flatnonzero((occurrences >= least) & (occurrences <= most))
        if self.max_features is not None and len(kept) > self.max_features:
            totals = np.bincount(counts.indices, weights=counts.data, minlength=columns)[kept]
            kept = np.sort(kept[np.argsort(-totals, kind="stable")[: self.max_features]])
        return kept

    def _matrix(
        self, batches: Iterator[tuple[TextCounts, Columns | None]], columns: int | None
    ) -> sp.csr_matrix:
        """One matrix of all batches, each with the columns of its numbers (None: they are columns)."""
        indices: list[Columns] = [np.empty(0, np.int32)]
        counts: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)]
        ends: list[npt.NDArray[np.int64]] = [np.zeros(1, np.int64)]
        seen = 0
        for batch, of_number in batches:
            numbers = _numbers(batch.numbers, np.int32)
            indices.append(numbers if of_number is None else of_number[numbers])
            counts.append(_numbers(batch.counts, np.int32))
            ends.append(_numbers(batch.row_ends, np.int64) + ends[-1][-1])
            if of_number is not None:
                seen = max(seen, int(of_number.max(initial=-1)) + 1)
        data = np.concatenate(counts, dtype=self.dtype, casting="unsafe")
        counts.clear()
        if self.binary:
            data.fill(1)
        pointers = np.concatenate(ends)
        if pointers[-1] <= np.iinfo(np.int32).max:
            pointers = pointers.astype(np.int32)
        shape = (len(pointers) - 1, seen if columns is None else columns)
        return sp.csr_matrix((data, np.concatenate(indices), pointers), shape=shape)

    def _counted(self, texts: Iterable[str | bytes], *, naming: bool) -> Iterator[TextCounts]:
        """The counts of each batch, in order; with several threads a few batches ahead of the reader."""
        first_n, last_n = self.ngram_range
        bits = 0 if self.named else self.n_features.bit_length() - 1
        settings = (self.analyzer == "word", first_n, last_n, self.shortest, bits, naming, randbits(64))
        threads = self._threads()
        if threads == 1:
            for batch in _batches(texts):
                yield count_texts(batch, *settings)
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[TextCounts]] = deque()
            for batch in _batches(texts):
                waiting.append(pool.submit(count_texts, batch, *settings))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _threads(self) -> int:
        """How many threads `n_jobs` means."""
        if self.n_jobs is None:
            return 1
        return self.n_jobs if self.n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + self.n_jobs)

    def _check_parameters(self) -> None:
        """Refuses what cannot be meant, before any text is read."""
        if self.analyzer not in ("word", "char"):
            raise BadSetting(f"analyzer must be 'word' or 'char', got {self.analyzer!r} instead.")
        first_n, last_n = self.ngram_range
        most = 8 if self.analyzer == "word" else 64
        if not 1 <= first_n <= last_n <= most:
            raise BadSetting(f"ngram_range must lie within (1, {most}), got {self.ngram_range!r} instead.")
        bits = self.n_features.bit_length() - 1
        if not self.named and (self.n_features != 1 << bits or not 1 <= bits <= 31):
            raise BadSetting(
                f"n_features must be a power of two from 2 to 2**31, got {self.n_features} instead."
            )
        if self.n_jobs == 0:
            raise BadSetting("n_jobs must be a number of threads, or -1 for all cores, got 0 instead.")

    def __sklearn_is_fitted__(self) -> bool:
        return not self.named or hasattr(self, "vocabulary_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.named
        return tags


def _numbers(data: bytes | memoryview, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Bytes as an array of numbers."""
    return np.frombuffer(data, dtype=dtype)


def iterated(texts: Any) -> Iterable[str | bytes]:
    """Texts one by one; refused are a single text, made of letters, and a frame, made of names of columns."""
    if isinstance(texts, (str, bytes)):
        raise NotTexts(
            f"an iterable of texts is needed, got one {type(texts).__name__} instead. Write [text]."
        )
    if is_frame(texts) or isinstance(texts, Mapping):
        raise NotTexts(
            f"an iterable of texts is needed, got a {type(texts).__name__} with columns instead. Give one of "
            "them, such as frame['text']."
        )
    given: Iterable[str | bytes] = texts.to_pylist() if hasattr(texts, "to_pylist") else texts  # pyarrow's
    return given


def _batches(texts: Iterable[str | bytes]) -> Iterator[list[str | bytes]]:
    """Texts in lists of about BATCH_CHARACTERS together; a longer text is a list of its own."""
    batch: list[str | bytes] = []
    size = 0
    for number, text in enumerate(iterated(texts)):
        if not isinstance(text, (str, bytes)):
            raise NotTexts(f"text {number} must be str or bytes, got {type(text).__name__} instead.")
        batch.append(text)
        size += len(text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _without_unknown(counts: sp.csr_matrix) -> sp.csr_matrix:
    """The same counts without the entries of column −1: words that were never learned."""
    known = counts.indices >= 0
    if known.all():
        return counts
    before = np.concatenate([[0], np.cumsum(known)])
    pointers = before[counts.indptr].astype(counts.indptr.dtype)
    return sp.csr_matrix((counts.data[known], counts.indices[known], pointers), shape=counts.shape)
