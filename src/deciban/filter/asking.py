"""Asking the filter: which state answers, so that nobody waits for somebody else's work.

The published state answers if it is up to date with the ledger. A state that is behind answers only while
another process is teaching it or making a new one; otherwise it is brought up to date first. A state that
does not belong to this ledger's trail never answers: it is made again. We make it ourselves if we may. If
another process holds the locks, we wait for a moment; if that is not enough, there is no state yet. A process
that may not write, or finds the disk full, copies the state into memory and teaches this copy, for itself
alone; if lessons wait to be mixed, it replays all of them in mixed order instead. A *follower*, such as a
worker of a server, leaves all this to another process, which teaches: whatever is published answers, up to
date or not, if it has reached the position that was asked for and belongs to the ledger's trail. So nothing
that was forgotten is ever in an answer.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from time import monotonic, sleep

from deciban.errors import CannotWrite, DamagedSnapshot, LedgerBusy
from deciban.filter.locks import FIRST_NAP, LONGEST_NAP, QUESTION_SECONDS
from deciban.ledger.trail import belongs
from deciban.sqlite_store import file_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from deciban.filter.changing import Changing
    from deciban.filter.footing import Footings
    from deciban.filter.memory_state import MemoryState
    from deciban.filter.published import Published
    from deciban.filter.replaying import Progress, Replaying
    from deciban.filter.state import State
    from deciban.ledger.ledger import Ledger
    from deciban.ledger.records import Address

    Answer = TypeVar("Answer")

# A question brings the published state up to date at most this often. If the ledger has grown again each
# time, the question uses a state of its own in memory.
MOST_ROUNDS = 3


class Asking:
    """Finds the state that answers, for as long as a question takes."""

    def __init__(
        self,
        ledger: Ledger,
        published: Published,
        footings: Footings,
        replaying: Callable[[], Replaying],
        changing: Callable[[], Changing],
        follows: bool = False,
    ) -> None:
        """``follows``: another process brings the published state up to date."""
        self.progress: Progress | None = None
        """Told how far the replay is that a question waits for."""
        self._follows = follows
        self._ledger = ledger
        self._published = published
        self._footings = footings
        self._replaying = replaying
        self._changing = changing
        self._private: MemoryState | None = None
        self._distrusted: tuple[int, int] | None = None
        self._begun_at: Address | None = None

    def ask(self, question: Callable[[State], Answer], at_least: int = 0) -> Answer | None:
        """The answer of the current state, or None if there is no state. A damaged state is made again.

        ``at_least``: a position that the state must have reached, as `Filter.position` tells it.
        """
        try:
            return self._ask(question, at_least)
        except DamagedSnapshot:
            self._discard()
        return self._ask(question, at_least)

    def _ask(self, question: Callable[[State], Answer], at_least: int) -> Answer | None:
        with self.current(at_least) as state:
            if state is None:
                return None
            answer = question(state)
            if not self.is_unchanged(state):
                raise DamagedSnapshot("This state was changed meanwhile.")
            return answer

    def begin(self, patience: float) -> State | None:
        """The published state, on the terms of a follower, which nobody changes until `end`.

        None if there is none now: nothing is made, and nobody waits longer than ``patience`` seconds. The
        event loop of a server asks so.
        """
        locks = self._published.locks
        if not locks.begin_asking(patience):
            return None
        state = None
        try:
            end = self._begun_at = self._ledger.address()
            state = self._usable(end)
        finally:
            if state is None:
                locks.end_asking()
        return state

    def may_go_on(self) -> bool:
        """Whether to `begin` anew would give the same: nobody wants to change the state, or has written."""
        return not self._published.locks.is_change_waited_for() and self._ledger.address() is self._begun_at

    def end(self) -> None:
        """Let others change the published state."""
        self._published.locks.end_asking()

    def is_unchanged(self, state: State) -> bool:
        """Whether a state that was asked is as it was; without locks, somebody may have changed it."""
        return self._published.locks.are_there() or state.is_as_it_was()

    @contextmanager
    def current(self, at_least: int = 0) -> Iterator[State | None]:
        """The state that answers, which nobody changes meanwhile; None if there is none yet."""
        deadline, nap = monotonic() + QUESTION_SECONDS, FIRST_NAP
        locks = self._published.locks
        rounds = 0
        while True:
            with locks.asking_in_time(deadline - monotonic()) as in_time:
                if not in_time:
                    yield None
                    return
                end = self._ledger.address()
                state = self._usable(end)
                if state is not None and (
                    (state.address.position >= end.position and not self._is_left_unmixed())
                    or (state.address.position >= at_least and (self._follows or self._is_in_work()))
                ):
                    yield state
                    return
                waits = self._follows and (state is not None or self._is_in_work())
                if self._ledger.read_only and state is not None and not (waits or self._has_private()):
                    self._copy(state)
            if waits and monotonic() < deadline:
                was_made: bool | None = False
            else:
                was_made = None if rounds == MOST_ROUNDS else self._made_current(deadline - monotonic())
            if was_made is None:
                yield self._privately()
                return
            if was_made:
                deadline, rounds = monotonic() + QUESTION_SECONDS, rounds + 1
            elif monotonic() > deadline:
                yield None
                return
            else:
                sleep(nap)
                nap = min(2 * nap, LONGEST_NAP)

    def _is_left_unmixed(self) -> bool:
        """Whether a process that died left lessons unmixed that the published state has learned already."""
        return not self._follows and self._ledger.is_mixing_due()

    def _is_in_work(self) -> bool:
        """Whether another process teaches the published state now, or makes a new one."""
        return self._published.locks.is_being_taught() or self._published.locks.is_being_built()

    def _made_current(self, patience: float) -> bool | None:
        """Bring the published state up to date; False if others are doing that now, None if we cannot."""
        if self._ledger.read_only:
            return None
        try:
            return self._changing().bring_up_if_free(patience, self.progress)
        except LedgerBusy:
            return False
        except (OSError, CannotWrite):
            return None

    def _usable(self, end: Address) -> State | None:
        """The published state, if it is whole and of this ledger's trail."""
        if self._distrusted is not None and self._distrusted == file_at(self._published.path):
            return None
        state = self._published.look(self._footings.now(end.base))
        return state if state is not None and belongs(self._ledger, state.address, end) else None

    def _has_private(self) -> bool:
        return self._private is not None and belongs(self._ledger, self._private.address)

    def _keep_private(self, state: MemoryState) -> MemoryState:
        self.close()
        self._private = state
        return state

    def _copy(self, state: State) -> None:
        """Keep a copy to be taught what it lacks; not if that would be a folder in a row."""
        if not self._ledger.is_mixing_due():
            self._keep_private(_copy_of(state))

    def _privately(self) -> State:
        """A state in memory, for when the published one is out of date and we cannot write it."""
        with self._ledger.reading():
            is_due = self._ledger.is_mixing_due()
            private = self._private if self._has_private() else None
            if private is not None and (not is_due or private.address == self._ledger.address()):
                with suppress(DamagedSnapshot):  # too little room for labels
                    self._replaying().teach_rest(private)
                    return private
            replaying = self._replaying()
            return self._keep_private(replaying.mixed_in_memory() if is_due else replaying.in_memory())

    def _discard(self) -> None:
        if self._ledger.read_only:
            self._distrusted = file_at(self._published.path)  # until another takes its place
            self.close()
            return
        with suppress(LedgerBusy), self._published.locks.changing(QUESTION_SECONDS):
            self._published.discard()

    def close(self) -> None:
        """Let go of what is in memory."""
        if self._private is not None:
            self._private.close()
            self._private = None


def _copy_of(state: State) -> MemoryState:
    from deciban.filter.memory_state import MemoryState

    return MemoryState.copy_of(state)
