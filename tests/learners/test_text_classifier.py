"""TextClassifier: what it promises as an estimator, and that what it explains is what it computed."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from deciban import TextClassifier
from deciban.errors import BadSetting, CannotForget, NotTexts
from deciban.learners.weighted_text import WeightedText
from deciban.sample import sample_mails
from deciban.text import read

SMALL = 2**12
TEXTS = ["cheap pills, buy now", "lunch on monday?", "buy cheap watches", "the monday meeting"] * 5
LABELS = ["spam", "ham", "spam", "ham"] * 5


@pytest.fixture(scope="module")
def mailbox():
    mails = sample_mails(seed=0)
    texts = [(message := read(mail.data)).header("subject") + "\n" + message.text for mail in mails]
    return texts, np.array([mail.label for mail in mails]), np.array([mail.held_out for mail in mails])


@pytest.fixture(scope="module")
def fitted(mailbox):
    texts, labels, held_out = mailbox
    learn = [text for text, out in zip(texts, held_out, strict=True) if not out]
    return TextClassifier(n_features=2**14).fit(learn, labels[~held_out])


def test_every_check_of_scikit_learn_that_applies_to_texts_passes():
    results = check_estimator(TextClassifier(n_features=SMALL), on_fail=None)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []


def test_mail_that_came_later_is_told_apart(mailbox, fitted):
    texts, labels, held_out = mailbox
    later = [text for text, out in zip(texts, held_out, strict=True) if out]
    assert np.mean(fitted.predict(later) == labels[held_out]) > 0.9


def test_probabilities_sum_to_one_and_agree_with_the_prediction(mailbox, fitted):
    texts = mailbox[0][:40]
    chances = fitted.predict_proba(texts)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert fitted.predict(texts).tolist() == fitted.classes_[chances.argmax(axis=1)].tolist()


def test_one_text_is_scored_as_in_a_batch(mailbox, fitted):
    texts = mailbox[0][:5]
    alone = [fitted.decision_function([text])[0] for text in texts]
    assert alone == pytest.approx(fitted.decision_function(texts), abs=1e-5)


def test_the_evidence_adds_up_to_the_log_odds(mailbox, fitted):
    for text in mailbox[0][:3]:
        why = fitted.why([text])[0]
        odds = abs(fitted.decision_function([text])[0])
        assert why.decibans == pytest.approx(10 / np.log(10) * odds)
        assert abs(why.intercept) < 0.5  # the witnesses have no bias: all of it belongs to features
        assert len(why.features) > 10


def test_evidence_is_named_by_word_pair_and_letters():
    model = TextClassifier(n_features=2**16).fit(TEXTS, LABELS)
    names = {part.name for part in model.why(["buy cheap"])[0].features}
    assert {"counts: buy", "counts: buy cheap", "words: cheap", "letters: chea"} <= names


def test_fitting_again_forgets_and_gives_the_same():
    model = TextClassifier(n_features=SMALL).fit(["other text here", "and more"] * 5, ["a", "b"] * 5)
    again = clone(model).fit(TEXTS, LABELS).predict_proba(TEXTS)
    assert (model.fit(TEXTS, LABELS).predict_proba(TEXTS) == again).all()


def test_further_texts_may_bring_further_labels():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, LABELS)
    model.partial_fit(["invoice over forty euros", "your invoice is due"] * 5, ["invoices"] * 10)
    assert model.classes_.tolist() == ["ham", "invoices", "spam"]
    assert model.predict(["an invoice", "buy cheap pills", "lunch on monday"]).tolist() == [
        "invoices",
        "spam",
        "ham",
    ]


def test_further_texts_are_examined_before_they_are_learned():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, LABELS)
    before = model.examined_
    assert model.partial_fit(TEXTS[:4], LABELS[:4]).examined_ == before + 4


def test_labels_may_be_numbers():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, [1 if label == "spam" else 0 for label in LABELS])
    assert model.predict(["cheap pills", "monday lunch"]).tolist() == [1, 0]


def test_a_text_without_words_has_an_answer():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, LABELS)
    assert model.predict_proba([""])[0] == pytest.approx([0.5, 0.5])


def test_a_pickled_model_says_the_same():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, LABELS)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()


def test_forgetting_is_refused_and_changes_nothing():
    model = TextClassifier(n_features=SMALL).fit(TEXTS, LABELS)
    before = model.predict_proba(TEXTS)
    with pytest.raises(CannotForget, match="Fit it again"):
        model.forget(TEXTS[:1], LABELS[:1])
    assert (model.predict_proba(TEXTS) == before).all()


def test_it_works_in_cross_validation():
    assert cross_val_score(TextClassifier(n_features=SMALL), TEXTS, LABELS, cv=2).mean() == 1


@pytest.mark.parametrize("witnesses", [("counts", "smell"), ()])
def test_unknown_or_no_witnesses_are_refused(witnesses):
    with pytest.raises(BadSetting, match="some of counts, words, letters"):
        TextClassifier(witnesses=witnesses, n_features=SMALL).fit(TEXTS, LABELS)


def test_one_string_instead_of_texts_is_refused():
    with pytest.raises(NotTexts, match=r"Write \[text\]"):
        TextClassifier(n_features=SMALL).fit("text", ["spam"])


def test_as_many_labels_as_texts_are_needed():
    with pytest.raises(ValueError, match="one label per row"):
        TextClassifier(n_features=SMALL).fit(TEXTS, LABELS[:-1])


def test_one_text_and_texts_of_one_label_can_be_learned():
    for texts in (["only this"], ["only this"] * 30):
        model = TextClassifier(n_features=SMALL).fit(texts, ["spam"] * len(texts))
        assert model.predict(["anything"]).tolist() == ["spam"]
        assert model.predict_proba(["anything"]).tolist() == [[1.0]]
    model.partial_fit(["and that"] * 5, ["ham"] * 5)
    assert model.predict(["and that", "only this"]).tolist() == ["ham", "spam"]


def test_each_text_is_counted_once_for_each_witness(monkeypatch):
    counted, count = [], WeightedText.count

    def counting(self, texts):
        counted.append(len(texts))
        return count(self, texts)

    monkeypatch.setattr(WeightedText, "count", counting)
    TextClassifier(n_features=SMALL).fit(["buy pills", "a meeting"] * 10, ["spam", "ham"] * 10)
    assert counted == [20, 20, 20]


def test_what_weighs_more_is_heeded_more():
    texts = ["cheap pills now", "cheap pills now", "lunch at noon", "see you there"] * 5
    labels = ["spam", "ham", "ham", "ham"] * 5
    chances = []
    for weight in (0.2, 1.0, 5.0):
        weights = [weight if label == "spam" else 1.0 for label in labels]
        model = TextClassifier(n_features=2**12).fit(texts, labels, sample_weight=weights)
        chances.append(model.decision_function(["cheap pills"])[0])
    assert chances == sorted(chances)
    assert chances[0] < 0 < chances[2]


def test_equal_weights_change_nothing_and_texts_without_weight_are_not_there():
    texts, labels = ["cheap pills", "lunch?", "buy now", "see you"] * 4, ["spam", "ham"] * 8
    plain = TextClassifier(n_features=2**12).fit(texts, labels)
    same = TextClassifier(n_features=2**12).fit(texts, labels, sample_weight=np.ones(16))
    assert np.array_equal(same.predict_proba(texts), plain.predict_proba(texts))
    more = TextClassifier(n_features=2**12)
    more.fit([*texts, "odd"], [*labels, "odd"], sample_weight=[*np.ones(16), 0])
    assert more.classes_.tolist() == ["ham", "spam"]
    assert np.array_equal(more.predict_proba(texts), plain.predict_proba(texts))
    same.partial_fit(texts, labels, sample_weight=np.full(16, 0.5))
    assert same.predict(["cheap pills"]).tolist() == ["spam"]


def test_classes_that_are_declared_have_columns_of_their_own(tmp_path):
    texts, labels = ["buy pills", "lunch today"] * 4, ["spam", "ham"] * 4
    model = TextClassifier(n_features=2**10)
    model.partial_fit(texts, labels, classes=["work", "spam", "ham", "invoices"])
    model.save(tmp_path / "m")
    plain = TextClassifier(n_features=2**10).fit(texts, labels)
    for one in (model, TextClassifier.load(tmp_path / "m")):
        assert one.classes_.tolist() == ["ham", "invoices", "spam", "work"]
        chances = one.predict_proba(texts)
        assert np.array_equal(chances[:, [0, 2]], plain.predict_proba(texts))
        assert not chances[:, [1, 3]].any()
        assert one.predict(texts).tolist() == labels
        assert [str(told) for told in one.why(texts)] == [str(told) for told in plain.why(texts)]
    model.partial_fit(["the invoice of may"] * 3, ["invoices"] * 3)
    assert model.classes_.tolist() == ["ham", "invoices", "spam", "work"]
    assert model.predict(["invoice of may"]).tolist() == ["invoices"]
    assert model.fit(texts, labels).classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("missing", [None, np.nan], ids=str)
def test_a_missing_label_is_told_with_its_row(missing):
    with pytest.raises(ValueError, match=r"missing label \(first in row 1\)"):
        TextClassifier().fit(["a", "b", "c"], ["x", missing, "y"])


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function", "why"])
def test_who_learned_nothing_says_so(ask):
    with pytest.raises(NotFittedError, match="TextClassifier"):
        getattr(TextClassifier(), ask)(["a text"])


def test_texts_of_pyarrow_are_texts():
    texts, labels = pa.chunked_array([["cheap pills"], ["lunch today"]]), pa.array(["spam", "ham"])
    model = TextClassifier(n_features=2**12).fit(texts, labels)
    assert model.predict(texts).tolist() == ["spam", "ham"]
    with pytest.raises(NotTexts, match="text 1 must be str or bytes, got NoneType"):
        model.predict(pa.array(["x", None]))
