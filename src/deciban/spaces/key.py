"""A key: who has it may do some operations in some spaces, until it expires.

>>> key = Key("4f1d", frozenset({"classify"}), KeyScope(pattern="*@example.org"), made=0)
>>> key.allows("classify", "1f0c", "ann@example.org"), key.allows("learn", "1f0c", "ann@example.org")
(True, False)
>>> key.allows("classify", "1f0c", "ann@example.org.evil.example")
False

A key for one space is bound to the id of the space, not to its name: if the space is deleted and another gets
its name, the key does not open that one.
"""

from __future__ import annotations

from deciban.errors import BadSetting, NotAllowed
from deciban.spaces.rights import OPERATIONS, RIGHTS
from deciban.spaces.space_name import space_key
from deciban.value import Value

PREFIX = "deciban"
ADMIN = "admin"


class KeyScope(Value):
    """Where a key opens: in the space of an id, in spaces whose names match a pattern, or in all."""

    space: str = ""
    pattern: str = ""
    """With ``*`` for anything; it must match a whole name, whatever its case."""

    def _check(self) -> None:
        if self.space and self.pattern:
            raise BadSetting("A key is for one space or for a pattern, not for both.")

    def covers(self, identity: str, name: str) -> bool:
        """Whether it includes a space."""
        if self.space:
            return self.space == identity
        return not self.pattern or _matches(space_key(self.pattern), space_key(name))

    def includes(self, other: KeyScope, name: str = "") -> bool:
        """Whether all that another covers is covered; ``name`` is that of the other's space, if any."""
        if other.space:
            return self.covers(other.space, name)
        return self == KeyScope() or (not self.space and space_key(self.pattern) == space_key(other.pattern))


class Key(Value):
    """What is known of a key beside its secret."""

    id: str
    rights: frozenset[str]
    scope: KeyScope
    made: int
    """In seconds since 1970."""
    expires: int | None = None
    note: str = ""
    used: int | None = None
    """When it was last used, to the minute."""

    def _check(self) -> None:
        unknown = sorted(self.rights - set(RIGHTS))
        if unknown or not self.rights:
            raise BadSetting(f"A key has rights among {', '.join(RIGHTS)}, got {unknown or 'none'} instead.")

    def allows(self, operation: str, identity: str = "", name: str = "") -> bool:
        """Whether it opens an operation, in a space if one is named by its id and name.

        An operation that is in no space, such as listing them, needs a key for all.
        """
        here = self.scope.covers(identity, name) if identity else self.scope == KeyScope()
        return OPERATIONS[operation] in self.rights and here

    def must_allow(self, operation: str, identity: str = "", name: str = "") -> None:
        """Refuse an operation that it does not open; a space that it is not for is not even named."""
        if not self.allows(operation, identity, name):
            raise NotAllowed(
                f"This key does not open {operation!r} here: it needs {OPERATIONS[operation]!r}."
            )


def _matches(pattern: str, text: str) -> bool:
    """Whether a whole text matches a pattern in which only ``*`` is special.

    >>> _matches("a*c", "abbc"), _matches("*", ""), _matches("a.c", "abc"), _matches("*@x*@x", "@x")
    (True, True, False, False)
    """
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


def key_record(key: Key, names: dict[str, str]) -> dict[str, object]:
    """A key as JSON has it, without its secret; ``names`` are those of spaces, by their ids."""
    return {
        "id": key.id,
        "rights": [right for right in RIGHTS if right in key.rights],
        "space": names.get(key.scope.space) if key.scope.space else None,
        "pattern": key.scope.pattern or None,
        "made": key.made,
        "expires": key.expires,
        "used": key.used,
        "note": key.note,
    }
