"""A page of lessons, the newest first. Lessons older than the page are counted, but not kept in memory.

>>> from deciban.ledger.lesson import Lesson
>>> taught = [3, 1, 4, 2, 5]
>>> lessons = [Lesson(b"", "ham", when, "", "", "", "", "", "", "", None) for when in taught]
>>> page = LessonPage.of(lessons, size=2, number=2)
>>> [lesson.taught for lesson in page.lessons], page.first, page.count
([3, 2], 3, 5)
"""

from __future__ import annotations

from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.ledger.lesson import Lesson


class LessonPage(Value):
    """Some lessons, their place among all lessons, and how many there are."""

    lessons: tuple[Lesson, ...]
    first: int
    """The place of the first, from 1."""
    count: int
    """Of all."""

    @classmethod
    def of(cls, lessons: Iterable[Lesson], size: int, number: int) -> LessonPage:
        """The page with this number, counted from 1; with size 0, one page has all lessons."""
        from heapq import nlargest

        count = 0

        def counted() -> Iterator[Lesson]:
            nonlocal count
            for lesson in lessons:
                count += 1
                yield lesson

        if size:
            newest = nlargest(size * number, counted(), key=lambda lesson: lesson.taught)
            skipped = size * (number - 1)
        else:
            newest, skipped = sorted(counted(), key=lambda lesson: -lesson.taught), 0
        return cls(tuple(newest[skipped:]), skipped + 1, count)
