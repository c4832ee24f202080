"""Names made unique: an archive may hold two members of one name, and ids must tell them apart.

>>> names = UniqueNames()
>>> [names.unique(name) for name in ("a", "b", "a", "a")]
['a', 'b', 'a~2', 'a~3']
"""

from __future__ import annotations


class UniqueNames:
    """Remembers the names that it gave out: by their hashes, since a crafted archive has names of 64 KiB."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count: dict[int, int] = {}

    def unique(self, name: str) -> str:
        """The name itself the first time, then ``name~2``, ``name~3`` and so on."""
        while True:
            key = hash(name)
            count = self._count.get(key, 0) + 1
            self._count[key] = count
            if count == 1:
                return name
            # Once more, because "a~2" may be the name of another member.
            name = f"{name}~{count}"
