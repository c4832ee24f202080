"""A frozen record: what a frozen dataclass is, without what importing ``dataclasses`` costs.

A bare interpreter starts in 10 ms of CPU time and argparse makes that 18; ``typing.NamedTuple`` adds 5
more and ``dataclasses`` 10, on every call of the command line. A class with slots adds nothing.

>>> class Point(Value):
...     __slots__ = ("x", "y")
...     def __init__(self, x: int, y: int) -> None:
...         self._set(x=x, y=y)
>>> Point(1, 2), Point(1, 2) == Point(1, 2)
(Point(x=1, y=2), True)
>>> Point(1, 2).replaced(y=3)
Point(x=1, y=3)
>>> Point(1, 2).x = 3
Traceback (most recent call last):
AttributeError: Point is frozen: make a new one instead of changing x
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Value:
    """Equality, hash and repr over the slots; assigning is an error."""

    __slots__: tuple[str, ...] = ()

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _fields(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def replaced(self, **changes: object) -> Self:
        """The same record but for the fields that are given."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return type(self)(**fields | changes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make a new one instead of changing {name}")

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        # How a copy or a pickle fills its slots, which are frozen for everybody else.
        self._set(**state[1])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"
