import numpy as np
import pytest

from deciban import NaiveBayes
from deciban.tables import Table, TableModel, read_table


@pytest.fixture
def wine(wine_file):
    return read_table(wine_file)


@pytest.fixture
def cancer(cancer_file):
    return read_table(cancer_file)


def test_every_row_is_asked_about_once(wine):
    trial = TableModel.fit(wine, "target").trial
    assert np.sort(np.concatenate([fold.rows for fold in trial.folds])).tolist() == list(range(178))
    assert trial.confusion().sum() == 178
    assert np.exp(trial.log_chances).sum(axis=1) == pytest.approx(1)
    assert trial.figures().accuracy == np.trace(trial.confusion()) / 178


def test_a_temper_is_found_without_the_fold_that_it_tempers(cancer):
    """Other labels in a fold change nothing about its own temper, but for the models of the others."""
    model = TableModel.fit(cancer, "target", folds=5)
    exponents = {fold_model.temper.exponent for fold_model in model.trial.models}
    assert len(exponents) == 5
    assert all(0 < exponent < 0.5 for exponent in exponents)


def test_tempering_makes_probabilities_that_can_be_trusted(cancer):
    tempered = TableModel.fit(cancer, "target").figures
    plain = TableModel.fit(cancer, "target", temper=None).figures
    assert tempered.log_loss < 0.4 * plain.log_loss
    assert tempered.accuracy > plain.accuracy - 0.01


def test_without_a_temper_the_trial_is_that_of_fitting_anew(wine):
    model = TableModel.fit(wine, "target", folds=5, temper=0.5)
    y, X = wine.texts("target").astype(str), model.admit(wine)
    for fold in model.trial.folds:
        others = np.setdiff1d(np.arange(len(y)), fold.rows)
        learner = NaiveBayes(model.learner.family, temper=0.5).fit(X[others], y[others])
        expected = learner.predict_log_proba(X[fold.rows])
        assert model.trial.log_chances[fold.rows] == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_what_explains_a_held_out_row_adds_up_to_what_was_said(wine):
    trial = TableModel.fit(wine, "target").trial
    for row, told in zip([5, 100, 2], trial.why([5, 100, 2]), strict=True):
        assert told.label == trial.labels[trial.said[row]]
        first, second = np.sort(trial.log_chances[row])[::-1][:2]
        assert told.decibans == pytest.approx(10 / np.log(10) * (first - second), abs=1e-6)


def test_groups_of_rows_hold_all_of_them(wine):
    groups = TableModel.fit(wine, "target").trial.reliability()
    assert sum(group.count for group in groups) == 178
    assert [group.said for group in groups] == sorted(group.said for group in groups)


def test_a_label_that_only_one_fold_has_is_wrong_there_and_has_no_log_loss():
    table = Table({"x": [1.0, 1.2, 1.1, 0.9, 1.3, 8.0], "kind": ["a", "b", "a", "b", "a", "c"]})
    trial = TableModel.fit(table, "kind", folds=2).trial
    assert trial.log_chances[5, 2] == -np.inf
    assert not trial.right[5]
    assert np.isfinite(trial.figures().log_loss)


def test_progress_is_told(wine):
    told = []
    TableModel.fit(wine, "target", folds=3, progress=told.append)
    assert told == [
        "looking at the columns",
        "learning",
        "tempering …",
        "fold 1 of 3",
        "fold 2 of 3",
        "fold 3 of 3",
    ]
