"""Asking the filter: from the snapshot where it fits, from a private replay where it may not be written."""

from __future__ import annotations

from contextlib import contextmanager

from deciban.errors import DamagedSnapshot
from deciban.ledger.facts import POSTPONED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeVar

    from deciban.committee._committee import Committee
    from deciban.filter.replaying import Replaying
    from deciban.filter.snapshot import Snapshot
    from deciban.ledger.ledger import Ledger
    from deciban.ledger.records import Stamp

    Answer = TypeVar("Answer")


class Asking:
    """Finds the committee that is the state of the ledger, for as long as a question takes."""

    def __init__(
        self,
        ledger: Ledger,
        snapshot: Snapshot,
        replaying: Callable[[], Replaying],
        learn_postponed: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._ledger = ledger
        self._snapshot = snapshot
        self._replaying = replaying
        self._learn_postponed = learn_postponed
        self._distrusts_snapshot = False
        self._private: tuple[Stamp, Committee] | None = None

    def ask(self, question: Callable[[Committee], Answer]) -> Answer:
        """The answer of the current committee, which is made again if it turns out to be damaged."""
        try:
            with self.current() as committee:
                return question(committee)
        except DamagedSnapshot:
            self._discard_snapshot()
        with self.current() as committee:
            return question(committee)

    @contextmanager
    def current(self) -> Iterator[Committee]:
        """The committee as of the ledger's last commit, which nobody changes meanwhile."""
        while True:
            with self._snapshot.shared():
                stamp = self._ledger.stamp()
                if not self._distrusts_snapshot and self._snapshot.fits(stamp, self._ledger.settings):
                    yield self._snapshot.committee
                    return
            if self._ledger.read_only:
                yield self._replayed_privately()
                return
            if self._ledger.fact(POSTPONED) is not None:
                # At once, within the lock: whoever is teaching would postpone more in between.
                with self._learn_postponed():
                    yield self._snapshot.committee
                return
            with self._snapshot.exclusive(), self._ledger.reading():
                if self._ledger.fact(POSTPONED) is None:
                    self._replaying().make_fit()

    def _discard_snapshot(self) -> None:
        if self._ledger.read_only:
            self._distrusts_snapshot = True
            return
        with self._snapshot.exclusive():
            self._snapshot.discard()

    def _replayed_privately(self) -> Committee:
        """A committee in memory, where the snapshot does not fit and must not be written."""
        with self._ledger.reading():
            stamp = self._ledger.stamp()
            if self._private is None or self._private[0] != stamp:
                self._private = stamp, self._replaying().in_memory()
        return self._private[1]
