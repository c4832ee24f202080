"""The locks of a filter, on a file of their own beside the ledger that is never renamed: ``mail.db.lock``.

Processes and threads exclude each other by locks on single bytes of it, which belong to an open file and go
with it (Linux: open file description locks). Nobody who died holds one. There are four:

    gate       taken for a moment before `state`, so that a crowd of readers does not keep a writer out, and a
               writer that changes one slice after the other does not keep readers out
    state      shared by who asks, exclusive for who changes the published state: a few milliseconds at a time
    build      who changes history, or makes a state anew beside the published one; one at a time
    teaching   shared by who is appending lessons and will bring the state up to date: until then a state that
               is behind may answer

Order: build, then the ledger's write lock, then gate and state. No lock is upgraded, and no state lock is
held while something is written to the disk for good. Waiting has a deadline.

Where the file cannot be made, as on a read-only disk, nobody can change anything either: there are no locks.
"""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN
from time import monotonic, sleep

from deciban.errors import CannotWrite, LedgerBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GATE, STATE, BUILD, TEACHING = range(4)
# How long a question waits for a state that somebody is changing, and a change for another change.
QUESTION_SECONDS = 2.0
CHANGE_SECONDS = 120.0
# How long a waiter sleeps between two looks, at first and at most.
FIRST_NAP, LONGEST_NAP = 0.0002, 0.005


class Locks:
    """The locks of one filter, as one thread holds them."""

    def __init__(self, path: str, like: str, read_only: bool = False) -> None:
        """Locks on ``path``, a file with the permissions of the file ``like``."""
        self.path = path
        self._like = like
        self._file = -1
        self._read_only = read_only

    def close(self) -> None:
        """Let go of the file and of every lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Nobody changes the published state meanwhile."""
        with self._through_the_gate(fcntl.F_RDLCK, QUESTION_SECONDS):
            yield

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Nobody else asks or changes the published state meanwhile: for a few milliseconds only."""
        with self._through_the_gate(fcntl.F_WRLCK, CHANGE_SECONDS):
            yield

    @contextmanager
    def building(self) -> Iterator[None]:
        """Nobody else changes history, or makes a state anew."""
        with self._locked(BUILD, fcntl.F_WRLCK, CHANGE_SECONDS):
            yield

    @contextmanager
    def building_if_free(self) -> Iterator[bool]:
        """The same without waiting; whether it is so."""
        if not self._take(BUILD, fcntl.F_WRLCK):
            yield False
            return
        try:
            yield True
        finally:
            self._set(BUILD, fcntl.F_UNLCK)

    @contextmanager
    def teaching(self) -> Iterator[None]:
        """Whoever finds the state behind may answer from it: it will be brought up to date."""
        with self._locked(TEACHING, fcntl.F_RDLCK, CHANGE_SECONDS):
            yield

    def is_being_taught(self) -> bool:
        """Whether somebody else is teaching."""
        return self._is_held(TEACHING)

    def is_being_built(self) -> bool:
        """Whether somebody else is making a state."""
        return self._is_held(BUILD)

    @contextmanager
    def _through_the_gate(self, how: int, patience: float) -> Iterator[None]:
        with self._locked(GATE, how, patience):
            self._wait(STATE, how, patience)
        try:
            yield
        finally:
            self._set(STATE, fcntl.F_UNLCK)

    @contextmanager
    def _locked(self, what: int, how: int, patience: float) -> Iterator[None]:
        self._wait(what, how, patience)
        try:
            yield
        finally:
            self._set(what, fcntl.F_UNLCK)

    def _wait(self, what: int, how: int, patience: float) -> None:
        if self._take(what, how):
            return
        deadline = monotonic() + patience
        nap = FIRST_NAP
        while not self._take(what, how):
            if monotonic() > deadline:
                raise LedgerBusy(
                    f"{self._like} is in use by another process that does not go on. "
                    "Try again when that is done."
                )
            sleep(nap)
            nap = min(2 * nap, LONGEST_NAP)

    def _take(self, what: int, how: int) -> bool:
        """Take a lock if that is possible now."""
        if not self._open(how):
            return True
        try:
            self._set(what, how)
        except OSError as error:
            if error.errno in (EAGAIN, EACCES):
                return False
            raise CannotWrite(f"{self.path} cannot be locked: {error.strerror}.") from None
        return True

    def _set(self, what: int, how: int) -> None:
        if self._file >= 0:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _request(how, what))

    def _is_held(self, what: int) -> bool:
        if self._file < 0:
            return False
        answer = fcntl.fcntl(self._file, fcntl.F_OFD_GETLK, _request(fcntl.F_WRLCK, what))
        return bool(struct.unpack_from("h", answer)[0] != fcntl.F_UNLCK)

    def _open(self, how: int) -> bool:
        """Open the file; False where there is none and none can be made, or where only asking is allowed."""
        if self._file >= 0:
            return True
        flags = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        if not self._read_only:
            with suppress(OSError):
                mode = os.stat(self._like).st_mode & 0o777
                self._file = os.open(self.path, flags | os.O_RDWR | os.O_CREAT, mode)
                return True
        if how == fcntl.F_RDLCK:
            with suppress(OSError):
                self._file = os.open(self.path, flags | os.O_RDONLY)
                return True
            return False
        raise CannotWrite(f"{self.path} cannot be written. Check its permissions and those of its folder.")


def _request(how: int, what: int) -> bytes:
    """A ``struct flock`` for one byte."""
    return struct.pack("hhqqi4x", how, os.SEEK_SET, what, 1, 0)
