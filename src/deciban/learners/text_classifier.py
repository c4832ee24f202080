"""TextClassifier: raw texts in, any labels out. Three witnesses that err in different places, and a judge.

>>> texts = ["cheap pills, buy now", "lunch on monday?", "buy cheap watches", "the monday meeting"] * 5
>>> model = TextClassifier(n_features=2**12).fit(texts, ["spam", "ham", "spam", "ham"] * 5)
>>> model.predict(["cheap cheap", "see you monday"]).tolist()
['spam', 'ham']
>>> print(str(model.why(["buy pills"])[0]).splitlines()[0])         # doctest: +ELLIPSIS
spam rather than ham: ... dB

Each witness gives every label a score that is linear in the weighed words of a text (`WeightedText`):

    counts    Naive Bayes by complement tallies, over words and pairs of words: how badly all other labels
              explain the text. Needs few texts a label, and cannot be overtrained.
    words     softmax weights over words: what each word adds when the others are known.
    letters   softmax weights over four characters in a row: parts of words, names, addresses, punctuation.

The judge divides each witness's scores by their spread, adds them up, and multiplies the sum by one number,
the heat, so that the softmax of the totals are honest probabilities. Spread and heat come from an exam:
texts that were scored before they were learned. `fit` keeps every tenth text back for it, and then learns
all; `partial_fit` examines each batch before it learns it. Each text is counted once for each witness.

What it learned can be saved without pickle (`save`, `load`), and learned on. It cannot be unlearned: the
softmax weights depend on the order of the texts, and the counts were weighed by how rare each word was at
that time. So no subtraction gives what the other texts alone would have given. `forget` says so.

Witnesses, rate and α were chosen by cross-validation on the training texts of Twenty Newsgroups, a comparison
made by `examples/2_newsgroups.py --choose`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from deciban.decibans import DECIBANS_A_NAT
from deciban.errors import BadSetting, CannotForget
from deciban.families.reading import Floats
from deciban.learners import text_classifier_file
from deciban.learners.complement_counts import ComplementCounts
from deciban.learners.explanation import Explanation, FeatureEvidence
from deciban.learners.labels import checked_labels, declared_classes
from deciban.learners.softmax import Softmax
from deciban.learners.text_features import TextFeatures, iterated
from deciban.learners.weighted_text import WeightedText
from deciban.learners.whole_setting import whole_setting
from deciban.text._hashing import feature_hash

# One text in so many is kept back for the exam of `fit`.
KEPT_BACK = 10
VIEWS: dict[str, dict[str, Any]] = {
    "counts": {"ngram_range": (1, 2)},
    "words": {},
    "letters": {"analyzer": "char", "ngram_range": (4, 4)},
}


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A committee for texts.

    Parameters
    ----------
    witnesses : which of "counts", "words" and "letters" are heard.
    alpha : smoothing of the counts, in weighed words of each kind.
    rate, passes : the step of the softmax weights, and how often they go through the texts.
    n_features : columns of each witness's table, a power of two. A label takes 12 bytes per column.
    seed : of the order in which the weights see the texts.

    Texts are str, or bytes in UTF-8. Labels are anything that numpy can sort.

    Attributes
    ----------
    classes_ : the labels, sorted.
    witnesses_, views_ : what each witness learned, and how rare it found each word.
    scales_ : the spread of each witness's scores, by which they are divided.
    heat_ : what the judge multiplies the sum of the witnesses by.
    examined_ : how many texts spread and heat come from.

    Examples
    --------
    >>> model = TextClassifier(n_features=2**12).fit(["buy pills", "lunch?"] * 9, ["spam", "ham"] * 9)
    >>> model.predict(["cheap pills"]).tolist()
    ['spam']
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        witnesses: Sequence[str] = ("counts", "words", "letters"),
        alpha: float = 0.01,
        rate: float = 0.4,
        passes: int = 6,
        n_features: int = 2**20,
        seed: int = 0,
    ) -> None:
        self.witnesses = witnesses
        self.alpha = alpha
        self.rate = rate
        self.passes = passes
        self.n_features = n_features
        self.seed = seed

    # --- learning ----------------------------------------------------------------------------

    def fit(self, X: Sequence[str | bytes], y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled texts, and nothing else.

        A text of weight 2 counts twice, and pulls the weights twice as far; how rare a word is depends on the
        number of texts alone.
        """
        texts, y, weight = self._weighed(*self._validate(X, y), sample_weight)
        return self._fit(texts, y, weight, [])

    def _fit(
        self, texts: list[str | bytes], y: NDArray[Any], weight: Floats | None, declared: list[Any]
    ) -> Self:
        self._begin()
        truth = self._number(y, declared)
        kept = np.random.default_rng(self.seed).permutation(len(texts)) % KEPT_BACK == 0
        kept[0] &= len(texts) > 1  # a single text is learned, and nothing is examined
        scores = [self._learn_all(name, texts, truth, kept, weight) for name in self.views_]
        judged = self._judged(scores, truth[kept], np.unique(truth[~kept]), _part(weight, kept))
        self._squares, self.examined_, self.heat_ = judged
        return self

    def partial_fit(
        self, X: Sequence[str | bytes], y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Examine, then learn further texts; labels that were never seen are welcome.

        `classes` may be given, as scikit-learn's contract has it, and must then contain every label. They
        stay among the classes; those of which nothing was learned yet have a probability of 0.
        """
        texts, y, weight = self._weighed(*self._validate(X, y), sample_weight)
        declared = [] if classes is None else declared_classes(classes, y).tolist()
        if not hasattr(self, "classes_"):
            return self._fit(texts, y, weight, declared)
        known = np.arange(len(self._order))
        truth = self._number(y, [*self.classes_.tolist(), *declared])
        counts = {name: view.count(texts) for name, view in self.views_.items()}
        scores = [self._score(name, each) for name, each in counts.items()]
        squares, rows, heat = self._judged(scores, truth, known, weight)
        if rows:
            share = rows / (rows + self.examined_)
            self.heat_ = float(np.exp(share * np.log(heat) + (1 - share) * np.log(self.heat_)))
            self._squares, self.examined_ = self._squares + squares, self.examined_ + rows
        for name, each in counts.items():
            self._learn(name, each, truth, weight)
        return self

    def forget(self, X: Sequence[str | bytes], y: Any) -> Self:  # noqa: ARG002
        """Refused: nothing short of learning the other texts anew would be exact."""
        raise CannotForget(
            "A TextClassifier cannot forget: each step of its weights depends on all texts before. Fit it "
            "again without these texts, or use NaiveBayes over TextFeatures, which can."
        )

    # --- keeping -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to a file that holds numbers and names, and cannot execute code."""
        check_is_fitted(self)
        text_classifier_file.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that was saved; it classifies and goes on learning as the other would have."""
        return text_classifier_file.load(cls, Path(path))

    # --- classifying -------------------------------------------------------------------------

    def decision_function(self, X: Sequence[str | bytes]) -> Floats:
        """The judge's total for each label, in nats: (texts, labels); for two labels, second minus first."""
        totals = self._totals(_texts(X))
        return totals[:, 1] - totals[:, 0] if totals.shape[1] == 2 else totals

    def predict_proba(self, X: Sequence[str | bytes]) -> Floats:
        """p(label | text)."""
        return np.asarray(softmax(self._totals(_texts(X)), axis=1))

    def predict(self, X: Sequence[str | bytes]) -> NDArray[Any]:
        """The likeliest label."""
        likeliest = self._totals(_texts(X)).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def why(self, X: Sequence[str | bytes]) -> list[Explanation]:
        """For each text, the evidence of each word, pair and run of letters in decibans; they add up."""
        return [self._explain(text) for text in _texts(X)]

    # --- inner workings ----------------------------------------------------------------------

    def _begin(self) -> None:
        """Forget everything."""
        unknown = [name for name in self.witnesses if name not in VIEWS]
        if unknown or not self.witnesses:
            raise BadSetting(f"witnesses must be some of {', '.join(VIEWS)}, got {self.witnesses!r} instead.")
        for name, value in (("alpha", self.alpha), ("rate", self.rate)):
            if not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
                raise BadSetting(f"{name} must be a number above 0, got {value!r} instead.")
        whole_setting("passes", self.passes)
        self.views_: dict[str, WeightedText] = {}
        self.witnesses_: dict[str, ComplementCounts | Softmax] = {}
        for name in self.witnesses:
            self._begin_witness(name)
        self._order: list[Any] = []  # label of each number that the witnesses know, as first seen
        self._squares, self.examined_, self.heat_ = np.zeros(len(self.witnesses)), 0, 1.0

    def _begin_witness(self, name: str) -> None:
        """A view and a witness that know nothing."""
        features = TextFeatures(n_features=self.n_features, dtype=np.float32, **VIEWS[name])
        self.views_[name] = WeightedText(features)
        self.witnesses_[name] = (
            ComplementCounts(self.n_features, self.alpha)
            if name == "counts"
            else Softmax(self.n_features, rate=self.rate, passes=self.passes, seed=self.seed)
        )

    def _number(self, y: NDArray[Any], declared: list[Any]) -> NDArray[np.int32]:
        """The number of each text's label; labels that were never seen get the next ones."""
        known = set(self._order)
        order = self._order + [label for label in np.unique(y).tolist() if label not in known]
        kind = y.dtype if y.dtype.kind == "O" else None
        self._know(order, np.unique(np.array([*order, *declared], dtype=kind)))
        number = {label: place for place, label in enumerate(order)}
        return np.array([number[label] for label in y.tolist()], dtype=np.int32)

    def _learn(self, name: str, counts: Any, truth: NDArray[np.int32], weight: Floats | None) -> None:
        """Have one witness learn further texts."""
        view = self.views_[name]
        view.learn(counts)
        self.witnesses_[name].learn(view.weigh(counts), truth, len(self._order), weight)

    def _learn_all(
        self,
        name: str,
        texts: list[str | bytes],
        truth: NDArray[np.int32],
        kept: NDArray[np.bool_],
        weight: Floats | None,
    ) -> Floats:
        """Have one witness learn all texts; what it said of those kept back when it knew only the rest.

        Witnesses learn one after the other, so that the counts of one view are in memory at a time.
        """
        counts = self.views_[name].count(texts)
        self._learn(name, counts[~kept], truth[~kept], _part(weight, ~kept))
        scores = self._score(name, counts[kept])
        self._begin_witness(name)
        self._learn(name, counts, truth, weight)
        return scores

    def _know(self, order: list[Any], classes: NDArray[Any]) -> None:
        """The label of each number that the witnesses use; and the same sorted, with those only declared."""
        self._order, self.classes_ = order, classes
        known = np.array([label in order for label in classes.tolist()], dtype=bool)
        self._learned = np.flatnonzero(known)  # the places of the labels of which something was learned
        self._columns = np.array([order.index(label) for label in classes[known].tolist()])

    def _score(self, name: str, counts: Any) -> Floats:
        """What a witness says: (texts, labels that it knows)."""
        return self.witnesses_[name].score(self.views_[name].weigh(counts))

    def _judged(
        self,
        scores: list[Floats],
        truth: NDArray[np.int32],
        known: NDArray[Any],
        weight: Floats | None,
    ) -> tuple[Floats, int, float]:
        """Sums of squared scores of each witness, how many texts they are of, and the best heat for them.

        Only labels that the witnesses knew can be examined.
        """
        asked = np.isin(truth, known)
        if len(known) < 2 or not asked.any():
            return np.zeros(len(self.witnesses)), 0, 1.0
        scores = [_centred(each[asked][:, known]) for each in scores]
        squares = np.array([(each**2).mean(axis=1).sum() for each in scores])
        right = np.searchsorted(known, truth[asked])
        totals = _added(scores, _scales(squares, len(right)))

        def log_loss(log_heat: float) -> float:
            heated = np.exp(log_heat) * totals
            each = logsumexp(heated, axis=1) - heated[np.arange(len(right)), right]
            return float(np.average(each, weights=_part(weight, asked)))

        best = minimize_scalar(log_loss, bounds=(-3.0, 3.0), method="bounded")
        return squares, len(right), float(np.exp(best.x))

    def _totals(self, texts: list[str | bytes]) -> Floats:
        """The judge's total for each label; none for labels of which nothing was learned."""
        known = self._learned_totals(texts)
        if len(self._learned) == len(self.classes_):
            return known
        totals = np.full((len(texts), len(self.classes_)), -np.inf)
        totals[:, self._learned] = known
        return totals

    def _learned_totals(self, texts: list[str | bytes]) -> Floats:
        check_is_fitted(self)
        scores = [_centred(self._score(name, view.count(texts))) for name, view in self.views_.items()]
        return np.asarray(self.heat_ * _added(scores, self.scales_)[:, self._columns])

    @property
    def scales_(self) -> Floats:
        """The spread of each witness's scores, by which they are divided."""
        return _scales(self._squares, self.examined_)

    def _explain(self, text: str | bytes) -> Explanation:
        totals, known = self._learned_totals([text])[0], self.classes_[self._learned]
        ranked = np.argsort(-totals, kind="stable")
        first, second = ranked[0], ranked[min(1, len(ranked) - 1)]
        evidence = [
            part
            for name, scale in zip(self.views_, self.scales_, strict=True)
            for part in self._parts(name, text, first, second, DECIBANS_A_NAT * self.heat_ / scale)
        ]
        told = sum(part.decibans for part in evidence)
        return Explanation(
            label=known[first],
            runner_up=known[second],
            prior=0.0,
            intercept=float(DECIBANS_A_NAT * (totals[first] - totals[second]) - told),
            features=tuple(sorted(evidence, key=lambda part: -abs(part.decibans))),
        )

    def _parts(
        self, name: str, text: str | bytes, first: int, second: int, decibans: float
    ) -> list[FeatureEvidence]:
        """What each column of one view says for one label against another."""
        row = self.views_[name].transform([text])
        weights = self.witnesses_[name].weights_of(row.indices)[:, self._columns]
        each = decibans * row.data * (weights[:, first] - weights[:, second])
        names = self._names(name, text)
        return [
            FeatureEvidence(f"{name}: {names.get(column, column)}", float(part))
            for column, part in zip(row.indices.tolist(), each, strict=True)
        ]

    def _names(self, view: str, text: str | bytes) -> dict[int, str]:
        """The text of each hashed column that this text has."""
        named = TextFeatures(named=True, **VIEWS[view]).fit([text])
        shift = 65 - self.n_features.bit_length()
        return {feature_hash(name) >> shift: name for name in named.get_feature_names_out()}

    def _weighed(
        self, texts: list[str | bytes], y: NDArray[Any], sample_weight: Any
    ) -> tuple[list[str | bytes], NDArray[Any], Floats | None]:
        """The texts that weigh anything, and their weights."""
        if sample_weight is None:
            return texts, y, None
        weight = _check_sample_weight(sample_weight, y, ensure_non_negative=True)
        kept = np.flatnonzero(weight > 0)
        return [texts[place] for place in kept.tolist()], y[kept], weight[kept]

    def _validate(self, X: Any, y: Any) -> tuple[list[str | bytes], NDArray[Any]]:
        texts = _texts(X)
        y = checked_labels(y, len(texts))
        if not texts:
            raise ValueError("There is no text to learn from.")
        return texts, y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _texts(X: Any) -> list[str | bytes]:
    """Texts as a list."""
    return list(iterated(X))


def _part(weight: Floats | None, some: NDArray[Any]) -> Floats | None:
    return None if weight is None else weight[some]


def _scales(squares: Floats, rows: int) -> Floats:
    """Root mean squares; 1 where nothing was examined, or a witness had nothing to say."""
    means = squares / max(rows, 1)
    return np.asarray(np.sqrt(np.where(means > 0, means, 1.0)))


def _centred(scores: Floats) -> Floats:
    """Scores whose mean is 0 in each text."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _added(scores: list[Floats], scales: Floats) -> Floats:
    return np.asarray(sum(each / scale for each, scale in zip(scores, scales, strict=True)))
