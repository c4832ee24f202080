import numpy as np
import pytest

from deciban import Fading, Multinomial
from deciban.errors import BadSetting
from samples import FAMILIES, rows_for


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_older_counts_less(name):
    family, rng = FAMILIES[name], np.random.default_rng(2)
    tallies = [family.tally(rows_for(family, rng, 12), np.arange(12) % 2) for _ in range(4)]
    fading = Fading(half_life=2)
    for tally in tallies:
        found = fading.add(tally)
    expected = sum(0.5 ** (age / 2) * tally for age, tally in zip((3, 2, 1, 0), tallies, strict=True))
    assert found.isclose(expected, 1e-6)
    assert np.isfinite(found.read("bayes", 2).log_likelihood(rows_for(family, rng, 5))).all()


def test_time_may_elapse_at_any_pace():
    one, two = (Multinomial().tally([[n, 1]], ["a"]) for n in (4, 8))
    fading = Fading(half_life=10)
    fading.add(one)
    assert fading.add(two, elapsed=20).sums["count"].tolist() == [[9.0, 1.25]]
    assert fading.add(two, elapsed=0).sums["count"][0, 0] == 17


def test_what_has_faded_away_is_forgotten():
    fading = Fading(half_life=1)
    fading.add(Multinomial().tally([[1, 2]], ["old"]))
    for _ in range(30):
        tally = fading.add(Multinomial().tally([[1, 2]], ["new"]))
    assert tally.labels.tolist() == ["new"]


@pytest.mark.parametrize("half_life", [0, -1, float("inf"), float("nan")])
def test_a_bad_half_life_is_refused(half_life):
    with pytest.raises(BadSetting, match="half_life must be above 0"):
        Fading(half_life)


@pytest.mark.parametrize("elapsed", [-1, float("nan"), float("inf")])
def test_time_does_not_run_backwards(elapsed):
    fading = Fading(1)
    with pytest.raises(BadSetting, match="elapsed must be 0 or more"):
        fading.add(Multinomial().tally([[1, 2]], ["a"]), elapsed)
    assert fading.tally is None
