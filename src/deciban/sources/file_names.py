"""File names: which are passed over without a word, and the order in which the others are read.

Mail programs keep indexes and caches beside the mail; these, and hidden files, hold no message.

>>> [passed_over(name) for name in ("1.eml", ".mh_sequences", "Inbox.msf", "dovecot.index.log")]
[False, True, True, True]
>>> in_natural_order(["10.eml", "9.eml", "a"])
['9.eml', '10.eml', 'a']
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
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
_INDEX_PREFIXES = (".", "dovecot.", "dovecot-")
_INDEX_NAMES = frozenset(
    {"maildirsize", "maildirfolder", "subscriptions", "courierimapsubscribed", "Thumbs.db"}
)


def passed_over(name: str) -> bool:
    """Whether a file or folder of this name (the last part of a path) is hidden or an index."""
    return name.startswith(_INDEX_PREFIXES) or name.endswith(_INDEX_SUFFIXES) or name in _INDEX_NAMES


def path_passed_over(path: str) -> bool:
    """Whether any part of the path of an archive's member is hidden or an index.

    >>> path_passed_over("./mail/1.eml"), path_passed_over("../.git/HEAD")
    (False, True)
    """
    return any(passed_over(part) for part in path.split("/") if part not in (".", "..")) or (
        path.startswith("__MACOSX/")
    )


# Longer digit runs are compared as text: int() takes quadratic time, and more than 4,300 digits raise.
_MOST_DIGITS = 18
_DIGITS = frozenset("0123456789")


def in_natural_order(names: Collection[str]) -> list[str]:
    """The names, sorted so that numbers within them count by value: 10 comes after 9."""
    # The first number tells apart nearly all messages that a program wrote, in a quarter of the time that
    # it takes to find all numbers of names like 00001.7c53336b37003a9286aba55d2945844c.
    by_first_number = {_up_to_first_number(name): name for name in names}
    if len(by_first_number) == len(names):
        return [by_first_number[key] for key in sorted(by_first_number)]
    return sorted(names, key=_all_numbers)


def _up_to_first_number(name: str) -> tuple[str, int]:
    """The text before the first number, and the number; -1 if there is none."""
    for start, character in enumerate(name):
        if character in _DIGITS:
            end = start + 1
            while end - start < _MOST_DIGITS and name[end : end + 1] in _DIGITS:
                end += 1
            return name[:start], int(name[start:end])
    return name, -1


def _all_numbers(name: str) -> list[Any]:
    from re import split  # it takes 4 ms to import, and the first number is nearly always enough

    pieces: list[Any] = split(f"([0-9]{{1,{_MOST_DIGITS}}})", name)
    # Text and numbers take turns, the text may be empty: text is only ever compared with text.
    pieces[1::2] = map(int, pieces[1::2])
    return pieces
