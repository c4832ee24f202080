"""The threshold: a cost, or a promise that is kept by half and says when it cannot be given yet."""

import random
from math import log

import pytest

from deciban.errors import BadSetting
from deciban.filter.threshold import Assurance, Threshold


def test_a_cost_is_a_bar_at_its_logarithm() -> None:
    assert Assurance.of(Threshold(cost=9.0), []).bar == log(9.0)


@pytest.mark.parametrize(("rate", "needed"), [(0.01, 200), (0.005, 400), (0.001, 2000)])
def test_a_promise_takes_two_over_its_rate_of_good_mail(rate: float, needed: int) -> None:
    threshold = Threshold(promise=rate)
    assert threshold.needed == needed
    assert Assurance.of(threshold, [1.0] * (needed - 1)).bar is None
    assert Assurance.of(threshold, [1.0] * needed).bar == 1.0


def test_a_promise_loses_half_of_what_it_may_in_the_mean() -> None:
    rng = random.Random(7)
    lost = 0
    for _ in range(300):
        judged = [rng.gauss(-3, 3) for _ in range(1000)]
        bar = Assurance.of(Threshold(promise=0.05), judged).bar
        assert bar is not None
        lost += sum(rng.gauss(-3, 3) > bar for _ in range(100))
    assert 0.8 * 0.025 < lost / 30_000 <= 1.1 * 0.025


def test_even_odds_are_the_lowest_bar_of_a_promise() -> None:
    assert Assurance.of(Threshold(promise=0.1), [-9.0] * 100).bar == 0.0


def test_what_cannot_be_meant_is_refused() -> None:
    for wrong in ({"cost": 0.0}, {"promise": 0.0}, {"promise": 1.0}):
        with pytest.raises(BadSetting, match=next(iter(wrong))):
            Threshold(**wrong)
