"""The threshold: a cost, or a promise that holds however far one looks back, once there is enough mail."""

import random
from itertools import repeat
from math import log

import pytest

from deciban.errors import BadSetting
from deciban.filter.exams import KeptExam
from deciban.filter.threshold import Assurance, Threshold
from deciban.ledger.records import ExamRow


def test_a_cost_is_a_bar_at_its_logarithm() -> None:
    assert Assurance.of(Threshold(cost=9.0), []).bar == log(9.0)


@pytest.mark.parametrize(("rate", "needed"), [(0.01, 200), (0.005, 400), (0.001, 2000)])
def test_a_promise_takes_two_over_its_rate_of_good_mail(rate: float, needed: int) -> None:
    threshold = Threshold(promise=rate)
    assert threshold.needed == needed
    assert Assurance.of(threshold, [1.0] * (needed - 1)).bar is None
    assert Assurance.of(threshold, [1.0] * needed).bar == 1.0


def test_a_single_odd_mail_never_decides() -> None:
    odd, usual = [99.0], [1.0] * 199
    for judged in (odd + usual, usual + odd):
        assert Assurance.of(Threshold(promise=0.01), judged).bar == 1.0


def test_trouble_of_late_raises_a_bar_that_the_whole_window_would_allow() -> None:
    threshold = Threshold(promise=0.01)
    calm, trouble = [-9.0] * 900, [3.0, 2.0, 1.0]
    assert Assurance.of(threshold, trouble + calm).bar == 2.0  # the newest first
    assert Assurance.of(threshold, calm + trouble).bar == 0.0


@pytest.mark.parametrize("rate", [0.2, 0.05, 0.013])
def test_the_bar_is_the_lowest_that_keeps_the_promise_over_every_stretch(rate: float) -> None:
    rng = random.Random(3)
    threshold = Threshold(promise=rate)

    def keeps(bar: float, judged: list[float]) -> bool:
        above = 0
        for stretch, one in enumerate(judged, 1):
            above += one > bar
            if stretch >= threshold.needed and above > (stretch + 1) * rate - 1 + 1e-9:
                return False
        return True

    for _ in range(200):
        judged = [rng.expovariate(1.0) for _ in range(rng.randint(threshold.needed, threshold.window))]
        bar = Assurance.of(threshold, judged).bar
        assert bar is not None
        assert keeps(bar, judged)
        lower = max((one for one in judged if one < bar), default=0.0)
        assert not keeps(lower, judged)


def lost_share(rate: float, judged: list[float]) -> float:
    """The share of good mails above the bar that those before them had set."""
    threshold = Threshold(promise=rate)
    lost = 0
    for place in range(threshold.needed, len(judged)):
        bar = Assurance.of(threshold, judged[max(place - threshold.window, 0) : place][::-1]).bar
        assert bar is not None
        lost += judged[place] > bar
    return lost / (len(judged) - threshold.needed)


@pytest.mark.parametrize(("doubling", "least", "most"), [(None, 0.4, 0.7), (320, 0.5, 0.9), (80, 0.7, 1.1)])
def test_a_promise_is_kept_in_the_mean_even_where_mail_drifts(
    doubling: int | None, least: float, most: float
) -> None:
    """At a fixed bar the loss would double with every so many good mails."""
    rng = random.Random(7)
    slope = log(2) / doubling if doubling else 0.0
    shares = [
        lost_share(0.05, [rng.expovariate(1.0) + slope * place for place in range(360)]) for _ in range(30)
    ]
    assert least * 0.05 < sum(shares) / len(shares) < most * 0.05


def test_even_odds_are_the_lowest_bar_of_a_promise() -> None:
    assert Assurance.of(Threshold(promise=0.1), [-9.0] * 100).bar == 0.0


def test_what_cannot_be_meant_is_refused() -> None:
    for wrong in ({"cost": 0.0}, {"promise": 0.0}, {"promise": 1.0}):
        with pytest.raises(BadSetting, match=next(iter(wrong))):
            Threshold(**wrong)


def exam(spam: float | None, origin: str = "incoming", share: float = 1.0, label: str = "ham") -> KeptExam:
    return KeptExam(1, label, ExamRow(label, 0.0, spam), origin, share)


def test_only_mail_that_came_in_counts_for_a_promise() -> None:
    threshold = Threshold(promise=0.2)
    others = [exam(9.0, "sent"), exam(9.0, "imported"), exam(9.0, label="spam"), exam(None)] * 10
    assert Assurance.of_exams(threshold, others) == Assurance(None, 0, 10)
    came_in = [exam(-1.0)] * 10
    assert Assurance.of_exams(threshold, others + came_in) == Assurance(0.0, 10, 10)


def test_a_mail_of_a_sample_stands_for_all_that_it_was_drawn_from() -> None:
    threshold = Threshold(promise=0.01)
    mistakes, drawn = [exam(3.0)] * 2, [exam(-5.0, "sample", 0.1)] * 20
    assert Assurance.of_exams(threshold, mistakes + drawn) == Assurance(3.0, 202, 200, sampled=200)
    assert Assurance.of_exams(threshold, mistakes + drawn[1:]).bar is None


def test_no_more_exams_are_read_than_a_promise_looks_back() -> None:
    threshold = Threshold(promise=0.2)
    endless = repeat(exam(1.0, "sample", 0.001))
    assert Assurance.of_exams(threshold, endless) == Assurance(1.0, 50, 10, sampled=50)
    assert Assurance.of_exams(Threshold(), endless) == Assurance(log(9.0), 0, 0)
