"""What is to be done about a message."""

import math

import pytest

from deciban.decibans import is_unsure


@pytest.mark.parametrize("odds", [1.1, 2, 3.9])
def test_mail_that_is_hardly_good_is_unsure(odds):
    assert is_unsure({"spam": 0.0, "ham": math.log(odds)}, bar=2.0)


def test_mail_that_is_four_times_as_likely_good_is_good():
    assert not is_unsure({"spam": 0.0, "ham": math.log(4.1)}, bar=2.0)


def test_folders_share_their_probability_against_spam():
    assert not is_unsure({"spam": 0.0, "work": math.log(2.1), "family": math.log(2)}, bar=2.0)


def test_folders_without_spam_are_never_unsure():
    assert not is_unsure({"work": 0.1, "family": 0.0}, bar=2.0)
