"""What one thread has open of a filter: its ledger, the published state, and what is done with them.

Threads of one process are to each other what processes are: each has its own connection to the ledger, its
own view of the published state, and its own locks (locks.py).
"""

from __future__ import annotations

from deciban.filter.asking import Asking
from deciban.filter.footing import Footings
from deciban.filter.published import Published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter.changing import Changing
    from deciban.filter.replaying import Replaying
    from deciban.ledger import Ledger


class Opened:
    """The parts of a filter, made when they are needed: most processes only ask one question."""

    def __init__(self, ledger: Ledger, follows: bool = False) -> None:
        self.ledger = ledger
        self.published = Published(ledger.path, ledger.read_only)
        self.footings = Footings(ledger)
        self.asking = Asking(
            ledger, self.published, self.footings, lambda: self.replaying, lambda: self.changing, follows
        )
        self._made_replaying: Replaying | None = None
        self._made_changing: Changing | None = None

    @property
    def replaying(self) -> Replaying:
        """Makes states."""
        if self._made_replaying is None:
            from deciban.filter.replaying import Replaying

            self._made_replaying = Replaying(self.ledger, self.published, self.footings)
        return self._made_replaying

    @property
    def changing(self) -> Changing:
        """Changes ledger and state."""
        if self._made_changing is None:
            from deciban.filter.changing import Changing

            self._made_changing = Changing(self.ledger, self.published, self.footings, self.replaying)
        return self._made_changing

    def close(self) -> None:
        """Let go of the files."""
        self.asking.close()
        self.published.close()
        self.ledger.close()
