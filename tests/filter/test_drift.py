"""A change of mail is told soon; a stable stream raises no alarm, as often as was computed."""

import math
import random

import pytest

from deciban.filter.drift import EXAM_SLACK, EXPONENTS, WORDS_SLACK, Watch, bound
from tests.effort import effort


def alarms(values: list[tuple[bool, float]]) -> list[int]:
    watch = Watch(EXAM_SLACK)
    return [place for place, value in enumerate(values) if watch.see(*value)]


def stream(rng: random.Random, count: int, mean: float, spread: float = 3.0) -> list[tuple[bool, float]]:
    """Exams: the log-odds of the true label, spam surer than good mail."""
    return [(spam, rng.gauss(mean + 2 * spam, spread)) for spam in (rng.random() < 0.4 for _ in range(count))]


@pytest.mark.parametrize("seed", range(effort(2, 20)))
def test_a_stable_stream_of_20000_raises_no_alarm(seed: int):
    assert alarms(stream(random.Random(seed), 20_000, mean=6.0)) == []


def test_a_filter_that_becomes_better_raises_no_alarm():
    rng = random.Random(1)
    learning = [
        (spam, value + math.log(1 + place)) for place, (spam, value) in enumerate(stream(rng, 20_000, 0.0))
    ]
    assert alarms(learning) == []


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("change", [-5.0, -10.0])
def test_mail_that_fits_worse_is_told_within_300(seed: int, change: float):
    rng = random.Random(seed)
    values = stream(rng, 2_000, mean=6.0) + stream(rng, 300, mean=6.0 + change)
    first = alarms(values)[0]
    assert 2_000 <= first < 2_300


def test_too_few_exams_raise_no_alarm():
    rng = random.Random(1)
    assert alarms(stream(rng, 100, mean=6.0) + stream(rng, 80, mean=-6.0)) == []


@pytest.mark.parametrize("slack", [EXAM_SLACK, WORDS_SLACK])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_a_bet_loses_on_average_and_its_power_is_fair(exponent: float, slack: float):
    """The bound is Lundberg's: the mean of bet^θ is 1 where every rank is as likely as any other."""
    power = math.log(10 * 20_000 / 0.01) / bound(exponent, slack)
    step = 0.01  # of −log p, over which the integral runs: the bet has a pole at 0
    mean = fair = 0.0
    for number in range(200_000):
        depth = (number + 0.5) * step
        log_bet = math.log(exponent) + (exponent - 1) * min(0.0, math.log(slack) - depth)
        mean += step * math.exp(log_bet - depth)
        fair += step * math.exp(power * log_bet - depth)
    assert mean < 1
    assert fair == pytest.approx(1, abs=0.01)
    assert power > 1
