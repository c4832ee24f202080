import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def tour(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("temporary")
    done = subprocess.run(
        [sys.executable, "-m", "deciban", "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TMPDIR": str(folder), "DECIBAN_DB": "/no/such/place"},
    )
    assert done.stderr == ""
    assert list(folder.iterdir()) == []
    return done.stdout


def counts(tour: str, label: str) -> list[int]:
    """How many mails of a label were called ham, unsure and spam."""
    line = next(line for line in tour.splitlines() if line.strip().startswith(f"is {label} "))
    return [int(word) for word in line.split()[2:]]


def test_the_filter_is_useful_at_least_once_unsure_and_hardly_ever_wrong(tour):
    ham, spam = counts(tour, "ham"), counts(tour, "spam")
    assert ham[0] > 0.7 * sum(ham)
    assert spam[2] > 0.7 * sum(spam)
    assert ham[1] + spam[1] >= 1
    assert ham[2] + spam[0] <= 2


def test_two_verdicts_are_explained_one_spam_and_one_unsure(tour):
    assert "$ deciban why   (spam)" in tour
    assert "$ deciban why   (unsure)" in tour
    assert tour.count("  in all\n") == 2
    assert tour.count("the strongest 12 places") == 2
    assert "shared filter" not in tour


def test_the_tour_ends_with_three_commands_for_ones_own_mail(tour):
    commands = [line.split()[1:3] for line in tour.splitlines()[-3:]]
    assert commands == [["deciban", "learn"], ["deciban", "learn"], ["deciban", "classify"]]
