"""Asking the filter: which state answers, so that nobody waits for somebody else's work.

The published state answers if it is that of the ledger. If it is behind, it answers while somebody alive is
teaching, and is brought up to date first otherwise. One that is not of this ledger's trail never answers: it
is made again, by us if we may, or in memory for us alone; if somebody else is at it, we wait for a moment,
and then there is no state yet. Whoever may not write copies what is there into memory and teaches that.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic, sleep

from deciban.errors import CannotWrite, DamagedSnapshot
from deciban.filter.checkpoints import belongs
from deciban.filter.locks import FIRST_NAP, LONGEST_NAP, QUESTION_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from deciban.filter.changing import Changing
    from deciban.filter.published import Published
    from deciban.filter.replaying import Replaying
    from deciban.filter.snapshot import Snapshot
    from deciban.ledger.ledger import Ledger
    from deciban.ledger.records import Address

    Answer = TypeVar("Answer")


class Asking:
    """Finds the state that answers, for as long as a question takes."""

    def __init__(
        self,
        ledger: Ledger,
        published: Published,
        replaying: Callable[[], Replaying],
        changing: Callable[[], Changing],
    ) -> None:
        self._ledger = ledger
        self._published = published
        self._replaying = replaying
        self._changing = changing
        self._private: tuple[Address, Snapshot] | None = None
        self._distrusts_published = False

    def ask(self, question: Callable[[Snapshot], Answer], at_least: int = 0) -> Answer | None:
        """The answer of the current state; None if there is none. A damaged one is made again.

        ``at_least``: a position that the state must have reached, as `Filter.position` tells it.
        """
        try:
            with self.current(at_least) as state:
                return None if state is None else question(state)
        except DamagedSnapshot:
            self._discard()
        with self.current(at_least) as state:
            return None if state is None else question(state)

    @contextmanager
    def current(self, at_least: int = 0) -> Iterator[Snapshot | None]:
        """The state that answers, which nobody changes meanwhile; None if there is none yet."""
        deadline, nap = monotonic() + QUESTION_SECONDS, FIRST_NAP
        locks = self._published.locks
        while True:
            with locks.asking():
                end = self._ledger.address()
                state = self._usable()
                if state is not None and (
                    state.address.position >= end.position
                    or (
                        state.address.position >= at_least
                        and (locks.is_being_taught() or locks.is_being_built())
                    )
                ):
                    yield state
                    return
                if self._ledger.read_only and state is not None and not self._has_private(end):
                    self._keep_private(end, self._replaying().copy_of(state))
            if self._ledger.read_only:
                yield self._privately(end)
                return
            try:
                is_ours = self._changing().bring_up_if_free()
            except CannotWrite:  # such as a full disk: we can still do without
                yield self._privately(end)
                return
            if not is_ours:
                if monotonic() > deadline:
                    yield None
                    return
                sleep(nap)
                nap = min(2 * nap, LONGEST_NAP)

    def _usable(self) -> Snapshot | None:
        """The published state, if it is whole and of this ledger's trail."""
        if self._distrusts_published:
            return None
        state = self._published.look(self._ledger.settings)
        return state if state is not None and belongs(self._ledger, state.address) else None

    def _has_private(self, end: Address) -> bool:
        return self._private is not None and self._private[0] == end

    def _keep_private(self, end: Address, state: Snapshot) -> None:
        self.close()
        self._private = end, state

    def _privately(self, end: Address) -> Snapshot:
        """A state in memory, where the published one does not fit and must not be written."""
        with self._ledger.reading():
            if self._private is None or self._private[0] != end:
                self._keep_private(end, self._replaying().in_memory())
            assert self._private is not None
            self._replaying().teach_rest(self._private[1])
        return self._private[1]

    def _discard(self) -> None:
        if self._ledger.read_only:
            self._distrusts_published = True
            self.close()
            return
        with self._published.locks.changing():
            self._published.discard()

    def close(self) -> None:
        """Let go of what is in memory."""
        if self._private is not None:
            self._private[1].close()
            self._private = None
