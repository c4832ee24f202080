"""exp and log of our own: within one unit in the last place of the true value, everywhere, edges included."""

import math
import random
from decimal import Context, Decimal

import pytest

from deciban._exponentials import exp, log
from tests.effort import effort

EXACT = Context(prec=40, Emin=-10_000, Emax=10_000)
INFINITY = math.inf
LEAST = math.ulp(0.0)
LEAST_NORMAL = 2.0**-1022


def units_off(found: float, exact: Decimal) -> float:
    """By how many units in its last place a number is off."""
    return float(abs(EXACT.subtract(Decimal(found), exact)) / Decimal(math.ulp(found)))


def some_numbers(seed: int) -> list[float]:
    """Numbers of every size, and the neighbours of those where a formula changes its course."""
    dice = random.Random(seed)
    sizes = [
        dice.choice((-1, 1)) * math.ldexp(1 + dice.random(), dice.randrange(-40, 9))
        for _ in range(effort(3000, 100_000))
    ]
    turns = [k * math.log(2) / 2 for k in range(-2149, 2049)]
    return [*sizes, *turns, *(math.nextafter(turn, 0) for turn in turns)]


def test_exp_is_within_one_unit_in_the_last_place() -> None:
    numbers = [x for x in some_numbers(1) if -745 < x < 709.7]
    assert max(units_off(exp(x), EXACT.exp(Decimal(x))) for x in numbers) < 1


def test_log_is_within_one_unit_in_the_last_place() -> None:
    dice = random.Random(2)
    numbers = [
        math.ldexp(1 + dice.random(), dice.randrange(-1074, 1023)) for _ in range(effort(3000, 100_000))
    ]
    numbers += [0.5 + dice.random() for _ in range(effort(3000, 100_000))]
    roots = [math.ldexp(math.sqrt(2), power) for power in range(-1074, 1023, 7)]
    numbers += [
        *roots,
        *(math.nextafter(root, 0) for root in roots),
        2.0**1023,
        LEAST,
        3 * LEAST,
        LEAST_NORMAL,
    ]
    assert max(units_off(log(x), EXACT.ln(Decimal(x))) for x in numbers if x not in (0, 1)) < 1


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, 1.0),
        (-0.0, 1.0),
        (LEAST, 1.0),
        (709.79, INFINITY),
        (1e308, INFINITY),
        (INFINITY, INFINITY),
        (-745.13, LEAST),
        (-745.14, 0.0),
        (-1e308, 0.0),
        (-INFINITY, 0.0),
    ],
)
def test_exp_at_its_edges(x: float, expected: float) -> None:
    assert exp(x) == expected


@pytest.mark.parametrize(
    ("x", "expected"), [(1.0, 0.0), (0.0, -INFINITY), (-0.0, -INFINITY), (INFINITY, INFINITY)]
)
def test_log_at_its_edges(x: float, expected: float) -> None:
    assert log(x) == expected


@pytest.mark.parametrize("x", [-1.0, -LEAST, -INFINITY, math.nan])
def test_there_is_no_log_below_zero(x: float) -> None:
    assert math.isnan(log(x))


def test_nan_stays_nan() -> None:
    assert math.isnan(exp(math.nan))


def test_exp_of_small_results_rounds_once() -> None:
    numbers = [-745 + number / 100 for number in range(3800)]
    assert max(units_off(exp(x), EXACT.exp(Decimal(x))) for x in numbers) < 1
    assert 0 < exp(-744) < LEAST_NORMAL


def test_more_is_never_less() -> None:
    numbers = sorted(some_numbers(3))
    powers = [exp(x) for x in numbers]
    assert powers == sorted(powers)
