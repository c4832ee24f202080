import pytest

from deciban.value import Value


class Point(Value):
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: int = 0) -> None:
        self._set(x=x, y=y)


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
