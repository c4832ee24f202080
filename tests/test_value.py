from __future__ import annotations

import copy
import subprocess
import sys

import pytest

from deciban.value import Value


class Point(Value):
    x: int
    y: int = 0


class Share(Value, kw_only=True):
    whole: int
    part: int = 1

    def _check(self) -> None:
        if not 0 <= self.part <= self.whole:
            raise ValueError(f"part must be from 0 to {self.whole}, got {self.part} instead.")


def test_fields_are_taken_in_their_order_or_by_name_and_have_defaults():
    assert Point(1, 2) == Point(1, y=2) == Point(y=2, x=1)
    assert Point(1) == Point(1, 0)
    assert Share(whole=4).part == 1


class Named(Point):
    name: str = ""


class Mirrored(Point):
    def mirrored(self) -> Mirrored:
        return Mirrored(self.y, self.x)


def test_a_class_has_the_fields_of_its_parent_before_its_own():
    assert Named(1, 2, "here").as_dict() == {"x": 1, "y": 2, "name": "here"}
    assert repr(Named(1)) == "Named(x=1, y=0, name='')"
    assert Mirrored(1, 2).mirrored() == Mirrored(2, 1) != Point(2, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Point(), "Point needs x"),
        (lambda: Point(y=1), "Point needs x"),
        (lambda: Point(1, 2, 3), "Point takes 2 fields by position, 3 were given"),
        (lambda: Point(1, x=2), "Point was given x twice"),
        (lambda: Point(1, z=2), "Point has no field z"),
        (lambda: Share(4), "Share takes 0 fields by position, 1 were given"),
        (lambda: Share(4, 1), "Share takes 0 fields by position, 2 were given"),
    ],
)
def test_fields_that_do_not_fit_are_named(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_class_with_rules_refuses_what_breaks_them_also_when_replaced():
    with pytest.raises(ValueError, match="part must be from 0 to 2, got 3 instead"):
        Share(whole=2, part=3)
    with pytest.raises(ValueError, match="part must be from 0 to 0"):
        Share(whole=2).replaced(whole=0)


def test_a_value_has_no_dictionary_and_can_be_copied():
    assert not hasattr(Point(1), "__dict__")
    assert copy.copy(Point(1, 2)) == copy.deepcopy(Point(1, 2)) == Point(1, 2)


def test_values_cost_no_import():
    code = "import sys; before = set(sys.modules); import deciban.value; print(set(sys.modules) - before)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert eval(shown.stdout) == {"__future__", "deciban", "deciban.value"}


def test_equal_fields_of_one_class_are_equal_values():
    assert Point(1, 2) == Point(1, 2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != (1, 2)


def test_a_value_cannot_be_changed_or_extended():
    with pytest.raises(AttributeError, match="Point is frozen"):
        Point(1).x = 2  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        Point(1).z = 2  # type: ignore[attr-defined]


def test_replacing_gives_a_new_value_and_refuses_unknown_fields():
    assert Point(1, 2).replaced(x=5) == Point(5, 2)
    with pytest.raises(TypeError):
        Point(1, 2).replaced(z=5)


def test_the_repr_can_be_read_back():
    assert eval(repr(Point(1, 2))) == Point(1, 2)
