"""A text classifier that was saved and read is the same one, also when it learns on."""

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from deciban import Multinomial, NaiveBayes, TextClassifier
from deciban.errors import UnreadableModel

SMALL = 2**12
TEXTS = ["cheap pills, buy now", "lunch on monday?", "buy cheap watches", "the monday meeting"] * 5
LABELS = ["spam", "ham", "spam", "ham"] * 5
LATER = ["your invoice is due", "an invoice over forty euros"] * 4


@pytest.fixture
def model():
    return TextClassifier(n_features=SMALL, alpha=0.2, seed=3).fit(TEXTS, LABELS)


def read_again(model, folder):
    model.save(folder / "model")
    return TextClassifier.load(folder / "model")


@pytest.mark.parametrize("witnesses", [("counts",), ("letters", "words"), ("counts", "words", "letters")])
def test_a_model_read_from_a_file_says_and_explains_the_same(witnesses, tmp_path):
    model = TextClassifier(n_features=SMALL, witnesses=witnesses).fit(TEXTS, LABELS)
    back = read_again(model, tmp_path)
    assert back.get_params() == model.get_params()
    assert (back.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    assert back.why(["buy cheap pills"]) == model.why(["buy cheap pills"])
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_model_read_from_a_file_learns_on_as_the_other_does(model, tmp_path):
    back = read_again(model, tmp_path)
    for one in (model, back):
        one.partial_fit(LATER, ["invoices"] * len(LATER)).partial_fit(TEXTS[:6], LABELS[:6])
    assert back.classes_.tolist() == ["ham", "invoices", "spam"]
    assert (back.predict_proba(TEXTS + LATER) == model.predict_proba(TEXTS + LATER)).all()


def test_labels_that_came_later_keep_their_places(model, tmp_path):
    model.partial_fit(LATER, ["bills"] * len(LATER))
    assert read_again(model, tmp_path).predict([*TEXTS[:2], *LATER[:1]]).tolist() == ["spam", "ham", "bills"]


@pytest.mark.parametrize("labels", [[1, 0] * 10, [True, False] * 10, LABELS, np.array(LABELS, dtype=object)])
def test_labels_keep_their_type(labels, tmp_path):
    model = TextClassifier(n_features=SMALL).fit(TEXTS, labels)
    back = read_again(model, tmp_path)
    assert back.classes_.dtype == model.classes_.dtype
    assert back.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


def test_columns_that_no_text_had_take_no_room(tmp_path):
    sizes = []
    for columns in (2**12, 2**16):
        TextClassifier(n_features=columns).fit(TEXTS, LABELS).save(tmp_path / "model")
        sizes.append((tmp_path / "model").stat().st_size)
    assert sizes[1] < 1.5 * sizes[0]


def test_a_model_that_learned_nothing_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        TextClassifier().save(tmp_path / "model")


def test_another_model_and_other_bytes_are_refused(model, tmp_path):
    NaiveBayes(Multinomial()).fit([[1, 0], [0, 1]], ["a", "b"]).save(tmp_path / "other")
    with pytest.raises(UnreadableModel, match="holds a NaiveBayes, not a TextClassifier"):
        TextClassifier.load(tmp_path / "other")
    model.save(tmp_path / "model")
    (tmp_path / "cut").write_bytes((tmp_path / "model").read_bytes()[:-200])
    with pytest.raises(UnreadableModel, match="damaged"):
        TextClassifier.load(tmp_path / "cut")


@pytest.mark.parametrize(
    "damage",
    [
        {"settings": {}},
        {"settings": {"n_features": 2, "witnesses": ["counts"]}},
        {"witnesses": {}},
        {"exam": [1]},
        {"exam": [[1.0] * 8, 3, 1.0]},
        {"settings": {"n_features": SMALL, "witnesses": ["counts", "words"], "alpha": [[0]]}},
        {"labels": ["spam"]},
        {"classes": 99},
    ],
)
def test_a_header_that_does_not_fit_is_refused(damage, model, tmp_path):
    model.save(tmp_path / "model")
    with np.load(tmp_path / "model") as content:
        arrays = dict(content)
    header = json.loads(bytes(arrays["header"]).decode())
    arrays["header"] = np.frombuffer(json.dumps(header | damage).encode(), dtype=np.uint8)
    with open(tmp_path / "model", "wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(UnreadableModel):
        TextClassifier.load(tmp_path / "model")
