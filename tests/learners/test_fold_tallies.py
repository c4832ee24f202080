import numpy as np
import pytest

from deciban import Multinomial, NaiveBayes
from deciban.errors import BadPrior
from deciban.learners.fold_tallies import fold_of_each


def test_cross_validation_finds_an_alpha_and_says_what_it_tried():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.full(200, 0.05), size=2)
    labels = np.arange(200) % 2
    texts = np.array([rng.multinomial(20, truth[label]) for label in labels])
    model = NaiveBayes(Multinomial(), rule="mean", prior="cv").fit(texts, labels)
    assert model.alpha_ == max(model.alpha_scores_, key=model.alpha_scores_.get)
    assert model.alpha_ < 1
    assert model.score(texts, labels) > 0.9
    with pytest.raises(BadPrior, match="all rows at once"):
        model.partial_fit(texts, labels)


def test_cross_validation_by_subtraction_equals_refitting():
    rng = np.random.default_rng(1)
    rows, labels = rng.poisson(1.0, (60, 5)), rng.integers(0, 3, 60)
    model = NaiveBayes(Multinomial(), prior="cv").fit(rows, labels)
    folds = fold_of_each(labels, 5)
    for alpha, found in model.alpha_scores_.items():
        total = 0.0
        for fold in range(5):
            kept = folds != fold
            refit = NaiveBayes(Multinomial(), prior=alpha).fit(rows[kept], labels[kept])
            log_p = refit.predict_log_proba(rows[~kept])
            total += log_p[np.arange((~kept).sum()), labels[~kept]].sum()
        assert found == pytest.approx(total / 60)


def test_a_single_row_cannot_be_held_out_and_still_gives_an_alpha():
    model = NaiveBayes(Multinomial(), prior="cv").fit([[1, 2]], ["a"])
    assert model.predict([[0, 1]]).tolist() == ["a"]
    assert set(model.alpha_scores_.values()) == {0.0}


def test_fewer_rows_than_folds_are_a_fold_each():
    assert fold_of_each(np.array(["a", "b", "a"]), 5).tolist() == [0, 2, 1]
