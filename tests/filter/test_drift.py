"""A change of mail is told soon; a stable stream raises no alarm, as often as was computed."""

import math
import random

import pytest

from deciban.filter.drift import EXAM_SLACK, EXPONENTS, LAG, WORDS_SLACK, ExamWatch, WordWatch, bound
from tests.effort import effort


def alarms(values: list[tuple[bool, float]]) -> list[int]:
    watch = ExamWatch()
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


def lessons(rng: random.Random, count: int, words: range) -> list[tuple[bool, list[int]]]:
    """Lessons of 40 words of which some are frequent and most are not."""
    spread = len(words)
    return [
        (rng.random() < 0.4, [words[int(spread * rng.random() ** 4)] for _ in range(40)])
        for _ in range(count)
    ]


def word_alarms(seen: list[tuple[bool, list[int]]]) -> list[int]:
    watch = WordWatch()
    return [place for place, each in enumerate(seen) if watch.see(*each)]


@pytest.mark.parametrize("seed", range(effort(2, 20)))
def test_words_of_a_stable_stream_raise_no_alarm(seed: int):
    assert word_alarms(lessons(random.Random(seed), effort(5_000, 20_000), range(20_000))) == []


@pytest.mark.parametrize("before", [400, 2_000])
def test_new_words_are_told_also_by_a_young_filter_and_though_they_come_again_and_again(before: int):
    rng = random.Random(before)
    seen = lessons(rng, before, range(20_000)) + lessons(rng, LAG, range(15_000, 35_000))
    assert before <= word_alarms(seen)[0] < before + LAG


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
