"""File names: which are passed over without a word, and the order in which the others are read.

Mail programs keep indexes and caches beside the mail; these, and hidden files, hold no message.

>>> [passed_over(name) for name in ("1.eml", ".mh_sequences", "Inbox.msf", "dovecot.index.log")]
[False, True, True, True]
>>> sorted(["10.eml", "9.eml", "a"], key=natural_order)
['9.eml', '10.eml', 'a']
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_INDEX_SUFFIXES = (
    ".msf",  # Thunderbird
    ".cmeta",  # Evolution
    ".ev-summary",
    ".ibex.index",
    ".ibex.index.data",
    ".lock",
    "~",
)
_INDEX_PREFIXES = ("dovecot.", "dovecot-")
_INDEX_NAMES = frozenset(
    {"maildirsize", "maildirfolder", "subscriptions", "courierimapsubscribed", "Thumbs.db"}
)


def passed_over(name: str) -> bool:
    """Whether a file or folder of this name (the last part of a path) is hidden or an index."""
    return (
        name.startswith(".")
        or name in _INDEX_NAMES
        or name.endswith(_INDEX_SUFFIXES)
        or name.startswith(_INDEX_PREFIXES)
    )


def path_passed_over(path: str) -> bool:
    """Whether any part of the path of an archive's member is hidden or an index.

    >>> path_passed_over("./mail/1.eml"), path_passed_over("../.git/HEAD")
    (False, True)
    """
    return any(passed_over(part) for part in path.split("/") if part not in (".", "..")) or (
        path.startswith("__MACOSX/")
    )


def natural_order(name: str) -> list[Any]:
    """A key that sorts numbers within names by value, so that 10 comes after 9."""
    import re

    # Longer digit runs are compared as text: int() takes quadratic time, and more than 4,300 digits raise.
    pieces: list[Any] = re.split("([0-9]{1,18})", name)
    # Text and numbers take turns, the text may be empty: text is only ever compared with text.
    pieces[1::2] = map(int, pieces[1::2])
    return pieces
