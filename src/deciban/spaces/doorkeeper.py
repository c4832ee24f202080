r"""Who may do what in which space, for a door that is asked a thousand times per second.

A door has the text of a key, an operation (rights.py) and the name of a space, and gets the space:

>>> import tempfile
>>> from deciban.spaces import Spaces
>>> from deciban.spaces.key import KeyScope
>>> spaces = Spaces(tempfile.mkdtemp(), create=True)
>>> _ = spaces.add(["ann@example.org", "bob@example.com"])
>>> key, text = spaces.keys.add(["classify"], KeyScope(pattern="*@example.org"))
>>> doorkeeper = Doorkeeper(spaces)
>>> doorkeeper.may(text, "classify", "Ann@example.org").name
'ann@example.org'
>>> doorkeeper.may(text, "classify", "bob@example.com")
Traceback (most recent call last):
deciban.errors.NotAllowed: This key does not open 'classify' here: it needs 'classify' and this space.
>>> spaces.close()

Keys and spaces are kept in memory, and a quarter of a second later the registry is asked whether anybody
changed it since. So whatever was revoked, deleted or renamed opens nothing a quarter of a second later.
A text that was found to be a key is known again by a digest of it under a secret of our own. Whatever is no
key is looked at by the key ring each time, and takes the same way whether there is such an id or not. A key
that may not enter a space is not told whether there is one of that name.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # see ledger/trail.py
from time import monotonic, time

from deciban.errors import NoSuchSpace, NotAllowed
from deciban.spaces.rights import OPERATIONS
from deciban.spaces.space_name import can_be_name
from deciban.spaces.sqlite_key_ring import USED_SECONDS, must_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deciban.spaces.key import Key
    from deciban.spaces.spaces import Spaces
    from deciban.spaces.sqlite_registry import SpaceRecord

TRUST_SECONDS = 0.25
# So many keys and so many names are remembered; then all are forgotten, and asked for again.
MOST_REMEMBERED = 10_000
# An id that no space has.
NO_SPACE = "none"


class Doorkeeper:
    """Knows the keys and spaces of a folder; several threads may ask it."""

    def __init__(self, spaces: Spaces, clock: Callable[[], float] = monotonic) -> None:
        self._spaces, self._clock = spaces, clock
        self._secret = os.urandom(32)
        self._keys: dict[bytes, Key] = {}
        self._records: dict[str, SpaceRecord | None] = {}
        self._admitted: dict[tuple[str, str, str], SpaceRecord] = {}
        self._used: dict[str, Key] = {}
        self._version: tuple[int, int] | None = None
        self._until = 0.0

    def may(self, text: str, operation: str, name: str = "") -> SpaceRecord | None:
        """The space in which a key opens an operation; None for one of the folder, such as `space list`.

        UnknownKey if the text is no key that holds, NotAllowed if the key does not open this, NoSuchSpace if
        it would, but there is no such space.
        """
        return self.admitted(self.unlock(text), operation, name)

    def admitted(self, key: Key, operation: str, name: str = "") -> SpaceRecord | None:
        """The same for a key that was unlocked just now."""
        asked = key.id, operation, name
        known = self._admitted.get(asked)
        if known is not None:
            return known
        if not name:
            key.must_allow(operation)
            return None
        record = self.find(name)
        if record is not None and key.allows(operation, record.id, record.name):
            _remember(self._admitted, asked, record)
            return record
        if record is None and key.allows(operation, NO_SPACE, name):
            raise NoSuchSpace("There is no such space. deciban space list shows them, add makes one.")
        raise NotAllowed(
            f"This key does not open {operation!r} here: it needs {OPERATIONS[operation]!r} and this space."
        )

    def unlock(self, text: str) -> Key:
        """The key that a text is; UnknownKey if it is none, was revoked, or has expired."""
        self._look()
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._secret).digest()
        key = self._keys.get(digest)
        if key is None:
            key = self._spaces.keys.unlock(text)
            _remember(self._keys, digest, key)
        must_hold(key)
        if time() - (key.used or 0) >= USED_SECONDS:
            self._used[key.id] = key
        return key

    def find(self, name: str) -> SpaceRecord | None:
        """The space of a name, in any spelling; None if there is none."""
        self._look()
        if name in self._records:  # in this spelling, which is not looked at again
            return self._records[name]
        if not can_be_name(name):
            return None
        _remember(self._records, name, self._spaces.registry.find_if_any(name))
        return self._records[name]

    def look_again(self) -> None:
        """Ask the registry before the next answer: somebody says that it was changed."""
        self._until = 0.0

    def used(self) -> list[Key]:
        """The keys used since the last call; whoever may write hands them to `SqliteKeyRing.touch`."""
        used, self._used = self._used, {}
        return list(used.values())

    def _look(self) -> None:
        """Forget what is known if the registry was changed meanwhile."""
        now = self._clock()
        if now < self._until:
            return
        version = self._spaces.registry.store.version()
        if version != self._version:
            self._keys, self._records, self._admitted, self._version = {}, {}, {}, version
        self._until = now + TRUST_SECONDS


def _remember(memory: dict[Any, Any], name: object, known: object) -> None:
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[name] = known
