import json

import numpy as np
import pandas as pd
import pytest

from deciban import Bernoulli, Beta, Gaussian, Multinomial, NaiveBayes
from deciban.errors import NotEnoughValues, UnreadableModel
from effort import effort
from fuzz.models import fuzz
from samples import FAMILIES, RULES, rows_for

X = np.array([[3, 0, 1], [2, 1, 0], [0, 4, 1], [0, 2, 2]])
y = np.array(["spam", "spam", "ham", "ham"])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_saved_model_is_the_same_model(name, rule, tmp_path):
    family = FAMILIES[name]
    rng = np.random.default_rng(5)
    rows, labels = rows_for(family, rng, 60), np.array(["a", "b"])[np.arange(60) % 2]
    model = NaiveBayes(family, rule=rule, prior=3, label_prior={"a": 0.25, "b": 0.75}, c={"a": 2.0})
    model.fit(rows, labels)
    path = tmp_path / "model"
    model.save(path)
    back = NaiveBayes.load(path)
    assert back.get_params() == model.get_params()
    assert back.tally_ == model.tally_
    assert np.array_equal(back.predict_joint_log_proba(rows), model.predict_joint_log_proba(rows))
    back.partial_fit(rows, labels)
    assert back.tally_ == 2 * model.tally_
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("prior", ["jeffreys", "empirical", "cv", Beta(2, 3), np.array([1.0, 2.0, 0.5])])
def test_priors_survive_saving(prior, tmp_path):
    model = NaiveBayes(Bernoulli(binarize=0.0), prior=prior).fit(np.vstack([X] * 3), np.tile(y, 3))
    model.save(tmp_path / "m")
    assert np.array_equal(NaiveBayes.load(tmp_path / "m").predict_proba(X), model.predict_proba(X))


def test_a_temper_survives_saving(tmp_path):
    model = NaiveBayes(Multinomial(), temper="cv").fit(np.vstack([X] * 3), np.tile(y, 3))
    model.save(tmp_path / "m")
    back = NaiveBayes.load(tmp_path / "m")
    assert (back.temper_, back.offsets_) == (model.temper_, model.offsets_)
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))


def test_names_of_columns_survive_saving(tmp_path):
    frame = pd.DataFrame(X, columns=["free", "meeting", "the"])
    model = NaiveBayes(Multinomial()).fit(frame, y)
    model.save(tmp_path / "m")
    back = NaiveBayes.load(tmp_path / "m")
    assert back.why(frame)[0].features[0].name in frame.columns
    with pytest.raises(ValueError, match="feature names"):
        back.predict(frame[["the", "free", "meeting"]])


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"PK\x03\x04 not a model")
    with pytest.raises(UnreadableModel, match="damaged"):
        NaiveBayes.load(path)
    np.savez(path.with_suffix(".npz"), header=np.frombuffer(b'{"format": 99}', dtype=np.uint8))
    with pytest.raises(UnreadableModel, match="format 99"):
        NaiveBayes.load(path.with_suffix(".npz"))


def test_a_file_cannot_execute_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("executed",)

    path = tmp_path / "m.npz"
    np.savez(path, header=np.array([Evil()], dtype=object))
    with pytest.raises(UnreadableModel):
        NaiveBayes.load(path)


def test_a_link_planted_beside_a_model_is_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "model.part").symlink_to(precious)
    NaiveBayes(Multinomial()).fit(X, y).save(tmp_path / "model")
    assert precious.read_text() == "mine"
    assert NaiveBayes.load(tmp_path / "model").classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize(
    "settings",
    [{"prior": -1}, {"prior": "Categorical"}, {"label_prior": [1.0]}, {"label_prior": -1}],
    ids=str,
)
def test_a_file_with_a_prior_that_cannot_be_is_refused_when_it_is_read(settings, tmp_path):
    NaiveBayes(Multinomial()).fit(X, y).save(tmp_path / "m")
    with np.load(tmp_path / "m") as file:
        content = dict(file)
    header = json.loads(bytes(content["header"]))
    header["settings"] |= settings
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "forged.npz", **content)
    with pytest.raises(UnreadableModel, match=r"prior|α"):
        NaiveBayes.load(tmp_path / "forged.npz")


@pytest.mark.parametrize("name", ["n", "sum", "squares"])
def test_a_file_with_sums_of_another_shape_is_refused_when_it_is_read(name, tmp_path):
    NaiveBayes(Gaussian()).fit(X, y).save(tmp_path / "m")
    with np.load(tmp_path / "m") as file:
        content = dict(file)
    header = json.loads(bytes(content["header"]))
    # One number a label, such as Multinomial has beside its counts.
    header["tally"]["sums"][name] = header["tally"]["rows"]
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "forged.npz", **content)
    with pytest.raises(UnreadableModel, match="cells"):
        NaiveBayes.load(tmp_path / "forged.npz")


def test_a_model_saved_before_it_learned_enough_goes_on_learning(tmp_path):
    NaiveBayes(prior=0).partial_fit(X[1:3], y[1:3]).save(tmp_path / "m")
    back = NaiveBayes.load(tmp_path / "m")
    with pytest.raises(NotEnoughValues):
        back.predict(X)
    varied = np.array([[1.0, 2.0, 9.0], [3.0, 1.0, 7.0], [8.0, 5.0, 1.0], [6.0, 9.0, 2.0]])
    assert back.partial_fit(varied, y).predict(varied).tolist() == y.tolist()


def test_whatever_is_wrong_with_a_file_is_one_error_within_a_bound_of_memory():
    files = effort(600, 20_000)
    read, refused = fuzz(files, seed=16)
    assert read + refused == files
    assert refused > files / 2


def test_a_file_that_is_not_there_is_told_as_such(tmp_path):
    with pytest.raises(FileNotFoundError):
        NaiveBayes.load(tmp_path / "nothing")
