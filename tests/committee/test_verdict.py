"""Verdicts: the most probable label, in decibans, and unsure until there is something to choose."""

from math import log

import pytest

from deciban.committee.verdict import Verdict
from deciban.decibans import log_odds, probabilities_of


def test_decibans_are_the_winner_against_the_runner_up() -> None:
    verdict = Verdict.of({"ham": 0.0, "spam": log(1000), "work": log(10)})
    assert (verdict.label, verdict.unsure) == ("spam", False)
    assert verdict.decibans == pytest.approx(20.0)
    assert verdict.probabilities["spam"] == pytest.approx(1000 / 1011)


def test_probabilities_of_huge_totals_are_finite() -> None:
    assert probabilities_of({"a": 1e6, "b": -1e6}) == {"a": 1.0, "b": 0.0}


def test_log_odds_keep_what_the_probability_rounds_away() -> None:
    assert log_odds({"spam": 100.0, "ham": -100.0}) == 200.0


@pytest.mark.parametrize("totals", [{}, {"spam": 3.0}])
def test_until_two_labels_were_taught_a_verdict_is_unsure(totals: dict[str, float]) -> None:
    assert Verdict.of(totals).unsure
    assert Verdict.of(totals).probability is None
