"""What states stand on: the settings of their ledger, and the shared filter that it rests on, if any."""

from __future__ import annotations

from deciban.ledger.facts import SHARED
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._committee import Committee
    from deciban.committee.settings import Settings
    from deciban.ledger.ledger import Ledger


class Footing(Value):
    """What states stand on."""

    settings: Settings
    foundation: Committee | None
    """The state of a shared filter; those that rest on it are layers over it."""


class Footings:
    """What the states of a ledger stand on; looked for again when that changes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: tuple[bytes, Footing] | None = None

    def now(self, base: bytes | None = None) -> Footing:
        """The footing of the ledger, whose base it is now."""
        base = base or self._ledger.address().base
        if self._known is None or self._known[0] != base:
            self._known = base, footing_of(self._ledger)
        return self._known[1]


def footing_of(ledger: Ledger) -> Footing:
    """What the states of a ledger stand on."""
    if ledger.fact(SHARED) is None:
        return Footing(ledger.settings, None)
    from deciban.filter.shared_filter import mapped, pinned

    shared = pinned(ledger)
    return Footing(ledger.settings, None if shared is None else mapped(shared, ledger.path))
