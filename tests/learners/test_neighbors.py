import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

from deciban import NaiveBayes, NeighborsClassifier, NeighborsRegressor
from deciban.errors import (
    BadSetting,
    CannotForget,
    MissingExtra,
    NotEnoughValues,
    NotTexts,
    OutsideSupport,
    UnreadableModel,
)
from deciban.learners.distances import Compression, Edit, KullbackLeibler, Minkowski
from deciban.learners.neighbors import Graph

X = np.array([[0.0], [1.0], [5.0], [6.0], [7.0]])
y = np.array(["ham", "ham", "spam", "spam", "spam"])


def test_rows_at_one_distance_come_in_the_order_in_which_they_were_learned():
    model = NeighborsRegressor(k=2).fit([[2.0], [0.0], [2.0], [0.0]], [1, 2, 3, 4])
    assert model.kneighbors([[1.0]])[1].tolist() == [[0, 1]]


def test_labels_with_equal_votes_are_decided_by_the_nearest_of_their_neighbours():
    for labels in (["a", "b"], ["b", "a"]):
        model = NeighborsClassifier(k=2).fit([[0.0], [3.0]], labels)
        assert model.predict([[1.0], [2.0]]).tolist() == labels
        assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]


def test_a_row_at_distance_zero_outvotes_all_that_are_not():
    model = NeighborsClassifier(k=3, weights="distance").fit([[0.0], [0.1], [0.1]], ["a", "b", "b"])
    assert model.predict_proba([[0.0]]).tolist() == [[1.0, 0.0]]


def test_weights_may_be_any_function_of_the_distances():
    model = NeighborsRegressor(k=2, weights=lambda distances: np.exp(-distances)).fit(
        [[0.0], [1.0]], [0.0, 1.0]
    )
    assert model.predict([[0.0]])[0] == pytest.approx(np.exp(-1) / (1 + np.exp(-1)))
    with pytest.raises(BadSetting, match="weight of 0 or more"):
        NeighborsRegressor(weights=lambda distances: -distances).fit(X, np.arange(5)).predict(X)


def test_all_rows_answer_while_there_are_fewer_than_k():
    model = NeighborsClassifier(k=50).fit(X, y)
    assert model.kneighbors(X)[0].shape == (5, 5)
    assert model.predict([[0.0]]).tolist() == ["spam"]


def test_a_forgotten_model_says_that_it_knows_nothing():
    model = NeighborsClassifier().fit(X, y).forget(X, y)
    with pytest.raises(NotEnoughValues, match="Everything was forgotten"):
        model.predict(X)
    assert model.partial_fit([[1.0]], ["new"]).predict([[3.0]]).tolist() == ["new"]


def test_new_labels_are_welcome_at_any_time():
    model = NeighborsClassifier(k=1).fit(X, y).partial_fit([[20.0]], ["invoices"])
    assert model.classes_.tolist() == ["ham", "invoices", "spam"]
    assert model.predict([[0.0], [19.0], [7.0]]).tolist() == ["ham", "invoices", "spam"]
    with pytest.raises(ValueError, match="do not mix"):
        model.partial_fit([[1.0]], [3])
    with pytest.raises(ValueError, match="not among classes"):
        model.partial_fit([[1.0]], ["other"], classes=["ham", "spam"])


def test_sparse_and_dense_rows_may_be_learned_together():
    for first, second in ((X, sparse.csr_array(X + 1)), (sparse.csr_array(X), X + 1)):
        model = NeighborsClassifier(k=3).fit(first, y).partial_fit(second, y)
        assert model.predict(sparse.csr_array(X)).tolist() == model.predict(X).tolist()
        model.forget(X + 1, y)
        assert len(model.sample_) == 5


def test_texts_are_compared_by_their_edits():
    pytest.importorskip("rapidfuzz")
    model = NeighborsClassifier(k=1, distance="edit").fit(["viagra", "meeting"], ["spam", "ham"])
    assert model.predict(["v1agra", "meetings"]).tolist() == ["spam", "ham"]
    model.partial_fit(np.array(["lottery"]), ["spam"]).forget(["meeting"], ["ham"])
    assert model.predict(pd.Series(["meetings"])).tolist() == ["spam"]
    for wrong in ("one text", [1, 2], [["a"]], 5):
        with pytest.raises(NotTexts):
            model.predict(wrong)


def test_texts_are_compared_by_how_well_they_compress_together():
    english = "the quick brown fox jumps over the lazy dog and the cat sees it "
    german = "der schnelle braune fuchs springt über den faulen hund und die katze sieht es "
    model = NeighborsClassifier(k=1, distance="compression").fit([english, german], ["en", "de"])
    assert model.predict(["the dog sees the fox and the lazy cat", "die katze und der hund"]).tolist() == [
        "en",
        "de",
    ]
    with pytest.raises(BadSetting, match="zlib, lzma"):
        NeighborsClassifier(distance=Compression("gzip")).fit(["a"], ["b"])


def test_a_function_gets_the_query_first_and_anything_for_rows():
    def missing(query, row):
        return len(query - row)

    model = NeighborsClassifier(k=1, distance=missing).fit([{1, 2, 3}, {1}], ["many", "few"])
    assert model.kneighbors([{1, 2}])[0].tolist() == [[0.0]]
    assert model.predict([{1, 2}]).tolist() == ["many"]
    assert NeighborsClassifier(k=1, distance=lambda q, r: q[0] - r[0]).fit(X, y).kneighbors([[2.0]])[1] == [
        [4]
    ]
    with pytest.raises(OutsideSupport, match="NaN"):
        NeighborsClassifier(distance=lambda *_: np.nan).fit(X, y).predict(X)


def test_counts_have_no_negative_values():
    with pytest.raises(OutsideSupport, match="KullbackLeibler needs counts"):
        NeighborsClassifier(distance="kullback_leibler").fit(X - 3, y)
    with pytest.raises(OutsideSupport, match="row 0 has none"):
        NeighborsClassifier(distance="jensen_shannon").fit(X, y)
    with pytest.raises(BadSetting, match="smoothing above 0"):
        NeighborsClassifier(distance=KullbackLeibler(smoothing=0)).fit(X, y)


@pytest.mark.parametrize(
    "settings",
    [{"k": 0}, {"k": 2.5}, {"k": True}, {"weights": "near"}, {"distance": "far"}, {"search": "fast"},
     {"search": Graph(links=0)}, {"search": "approximate", "distance": "manhattan"}],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(settings):
    with pytest.raises(BadSetting):
        NeighborsClassifier(**settings).fit(X, y)


def test_the_graph_finds_nearly_all_neighbours_of_digits():
    pytest.importorskip("faiss")
    digits, labels = load_digits(return_X_y=True)
    exact = NeighborsClassifier(k=10).fit(digits[:1500], labels[:1500]).kneighbors(digits[1500:])
    for distance in ("euclidean", "cosine"):
        exact = NeighborsClassifier(k=10, distance=distance).fit(digits[:1500], labels[:1500])
        model = clone(exact).set_params(search="approximate").fit(digits[:1500], labels[:1500])
        near, truth = (one.kneighbors(digits[1500:])[1] for one in (model, exact))
        recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near, truth, strict=True)])
        assert recall > 0.98
    with pytest.raises(BadSetting, match="needs dense rows"):
        NeighborsClassifier(search="approximate").fit(sparse.csr_array(X), y).predict(sparse.csr_array(X))


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(MissingExtra, match=r"pip install 'deciban\[neighbors\]'"):
        NeighborsClassifier(search="approximate").fit(X, y).predict(X)
    with pytest.raises(MissingExtra, match=r"needs rapidfuzz"):
        Edit().between(["a"], ["b"])


def test_a_grid_search_chooses_k():
    digits, labels = load_digits(return_X_y=True)
    search = GridSearchCV(NeighborsClassifier(), {"k": [1, 200]}, cv=3).fit(digits[:600], labels[:600])
    assert search.best_params_ == {"k": 1}


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (NeighborsClassifier(k=2, distance=KullbackLeibler(smoothing=1.5)), X),
        (NeighborsClassifier(k=2, distance="cosine", search=Graph(links=8)), X),
        (NeighborsClassifier(k=2, weights="distance"), sparse.csr_array(X)),
        (NeighborsClassifier(k=2, weights="distance"), X.astype(np.float32)),
        (NeighborsClassifier(k=2), pd.DataFrame(X, columns=["size"])),
        (NeighborsClassifier(k=1, distance=Compression("lzma")), ["a", "bb", "ccc", "dddd", "é"]),
        (NeighborsClassifier(k=1, distance="compression"), [b"a", b"bb", b"ccc", b"dddd", b"\xff"]),
    ],
    ids=["divergence", "graph", "sparse", "float32", "frame", "texts", "bytes"],
)
def test_a_saved_model_is_the_same_model(model, rows, tmp_path):
    model.fit(rows, y).save(tmp_path / "m")
    back = NeighborsClassifier.load(tmp_path / "m")
    assert back.get_params() == model.get_params()
    for ours, theirs in zip(back.kneighbors(rows), model.kneighbors(rows), strict=True):
        assert np.array_equal(ours, theirs)
    assert back.predict(rows).tolist() == model.predict(rows).tolist()
    back.partial_fit(rows, y).forget(rows, y)
    assert np.array_equal(back.predict_proba(rows), model.predict_proba(rows))


def forged(path, settings=None, **arrays):
    """The same file with right checksums, other settings and other arrays."""
    with np.load(path) as file:
        content = {**file, **arrays}
    header = json.loads(bytes(content["header"]))
    header["settings"] |= settings or {}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(path, "wb") as file:
        np.savez(file, **content)
    return path


@pytest.mark.parametrize(
    "ends", [[0, 1, 1, 2, 3, 0], [0, 5, 1, 2, 3, 4], [0, -1, 0, 0, 0, 0], [0, 1, 2, 3, 4, 99]], ids=str
)
def test_a_sparse_table_whose_rows_end_before_they_begin_is_refused(ends, tmp_path):
    NeighborsRegressor().fit(sparse.csr_array(X), np.arange(5)).save(tmp_path / "m")
    with pytest.raises(UnreadableModel):
        NeighborsRegressor.load(forged(tmp_path / "m", a3=np.array(ends, dtype=np.int32)))


@pytest.mark.parametrize("settings", [{"distance": 0}, {"distance": "compression"}, {"k": -1}], ids=str)
def test_a_file_with_settings_that_do_not_fit_its_rows_is_refused(settings, tmp_path):
    NeighborsRegressor().fit(X, np.arange(5)).save(tmp_path / "m")
    with pytest.raises(UnreadableModel):
        NeighborsRegressor.load(forged(tmp_path / "m", settings))


def test_a_saved_regressor_is_no_classifier(tmp_path):
    NeighborsRegressor().fit(X, np.arange(5)).save(tmp_path / "m")
    assert NeighborsRegressor.load(tmp_path / "m").predict(X) == pytest.approx(2.0)
    for other in (NeighborsClassifier, NaiveBayes):
        with pytest.raises(UnreadableModel, match="holds a NeighborsRegressor"):
            other.load(tmp_path / "m")


def test_what_holds_code_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="function cannot be saved"):
        NeighborsClassifier(distance=lambda *_: 0).fit(X, y).save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_many_equal_rows_overflow_no_shortlist():
    rows = np.repeat(np.array([[0.0, 0.0], [1.0, 1.0]]), 3000, axis=0)
    distances, found = NeighborsRegressor(k=4).fit(rows, np.zeros(6000)).kneighbors([[0.9, 1.0], [0.0, 0.1]])
    assert found.tolist() == [[3000, 3001, 3002, 3003], [0, 1, 2, 3]]
    assert distances == pytest.approx(0.1)


def test_rows_are_not_their_own_neighbours():
    distances, rows = NeighborsClassifier(k=2).fit(X, y).kneighbors()
    assert rows.tolist() == [[1, 2], [0, 2], [3, 4], [2, 4], [3, 2]]
    assert distances[0].tolist() == [1.0, 5.0]
    twins = NeighborsRegressor(k=1).fit([[1.0]] * 4, np.arange(4.0)).kneighbors()[1].ravel()
    assert all(twin != row for row, twin in enumerate(twins.tolist()))
    with pytest.raises(NotEnoughValues, match="the only one"):
        NeighborsClassifier().fit([[1.0]], ["a"]).kneighbors()


def test_several_outputs_are_averaged_each_for_itself(tmp_path):
    values = np.column_stack([np.arange(5.0), -np.arange(5.0)])
    model = NeighborsRegressor(k=2).fit(X, values)
    assert model.predict([[0.4], [6.4]]).tolist() == [[0.5, -0.5], [3.5, -3.5]]
    model.save(tmp_path / "model")
    assert NeighborsRegressor.load(tmp_path / "model").predict([[0.4]]).tolist() == [[0.5, -0.5]]
    model.forget([[0.0]], [[0.0, -0.0]])
    assert model.predict([[0.4]]).tolist() == [[1.5, -1.5]]


def test_powers_of_differences_are_told_apart():
    rows = [[3.0, 0.0], [2.0, 2.0]]
    nearest = {
        name: NeighborsClassifier(k=1, distance=name).fit(rows, ["far", "wide"]).predict([[0.0, 0.0]])[0]
        for name in ("manhattan", "chebyshev", "minkowski")
    }
    assert nearest == {"manhattan": "far", "chebyshev": "wide", "minkowski": "wide"}
    with pytest.raises(BadSetting, match="p must be 1 or more"):
        NeighborsClassifier(distance=Minkowski(p=0.5)).fit(rows, ["far", "wide"])


@pytest.mark.parametrize("kind", [NeighborsClassifier, NeighborsRegressor])
@pytest.mark.parametrize("weights", ["equal", "distance"])
def test_a_row_of_weight_two_is_two_rows(kind, weights, tmp_path):
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(60, 2)), rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    model = kind(4, weights=weights).fit(X, y, sample_weight=weight)
    again = kind(4, weights=weights).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    asked = rng.normal(size=(40, 2))
    assert model.predict(asked) == pytest.approx(again.predict(asked))
    pieces = kind(4, weights=weights).fit(X[:30], y[:30], sample_weight=weight[:30])
    pieces.partial_fit(X[30:], y[30:], sample_weight=weight[30:])
    assert pieces.predict(asked) == pytest.approx(model.predict(asked))
    model.save(tmp_path / "m")
    assert kind.load(tmp_path / "m").predict(asked) == pytest.approx(model.predict(asked))
    assert sum(one.share for one in model.why(asked)[0].neighbors) == pytest.approx(1)


def test_weights_are_forgotten_with_their_rows():
    model = NeighborsClassifier(3).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"], sample_weight=[5, 1, 1])
    assert model.predict([[2.0]]).tolist() == ["b"]
    assert model.predict([[0.4]]).tolist() == ["a"]
    model.forget([[0.0]], ["a"]).partial_fit([[0.0]], ["a"])
    assert model.predict([[0.4]]).tolist() == ["b"]


def test_rows_without_weight_are_not_there():
    with pytest.raises(ValueError, match="at least one non-zero"):
        NeighborsClassifier().fit([[0.0]], ["a"], sample_weight=[0])
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        NeighborsClassifier().fit([[0.0]], ["a"], sample_weight=[-1])


TWO = np.column_stack([y, ["en", "de", "en", "de", "fr"]])


def test_a_classifier_of_several_outputs_is_one_for_each(tmp_path):
    rng = np.random.default_rng(5)
    rows, labels, fresh = rng.normal(size=(60, 3)), rng.integers(0, 4, (60, 3)), rng.normal(size=(20, 3))
    model = NeighborsClassifier(k=4, weights="distance").fit(rows, labels)
    each = [NeighborsClassifier(k=4, weights="distance").fit(rows, column) for column in labels.T]
    model.save(tmp_path / "m")
    for one in (model, NeighborsClassifier.load(tmp_path / "m")):
        assert np.array_equal(one.predict(fresh), np.column_stack([other.predict(fresh) for other in each]))
        for shares, other in zip(one.predict_proba(fresh), each, strict=True):
            assert np.array_equal(shares, other.predict_proba(fresh))
        others = zip(*(other.why(fresh) for other in each), strict=True)
        assert one.why(fresh) == list(others)
    assert model.score(rows, labels) == 1.0
    right = (model.predict(fresh) == labels[:20]).all(axis=1)
    assert model.score(fresh, labels[:20], sample_weight=np.arange(20)) == np.average(
        right, weights=range(20)
    )


def test_several_outputs_learn_and_forget_row_by_row():
    before = NeighborsClassifier(k=2).fit(X[:3], TWO[:3])
    model = NeighborsClassifier(k=2).fit(X[:3], TWO[:3]).partial_fit(X[3:], TWO[3:])
    assert [one.tolist() for one in model.classes_] == [["ham", "spam"], ["de", "en", "fr"]]
    assert np.array_equal(model.predict(X), NeighborsClassifier(k=2).fit(X, TWO).predict(X))
    model.forget(X[3:], TWO[3:])
    assert [one.tolist() for one in model.classes_] == [["ham", "spam"], ["de", "en"]]
    assert np.array_equal(model.predict(X), before.predict(X))
    with pytest.raises(CannotForget, match="'fr'"):
        model.forget(X[:1], [["ham", "fr"]])
    with pytest.raises(CannotForget, match="never learned with this answer"):
        model.forget(X[:1], [["ham", "de"]])
    for wrong in (y[:1], [["ham", "en", "x"]]):
        with pytest.raises(ValueError, match="2 outputs"):
            model.partial_fit(X[:1], wrong)
        with pytest.raises(CannotForget, match="2 outputs"):
            model.forget(X[:1], wrong)
    with pytest.raises(ValueError, match="outputs"):
        model.score(X, y)


def test_outputs_may_be_of_different_kinds():
    frame = pd.DataFrame({"kind": y, "size": [1, 2, 1, 2, 3]})
    model = NeighborsClassifier(k=1).fit(X, frame)
    assert model.predict([[0.2], [6.9]]).tolist() == [["ham", 1], ["spam", 3]]
    assert model.score(X, frame) == 1.0
    assert [shares.shape for shares in model.predict_proba(X)] == [(5, 2), (5, 3)]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
def test_a_missing_label_is_told_with_its_row(missing):
    two = [["a", "b"], ["b", "c"], ["a", missing], ["a", "b"], ["a", "b"]]
    for labels in (["a", "b", missing, "b", "a"], two):
        with pytest.raises(ValueError, match=r"missing label \(first in row 2\)"):
            NeighborsClassifier().fit(X, labels)


def test_classes_that_are_declared_have_columns_of_their_own(tmp_path):
    model = NeighborsClassifier(k=1).partial_fit(X[:2], y[:2], classes=["work", "spam", "ham"])
    assert model.classes_.tolist() == ["ham", "spam", "work"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0, 0.0, 0.0]]
    model.partial_fit(X[2:], y[2:]).forget(X[2:], y[2:])
    model.save(tmp_path / "m")
    back = NeighborsClassifier.load(tmp_path / "m")
    assert back.partial_fit(X[2:], y[2:]).forget(X[2:], y[2:]).classes_.tolist() == ["ham", "spam", "work"]
    assert back.fit(X, y).classes_.tolist() == ["ham", "spam"]
    with pytest.raises(ValueError, match="not among classes"):
        NeighborsClassifier().partial_fit(X, TWO, classes=[["ham", "spam"], ["en", "de"]])
    with pytest.raises(ValueError, match="each of 2 outputs"):
        NeighborsClassifier().partial_fit(X, TWO, classes=["ham", "spam", "en"])


def test_rows_that_were_learned_are_predicted_by_the_others():
    model = NeighborsClassifier(k=1).fit([[0.0], [1.0], [1.5]], ["a", "b", "a"])
    assert model.predict(None).tolist() == ["b", "a", "b"]
    assert NeighborsRegressor(k=1).fit([[0.0], [1.0], [1.5]], [1, 2, 3]).predict(None).tolist() == [2, 3, 2]


def test_neighbours_are_told_as_a_graph():
    model = NeighborsClassifier(k=2).fit(X, y)
    assert model.kneighbors_graph([[0.2]]).toarray().tolist() == [[1, 1, 0, 0, 0]]
    near = model.kneighbors_graph(k=1, mode="distance")
    assert near.toarray()[:2].tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]
    with pytest.raises(BadSetting, match="mode must be"):
        model.kneighbors_graph(mode="graph")


@pytest.mark.parametrize(
    "labels", [[0], [0, 1, 2], [[0], 1], {"objects": ["a", "b"]}, [{"objects": [["a"]]}, 0], []], ids=str
)
def test_a_file_with_labels_of_other_outputs_is_refused(labels, tmp_path):
    NeighborsClassifier().fit(X, TWO).save(tmp_path / "m")
    with np.load(tmp_path / "m") as file:
        content = dict(file)
    header = json.loads(bytes(content["header"])) | {"labels": labels}
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "forged.npz", **content)
    with pytest.raises(UnreadableModel):
        NeighborsClassifier.load(tmp_path / "forged.npz")
