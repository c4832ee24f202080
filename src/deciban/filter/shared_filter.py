r"""A shared filter: one state in a file, published for many, on which personal filters rest.

A site publishes what its filter has learned (`deciban publish site.state`); a person pins that file (`deciban
prefer --shared site.state`) and teaches on top of it: the own state is replay(shared state, own lessons).
The ledger keeps the path, the digest and the number of lessons of the pinned file, but no copy. If the file
is gone or changed, a replay that needs it fails; it never silently uses another foundation. A new version is
pinned the same way, and the person's own lessons, which are few, are replayed on it.

The file is one line of JSON and the packed state (foundation.py):

    {"deciban": "state", "format": 1, "features": 1, "settings": "bits=21 salt=…", "capacity": 2,
     "lessons": {"spam": 1900, "ham": 4100}}\n…

Its digest is the BLAKE2b of the whole file in 16 bytes. Whoever rests on it takes over its settings, the
salt of its slots among them.
"""

from __future__ import annotations

import os

from deciban.committee._committee import FORMAT as STATE_FORMAT
from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.errors import (
    BadSetting,
    DamagedLedger,
    FilterError,
    NewerFormat,
    NoSuchSource,
    SharedFilterChanged,
)
from deciban.ledger.facts import SHARED
from deciban.text._hashing import FORMAT as FEATURE_FORMAT
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.ledger.ledger import Ledger

FORMATS = {"format": 1, "features": FEATURE_FORMAT, "state": STATE_FORMAT}
DIGEST_BYTES = 16
# The first line holds settings and labels; a file with a longer first line is something else.
MOST_HEAD = 1 << 20


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

    def text(self) -> str:
        """As the ledger keeps it."""
        import json

        return json.dumps([self.path, self.digest, self.lessons])


def pinned(ledger: Ledger) -> SharedFilter | None:
    """What a ledger rests on."""
    text = ledger.fact(SHARED)
    if text is None:
        return None
    import json

    try:
        path, digest, lessons = json.loads(text)
        if not (isinstance(path, str) and isinstance(digest, str) and all(map(str.isprintable, lessons))):
            raise ValueError
        return SharedFilter(path, digest, {label: int(count) for label, count in lessons.items()})
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise DamagedLedger(
            f"{ledger.path} is damaged: it does not say on which shared filter it rests. "
            "Restore a copy: deciban restore FILE; or save what is whole: deciban check --repair."
        ) from None


def packed(settings: Settings, committee: Committee) -> tuple[dict[str, int], bytes]:
    """What a committee has learned, by label, and its state as a file."""
    import json

    from deciban.filter.foundation import pack

    committee.check()
    lessons = committee.lessons
    head = {"deciban": "state", **FORMATS, "settings": settings.text(), "capacity": committee.capacity}
    return lessons, json.dumps({**head, "lessons": lessons}).encode() + b"\n" + pack(committee.state())


def publish(path: str, lessons: dict[str, int], data: bytes) -> SharedFilter:
    """Write a packed state; the file appears whole or not at all."""
    from deciban.errors import CannotWrite
    from deciban.whole_file import WholeFile

    try:
        with WholeFile(path) as file:
            file.write(data)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}. Nothing was published.") from None
    return SharedFilter(os.path.abspath(path), _digest(data), lessons)


def look_at(path: str) -> tuple[SharedFilter, Settings]:
    """The shared filter that a file holds now, and its settings."""
    data = _read(path)
    settings, lessons = _whole(path, data)
    return SharedFilter(os.path.abspath(path), _digest(data), lessons), settings


def read_shared(shared: SharedFilter) -> tuple[bytes, int]:
    """The sparse code of what was pinned, and the labels that it has room for."""
    from deciban.filter.foundation import unpack

    how_to_go_on = (
        f"To rest on what is there now, run: deciban prefer --shared {shared.path} "
        "(or --shared none, to go on without it)."
    )
    try:
        data = _read(shared.path)
    except NoSuchSource:
        raise SharedFilterChanged(
            f"{shared.path}, on which this filter rests, is gone. Put it back, or pin another: "
            "deciban prefer --shared FILE (or none, to go on without it)."
        ) from None
    if _digest(data) != shared.digest:
        raise SharedFilterChanged(f"{shared.path} is not the version that was pinned. {how_to_go_on}")
    settings, capacity = _described(shared.path, _head(shared.path, data))
    return unpack(data[data.index(b"\n") + 1 :], shared.path, settings, capacity), capacity


def is_unchanged(shared: SharedFilter) -> bool:
    """Whether what was pinned is still there."""
    try:
        return _digest(_read(shared.path)) == shared.digest
    except FilterError:
        return False
    except NoSuchSource:
        return False


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise NoSuchSource(f"{path} cannot be read: {error.strerror}.") from None


def _digest(data: bytes) -> str:
    from hashlib import blake2b

    return blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def _whole(path: str, data: bytes) -> tuple[Settings, dict[str, int]]:
    """The settings and lessons of a file, if nothing in it is damaged; from now on its digest is trusted."""
    from deciban.filter.foundation import restore, unpack

    head = _head(path, data)
    settings, capacity = _described(path, head)
    code = unpack(data[data.index(b"\n") + 1 :], path, settings, capacity)
    try:
        size = Committee.size(settings, capacity)
        committee = restore(settings, code, bytearray(size))
        committee.check()
        lessons = committee.lessons
        if list(dict(head["lessons"]).items()) != list(lessons.items()):  # type: ignore[call-overload]
            raise ValueError
    except (FilterError, BadSetting, KeyError, TypeError, ValueError):
        raise DamagedLedger(f"{path} is damaged: its head and its state differ. Publish it again.") from None
    return settings, lessons


def _described(path: str, head: dict[str, object]) -> tuple[Settings, int]:
    """The settings of a file, and the labels that it has room for."""
    try:
        return Settings.from_text(str(head["settings"])), int(str(head["capacity"]))
    except (BadSetting, KeyError, ValueError):
        raise DamagedLedger(f"{path} is damaged: its head cannot be read. Publish it again.") from None


def _head(path: str, data: bytes) -> dict[str, object]:
    import json

    try:
        head = json.loads(data[: data.index(b"\n", 0, MOST_HEAD)])
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
