r"""A folder of spaces: one registry, and a folder for each space, named by its random id.

    /var/lib/deciban/spaces/
        spaces.db                             the registry: names, quotas, keys
        journal.db                            what was decided, in all spaces (journal/)
        1f0c…9a/filter.db, filter.db.snapshot one space: its ledger and its state

>>> import tempfile
>>> with Spaces(tempfile.mkdtemp(), create=True) as spaces:
...     _ = spaces.add(["ann@example.org", "../bob"])
...     with spaces.using("Ann@Example.ORG") as space:
...         space.mail_filter.labels()
...     [record.name for record in spaces.all()]
{}
['../bob', 'ann@example.org']

The files of a space are made when it is first used, and opened as needed; of those that nobody uses, the ones
used last stay open. What goes wrong with one space is an error of that space alone. Deleting takes the name
out of the registry first, so that nobody finds the space any more, then the folder. Whoever is killed in
between leaves an id among those gone, and whoever next opens the folder to change something removes the rest.
"""

from __future__ import annotations

import os
from _thread import RLock
from contextlib import contextmanager, suppress

from deciban.errors import CannotWrite, NoSuchSource, NoSuchSpace
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.spaces.awake import Awake
from deciban.spaces.space import DATABASE, Space
from deciban.spaces.sqlite_key_ring import SqliteKeyRing
from deciban.spaces.sqlite_registry import FILE, NEWEST, SqliteRegistry
from deciban.sqlite_store import REPAIRED, file_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from deciban.spaces.quota import Quota
    from deciban.spaces.sqlite_registry import SpaceRecord

# Each takes some six descriptors for each thread that uses it, of the 1,024 that a process usually has.
MOST_OPEN = 64
JOURNAL = "journal.db"
NEW, GONE = ".new-", ".gone-"
# A folder that is being made for longer than this was left by a process that died.
LONGEST_MAKING_SECONDS = 3600


class Spaces:
    """An open folder of spaces; several threads may use it."""

    def __init__(
        self,
        folder: str,
        create: bool = False,
        most_open: int = MOST_OPEN,
        follows: bool = False,
        results_from: Iterable[str] = (),
        most_bytes: int | None = None,
    ) -> None:
        """``follows``: filters only answer, from what another process teaches (filter/asking.py).

        ``results_from`` are hosts whose results count in every space (filter/foreign_results.py).
        ``most_bytes``: the states of open filters take no more memory than that (awake.py).
        """
        self._follows, self._results_from = follows, tuple(results_from)
        self.folder = os.path.realpath(folder)
        self.most_open = most_open
        self._lock = RLock()
        self._open: dict[str, _OpenFilter] = {}
        self._awake = None if most_bytes is None else Awake(most_bytes)
        if create:
            try:
                os.makedirs(self.folder, mode=0o700, exist_ok=True)
            except OSError as error:
                raise CannotWrite(f"{folder!r} cannot be made: {error.strerror}.") from None
        if not create and not os.path.exists(os.path.join(self.folder, FILE)):
            raise NoSuchSource(
                f"There are no spaces in {folder}. Name their folder with --spaces, "
                "or make the first: deciban space add NAME."
            )
        self.registry = SqliteRegistry(self.folder, create)
        self.keys = SqliteKeyRing(self.registry.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all files; no space may be in use any more."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].mail_filter.close()
            self.registry.close()

    # The registry

    def add(
        self,
        names: Iterable[str],
        shared: str = "",
        quota: Quota | None = None,
        starter: bool = False,
        identity: str = "",
    ) -> list[SpaceRecord]:
        """Make spaces, all of them or none.

        They rest on ``shared``, a file that ``deciban publish`` wrote, or on the newest ``starter``. A single
        one may be given an ``identity``, so that whoever asks for it again gets no second one.
        """
        if shared:
            from deciban.filter.shared_filter import look_at

            shared = look_at(shared)[0].path
        elif starter:
            shared = NEWEST
        self.tidy()
        return self.registry.add(names, shared, quota, identity)

    def find(self, name: str) -> SpaceRecord:
        """The space of a name, in any spelling; NoSuchSpace if there is none."""
        return self.registry.find(name)

    def all(self) -> Iterator[SpaceRecord]:
        """Every space, in the order of their names."""
        return self.registry.all()

    def rename(self, name: str, new: str) -> SpaceRecord:
        """Give a space another name; whoever is using it goes on."""
        return self.registry.rename(name, new)

    def set_quota(self, name: str, quota: Quota) -> SpaceRecord:
        """Change how much a space may hold."""
        return self.registry.set_quota(name, quota)

    def delete(self, name: str) -> SpaceRecord:
        """Remove a space with all that it ever held, for good."""
        record = self.registry.remove(name)
        with suppress(OSError):
            os.unlink(self.registry.store.path + REPAIRED)  # it may have the name
        self.tidy()
        return record

    def tidy(self) -> None:
        """Remove what is left of spaces that were deleted, or never finished."""
        for identity in self.registry.gone():
            with self._lock:
                opened = self._open.pop(identity, None)
                if opened is not None:
                    self._is_closed(identity)
                    opened.close_if_idle()
            self._remove_folder(identity)
            self.keys.revoke_all_for(identity)
            if os.path.exists(self.journal_path):
                with SqliteJournal(self.journal_path) as journal:
                    journal.erase(identity)
            self.registry.is_removed(identity)
        self._remove_left_overs()

    # Opening

    @contextmanager
    def using(self, name: str | SpaceRecord) -> Iterator[Space]:
        """The space of a name, opened if it is not; it stays open as long as the ``with`` statement lasts.

        Whoever has its record already, such as from a `Doorkeeper`, need not look it up again.
        """
        record = self.registry.find(name) if isinstance(name, str) else name
        opened = self._begin_using(record)
        try:
            yield Space(record, self._path_of(record), opened.mail_filter)
        finally:
            self._end_using(record.id, opened)

    @property
    def journal_path(self) -> str:
        """Where the journal of all spaces is, or will be."""
        return os.path.join(self.folder, JOURNAL)

    def folder_of(self, record: SpaceRecord) -> str:
        """Where the files of a space are, or will be."""
        return os.path.join(self.folder, record.id)

    def database_of(self, record: SpaceRecord) -> str:
        """The path of the ledger of a space, which is made if it was not used before."""
        if not self.is_made(record):
            self._make(record)
        return self._path_of(record)

    def is_made(self, record: SpaceRecord) -> bool:
        """Whether a space has files: it was used before."""
        return os.path.exists(self._path_of(record))

    def _path_of(self, record: SpaceRecord) -> str:
        return f"{self.folder}/{record.id}/{DATABASE}"

    def size_of(self, record: SpaceRecord) -> int:
        """The bytes of its database, as its quota counts them; 0 if it was not used before."""
        try:
            return os.path.getsize(self._path_of(record))
        except OSError:
            return 0

    def _begin_using(self, record: SpaceRecord) -> _OpenFilter:
        opened = self._known(record.id, self._path_of(record))
        if opened is not None:
            return opened
        path = self.database_of(record)
        # Opened outside of the lock: one space that takes long keeps nobody else waiting.
        new = _OpenFilter(path, self._follows, self._results_from)
        with self._lock:
            opened = self._known(record.id, path)
            if opened is None:
                opened = self._open[record.id] = new
                opened.users += 1
                self._close_idle()
                return opened
        new.mail_filter.close()
        return opened

    def _known(self, identity: str, path: str) -> _OpenFilter | None:
        """A space that is open already, for one user more; None also if a backup replaced its file."""
        with self._lock:
            opened = self._open.pop(identity, None)
            if opened is None:
                return None
            if opened.file != file_at(path):
                self._is_closed(identity)
                opened.close_if_idle()
                return None
            self._open[identity] = opened  # the last is the one used last
            opened.users += 1
            return opened

    def _end_using(self, identity: str, opened: _OpenFilter) -> None:
        with self._lock:
            opened.users -= 1
            if self._open.get(identity) is not opened:  # deleted or replaced meanwhile
                opened.close_if_idle()
            elif self._awake is not None:
                self._let_rest(self._awake.used(identity, opened.mail_filter.held_bytes))
            self._close_idle()

    def _let_rest(self, identities: Iterable[str]) -> None:
        """Have spaces give back the memory of their states; who is using one notes it again afterwards."""
        for identity in identities:
            opened = self._open.get(identity)
            if opened is not None and not opened.users:
                opened.mail_filter.rest()

    def _close_idle(self) -> None:
        """Close spaces that nobody uses, those used longest ago first, until not too many are open."""
        if len(self._open) <= self.most_open:
            return
        idle = [identity for identity, opened in self._open.items() if not opened.users]
        for identity in idle[: len(self._open) - self.most_open]:
            self._open.pop(identity).mail_filter.close()
            self._is_closed(identity)

    def _is_closed(self, identity: str) -> None:
        if self._awake is not None:
            self._awake.gone(identity)

    # Making and removing folders

    def _make(self, record: SpaceRecord) -> None:
        """Make the files of a space beside, and put them in their place whole."""
        from deciban.filter import Filter
        from deciban.filter.starter import newest_file

        new = os.path.join(self.folder, f"{NEW}{os.urandom(8).hex()}")
        try:
            os.mkdir(new, 0o700)
            starter = newest_file() if record.begins_with_starter else None
            with Filter.open(os.path.join(new, DATABASE), starter=starter) as mail_filter:
                if record.shared and not record.begins_with_starter:
                    mail_filter.rest_on(record.shared)
            with suppress(OSError):  # somebody else was faster
                os.rename(new, self.folder_of(record))
        except OSError as error:
            raise CannotWrite(f"The files of a space cannot be made: {error}.") from None
        finally:
            _remove(new)
        if not self.registry.has(record.id):
            self._remove_folder(record.id)
            raise NoSuchSpace(f"The space {record.name!r} was deleted meanwhile.")

    def _remove_folder(self, identity: str) -> None:
        """Remove the folder of a space: first its name, so that nobody puts anything into it any more."""
        gone = os.path.join(self.folder, f"{GONE}{identity}")
        with suppress(FileNotFoundError):
            os.rename(os.path.join(self.folder, identity), gone)
        _remove(gone)

    def _remove_left_overs(self) -> None:
        """Remove folders that a process left which died while it made or removed them."""
        from time import time

        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if name.startswith(GONE):
                _remove(path)
            elif name.startswith(NEW):
                with suppress(OSError):
                    if time() - os.stat(path).st_mtime > LONGEST_MAKING_SECONDS:
                        _remove(path)


class _OpenFilter:
    """An open filter, and how many are using it."""

    def __init__(self, path: str, follows: bool, results_from: tuple[str, ...]) -> None:
        from deciban.filter import Filter

        self.file = file_at(path)
        read_only = not os.access(path, os.W_OK)
        self.mail_filter = Filter.open(path, create=False, read_only=read_only, follows=follows)
        if results_from:
            self.mail_filter.prefer_for_now(results_from=results_from)
        self.users = 0

    def close_if_idle(self) -> None:
        """Let go of the files, unless somebody uses them, who then does it."""
        if not self.users:
            self.mail_filter.close()


def _remove(path: str) -> None:
    """Remove a folder with all that is in it, if it is there."""
    from shutil import rmtree

    rmtree(path, ignore_errors=True)
