"""scikit-learn's own tests of Naive Bayes, run on NaiveBayes through a thin adapter.

The adapter has scikit-learn's names for settings and for what was learned. Left out are tests of private
methods (`_check_alpha`, `_update_mean_variance`) and of arrays on other devices.
"""

import numpy as np
import pytest
from sklearn.tests import test_naive_bayes as theirs

from deciban import Bernoulli, Categorical, Gaussian, Multinomial, NaiveBayes
from tests.oracles import foreign_tests

NOT_OURS = {"test_check_alpha", "test_gnb_check_update_with_no_data", "test_gnb_array_api_compliance"}
IN_OTHER_WORDS = {
    "test_gnb",
    "test_gnb_neg_priors",
    "test_gnb_prior_greater_one",
    "test_mnnb",
    "test_cnb",
}
LABELS = "labels may come at any time here, so classes= is neither needed nor fixed by the first call"
NO_VARIANCE = (
    "no variance of the largest column is added: rule='mle' refuses equal values, rule='bayes' takes them"
)
FAILURES = {
    "test_NB_partial_fit_no_first_classes": LABELS,
    "test_discretenb_provide_prior": LABELS,
    "test_gnb_priors_sum_isclose": NO_VARIANCE,
    "test_check_accuracy_on_digits": NO_VARIANCE,
    "test_predict_joint_proba-GaussianNB": NO_VARIANCE,
    "test_discretenb_prior-ComplementNB": "a complement uses no shares of labels, and tells none",
    "test_bnb": "its word Chinese is in every text: a column that is the same in every row says nothing here",
    "test_categoricalnb": "categories are what was seen, not all whole numbers up to the largest",
    "test_categoricalnb_with_min_categories-[3, 4]": "categories are declared for all columns",
    "test_categoricalnb_min_categories_errors": "a table of categories is taken for their names",
    "test_alpha_vector": "a private method tells by what a small α is replaced; here it is taken as it is",
    "test_alpha": "α = 0 is taken as it is, without a warning: what was never seen is impossible",
}


class Adapter(NaiveBayes):
    """What NaiveBayes is asked for, and what it learned, by scikit-learn's names."""

    complement, c, temper = False, None, None

    @property
    def class_count_(self):
        return self.tally_.rows.astype(float)

    @property
    def class_log_prior_(self):
        return self.model_.log_prior

    @property
    def class_prior_(self):
        return np.exp(self.model_.log_prior)

    @property
    def _parameters(self):
        return self.model_.reading.parameters


class GaussianNB(Adapter):
    """NaiveBayes(Gaussian(), rule="mle")."""

    rule, prior = "mle", 1

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        self.priors, self.var_smoothing = priors, var_smoothing

    @property
    def family(self):
        return Gaussian()

    @property
    def label_prior(self):
        return self.priors

    @property
    def theta_(self):
        return self._parameters["mean"]

    @property
    def var_(self):
        return self._parameters["variance"]


class Discrete(Adapter):
    """NaiveBayes(…, rule="mean", prior=alpha)."""

    rule = "mean"

    def __init__(self, alpha=1.0, *, force_alpha=True, fit_prior=True, class_prior=None):
        self.alpha, self.force_alpha = alpha, force_alpha
        self.fit_prior, self.class_prior = fit_prior, class_prior

    @property
    def prior(self):
        return self.alpha

    @property
    def label_prior(self):
        return self.class_prior if self.class_prior is not None or self.fit_prior else "uniform"

    @property
    def feature_log_prob_(self):
        return np.log(self._parameters["probability"])


class MultinomialNB(Discrete):
    """NaiveBayes(Multinomial(), rule="mean")."""

    @property
    def family(self):
        return Multinomial()

    @property
    def feature_count_(self):
        return self.tally_.sums["count"]


class ComplementNB(MultinomialNB):
    """NaiveBayes(Multinomial(), rule="mean", complement=True), or "normalised"."""

    def __init__(self, alpha=1.0, *, force_alpha=True, fit_prior=True, class_prior=None, norm=False):
        super().__init__(alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def complement(self):
        return "normalised" if self.norm else True

    @property
    def feature_all_(self):
        return self.feature_count_.sum(axis=0)

    @property
    def feature_log_prob_(self):
        return self.model_.signs[:, None] * np.log(self._parameters["probability"])


class BernoulliNB(Discrete):
    """NaiveBayes(Bernoulli(binarize), rule="mean")."""

    def __init__(self, alpha=1.0, *, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None):
        super().__init__(alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    @property
    def family(self):
        return Bernoulli(self.binarize)

    @property
    def feature_count_(self):
        return self.tally_.sums["ones"]


class CategoricalNB(Discrete):
    """NaiveBayes(Categorical(min_categories), rule="mean")."""

    def __init__(self, alpha=1.0, *, force_alpha=True, fit_prior=True, class_prior=None, min_categories=None):
        super().__init__(alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    @property
    def family(self):
        return Categorical(self.min_categories)

    @property
    def category_count_(self):
        schema, counts = self.tally_.features, self.tally_.sums["count"]
        return [counts[:, begin:end] for begin, end in zip(schema.starts, schema.starts[1:], strict=False)]

    @property
    def feature_log_prob_(self):
        return [np.log(counts + self.alpha) for counts in self.category_count_]

    @property
    def n_categories_(self):
        return np.diff(self.tally_.features.starts)


OURS = (GaussianNB, MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB)
NAMES = [name for name in vars(theirs) if name.startswith("test_") and name not in NOT_OURS]


@pytest.mark.parametrize(("test", "settings"), [*foreign_tests.cases(theirs, NAMES, FAILURES)])
def test_scikit_learns_test_of_naive_bayes_passes(test, settings, monkeypatch):
    foreign_tests.run(test, settings, [theirs], OURS, monkeypatch, IN_OTHER_WORDS)
