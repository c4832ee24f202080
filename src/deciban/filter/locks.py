"""The locks of a filter, on a file of their own beside the ledger that is never renamed: ``mail.db.lock``.

Processes and threads exclude each other by locks on single bytes of it, which belong to an open file and go
with it (Linux: open file description locks). Nobody who died holds one. There are six:

    gate       taken for a moment before `state`, so that a crowd of readers does not keep a writer out, and a
               writer that changes one slice after the other does not keep readers out
    state      shared while asking, exclusive while changing the published state: a few milliseconds at a time
    build      held by the one process that changes history, or makes a new state beside the published one
    teaching   shared by those who append lessons and will then bring the state up to date: until then a state
               that is behind may answer
    waiting    shared by those who wait to ask: a teacher looks at it after each slice and lets them in;
               they only look now and then, so without it they would hardly ever meet the gap
    growing    held by the one teacher that pours a full state into a larger file, while others ask

Order: build, then the ledger's write lock, then growing, then gate and state. No lock is upgraded, and no
state lock is held while something is written to the disk for good. Waiting has a deadline.

Where the file cannot be made or read, as on a read-only disk, there are no locks. A reader then looks at the
head of the state before and after each question (asking.py).
"""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN
from time import monotonic, sleep

from deciban.errors import CannotWrite, LedgerBusy
from deciban.filter.made_like import make_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GATE, STATE, BUILD, TEACHING, WAITING, GROWING = range(6)
# How long a question waits for a state that somebody is changing, and how long a change waits for another.
QUESTION_SECONDS = 2.0
CHANGE_SECONDS = 120.0
# Never open a link or a pipe that somebody planted under the name of the file.
PLAIN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
# For how long a waiter looks again and again without sleeping: most turns take less, and a nap of .1 ms
# takes .16 to .2.
RESTLESS_SECONDS = 0.0003
# How long it sleeps between two looks then, for how long it goes on so, and how long it sleeps later.
FIRST_NAP, IMPATIENT_SECONDS, LONGEST_NAP = 0.0001, 0.02, 0.005
# How long a teacher lets others in between two slices, at most.
GIVE_WAY_SECONDS = 0.002


class Locks:
    """The locks of one filter, as one thread holds them."""

    def __init__(self, path: str, like: str, read_only: bool = False) -> None:
        """Locks on ``path``, a file with the permissions of the file ``like``."""
        self.path = path
        self._like = like
        self._file = -1
        self._read_only = read_only
        self._asking = 0

    def close(self) -> None:
        """Let go of the file and of every lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def begin_asking(self, patience: float) -> bool:
        """Nobody changes the published state until `end_asking`; False if the lock does not come in time.

        Whoever asks already may begin again, and ends as often.
        """
        if not self._asking:
            try:
                self._enter(fcntl.F_RDLCK, patience)
            except LedgerBusy:
                return False
        self._asking += 1
        return True

    def end_asking(self) -> None:
        """Let others change the published state."""
        self._asking -= 1
        if not self._asking:
            self._let_go(STATE)

    @contextmanager
    def asking(self, patience: float | None = None) -> Iterator[None]:
        """Nobody changes the published state meanwhile."""
        if not self.begin_asking(QUESTION_SECONDS if patience is None else patience):
            raise self._busy()
        try:
            yield
        finally:
            self.end_asking()

    @contextmanager
    def asking_in_time(self, patience: float) -> Iterator[bool]:
        """The same with a time limit; yields whether the lock came in time."""
        if not self.begin_asking(patience):
            yield False
            return
        try:
            yield True
        finally:
            self.end_asking()

    @contextmanager
    def changing(self, patience: float | None = None) -> Iterator[None]:
        """Nobody else asks or changes the published state meanwhile: for a few milliseconds only."""
        self._enter(fcntl.F_WRLCK, CHANGE_SECONDS if patience is None else patience)
        try:
            yield
        finally:
            self._let_go(STATE)

    @contextmanager
    def building(self) -> Iterator[None]:
        """Nobody else changes history, or makes a state anew."""
        with self._locked(BUILD, fcntl.F_WRLCK, CHANGE_SECONDS):
            yield

    @contextmanager
    def building_if_free(self) -> Iterator[bool]:
        """The same without waiting; yields whether the lock was free."""
        if not self._take(BUILD, fcntl.F_WRLCK):
            yield False
            return
        try:
            yield True
        finally:
            self._let_go(BUILD)

    @contextmanager
    def teaching(self) -> Iterator[None]:
        """Whoever finds the state behind may answer from it: it will be brought up to date."""
        with self._locked(TEACHING, fcntl.F_RDLCK, CHANGE_SECONDS):
            yield

    @contextmanager
    def growing(self, patience: float | None = None) -> Iterator[None]:
        """Nobody else makes a larger file of the published state."""
        with self._locked(GROWING, fcntl.F_WRLCK, CHANGE_SECONDS if patience is None else patience):
            yield

    def is_being_taught(self) -> bool:
        """Whether somebody else is teaching."""
        return self._is_held(TEACHING)

    def is_being_built(self) -> bool:
        """Whether somebody else is making a state."""
        return self._is_held(BUILD)

    def _enter(self, how: int, patience: float) -> None:
        deadline = monotonic() + patience
        self._wait(GATE, how, deadline)
        try:
            self._wait(STATE, how, deadline)
        finally:
            self._let_go(GATE)

    @contextmanager
    def _locked(self, what: int, how: int, patience: float) -> Iterator[None]:
        self._wait(what, how, monotonic() + patience)
        try:
            yield
        finally:
            self._let_go(what)

    def give_way(self) -> bool:
        """Let those in who wait to ask, between two slices of a change; whether there were any."""
        begun = monotonic()
        is_wanted = False
        while self._is_held(WAITING) and monotonic() < begun + GIVE_WAY_SECONDS:
            is_wanted = True
            _pause(begun)
        return is_wanted

    def is_change_waited_for(self) -> bool:
        """Whether somebody waits to change the published state, or changes it."""
        return self._is_held(GATE, fcntl.F_RDLCK)

    def is_waited_for(self) -> bool:
        """Whether somebody waits to ask."""
        return self._is_held(WAITING)

    def _wait(self, what: int, how: int, deadline: float) -> None:
        if self._take(what, how):
            return
        is_asking = how == fcntl.F_RDLCK and what in (GATE, STATE) and self._take(WAITING, how)
        try:
            self._poll(what, how, deadline)
        finally:
            if is_asking:
                self._let_go(WAITING)

    def _poll(self, what: int, how: int, deadline: float) -> None:
        begun = monotonic()
        while not self._take(what, how):
            if monotonic() > deadline:
                raise self._busy()
            _pause(begun)

    def _busy(self) -> LedgerBusy:
        return LedgerBusy(
            f"{self._like} is in use by another process that does not go on. Try again when that is done."
        )

    def _take(self, what: int, how: int) -> bool:
        """Take a lock if that is possible now."""
        if not self._open(how):
            return True
        try:
            self._set(what, how)
        except OSError as error:
            if error.errno in (EAGAIN, EACCES):
                return False
            raise self._cannot_lock(error) from None
        return True

    def _set(self, what: int, how: int) -> None:
        if self._file >= 0:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _REQUESTS[how, what])

    def _let_go(self, what: int) -> None:
        try:
            self._set(what, fcntl.F_UNLCK)
        except OSError:
            return  # the work under the lock is done, and the lock goes when the file is closed

    def _is_held(self, what: int, how: int = fcntl.F_WRLCK) -> bool:
        """Whether somebody else holds a lock that keeps us from taking it in this way."""
        if self._file < 0:
            return False
        try:
            answer = fcntl.fcntl(self._file, fcntl.F_OFD_GETLK, _REQUESTS[how, what])
        except OSError as error:
            raise self._cannot_lock(error) from None
        return bool(struct.unpack_from("h", answer)[0] != fcntl.F_UNLCK)

    def _cannot_lock(self, error: OSError) -> CannotWrite:
        return CannotWrite(f"{self.path} cannot be locked: {error.strerror}.")

    def _open(self, how: int) -> bool:
        """Open the file; False where there is none and none can be made, or where only asking is allowed."""
        if self._file >= 0:
            return True
        if not self._read_only:
            with suppress(OSError):
                self._file = self._open_or_make()
                return True
        if how == fcntl.F_RDLCK:
            with suppress(OSError):
                self._file = os.open(self.path, PLAIN | os.O_RDONLY)
                return True
            return False
        raise CannotWrite(f"{self.path} cannot be written. Check its permissions and those of its folder.")

    def _open_or_make(self) -> int:
        """Open the file to read and write."""
        try:
            return os.open(self.path, PLAIN | os.O_RDWR)
        except FileNotFoundError:
            pass
        except PermissionError:
            if os.stat(self._like).st_uid != os.geteuid():
                raise
            # Somebody else put it beside our ledger, and would keep us from writing. Another process of ours
            # may have replaced it by now: that one must stay, or each would have locks of its own.
            with suppress(FileNotFoundError):
                if os.lstat(self.path).st_uid != os.geteuid():
                    os.unlink(self.path)
        try:
            return make_like(self._like, self.path)
        except FileExistsError:
            return os.open(self.path, PLAIN | os.O_RDWR)

    def are_there(self) -> bool:
        """Whether locks can be taken at all; a process that only reads may have none."""
        return self._file >= 0


def _pause(begun: float) -> None:
    """Let others run before the next look, shorter or longer by how long ago the first was."""
    passed = monotonic() - begun
    if passed < RESTLESS_SECONDS:
        os.sched_yield()
    else:
        sleep(FIRST_NAP if passed < IMPATIENT_SECONDS else LONGEST_NAP)


# A ``struct flock`` for each byte, and for what is wanted of it.
_REQUESTS = {
    (how, what): struct.pack("hhqqi4x", how, os.SEEK_SET, what, 1, 0)
    for how in (fcntl.F_RDLCK, fcntl.F_WRLCK, fcntl.F_UNLCK)
    for what in range(GROWING + 1)
}
