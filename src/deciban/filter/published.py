"""The published state of a filter, ``mail.db.snapshot``: which file that is now, and how it is replaced.

Everybody who asks uses it under `Locks.asking`. A teacher changes it in place, under `Locks.changing`. A
change of history makes another file beside it, and then puts that file in its place.
"""

from __future__ import annotations

import os
from contextlib import suppress

from deciban.committee.shape import Shape
from deciban.errors import CannotWrite, DamagedSnapshot
from deciban.filter.locks import Locks
from deciban.filter.made_like import make_like
from deciban.filter.snapshot import GROWN, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deciban.filter.footing import Footing
    from deciban.filter.state import State
    from deciban.ledger._placed import Placed
    from deciban.ledger.records import Address

MARK = ".snapshot"
BESIDE = ".snapshot-"


class Published:
    """Opens the published state as needed, and opens it again if another has taken its place."""

    def __init__(self, ledger_path: str, read_only: bool = False) -> None:
        self.path = ledger_path + MARK
        self.locks = Locks(ledger_path + ".lock", ledger_path, read_only)
        self._ledger_path = ledger_path
        self._read: Snapshot | None = None
        self._taught: Snapshot | None = None
        self._asked = False

    def close(self) -> None:
        """Let go of the files."""
        for opened in (self._read, self._taught):
            if opened is not None:
                opened.close()
        self._read = self._taught = None
        self.locks.close()

    def look(self, footing: Footing) -> Snapshot | None:
        """The state to ask, whole; None if there is none. Under the lock."""
        self._read = self._in_place(self._read, footing, Snapshot.open)
        if self._read is None:
            return None
        try:
            self._read.look(glance=not self._asked)
        except DamagedSnapshot:
            return None
        self._asked = True
        return self._read

    @property
    def held_bytes(self) -> int:
        """How much of the state to ask is mapped."""
        return 0 if self._read is None else self._read.held_bytes

    def rest(self) -> None:
        """Give back the pages of the state to ask until somebody asks it again."""
        if self._read is not None:
            self._read.rest()

    def to_teach(self, footing: Footing) -> Snapshot | None:
        """The state to teach, whole; None if there is none. Under the exclusive lock."""
        self._taught = self._in_place(self._taught, footing, Snapshot.open_to_teach)
        if self._taught is None:
            return None
        try:
            self._taught.look()
        except DamagedSnapshot:
            return None
        return self._taught

    def _in_place(
        self, opened: Snapshot | None, footing: Footing, open_it: Callable[[str, Footing], Snapshot | None]
    ) -> Snapshot | None:
        """What is open already, if it is still the published file on this footing; else opened anew."""
        if opened is not None and opened.footing is footing and opened.is_in_place():
            return opened
        if opened is not None:
            opened.close()
        return open_it(self.path, footing)

    def enlarge(
        self, footing: Footing, start: Address, lessons: Sequence[Placed], patience: float | None
    ) -> None:
        """Go on in a larger file, where these lessons find room, unless it is at another address by now.

        Others ask while the state is poured into that file: it takes .05 s at 900,000 rows.
        """
        with self.locks.growing(patience):
            with self.locks.asking(patience):
                full = self.to_teach(footing)
                shape = full.shape_wanted_by(lessons) if full and full.address == start else None
                if full is None or shape is None:
                    return
                beside = Beside(full.poured(shape))
            try:
                with self.locks.changing(patience):
                    full = self.to_teach(footing)
                    if full is not None and full.address == start:
                        full.go_on_in(beside.snapshot)
                        return
            except BaseException:
                beside.discard()
                raise
            beside.discard()

    def discard(self) -> None:
        """Remove it, because it turned out to be damaged; under the exclusive lock."""
        with suppress(OSError):
            os.unlink(self.path)

    def beside(self, state: State) -> Beside:
        """A state in a file of its own, which nobody uses yet; under the build lock."""
        self.remove_left_overs()
        path = self._ledger_path + BESIDE + os.urandom(4).hex()
        committee = state.look()
        shape = Shape.for_rows(
            committee.capacity,
            committee.shape.bits,
            committee.rows_learned(),
            is_layer=committee.foundation is not None,
            shared=committee.rows_to_share(),
        )
        try:
            file = make_like(self._ledger_path, path)
        except OSError as error:
            raise CannotWrite(f"{path} cannot be made: {error.strerror}. Check permissions.") from None
        try:
            return Beside(Snapshot.make(path, file, state, shape))
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise

    def replace_by(self, beside: Beside) -> None:
        """Put a new state in the place of the published one; without a lock.

        Whoever is asking goes on with the old one, and sees the new one at the next question.
        """
        try:
            os.rename(beside.snapshot.path, self.path)
        except OSError as error:
            beside.discard()
            raise CannotWrite(
                f"{self.path} cannot be replaced: {error.strerror}. Check its folder."
            ) from None
        beside.snapshot.close()

    def remove_half_grown(self) -> None:
        """Remove the larger file of a teacher that died; under the lock for growing."""
        with suppress(OSError):
            os.unlink(self.path + GROWN)

    def remove_left_overs(self) -> None:
        """Remove the files of builders that died; under the build lock."""
        folder, own = os.path.split(self._ledger_path)
        for name in os.listdir(folder or "."):
            if name.startswith(own + BESIDE):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


class Beside:
    """A state that nobody uses yet."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def discard(self) -> None:
        """Remove it."""
        self.snapshot.close()
        with suppress(OSError):
            os.unlink(self.snapshot.path)
