r"""A shared filter: one state in a file, published for many, on which personal filters rest.

A site publishes what its filter has learned (`deciban publish site.state`); a person pins that file (`deciban
prefer --shared site.state`) and teaches on top of it: the own state is replay(shared state, own lessons), and
is kept as a layer over the shared file. The file is never changed. It is mapped, so that all filters of a
machine that rest on it share one copy in memory, and its blocks are checked when they are first used.

The ledger keeps the path, the digest and the number of lessons of the pinned file. A filter never silently
uses another foundation. So that the file stays as long as somebody rests on it, pinning makes a hard link to
it beside the ledger, ``mail.db.foundation-9f3c01aa…``, where the system allows that; and whoever publishes a
new version under an old name leaves the version before beside it, ``site.state.9f3c01aa…``. A new version is
pinned the same way, and the person's own lessons, which are few, are replayed on it.

The file is one line of JSON, filled up with spaces to a multiple of 4,096 bytes, and the buffer of a
committee (_committee_buffer.pyx):

    {"deciban": "state", "format": 2, "features": 1, "state": 6, "settings": "bits=21 salt=…",
     "lessons": {"spam": 1900, "ham": 4100}}   …\n…

Its digest is the BLAKE2b, in 16 bytes, of the line and of the head, labels and checks of the committee. The
checks cover everything else: they find damage, but whoever may write the file could forge it. Whoever rests
on it takes over its settings, the salt of its slots among them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from weakref import WeakValueDictionary

from deciban.committee._committee import Committee
from deciban.committee._committee_buffer import LAYOUT
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import (
    BadSetting,
    DamagedLedger,
    DamagedSnapshot,
    FilterError,
    NewerFormat,
    NoSuchSource,
    SharedFilterChanged,
)
from deciban.ledger.facts import SHARED, STARTER
from deciban.text._hashing import FORMAT as FEATURE_FORMAT
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from mmap import mmap

    from deciban.filter.footing import Learner
    from deciban.ledger.ledger import Ledger

FORMATS = {"format": 2, "features": FEATURE_FORMAT, "state": LAYOUT}
DIGEST_BYTES = 16
# The first line holds settings and labels; a file with a longer first line is something else.
MOST_HEAD = 1 << 20
PAGE = 4096
LINKED = ".foundation-"
# What is mapped already, by digest.
_mapped: WeakValueDictionary[str, Committee] = WeakValueDictionary()


class SharedFilter(Value):
    """Which state is meant."""

    path: str
    digest: str
    """Hexadecimal."""
    lessons: dict[str, int]
    """What it has learned, by label."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order of the state."""
        return tuple(self.lessons)

    @property
    def is_starter(self) -> bool:
        """Whether it came with the package (starter.py); other paths are absolute."""
        return self.path.startswith(STARTER)

    def text(self) -> str:
        """As the ledger keeps it."""
        if self.is_starter:
            from deciban.filter.starter import text_of

            return text_of(self)
        import json

        return json.dumps([self.path, self.digest, self.lessons])


def labels_of(shared: SharedFilter | None, taught: Iterable[str]) -> tuple[str, ...]:
    """Every label that a verdict can have: those of the shared filter first, then those taught.

    On a starter only those taught, once there are two: a panel considers no others (_panel.pyx).

    >>> labels_of(SharedFilter("starter:1", "9f", {"spam": 9, "ham": 9}), ["work"])
    ('spam', 'ham', 'work')
    >>> labels_of(SharedFilter("starter:1", "9f", {"spam": 9, "ham": 9}), ["work", "family"])
    ('work', 'family')
    """
    own = tuple(taught)
    if shared is None or (shared.is_starter and len(own) > 1):
        return own
    return tuple(dict.fromkeys((*shared.labels, *own)))


def pinned(ledger: Ledger) -> SharedFilter | None:
    """What a ledger rests on."""
    text = ledger.fact(SHARED)
    if text is None:
        return None
    try:
        if text.startswith(STARTER):
            from deciban.filter.starter import of_text

            return of_text(text)
        import json

        path, digest, lessons = json.loads(text)
        if not (isinstance(path, str) and isinstance(digest, str) and all(map(str.isprintable, lessons))):
            raise ValueError
        return SharedFilter(path, digest, {label: int(count) for label, count in lessons.items()})
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise DamagedLedger(
            f"{ledger.path} is damaged: it does not say on which shared filter it rests. "
            "Restore a copy: deciban restore FILE; or save what is whole: deciban check --repair."
        ) from None


def packed(settings: Settings, committee: Learner) -> tuple[dict[str, int], bytes]:
    """What a committee has learned, by label, and its state as a file."""
    import json

    from deciban.filter.footing import own_part

    committee = own_part(committee)
    committee.check()
    shape = committee.shape
    whole = Committee.fresh(settings, shape=Shape.dense(shape.capacity, shape.bits))
    whole.take_over(committee)
    tight = Shape.for_rows(shape.capacity, shape.bits, whole.rows_learned(), spare=0)
    buffer = bytearray(Committee.size(settings, tight))
    Committee.begin(settings, tight, buffer).take_over(whole)
    lessons = whole.lessons
    head = {"deciban": "state", **FORMATS, "settings": settings.text(), "lessons": lessons}
    line = json.dumps(head).encode()
    return lessons, line.ljust((len(line) // PAGE + 1) * PAGE - 1) + b"\n" + buffer


def publish(path: str, lessons: dict[str, int], data: bytes) -> SharedFilter:
    """Write a packed state; the file appears whole or not at all.

    The version that it replaces stays beside it, under its digest.
    """
    from deciban.errors import CannotWrite
    from deciban.whole_file import WholeFile

    try:
        before = look_at(path)[0].digest
    except (FilterError, NoSuchSource):
        before = None
    shared = SharedFilter(os.path.abspath(path), digest_of(path, data), lessons)
    try:
        if before not in (None, shared.digest):
            with suppress(FileExistsError):
                os.link(path, f"{path}.{before}")
        with WholeFile(path) as file:
            file.write(data)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}. Nothing was published.") from None
    return shared


def look_at(path: str) -> tuple[SharedFilter, Settings]:
    """The shared filter that a file holds now, and its settings; every block of it is checked."""
    opened = _Opened(path)
    try:
        opened.committee.check()
        shared = SharedFilter(os.path.abspath(path), opened.digest, opened.committee.lessons)
    except DamagedSnapshot:
        raise DamagedLedger(f"{path} is damaged. Publish it again.") from None
    finally:
        opened.committee.close()
    return shared, opened.settings


def keep(shared: SharedFilter, ledger_path: str) -> None:
    """Link a file to the ledger that rests on it, so that it stays, where the system allows that."""
    if shared.is_starter:
        return  # whoever chose it has its file
    with suppress(OSError):
        os.link(shared.path, _link(shared, ledger_path))


def let_go(ledger_path: str, kept: SharedFilter | None) -> None:
    """Remove the links to files on which a ledger no longer rests."""
    folder, own = os.path.split(ledger_path)
    wanted = None if kept is None else os.path.basename(_link(kept, ledger_path))
    for name in os.listdir(folder or "."):
        if name.startswith(own + LINKED) and name != wanted:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


def mapped(shared: SharedFilter, ledger_path: str) -> Committee:
    """The committee of what was pinned, to be shared by all who rest on it in this process."""
    known = _mapped.get(shared.digest)
    if known is not None:
        return known
    committee = _found(shared, ledger_path)
    committee.serve()
    _mapped[shared.digest] = committee
    return committee


def _found(shared: SharedFilter, ledger_path: str) -> Committee:
    """The committee of what was pinned, mapped."""
    if shared.is_starter:
        from deciban.filter.starter import found

        return found(shared, ledger_path)
    return _open_pinned(shared, ledger_path).committee


def verify(shared: SharedFilter, ledger_path: str) -> None:
    """Refuse what was pinned if anything in it is damaged."""
    committee = _found(shared, ledger_path)
    committee.serve()
    try:
        committee.check()
    finally:
        committee.close()


def is_unchanged(shared: SharedFilter) -> bool:
    """Whether what was pinned is still what its path holds; a starter never changes."""
    if shared.is_starter:
        return True
    try:
        return _Opened(shared.path).digest == shared.digest
    except (FilterError, NoSuchSource):
        return False


def _link(shared: SharedFilter, ledger_path: str) -> str:
    return ledger_path + LINKED + shared.digest


def _open_pinned(shared: SharedFilter, ledger_path: str) -> _Opened:
    """The file that was pinned: linked to the ledger, at its path, or beside that under its digest."""
    found = False
    for path in (_link(shared, ledger_path), shared.path, f"{shared.path}.{shared.digest}"):
        try:
            opened = _Opened(path)
        except NoSuchSource:
            continue
        except DamagedLedger:
            found = True
            continue
        if opened.digest == shared.digest:
            return opened
        found = True
    if not found:
        raise SharedFilterChanged(
            f"{shared.path}, on which this filter rests, is gone. Put it back, or pin another: "
            "deciban prefer --shared FILE (or none, to go on without it)."
        )
    raise SharedFilterChanged(
        f"{shared.path} is not the version that was pinned. To rest on what is there now, run: "
        f"deciban prefer --shared {shared.path} (or --shared none, to go on without it)."
    )


class _Opened:
    """A file of a shared filter, mapped."""

    def __init__(self, path: str) -> None:
        from mmap import ACCESS_READ, mmap

        try:
            with open(path, "rb") as file:
                data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except OSError as error:
            raise NoSuchSource(f"{path} cannot be read: {error.strerror}.") from None
        except ValueError:
            raise DamagedLedger(f"{path} is empty. Publish it again.") from None
        self.digest, self.settings, self.committee = _digest_of(path, data)


def _digest_of(path: str, data: bytes | mmap) -> tuple[str, Settings, Committee]:
    """The digest of a file's content, its settings and its committee, if head and committee are one."""
    from hashlib import blake2b

    head = _head(path, data)
    start = data.find(b"\n") + 1
    committee = None
    try:
        settings = Settings.from_text(str(head["settings"]))
        committee = Committee(settings, memoryview(data)[start:])
        if list(dict(head["lessons"]).items()) != list(committee.lessons.items()):  # type: ignore[call-overload]
            raise ValueError
    except (FilterError, BadSetting, KeyError, TypeError, ValueError):
        if committee is not None:
            committee.close()
        raise DamagedLedger(f"{path} is damaged: its head and its state differ. Publish it again.") from None
    with memoryview(data)[: start + committee.table_start] as front:
        return blake2b(front, digest_size=DIGEST_BYTES).hexdigest(), settings, committee


def digest_of(path: str, data: bytes) -> str:
    """The digest of a packed state, which is to be written to a path."""
    digest, _, committee = _digest_of(path, data)
    committee.close()
    return digest


def _head(path: str, data: bytes | mmap) -> dict[str, object]:
    import json

    try:
        head = json.loads(data[: max(data.find(b"\n", 0, MOST_HEAD), 0)])
        if head["deciban"] != "state":
            raise ValueError
        newer = any(head[name] > format_ for name, format_ in FORMATS.items())
        same = all(head[name] == format_ for name, format_ in FORMATS.items())
    except (KeyError, TypeError, ValueError, RecursionError):
        raise DamagedLedger(f"{path} is no shared filter. Make one: deciban publish FILE.") from None
    if newer:
        raise NewerFormat(f"{path} was published by a newer version of deciban. Upgrade deciban to use it.")
    if not same:
        raise DamagedLedger(f"{path} was published by an older version of deciban. Publish it again.")
    return dict(head)
