import numpy as np
import pytest
from scipy import stats

from deciban import Gaussian, Values
from deciban.errors import BadPrior, CannotForget, DifferentFamilies, NotEnoughValues


def test_unknown_sharing_is_refused():
    with pytest.raises(ValueError, match="shared must be one of"):
        Gaussian(shared="rows")


def test_the_pivot_is_fixed_by_the_first_batch_and_kept():
    tally = Gaussian().tally([[10.4, -3.2]], ["a"])
    assert tally.family.pivot == (10.0, -3.0)
    assert (tally + tally.family.tally([[500.0, 0.0]], ["b"])).family.pivot == (10.0, -3.0)


def test_different_sharing_does_not_add():
    with pytest.raises(DifferentFamilies):
        Gaussian().tally([[1.0]], ["a"]) + Gaussian(shared="all").tally([[1.0]], ["a"])
    with pytest.raises(DifferentFamilies, match="2 and 1 features"):
        Gaussian().tally([[1.0]], ["a"], features=["x"]) + Gaussian().tally(
            [[1.0, 2.0]], ["a"], features=["x", "y"]
        )


# The mean of the variance exists from four values on; two values make a t distribution of one degree.
@pytest.mark.parametrize(
    ("rule", "needs", "density"),
    [
        ("mean", 4, stats.norm(1.5, np.sqrt(5.0))),
        ("bayes", 2, stats.t(1, 0.5, np.sqrt(0.5 * (1 + 1 / 2)))),
    ],
)
def test_rules_say_how_many_values_they_need(rule, needs, density):
    few, enough = (np.arange(n, dtype=float)[:, None] for n in (needs - 1, needs))
    with pytest.raises(NotEnoughValues):
        Gaussian().tally(few, ["a"] * len(few)).read(rule, prior=0)
    reading = Gaussian().tally(enough, ["a"] * len(enough)).read(rule, prior=0)
    assert reading.log_likelihood(enough) == pytest.approx(density.logpdf(enough), rel=1e-12)


def test_far_apart_narrow_labels_are_read_without_cancellation():
    rows = np.array([[0.0], [1.0], [3.0], [1e6], [1e6 + 1], [1e6 + 2]])
    reading = Gaussian().tally(rows, ["a"] * 3 + ["b"] * 3).read("mle")
    mean, variance = rows[:3].mean(), rows[:3].var()
    expected = -0.5 * np.log(2 * np.pi * variance) - 0.5 * (rows[:3, 0] - mean) ** 2 / variance
    assert np.allclose(reading.log_likelihood(rows[:3])[:, 0], expected, rtol=1e-3)


def test_a_scatter_lost_in_rounding_is_not_made_up():
    rows = np.array([[0.0], [1e-6], [2e-6], [1e6], [1e6 + 1e-6], [1e6 + 3e-6]])
    with pytest.raises(NotEnoughValues, match="as far as sums can tell"):
        Gaussian().tally(rows, ["a"] * 3 + ["b"] * 3).read("mle")


def test_a_constant_column_says_nothing():
    rows = np.array([[1.0, 7.0], [2.0, 7.0], [8.0, 7.0], [9.0, 7.0]])
    reading = Gaussian().tally(rows, [0, 0, 1, 1]).read("bayes", prior=1)
    told = reading.evidence(rows).features[:, :, 1]
    assert np.allclose(told[:, 0], told[:, 1])


def test_a_prior_needs_a_variance():
    with pytest.raises(BadPrior, match="a mean and a variance"):
        Gaussian().tally([[1.0]], ["a"]).read("mean", Values(1, 0.0))


def test_a_label_is_forgotten_whatever_the_order():
    rows = np.array([[0.1], [0.7], [0.3], [0.6]])
    one, two, three = (Gaussian(pivot=(0.0,)).tally(rows[[place]], ["rare"]) for place in range(3))
    common = Gaussian(pivot=(0.0,)).tally(rows, ["common"] * 4)
    assert (common + one + two + three - one - two - three).isclose(common)
    with pytest.raises(CannotForget):
        _ = (common + one) - two
