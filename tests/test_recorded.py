"""Features, verdicts and model files are what they were when recorded.txt was written (see recorded.py)."""

import re

import pytest

from tests.recorded import PATH, recorded

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


def split(line: str) -> tuple[str, list[float]]:
    """A line without its numbers, and its numbers."""
    return NUMBER.sub("#", line), [float(number) for number in NUMBER.findall(line)]


def test_features_verdicts_and_model_files_are_as_recorded() -> None:
    before = PATH.read_text(encoding="utf-8").splitlines()
    now = list(recorded())
    assert len(now) == len(before)
    for old, new in zip(before, now, strict=True):
        if old.startswith(("features ", "bits ")):
            assert new == old
            continue
        (words, numbers), (new_words, new_numbers) = split(old), split(new)
        assert new_words == words
        assert new_numbers == pytest.approx(numbers, rel=3e-5, abs=3e-6), new


def test_a_line_is_compared_by_its_words_and_its_numbers() -> None:
    assert split("verdict 3 spam 17.25 dB of ham -1e-05") == (
        "verdict # spam # dB of ham #",
        [3, 17.25, -1e-05],
    )
