"""A frozen record: what a frozen dataclass is, without what importing ``dataclasses`` costs.

A bare interpreter starts in 10 ms of CPU time and argparse makes that 18; ``typing.NamedTuple`` adds 5
more and ``dataclasses`` 10, on every call of the command line. A class with slots adds nothing.

>>> class Point(Value):
...     x: int
...     y: int = 0
>>> Point(1, y=2), Point(1, 2) == Point(1, 2), Point(1)
(Point(x=1, y=2), True, Point(x=1, y=0))
>>> Point(1, 2).replaced(y=3)
Point(x=1, y=3)
>>> Point(1, 2).x = 3
Traceback (most recent call last):
AttributeError: Point is frozen: make a new one instead of changing x
>>> Point(y=3)
Traceback (most recent call last):
TypeError: Point needs x

A class with ``kw_only=True`` takes its fields by name only. One with rules writes `_check`, which is called
when all fields are set.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """What tells a type checker that annotations are fields; importing it takes 5 ms."""
        return lambda kind: kind


_assign = object.__setattr__


@dataclass_transform(frozen_default=True)
class ValueType(type):
    """Makes slots of the annotations of a class, and keeps their defaults aside."""

    def __new__(
        cls, name: str, bases: tuple[type[Value], ...], body: dict[str, Any], kw_only: bool = False
    ) -> ValueType:
        """The class, with the fields of its parent before its own; ``kw_only``: given by name only."""
        annotations = body.get("__annotations__", {})
        own = tuple(field for field, kind in annotations.items() if "ClassVar" not in str(kind))
        defaults = {field: body.pop(field) for field in own if field in body}
        if bases:
            (parent,) = bases
            body["field_names"] = (*parent.field_names, *own)
            body["_defaults"] = parent._defaults | defaults
            body["_positional"] = 0 if kw_only else len(body["field_names"])
            body["_all_given"] = -1 if kw_only else len(body["field_names"])
        made = super().__new__(cls, name, bases, {**body, "__slots__": own})
        # What assigns each field, found once: twice as fast as by name, and a lesson is several records.
        own_setters = tuple(vars(made)[field].__set__ for field in own)
        type.__setattr__(made, "_setters", (*(bases[0]._setters if bases else ()), *own_setters))
        if "_check" in body and bases:
            type.__setattr__(made, "_has_rules", True)
        return made


class Value(metaclass=ValueType):
    """Equality, hash and repr over the annotated fields; assigning is an error."""

    field_names: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, object]] = {}
    _positional: ClassVar[int] = 0
    _all_given: ClassVar[int] = -1
    """How many values by position are all that there are; none are if they must be named."""
    _setters: ClassVar[tuple[Any, ...]] = ()
    _has_rules: ClassVar[bool] = False

    if not TYPE_CHECKING:

        def __init__(self, *values: object, **fields: object) -> None:
            """Take the fields in the order in which they are annotated, or by name."""
            if fields or len(values) != self._all_given:
                given = self._given(values, fields)
                values = [given[name] for name in self.field_names]
            for assign, value in zip(self._setters, values):  # noqa: B905 (strict takes as long as assigning)
                assign(self, value)
            if self._has_rules:
                self._check()

    def _given(self, values: tuple[object, ...], fields: dict[str, object]) -> dict[str, object]:
        """Every field with what was given for it, or with its default."""
        names = self.field_names
        kind = type(self).__name__
        if len(values) > self._positional:
            raise TypeError(f"{kind} takes {self._positional} fields by position, {len(values)} were given")
        given = dict(zip(names, values, strict=False))
        for name in fields:
            if name in given or name not in names:
                what = f"was given {name} twice" if name in given else f"has no field {name}"
                raise TypeError(f"{kind} {what}")
        given = {**self._defaults, **given, **fields}
        if len(given) < len(names):
            raise TypeError(f"{kind} needs {', '.join(name for name in names if name not in given)}")
        return given

    def _check(self) -> None:
        """Refuse fields that make no sense: a class with rules has its own."""

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            _assign(self, name, value)

    def as_dict(self) -> dict[str, Any]:
        """Every field by its name."""
        return {name: getattr(self, name) for name in self.field_names}

    def _fields(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.field_names])

    def replaced(self, **changes: object) -> Self:
        """The same record but for the fields that are given."""
        if type(self).__init__ is not Value.__init__:  # it makes its fields of what it is given
            return type(self)(**self.as_dict() | changes)
        made = object.__new__(type(self))
        for name, assign in zip(self.field_names, self._setters):  # noqa: B905 (as above)
            assign(made, changes.pop(name) if name in changes else getattr(self, name))
        if changes:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(changes))}")
        if self._has_rules:
            made._check()
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make a new one instead of changing {name}")

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        # How a copy or a pickle fills its slots, which are frozen for everybody else.
        self._set(**state[1])

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.field_names)
        return f"{type(self).__name__}({fields})"
