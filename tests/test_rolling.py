import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from deciban import Gaussian, Multinomial, NaiveBayes, Rolling
from deciban.errors import BadSetting, DifferentFamilies
from samples import EXACT, FAMILIES, samples


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=20)
@given(data=st.data())
def test_a_window_holds_what_its_last_tallies_hold(name, data):
    family = FAMILIES[name]
    window = data.draw(st.integers(1, 4))
    rolling = Rolling(window)
    tallies = [family.tally(s.X, s.y) for s in data.draw(st.lists(samples(family), min_size=1, max_size=9))]
    for end, tally in enumerate(tallies, start=1):
        found = rolling.add(tally)
        expected = sum(tallies[max(0, end - window) : end])
        assert found == expected if name in EXACT else found.isclose(expected, 1e-6)
    assert len(rolling) == min(window, len(tallies))


def test_rounding_does_not_pile_up_and_the_pivot_follows():
    rng = np.random.default_rng(0)
    rolling = Rolling(5)
    for step in range(200):
        last = rng.normal(1e7 * step, 1.0, (20, 1))
        tally = rolling.add(Gaussian().tally(last, ["a"] * 20))
        if step >= 5:
            variance = tally.read("mle").parameters["variance"][0, 0]
            assert variance == pytest.approx(2 * 1e14, rel=1e-3)


def test_a_label_that_left_the_window_is_gone():
    rolling = Rolling(1)
    rolling.add(Multinomial().tally([[1, 2]], ["old"]))
    assert rolling.add(Multinomial().tally([[1, 2]], ["new"])).labels.tolist() == ["new"]


def test_a_tally_that_does_not_fit_changes_nothing():
    rolling = Rolling(2)
    before = rolling.add(Multinomial().tally([[1, 2]], ["a"]))
    with pytest.raises(DifferentFamilies):
        rolling.add(Gaussian().tally([[1.0, 2.0]], ["a"]))
    assert (rolling.tally, len(rolling)) == (before, 1)


def test_a_model_of_the_window_is_that_of_its_rows():
    rng = np.random.default_rng(1)
    X, y = rng.poisson(2, (90, 3)), np.arange(90) % 2
    model, rolling = NaiveBayes(Multinomial(), temper=0.5).fit(X[:30], y[:30]), Rolling(2)
    for start in (0, 30, 60):
        rolling.add(Multinomial().tally(X[start : start + 30], y[start : start + 30]))
    fresh = NaiveBayes(Multinomial(), temper=0.5).fit(X[30:], y[30:])
    assert np.allclose(model.reread(rolling.tally).predict_proba(X), fresh.predict_proba(X))


@pytest.mark.parametrize("window", [0, -1, 1.5, True, None])
def test_a_bad_window_is_refused(window):
    with pytest.raises(BadSetting, match="window must be"):
        Rolling(window)
