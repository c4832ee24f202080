"""The keys of a folder of spaces, kept in its registry.

A key is ``deciban_ID_SECRET``: an id of 16 hexadecimal digits in clear, by which it is listed and revoked,
and 256 random bits. It is shown once, when it is made. Kept is the SHA-256 of the secret, and the comparison
takes the same time for every secret. A secret of 256 bits cannot be guessed, so a slow hash would only make
each request slow.
"""

from __future__ import annotations

import os
from _operator import _compare_digest  # hmac.compare_digest, without the 6 ms to import it
from time import time

from deciban.errors import BadSetting, NotAllowed, UnknownKey
from deciban.spaces.key import ADMIN, PREFIX, Key, KeyScope
from deciban.sqlite_store import row_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deciban.sqlite_store import SqliteStore

ID_BYTES = 8
SECRET_BYTES = 32
# The last use is written at most so often: every request would write otherwise.
USED_SECONDS = 60
LONGEST_NOTE = 200
# What a secret is compared with where there is no such id; no secret is known that has this SHA-256.
NO_HASH = bytes(32)
_FIELDS = "id, hash, rights, spaces, made, expires, note, checked, used"


class SqliteKeyRing:
    """The keys in a registry."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def add(
        self,
        rights: Iterable[str],
        scope: KeyScope,
        expires: int | None = None,
        note: str = "",
        by: Key | None = None,
        name: str = "",
        identity: str = "",
    ) -> tuple[Key, str]:
        """Make a key; what is kept of it, and its text, which nobody can show again.

        Made ``by`` a key, it can do no more than that one; ``name`` is that of the one space it is for.
        Its id is ``identity``, if one is given.
        """
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise BadSetting(
                f"A note is one line of at most {LONGEST_NOTE} characters, got {note!r} instead."
            )
        key = Key(identity or new_key_id(), frozenset(rights), scope, int(time()), expires, note)
        if by is not None:
            _must_not_exceed(key, by, name)
        secret = os.urandom(SECRET_BYTES).hex()
        fields = (
            key.id, _hash(secret), ",".join(sorted(key.rights)), _scope_text(scope), key.made, expires, note,
        )  # fmt: skip
        with self._store.writing():
            places = ", ".join("?" * (len(fields) + 1))
            self._store.run(
                f"INSERT INTO keys ({_FIELDS}) VALUES ({places}, NULL)", *fields, row_check(*fields)
            )
        return key, f"{PREFIX}_{key.id}_{secret}"

    def all(self) -> list[Key]:
        """Every key that was not revoked, the oldest first; expired ones too."""
        rows = self._store.rows(f"SELECT {_FIELDS} FROM keys ORDER BY made, id")
        return [self._key(row) for row in rows]

    def revoke(self, identity: str) -> Key:
        """Let a key open nothing any more, from now on."""
        with self._store.writing():
            rows = self._store.rows(f"SELECT {_FIELDS} FROM keys WHERE id = ?", identity)
            if not rows:
                raise UnknownKey(f"There is no key {identity!r}. deciban key list shows them.")
            self._store.run("DELETE FROM keys WHERE id = ?", identity)
        return self._key(rows[0])

    def revoke_all_for(self, space: str) -> None:
        """Revoke the keys for one space, which is deleted."""
        with self._store.writing():
            self._store.run("DELETE FROM keys WHERE spaces = ?", _scope_text(KeyScope(space=space)))

    def unlock(self, text: str) -> Key:
        """The key that a text is; UnknownKey if it is none, was revoked, or has expired.

        A wrong secret is compared as long where there is no such id: nobody finds out which ids there are.
        """
        identity, secret = parts_of(text)
        row = self._row(identity)
        kept = row[1] if row is not None and type(row[1]) is bytes else NO_HASH
        if not _compare_digest(kept, _hash(secret)) or row is None:
            raise UnknownKey("This is no key, or it was revoked.")
        key = self._key(row)
        must_hold(key)
        return key

    def find(self, identity: str) -> Key | None:
        """The key of an id."""
        row = self._row(identity)
        return None if row is None else self._key(row)

    def _row(self, identity: str) -> tuple[Any, ...] | None:
        rows = self._store.rows(
            f"SELECT {_FIELDS} FROM keys WHERE id = ?", identity.encode("ascii", "replace").decode()
        )
        return rows[0] if rows else None

    def touch(self, key: Key) -> None:
        """Remember that a key was used now, if that was not written a short while ago; not in a request."""
        moment = int(time())
        if not self._store.read_only and moment - (key.used or 0) >= USED_SECONDS:
            with self._store.writing():
                self._store.run("UPDATE keys SET used = ? WHERE id = ?", moment, key.id)

    def _key(self, row: tuple[Any, ...]) -> Key:
        *fields, checked, used = row
        if row_check(*fields) != checked or not (used is None or type(used) is int):
            raise self._store.damaged("a key in it is not as it was written")
        identity, _, rights, spaces, made, expires, note = fields
        kind, _, text = spaces.partition(":")
        scope = KeyScope(**{kind: text}) if text else KeyScope()
        return Key(identity, frozenset(rights.split(",")), scope, made, expires, note, used)


def new_key_id() -> str:
    """The id of a new key."""
    return os.urandom(ID_BYTES).hex()


def parts_of(text: str) -> tuple[str, str]:
    """The id and the secret of the text of a key; empty if it is none.

    >>> parts_of("deciban_4f1d_c0ffee"), parts_of("something else")
    (('4f1d', 'c0ffee'), ('', ''))
    """
    prefix, _, rest = text.partition("_")
    identity, _, secret = rest.partition("_")
    return (identity, secret) if prefix == PREFIX else ("", "")


def must_hold(key: Key) -> None:
    """Refuse a key that has expired."""
    if key.expires is not None and time() >= key.expires:
        raise UnknownKey(f"The key {key.id} has expired.")


def _must_not_exceed(key: Key, maker: Key, name: str) -> None:
    """Refuse a key that can do more than the one that makes it."""
    late = maker.expires is not None and (key.expires is None or key.expires > maker.expires)
    more = key.rights - maker.rights
    if ADMIN not in maker.rights or more or late or not maker.scope.includes(key.scope, name):
        raise NotAllowed(
            "A key makes no key with more than its own rights, in other spaces, or for a longer time."
        )


def _scope_text(scope: KeyScope) -> str:
    if scope.space:
        return f"space:{scope.space}"
    return f"pattern:{scope.pattern}" if scope.pattern else "all"


def _hash(secret: str) -> bytes:
    from hashlib import sha256

    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
