r"""The starter: what public mail has taught, in a file that comes with the package, for filters that are new.

A filter that begins with nothing is of little use for its first hundred mails. So a new filter of the
command line rests on a starter, which `tools/make_starter.py` made from public corpora. It holds no text,
only numbers for hashed features, and has the form of a shared filter (shared_filter.py). There is one
difference: whoever rests on a shared filter has chosen it, and believes it. Nobody chose the starter, so a
filter on a starter is a panel (committee/_panel.pyx), in which a committee that began with nothing may win
the argument.

The package has every starter that one of its versions ever came with, named by version and digest:

    deciban/starters/1-9f3c01aa….state

The ledger names its starter, so that an upgrade changes no verdict:

>>> starter = SharedFilter("starter:1", "9f3c01aa", {"spam": 1900, "ham": 4100})
>>> text_of(starter)
'starter:1 9f3c01aa spam=1900 ham=4100'
>>> of_text(text_of(starter)) == starter
True

Besides, the file is linked to the ledger as a shared filter is, or copied where the system does not allow
that. `deciban prefer --starter` moves a filter to the newest one. The salt of its slots is in the file, for
everybody to read: who wants to can make words that collide there. In the committee that the filter has of its
own they do not: its salt is secret.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.errors import DamagedSnapshot, SharedFilterChanged
from deciban.filter.shared_filter import DIGEST_BYTES, LINKED, SharedFilter
from deciban.ledger.facts import STARTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "starters")
SUFFIX = ".state"
# Starters that were laid out anew: the same numbers, and so the same verdicts, in a file with another digest.
# Ledgers that name the digest before go on with the file of today.
LAID_OUT_ANEW = dict.fromkeys(
    ("3d8721ab327c37b5772b70b476f38caf", "25ed1c415ba9889883185e21bd32117a"),
    "14f420232816b2c7a1d690c29657c9d7",
)


def newest_file(folder: str = FOLDER) -> str | None:
    """The starter for new filters; None if there is none that this machine can read."""
    if sys.byteorder != "little":  # numbers are stored as they are used, and the file was made elsewhere
        return None
    found = [name for name in _listed(folder) if name.partition("-")[0].isdecimal() and name.endswith(SUFFIX)]
    return os.path.join(folder, max(found, key=_version)) if found else None


def _version(name: str) -> int:
    return int(name.partition("-")[0])


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def write(folder: str, version: int, settings: Settings, committee: Committee) -> str:
    """Write a committee as a starter; its path."""
    from deciban.filter.shared_filter import digest_of, packed
    from deciban.whole_file import WholeFile

    _, data = packed(settings, committee)
    path = os.path.join(folder, f"{version}-{digest_of(folder, data)}{SUFFIX}")
    with WholeFile(path) as file:
        file.write(data)
    return path


def starter_in(path: str) -> SharedFilter:
    """The starter that a file holds, if head and digest say so: its blocks are checked when they are used."""
    version, digest = os.path.basename(path).removesuffix(SUFFIX).split("-", 1)
    committee = opened(path, digest)
    if committee is None:
        raise SharedFilterChanged(f"{path} is not the starter that it says. Install deciban again.")
    try:
        return SharedFilter(STARTER + version, digest, committee.lessons)
    finally:
        committee.close()


def text_of(starter: SharedFilter) -> str:
    """As the ledger keeps it; not JSON, which takes 3 ms to import."""
    return " ".join([starter.path, starter.digest, *(f"{name}={n}" for name, n in starter.lessons.items())])


def of_text(text: str) -> SharedFilter:
    """The starter of a `text_of`; ValueError if it is none."""
    path, digest, *counts = text.split(" ")
    lessons = {}
    for count in counts:
        label, _, number = count.rpartition("=")
        lessons[label] = int(number)
    int(digest, 16)
    int(path.removeprefix(STARTER))
    return SharedFilter(path, digest, lessons)


def opened(path: str, digest: str) -> Committee | None:
    """The committee in a file, mapped, if it is the starter with this digest; None if it is not."""
    from _blake2 import blake2b
    from mmap import ACCESS_READ, mmap

    try:
        with open(path, "rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError):  # ValueError: an empty file
        return None
    start = data.find(b"\n", 0, 1 << 16) + 1
    settings = data[:start].partition(b'"settings": "')[2].partition(b'"')[0]
    try:
        committee = Committee(Settings.from_text(settings.decode("ascii")), memoryview(data)[start:])
    except (DamagedSnapshot, ValueError):  # a bad setting is a ValueError, too
        return None
    with memoryview(data)[: start + committee.table_start] as front:
        if blake2b(front, digest_size=DIGEST_BYTES).hexdigest() == digest:
            return committee
    committee.close()
    return None


def found(starter: SharedFilter, ledger_path: str, folder: str = FOLDER) -> Committee:
    """The committee of a starter: linked to the ledger, or in the package."""
    version = starter.path.removeprefix(STARTER)
    for digest in (starter.digest, LAID_OUT_ANEW.get(starter.digest)):
        for path in (f"{ledger_path}{LINKED}{digest}", os.path.join(folder, f"{version}-{digest}{SUFFIX}")):
            committee = opened(path, digest) if digest else None
            if committee is not None:
                return committee
    raise SharedFilterChanged(
        f"The starter on which this filter rests (version {version}) is gone or damaged. "
        "Go on from the newest: deciban prefer --starter; or without one: deciban prefer --no-starter."
    )


def keep(path: str, digest: str, ledger_path: str) -> None:
    """Keep a starter for the ledger that rests on it: by a link, or else as a copy."""
    target = ledger_path + LINKED + digest
    if os.path.lexists(target):
        return
    for source in (path, *_copies(digest, ledger_path)):
        with suppress(OSError):
            os.link(source, target)
            return
    from deciban.whole_file import WholeFile

    with suppress(OSError), open(path, "rb") as file, WholeFile(target) as copy:
        copy.write(file.read())


def _copies(digest: str, ledger_path: str) -> Iterator[str]:
    """Our own copies that other ledgers have, in the same folder or in those beside it, as spaces are."""
    folder = os.path.dirname(os.path.abspath(ledger_path))
    own = os.geteuid()
    for place in (folder, *_folders_in(os.path.dirname(folder))):
        for name in _listed(place):
            path = os.path.join(place, name)
            with suppress(OSError):
                if name.endswith(LINKED + digest) and os.lstat(path).st_uid == own:
                    yield path


def _folders_in(folder: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield entry.path
