"""Made-up lessons: each label has favourite features, so that there is something to learn."""

import random
from array import array

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import FEATURE_BITS, Features
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape


def made_up_features(rng: random.Random, label: int, words: int = 12, letters: int = 30) -> Features:
    """Features of which about half are favourites of the label."""

    def view(count: int) -> "array[int]":
        favourites = [rng.randrange(40) * 64 + label for _ in range(count // 2)]
        common = [rng.randrange(5000) + 10_000 for _ in range(count - count // 2)]
        return array("Q", sorted({feature << (64 - FEATURE_BITS) for feature in favourites + common}))

    return Features.of(view(words), view(letters))


def made_up_lessons(labels: int, count: int, seed: int = 1) -> list[tuple[str, Features]]:
    """Lessons of so many labels in random order."""
    rng = random.Random(seed)
    numbers = [rng.randrange(labels) for _ in range(count)]
    return [(f"label {number}", made_up_features(rng, number)) for number in numbers]


def buffer_of(settings: Settings, committee: Committee, shape: Shape | None = None) -> bytearray:
    """The buffer of a committee that has learned the same, in a table of another shape if one is given."""
    shape = shape or committee.shape
    buffer = bytearray(Committee.size(settings, shape))
    Committee.begin(settings, shape, buffer).take_over(committee)
    return buffer


def finished(state: int) -> int:
    """The finaliser of the feature hash (text/_hashing.pyx), which also draws lots and finds slots."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ state >> shift) * factor % 2**64
    return state ^ state >> 31
