"""Which lessons are meant, in SQL.

>>> condition(Selection(sender="joe@example.org"))
('sender = ?', ['joe@example.org'])
>>> condition(Selection(source="inbox.mbox", label="spam"))[1]
['spam', 'inbox.mbox', 10, 'inbox.mbox', 11]
>>> condition(Selection())
('1', [])
"""

from __future__ import annotations

from deciban.committee.label import key_of
from deciban.ledger.lesson import Selection, storable

# An id begins with the file or folder that the message is in, followed by one of these (docs/sources.md).
_WITHIN = "(source = ? OR substr(source, 1, ?) = ? AND substr(source, ?, 1) IN ('/', '@', '!'))"


def condition(selection: Selection) -> tuple[str, list[object]]:
    """The test that a lesson must pass, and the values of its parameters; all lessons pass an empty one."""
    tests: list[str] = ["1"] if not selection else []
    values: list[object] = []
    for name, test, parameters in (
        ("digest", "digest = ?", [selection.digest]),
        ("label", "label_key(labels.name) = ?", [key_of(storable(selection.label or ""))]),
        ("by", "by = ?", [storable(selection.by or "")]),
        ("sender", "sender = ?", [storable(selection.sender or "").lower()]),
        ("source", _WITHIN, _within(storable(selection.source or ""))),
        ("since", "taught >= ?", [int((selection.since or 0) * 1e6)]),
        ("until", "taught < ?", [int((selection.until or 0) * 1e6)]),
    ):
        if getattr(selection, name) is not None:
            tests.append(test)
            values += parameters
    return " AND ".join(tests), values


def _within(source: str) -> list[object]:
    place = source.rstrip("/")
    return [source, len(place), place, len(place) + 1]
