import numpy as np
import pytest
from scipy.special import gammaln

from deciban import Columns, Gaussian, NaiveBayes, Texts

NOTES = np.array(
    [
        ["high fever and cough", "Bern"],
        ["no fever", None],
        ["fever, again: FEVER", "Old Town, Bern"],
        [None, "Rome"],
        ["back pain", "Rome"],
        ["pain, no cough", "Bern"],
    ],
    dtype=object,
)
LABELS = np.array(["flu", "no", "flu", "no", "no", "flu"])
RULES = ("map", "mean", "bayes")


def test_a_word_counts_once_a_text_whatever_its_case():
    tally = Texts().tally(NOTES[:, :1], LABELS)
    words = tally.features.categories[0].tolist()
    assert tally.sums["count"][0, words.index("fever")] == 2
    assert tally.sums["count"].sum() == 4 + 2 + 2 + 2 + 3


@pytest.mark.parametrize("cut", range(1, 6))
def test_the_whole_is_the_sum_of_its_parts_and_can_be_taken_apart_again(cut):
    whole = Texts().tally(NOTES, LABELS)
    parts = [Texts().tally(NOTES[rows], LABELS[rows]) for rows in (slice(cut), slice(cut, None))]
    assert parts[0] + parts[1] == whole == parts[1] + parts[0]
    left = whole - parts[0]
    assert left == parts[1]
    assert [words.tolist() for words in left.features.categories] == [
        words.tolist() for words in parts[1].features.categories
    ]


@pytest.mark.parametrize("rule", RULES)
def test_evidence_adds_up_and_one_row_is_a_batch_of_one(rule):
    reading = Texts().tally(NOTES, LABELS).read(rule, prior=2)
    batch = reading.log_likelihood(NOTES)
    assert reading.evidence(NOTES).total() == pytest.approx(batch)
    assert np.vstack([reading.log_likelihood(row[None]) for row in NOTES]) == pytest.approx(batch)


def test_bayes_draws_the_words_from_an_urn():
    tally = Texts().tally([["a b"], ["a c"]], ["x", "y"])
    urn, words = np.array([[2.0, 2, 1], [2, 1, 2]]), [["a b c"]]
    expected = np.log(urn).sum(axis=1) - (gammaln(5 + 3) - gammaln(5))
    assert tally.read("bayes", 1).log_likelihood(words)[0] == pytest.approx(expected)


@pytest.mark.parametrize("text", [None, "", "…!", "unheard of"])
def test_gaps_and_words_that_were_never_learned_say_nothing(text):
    reading = Texts().tally(NOTES[:, :1], LABELS).read()
    assert reading.log_likelihood(np.array([[text]], dtype=object)).tolist() == [[0, 0]]


def test_a_column_of_one_word_is_silent():
    rows = np.array([["same", "fever"], ["same", "pain"], [None, "fever"]], dtype=object)
    model = NaiveBayes(Texts()).fit(rows, ["a", "b", "a"])
    assert model.model_.reading.explain(rows).features[:, :, 0].tolist() == [[0, 0]] * 3


def test_under_mle_a_word_of_another_label_is_impossible():
    reading = Texts().tally(NOTES[:, :1], LABELS).read("mle")
    told = reading.evidence([["back pain"]])
    assert np.isneginf(reading.log_likelihood([["back pain"]])[0]).tolist() == [True, False]
    assert np.isneginf(told.features[0, :, 0]).tolist() == [True, False]


def test_texts_stand_beside_other_columns_and_are_saved(tmp_path):
    table = np.array(
        [["high fever", 39.5], ["no fever", 36.5], ["fever", 40.1], ["pain", 36.9]], dtype=object
    )
    model = NaiveBayes(Columns({0: Texts(), 1: Gaussian()})).fit(table, ["flu", "no", "flu", "no"])
    model.save(tmp_path / "notes.npz")
    again = NaiveBayes.load(tmp_path / "notes.npz")
    assert again.tally_ == model.tally_
    assert again.predict_proba(table).tolist() == model.predict_proba(table).tolist()
    assert again.predict(table).tolist() == ["flu", "no", "flu", "no"]


def test_a_very_long_word_costs_no_more_than_its_beginning():
    tally = Texts().tally([["x" * 10**6], ["y"]], ["a", "b"])
    assert max(map(len, tally.features.categories[0])) == 40


@pytest.mark.parametrize("rule", ["mean", "bayes"])
def test_texts_are_drawn_of_the_words_of_their_label(rule):
    tally = 1000 * Texts().tally([["fever cough"], ["back pain"]], ["flu", "no"])
    texts, labels = tally.sample(300, rule=rule, prior=0.001, random_state=0)
    for text, label in zip(texts[:, 0], labels, strict=True):
        assert set(text.split()) <= ({"fever", "cough"} if label == "flu" else {"back", "pain"})
    assert 1.5 < np.mean([len(text.split()) for text in texts[:, 0]]) < 2.5


def test_the_likelihood_of_all_texts_is_the_product_of_each_after_those_before():
    whole = Texts().tally(NOTES[:, :1], LABELS)
    prior, seen, total = whole.family._imagine(1, whole), whole.zeros(), 0.0
    for text, label in zip(NOTES[:, :1], LABELS, strict=True):
        told = seen.read("bayes", prior).log_density(text[None])
        total += float(told[0, whole.labels.tolist().index(label)])
        seen = seen + Texts().tally(text[None], [label])
    assert whole.log_marginal(1) == pytest.approx(total)
