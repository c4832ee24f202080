"""TextFeatures against scikit-learn's vectorizers, and what it promises beyond them."""

import pickle
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from deciban.errors import BadSetting, NotTexts, NoWordsLeft
from deciban.families import Multinomial
from deciban.learners import NaiveBayes, TextClassifier, TextFeatures
from deciban.text._hashing import feature_hash

ascii_texts = st.lists(st.text(st.characters(max_codepoint=127), max_size=60), min_size=1, max_size=8)
TEXTS = ["Free money, free!", "the money of the bank", "", "bank of the river bank"]


def by_name(features: TextFeatures | CountVectorizer, counts: sp.csr_matrix) -> dict[str, list[float]]:
    names = features.get_feature_names_out().tolist()
    return {name: counts[:, [column]].toarray().ravel().tolist() for column, name in enumerate(names)}


@given(ascii_texts, st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 4)]))
def test_words_of_ascii_text_are_counted_as_scikit_learn_counts_them(
    texts: list[str], ngram_range: tuple[int, int]
) -> None:
    texts = [*texts, "at least five words here"]
    ours, theirs = TextFeatures(named=True, ngram_range=ngram_range), CountVectorizer(ngram_range=ngram_range)
    assert by_name(ours, ours.fit_transform(texts)) == by_name(theirs, theirs.fit_transform(texts))


@given(ascii_texts, st.sampled_from([(1, 1), (1, 3), (3, 5)]))
def test_characters_of_ascii_text_are_counted_as_scikit_learn_counts_them(
    texts: list[str], ngram_range: tuple[int, int]
) -> None:
    # Control characters are white space to one and not to the other.
    texts = ["".join(c if c.isprintable() else " " for c in text) for text in [*texts, "some letters"]]
    ours = TextFeatures(named=True, analyzer="char", ngram_range=ngram_range)
    theirs = CountVectorizer(analyzer="char", ngram_range=ngram_range)
    assert by_name(ours, ours.fit_transform(texts)) == by_name(theirs, theirs.fit_transform(texts))


@pytest.mark.parametrize(
    "limits", [{"min_df": 2}, {"max_df": 1}, {"min_df": 0.5}, {"max_df": 0.5}, {"min_df": 2, "max_df": 3}]
)
def test_rare_and_frequent_words_are_left_out_as_scikit_learn_leaves_them_out(
    limits: dict[str, float],
) -> None:
    ours, theirs = TextFeatures(named=True, **limits), CountVectorizer(**limits)
    assert by_name(ours, ours.fit_transform(TEXTS)) == by_name(theirs, theirs.fit_transform(TEXTS))
    assert by_name(ours, ours.transform(TEXTS)) == by_name(theirs, theirs.transform(TEXTS))


def test_max_features_keeps_the_most_frequent() -> None:
    features = TextFeatures(named=True, max_features=2).fit(TEXTS)
    assert set(features.get_feature_names_out()) == {"the", "bank"}


def test_columns_are_the_top_bits_of_the_hash() -> None:
    counts = TextFeatures(n_features=2**10, ngram_range=(1, 2)).transform(["free money free"])
    expected = {feature_hash(name) >> 54 for name in ("free", "money", "free money", "money free")}
    assert set(counts.indices) == expected
    assert counts.sum() == 5
    assert counts[0, feature_hash("free") >> 54] == 2


@given(st.lists(st.text(max_size=40)))
def test_hashed_rows_have_sorted_columns_and_count_every_word(texts: list[str]) -> None:
    counts = TextFeatures(n_features=2**8, shortest=1).transform(texts)
    named = TextFeatures(named=True, shortest=1).fit_transform([*texts, "word"])[:-1]
    assert counts.has_canonical_format
    assert counts.sum(axis=1).tolist() == named.sum(axis=1).tolist()


@pytest.mark.parametrize("named", [False, True])
def test_threads_change_nothing(named: bool) -> None:
    texts = [f"{word} text number {number}" * 50 for number in range(300) for word in ("one", "two")]
    alone = TextFeatures(named=named).fit_transform(texts)
    together = TextFeatures(named=named, n_jobs=3).fit_transform(texts)
    assert (alone != together).nnz == 0


def test_texts_are_taken_from_any_iterable_in_batches() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while taken < 20_000:
            taken += 1
            yield "some text of ordinary length, and some more of it " * 2

    counts = TextFeatures()._counted(endless(), naming=False)
    next(iter(counts))
    assert taken < 20_000
    taken = 0
    assert TextFeatures().transform(endless()).shape[0] == 20_000


def test_bytes_and_text_give_the_same_counts() -> None:
    texts = ["Grüße aus Köln", "免费发票", "plain"]
    assert (TextFeatures().transform(texts) != TextFeatures().transform([t.encode() for t in texts])).nnz == 0


def test_binary_counts_are_ones() -> None:
    assert set(TextFeatures(binary=True).transform(TEXTS).data) == {1.0}


def test_a_fitted_transformer_can_be_pickled_and_cloned() -> None:
    features = TextFeatures(named=True).fit(TEXTS)
    again = pickle.loads(pickle.dumps(features))
    assert again.get_feature_names_out().tolist() == features.get_feature_names_out().tolist()
    assert (again.transform(TEXTS) != features.transform(TEXTS)).nnz == 0
    assert clone(features).get_params() == features.get_params()


def test_words_never_learned_are_left_out() -> None:
    counts = TextFeatures(named=True).fit(["known"]).transform(["unknown known", "new"])
    assert counts.toarray().tolist() == [[1.0], [0.0]]


def test_it_works_in_a_pipeline_with_naive_bayes() -> None:
    model = make_pipeline(TextFeatures(n_features=2**12), NaiveBayes(Multinomial()))
    labels = ["spam", "ham", "ham", "ham"]
    assert model.fit(TEXTS, labels).predict(["free money"]).tolist() == ["spam"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"analyzer": "wrd"}, "analyzer must be 'word' or 'char', got 'wrd' instead"),
        ({"ngram_range": (2, 1)}, "ngram_range must lie within"),
        ({"n_features": 1000}, "n_features must be a power of two"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        TextFeatures(**settings).fit(TEXTS)  # type: ignore[arg-type]


def test_one_text_instead_of_many_is_refused() -> None:
    with pytest.raises(NotTexts, match="Write \\[text\\]"):
        TextFeatures().transform("one text")
    with pytest.raises(NotTexts, match="text 1 must be str or bytes, got int instead"):
        TextFeatures().transform(["a", 1])  # type: ignore[list-item]


def test_texts_without_words_cannot_be_named() -> None:
    with pytest.raises(NoWordsLeft, match="relax"):
        TextFeatures(named=True).fit(["", "!"])


@pytest.mark.parametrize("named", [False, True])
def test_scikit_learn_accepts_it_without_an_expected_failure(named: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn says that it cannot test estimators of texts further
        check_estimator(TextFeatures(named=named), expected_failed_checks={})


def test_counts_have_the_type_that_was_asked_for() -> None:
    assert TextFeatures(dtype=np.float32).transform(TEXTS).dtype == np.float32


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_names_of_columns_are_not_taken_for_texts(kind):
    frame = kind({"text": ["buy pills", "lunch"], "id": ["1", "2"]})
    model = TextClassifier(n_features=2**8).fit(["buy pills", "lunch"], ["spam", "ham"])
    for ask in (TextFeatures().transform, TextFeatures(named=True).fit, model.predict, model.why):
        with pytest.raises(NotTexts, match=r"with columns instead. Give one of them"):
            ask(frame)
    with pytest.raises(NotTexts):
        TextClassifier().fit(frame, ["spam", "ham"])
    assert model.predict(frame["text"]).tolist() == ["spam", "ham"]
