import numpy as np
import pytest

from deciban import NaiveBayes
from deciban.errors import NoSuchFeature, NoSuchSource, OutsideSupport, UnreadableModel, WrongUsage
from deciban.tables import Table, TableModel, read_table


@pytest.fixture
def wine(wine_file):
    return read_table(wine_file)


def test_wines_are_told_apart(wine):
    model = TableModel.fit(wine, "target")
    assert model.figures.accuracy > 0.95
    assert model.figures.log_loss < 0.1
    assert model.figures.majority_accuracy == pytest.approx(71 / 178)


def test_biopsies_are_told_apart(cancer_file):
    figures = TableModel.fit(read_table(cancer_file), "target").figures
    assert figures.accuracy > 0.92 > figures.majority_accuracy


def test_spambase_is_better_guessed_than_all_gaussian(spambase_file):
    table = read_table(spambase_file, header=False)
    guessed = TableModel.fit(table, "58")
    plain = TableModel.fit(table, "58", dict.fromkeys(table.columns[:-1], "gaussian"))
    assert guessed.figures.rows == 4601
    assert guessed.figures.accuracy > 0.87
    assert guessed.figures.accuracy > plain.figures.accuracy + 0.02
    assert guessed.figures.log_loss < 0.85 * plain.figures.log_loss


def test_cross_validation_is_that_of_fitting_anew_without_the_fold(wine):
    from deciban.learners.fold_tallies import fold_of_each

    model = TableModel.fit(wine, "target", folds=5, temper=None)
    y = wine.texts("target").astype(str)
    X = model.admit(wine)
    fold = fold_of_each(y, 5)
    right = 0
    for held in range(5):
        learner = NaiveBayes(model.learner.family).fit(X[fold != held], y[fold != held])
        right += int((learner.predict(X[fold == held]) == y[fold == held]).sum())
    assert model.figures.accuracy == right / len(y)


def test_a_saved_model_predicts_and_explains_the_same(wine, tmp_path):
    model = TableModel.fit(wine, "target")
    model.save(tmp_path / "wine.npz")
    again = TableModel.load(tmp_path / "wine.npz")
    assert again.predict(wine) == model.predict(wine)
    assert again.why(wine[:3]) == model.why(wine[:3])
    assert (again.label, again.columns, again.figures) == (model.label, model.columns, model.figures)
    assert NaiveBayes.load(tmp_path / "wine.npz").tally_ == model.learner.tally_


def test_the_evidence_of_the_columns_adds_up_to_the_prediction(wine):
    model = TableModel.fit(wine, "target")
    for told, predicted in zip(model.why(wine), model.predict(wine), strict=True):
        assert told.label == predicted.label
        assert told.decibans == pytest.approx(predicted.decibans, abs=1e-6)


def test_gaps_say_nothing(wine):
    model = TableModel.fit(wine, "target", temper=None)
    empty = Table({name: [np.nan] for name in wine.columns if name != "target"})
    predicted = model.predict(empty)[0]
    assert predicted.label == "1"  # the commonest
    assert predicted.probability == pytest.approx(71 / 178)
    assert all(feature.decibans == 0 for feature in model.why(empty)[0].features)


def test_gaps_in_the_learned_table_are_passed_over(wine):
    holes = {name: wine.values(name).copy() for name in wine.columns}
    for number, name in enumerate(holes):
        if name != "target":
            holes[name][number::5] = np.nan
    assert TableModel.fit(Table(holes), "target").figures.accuracy > 0.93


def test_rows_without_a_label_are_left_out_and_counted():
    table = Table({"x": [1.0, 9.0, 1.2, 9.1, 5.0], "kind": ["a", "b", "a", "b", None]})
    model = TableModel.fit(table, "kind", folds=2)
    assert model.unlabelled == 1
    assert model.learner.tally_.rows.tolist() == [2, 2]


@pytest.mark.parametrize("rule", ["bayes", "mean", "map"])
def test_a_label_without_a_single_value_of_a_column_is_learned(rule):
    table = Table(
        {
            "length": [None, 3.1, None, 3.3, None, 2.9, None, 3.0],
            "colour": ["red", None, "brown", None] * 2,
            "width": [1.5, 0.2, 1.7, 0.3, 1.6, 0.25, 1.9, 0.27],
            "kind": ["fox", "jay"] * 4,
        }
    )
    model = TableModel.fit(table, "kind", folds=4, rule=rule, prior=2)
    assert [one.label for one in model.predict(table)] == ["fox", "jay"] * 4


@pytest.fixture
def shop():
    rows = 60
    town = ["Bern", "Rome", "Oslo"] * 20
    kind = ["good" if place == "Bern" else "bad" for place in town]
    return Table({"town": town, "age": np.linspace(20, 60, rows).round(1), "kind": kind})


def test_categories_that_were_never_learned_are_told_and_decide_nothing(shop):
    model = TableModel.fit(shop, "kind")
    new = Table({"town": ["Lima", "Bern"], "age": [30.0, 30.0]})
    assert model.never_learned(new) == {"town": ["Lima"]}
    assert model.predict(new)[0].decibans < 5 < model.predict(new)[1].decibans


def test_a_number_is_the_same_category_however_it_is_written():
    table = Table({"code": [1.0, 2.0, 3.0] * 20, "kind": ["a", "b", "b"] * 20})
    model = TableModel.fit(table, "kind")
    assert [one.family for one in model.columns] == ["categorical"]
    assert [one.label for one in model.predict(Table({"code": ["1", "2.0", "x"]}))][:2] == ["a", "b"]


def test_a_column_that_is_missing_is_refused(shop):
    model = TableModel.fit(shop, "kind")
    with pytest.raises(NoSuchFeature, match="has no column 'town', from which the model learned"):
        model.predict(Table({"age": [30.0]}))


def test_texts_among_numbers_are_refused_with_their_row(shop):
    model = TableModel.fit(shop, "kind")
    with pytest.raises(OutsideSupport, match="'age' should hold numbers, but has 'old' in row 2"):
        model.predict(Table({"town": ["Bern", "Bern"], "age": ["30", "old"]}))


def test_a_family_that_does_not_fit_is_refused_with_the_column(shop):
    with pytest.raises(OutsideSupport, match="'town' should hold numbers, but has 'Bern' in row 1"):
        TableModel.fit(shop, "kind", {"town": "gaussian"})
    with pytest.raises(OutsideSupport, match="Poisson needs whole numbers x ≥ 0, but column 'age'"):
        TableModel.fit(shop, "kind", {"age": "poisson"})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a"] * 6, "holds only 'a'"),
        ([None] * 6, "holds nothing"),
        ([1.5, 2.5, 3.5, 4.5, 5.5, 6.5], "6 different values in 6 rows"),
    ],
)
def test_a_column_that_cannot_be_the_label_is_refused(values, words):
    with pytest.raises(WrongUsage, match=words):
        TableModel.fit(Table({"x": [1.0, 2, 3, 4, 5, 7.5], "kind": values}), "kind")


def test_a_table_of_which_nothing_is_left_is_refused():
    with pytest.raises(WrongUsage, match="No column is left"):
        TableModel.fit(Table({"x": [1.0, 1, 1], "kind": ["a", "b", "a"]}), "kind")


def test_a_label_of_one_row_is_learned_and_counted_as_wrong():
    table = Table({"x": [1.0, 1.2, 1.1, 8.0], "kind": ["a", "a", "a", "b"]})
    model = TableModel.fit(table, "kind", folds=2)
    assert model.figures.accuracy <= 0.75
    assert model.learner.classes_.tolist() == ["a", "b"]


def test_files_that_hold_no_model_are_refused(tmp_path, wine):
    with pytest.raises(NoSuchSource, match="deciban table fit"):
        TableModel.load(tmp_path / "gone.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(UnreadableModel):
        TableModel.load(tmp_path / "text.npz")
    NaiveBayes().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]).save(tmp_path / "plain.npz")
    with pytest.raises(UnreadableModel, match="no model of a table"):
        TableModel.load(tmp_path / "plain.npz")


def test_gaps_do_not_stop_a_table():
    nothing = [None] * 8
    table = Table(
        {
            "size": [None, None, None, None, 4.5, 6.0, 5.5, 9.25],
            "coat": ["red", "blue", "red", "blue", None, None, None, None],
            "weight": [1.0, 2.5, 1.5, 2.25, 7.0, 8.5, 9.0, 7.75],
            "empty": nothing,
            "kind": ["a", "a", "a", "a", "b", "b", "b", "b"],
        }
    )
    for families in (None, {"empty": "gaussian"}, {"empty": "categorical", "size": "gamma"}):
        model = TableModel.fit(table, "kind", families, folds=2)
        assert [one.label for one in model.predict(table)] == ["a"] * 4 + ["b"] * 4


def test_a_number_that_its_family_cannot_have_says_nothing_and_is_told():
    table = Table({"yes": [0.0, 1.0] * 20, "size": [1.5, 7.5] * 20, "kind": ["a", "b"] * 20})
    model = TableModel.fit(table, "kind")
    new = Table({"yes": [2.0, np.nan, 1.0], "size": [7.0, 7.0, 7.0]})
    assert model.impossible(new) == {"yes": 1}
    predicted = model.predict(new)
    assert predicted[0] == predicted[1] != predicted[2]
