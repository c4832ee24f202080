"""The order in which lessons of several labels are mixed: each label is spread evenly over all of them.

The lesson of rank r among the n of its label comes at the share (r - 1/2) / n; of equal shares the lower
digest comes first. So the order depends on the lessons alone, not on who brought them.

>>> lessons = [(1, "spam", b"a"), (2, "spam", b"b"), (3, "ham", b"c"), (4, "ham", b"d"), (5, "ham", b"e")]
>>> mixed(lessons)
[3, 1, 4, 2, 5]
>>> longest_run(label for _, label, _ in lessons)
3
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    # Position, label and digest of a lesson.
    Ordered = tuple[int, Hashable, bytes]


def mixed(lessons: list[Ordered]) -> list[int]:
    """The positions of lessons in their mixed order; they are given in the order of their times."""
    counts: dict[Hashable, int] = {}
    for _, label, _ in lessons:
        counts[label] = counts.get(label, 0) + 1
    ranks = dict.fromkeys(counts, -0.5)
    places = []
    for position, label, digest in lessons:
        ranks[label] += 1
        places.append((ranks[label] / counts[label], digest, position))
    places.sort()
    return [position for _, _, position in places]


def longest_run(labels: Iterable[Hashable]) -> int:
    """The most equal labels one after the other."""
    longest = length = 0
    before: Hashable = None
    for label in labels:
        length = length + 1 if label == before else 1
        before = label
        longest = max(longest, length)
    return longest
