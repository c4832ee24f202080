"""What states stand on: the settings of their ledger, and the shared filter or starter under it, if any.

Without a foundation a state is one committee. On a shared filter it is a layer over that file. On a starter
it is a panel (committee/_panel.pyx): a layer over the starter, and a committee of its own beside it. What the
filter does with a state is the same for all three.
"""

from __future__ import annotations

from deciban.committee._committee import Committee
from deciban.ledger.facts import SHARED
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from deciban.committee._panel import Panel
    from deciban.committee.settings import Settings
    from deciban.committee.shape import Shape
    from deciban.ledger.ledger import Ledger

    Learner = Committee | Panel
    Begin = Callable[[Settings, Shape, Committee | None], Committee]


class Footing(Value):
    """What states stand on."""

    settings: Settings
    foundation: Committee | None
    """The state of a shared filter or of a starter; those that rest on it are layers over it."""
    is_starter: bool = False
    """Whether there is a committee beside the layer, which begins with nothing."""

    def bits(self, capacity: int) -> int:
        """A table with room for so many labels has 2^bits slots; on a foundation that does not change."""
        if self.foundation is None:
            return self.settings.table_bits(capacity)
        bits = self.foundation.shape.bits
        return max(bits, self.settings.bits) if self.is_starter else bits

    def size(self, shape: Shape) -> int:
        """The bytes of a state whose tables have this shape."""
        if self.is_starter and self.foundation is not None:
            from deciban.committee._panel import Panel

            return Panel.size(self.settings, shape, self.foundation)
        return Committee.size(self.settings, shape)

    def begin(self, shape: Shape, buffer: Buffer) -> Learner:
        """A state that has learned nothing on its own, in a writable buffer whose bytes are all 0."""
        if self.is_starter and self.foundation is not None:
            from deciban.committee._panel import Panel

            return Panel.begin(self.settings, shape, buffer, self.foundation)
        return Committee.begin(self.settings, shape, buffer, self.foundation)

    def take(self, buffer: Buffer) -> Learner:
        """The state in a buffer that `begin` made; one that is damaged is refused."""
        if self.is_starter and self.foundation is not None:
            from deciban.committee._panel import Panel

            return Panel.over(self.settings, buffer, self.foundation)
        return Committee(self.settings, buffer, self.foundation)

    def unpacked(self, code: Buffer, capacity: int, begin: Begin) -> Learner:
        """The state of a code, with room for so many labels; ``begin`` makes an empty committee."""
        if self.is_starter and self.foundation is not None:
            from deciban.committee._panel import Panel

            return Panel.of_state(self.settings, code, capacity, self.foundation, begin)
        return Committee.of_state(
            self.settings, code, capacity, lambda shape: begin(self.settings, shape, self.foundation)
        )


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


def own_part(learner: Learner) -> Committee:
    """What a state has learned here, without its starter."""
    from deciban.committee._panel import Panel

    return learner.own if isinstance(learner, Panel) else learner


def footing_of(ledger: Ledger) -> Footing:
    """What the states of a ledger stand on."""
    if ledger.fact(SHARED) is None:
        return Footing(ledger.settings, None)
    from deciban.filter.shared_filter import mapped, pinned

    shared = pinned(ledger)
    if shared is None:
        return Footing(ledger.settings, None)
    return Footing(ledger.settings, mapped(shared, ledger.path), shared.is_starter)
