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
all; `partial_fit` first examines, then learns.

What it learned can be saved without pickle (`save`, `load`), and learned on. It cannot be unlearned: the
softmax weights remember the order of the texts, and the counts were weighed by how rare each word was by
then, so that no subtraction gives what the other texts alone would have given. `forget` says so.

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
from scipy.sparse import csr_matrix
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from deciban.decibans import DECIBANS_A_NAT
from deciban.errors import BadSetting, CannotForget, NotTexts
from deciban.families import Multinomial
from deciban.families.reading import Floats
from deciban.learners import text_classifier_file
from deciban.learners.explanation import Explanation, FeatureEvidence
from deciban.learners.naive_bayes import NaiveBayes
from deciban.learners.softmax import Softmax
from deciban.learners.text_features import TextFeatures
from deciban.learners.weighted_text import WeightedText
from deciban.tally import Tally
from deciban.text._hashing import feature_hash

# One text in so many is kept back for the exam of `fit`.
KEPT_BACK = 10
VIEWS: dict[str, dict[str, Any]] = {
    "counts": {"ngram_range": (1, 2)},
    "words": {},
    "letters": {"analyzer": "char", "ngram_range": (4, 4)},
}


class CountsWitness:
    """Naive Bayes by complement tallies over weighed words and pairs."""

    def __init__(self, features: int, alpha: float) -> None:
        self.features = features
        self.bayes = NaiveBayes(Multinomial(), rule="mean", prior=alpha, complement=True)

    def learn(self, X: Any, truth: NDArray[Any], labels: int) -> None:
        """Add the rows to the tally; label numbers never change, so new ones are simply larger."""
        del labels  # the tally finds out for itself
        self.bayes.partial_fit(X, truth)

    def hold(self, tally: Tally) -> None:
        """Keep a tally as what was learned."""
        self.bayes.n_features_in_ = self.features
        self.bayes._hold(tally)

    def score(self, X: Any) -> Floats:
        """−log p(text | not the label)."""
        return self.bayes.predict_joint_log_proba(X)

    def weights_of(self, columns: NDArray[Any]) -> Floats:
        """What one of each column adds to each label: (columns, labels)."""
        one_each = (np.ones(len(columns)), (np.arange(len(columns)), columns))
        return self.score(csr_matrix(one_each, shape=(len(columns), self.features)))


class WeightsWitness:
    """Softmax weights over weighed words or letters."""

    def __init__(self, features: int, rate: float, passes: int, seed: int) -> None:
        self.softmax = Softmax(features, rate=rate, passes=passes, seed=seed)

    def learn(self, X: Any, truth: NDArray[Any], labels: int) -> None:
        """Several passes over the rows."""
        self.softmax.learn(X, truth, labels)

    def score(self, X: Any) -> Floats:
        """w · x."""
        return self.softmax.score(X)

    def weights_of(self, columns: NDArray[Any]) -> Floats:
        """The weights of some columns: (columns, labels)."""
        return np.asarray(self.softmax.weights[columns], dtype=float)


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A committee for texts.

    Parameters
    ----------
    witnesses : which of "counts", "words" and "letters" are heard.
    alpha : smoothing of the counts, in weighed words of each kind.
    rate, passes : the step of the softmax weights, and how often they go through the texts.
    n_features : columns of each witness's table, a power of two. A label takes 16 bytes a column.
    seed : of the order in which the weights see the texts.

    Texts are str, or bytes in UTF-8. Labels are anything that numpy can sort.
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

    def fit(self, X: Sequence[str | bytes], y: Any) -> Self:
        """Learn from labelled texts, and nothing else."""
        texts, y = self._validate(X, y)
        back = np.random.default_rng(self.seed).permutation(len(texts)) % KEPT_BACK == 0
        rest, kept = _chosen(texts, ~back), _chosen(texts, back)
        self._begin()
        self._learn(rest, y[~back])
        squares, rows, heat = self._examine(kept, y[back])
        self._begin()
        self._learn(texts, y)
        self._squares, self.examined_, self.heat_ = squares, rows, heat
        return self

    def partial_fit(self, X: Sequence[str | bytes], y: Any, classes: Any = None) -> Self:
        """Examine, then learn further texts; labels that were never seen are welcome.

        `classes` may be given, as scikit-learn's contract has it, and must then contain every label.
        """
        texts, y = self._validate(X, y)
        if classes is not None and not np.isin(y, classes).all():
            raise ValueError(f"y has labels that are not among classes={list(classes)}.")
        if not hasattr(self, "classes_"):
            return self.fit(texts, y)
        squares, rows, heat = self._examine(texts, y)
        if rows:
            share = rows / (rows + self.examined_)
            self.heat_ = float(np.exp(share * np.log(heat) + (1 - share) * np.log(self.heat_)))
            self._squares, self.examined_ = self._squares + squares, self.examined_ + rows
        self._learn(texts, y)
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
        return np.asarray(self.classes_[self._totals(_texts(X)).argmax(axis=1)])

    def why(self, X: Sequence[str | bytes]) -> list[Explanation]:
        """For each text, the evidence of each word, pair and run of letters in decibans; they add up."""
        return [self._explain(text) for text in _texts(X)]

    # --- inner workings ----------------------------------------------------------------------

    def _begin(self) -> None:
        """Forget everything."""
        unknown = [name for name in self.witnesses if name not in VIEWS]
        if unknown or not self.witnesses:
            raise BadSetting(f"witnesses must be some of {', '.join(VIEWS)}, got {self.witnesses!r} instead.")
        self.views_ = {
            name: WeightedText(TextFeatures(n_features=self.n_features, **VIEWS[name]))
            for name in self.witnesses
        }
        self.witnesses_ = {name: self._witness(name) for name in self.witnesses}
        self._order: list[Any] = []  # label of each number that the witnesses know, as first seen
        self._squares, self.examined_, self.heat_ = np.zeros(len(self.witnesses)), 0, 1.0

    def _witness(self, name: str) -> CountsWitness | WeightsWitness:
        if name == "counts":
            return CountsWitness(self.n_features, self.alpha)
        return WeightsWitness(self.n_features, self.rate, self.passes, self.seed)

    def _learn(self, texts: list[str | bytes], y: NDArray[Any]) -> None:
        self._order += [label for label in np.unique(y).tolist() if label not in self._order]
        number = {label: place for place, label in enumerate(self._order)}
        truth = np.array([number[label] for label in y.tolist()], dtype=np.int32)
        for name, view in self.views_.items():
            counts = view.learn(texts)
            self.witnesses_[name].learn(view.weigh(counts), truth, len(self._order))
        self._know(
            self._order, np.unique(np.array(self._order, dtype=y.dtype if y.dtype.kind == "O" else None))
        )

    def _know(self, order: list[Any], classes: NDArray[Any]) -> None:
        """The label of each number that the witnesses use, and the same labels sorted."""
        self._order, self.classes_ = order, classes
        self._columns = np.array([order.index(label) for label in classes.tolist()])

    def _scores(self, texts: list[str | bytes]) -> list[Floats]:
        """What each witness says: (texts, labels), in the order of `classes_`, their mean 0 in each text."""
        scores = []
        for name, view in self.views_.items():
            each = self.witnesses_[name].score(view.transform(texts))[:, self._columns]
            scores.append(each - each.mean(axis=1, keepdims=True))
        return scores

    def _examine(self, texts: list[str | bytes], y: NDArray[Any]) -> tuple[Floats, int, float]:
        """Sums of squared scores of each witness, how many texts they are of, and the best heat for them."""
        known = np.isin(y, self.classes_)
        if len(self.classes_) < 2 or not known.any():
            return np.zeros(len(self.witnesses)), 0, 1.0
        scores = self._scores(_chosen(texts, known))
        squares = np.array([(each**2).mean(axis=1).sum() for each in scores])
        truth = np.searchsorted(self.classes_, y[known])
        totals = _added(scores, _scales(squares, len(truth)))

        def log_loss(log_heat: float) -> float:
            heated = np.exp(log_heat) * totals
            return float((logsumexp(heated, axis=1) - heated[np.arange(len(truth)), truth]).mean())

        best = minimize_scalar(log_loss, bounds=(-3.0, 3.0), method="bounded")
        return squares, len(truth), float(np.exp(best.x))

    def _totals(self, texts: list[str | bytes]) -> Floats:
        check_is_fitted(self)
        return self.heat_ * _added(self._scores(texts), self.scales_)

    @property
    def scales_(self) -> Floats:
        """The spread of each witness's scores, by which they are divided."""
        return _scales(self._squares, self.examined_)

    def _explain(self, text: str | bytes) -> Explanation:
        totals = self._totals([text])[0]
        ranked = np.argsort(-totals, kind="stable")
        first, second = ranked[0], ranked[min(1, len(ranked) - 1)]
        evidence = [
            part
            for name, scale in zip(self.views_, self.scales_, strict=True)
            for part in self._parts(name, text, first, second, DECIBANS_A_NAT * self.heat_ / scale)
        ]
        told = sum(part.decibans for part in evidence)
        return Explanation(
            label=self.classes_[first],
            runner_up=self.classes_[second],
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

    def _validate(self, X: Any, y: Any) -> tuple[list[str | bytes], NDArray[Any]]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        texts, y = _texts(X), column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(texts) != len(y):
            raise ValueError(f"Found {len(texts)} texts but {len(y)} labels; there must be one label a text.")
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
    if isinstance(X, (str, bytes)):
        raise NotTexts(f"an iterable of texts is needed, got one {type(X).__name__} instead. Write [text].")
    return list(X)


def _chosen(texts: list[str | bytes], mask: NDArray[np.bool_]) -> list[str | bytes]:
    return [text for text, chosen in zip(texts, mask, strict=True) if chosen]


def _scales(squares: Floats, rows: int) -> Floats:
    """Root mean squares; 1 where nothing was examined, or a witness had nothing to say."""
    means = squares / max(rows, 1)
    return np.asarray(np.sqrt(np.where(means > 0, means, 1.0)))


def _added(scores: list[Floats], scales: Floats) -> Floats:
    return np.asarray(sum(each / scale for each, scale in zip(scores, scales, strict=True)))
