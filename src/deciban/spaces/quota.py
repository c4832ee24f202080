"""How much a space may hold: so many lessons, and so many bytes of its database.

The database holds lessons and the mail that is kept beside them. The state is not counted: it can be made
again, and its size is not the user's doing. Folded lessons count as lessons.
"""

from __future__ import annotations

import os

from deciban.errors import BadSetting, OverQuota
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.filter import Filter
    from deciban.ledger import Lesson


class Quota(Value):
    """The most that a space may hold; None for no limit."""

    lessons: int | None = None
    bytes: int | None = None

    def _check(self) -> None:
        for name in self.field_names:
            most = getattr(self, name)
            if most is not None and not (type(most) is int and 0 <= most < 1 << 62):
                raise BadSetting(
                    f"A quota of {name} must be a whole number, 0 or more, got {most!r} instead."
                )

    def within(self, mail_filter: Filter, path: str, lessons: Iterable[Lesson]) -> Iterator[Lesson]:
        """The lessons, for as long as there is room for them; OverQuota at the first for which there is none.

        A message that was taught before takes no room. Bytes are counted as the database at ``path`` has them
        on disk, which may lag behind by a batch of 256 lessons.
        """
        if self == Quota():
            yield from lessons
            return
        count = sum(mail_filter.labels().values())
        new: set[bytes] = set()
        for lesson in lessons:
            if lesson.digest not in new and not mail_filter.can_forget(lesson.digest):
                self.must_have_room(count + len(new), os.path.getsize(path))
                new.add(lesson.digest)
            yield lesson

    def must_have_room(self, lessons: int, size: int) -> None:
        """Refuse one more lesson beside so many, in a database of so many bytes.

        >>> Quota(lessons=100).must_have_room(100, 0)
        Traceback (most recent call last):
        deciban.errors.OverQuota: This space has its 100 lessons. Forget some, or see deciban space quota.
        """
        if self.lessons is not None and lessons >= self.lessons:
            raise OverQuota(
                f"This space has its {self.lessons:,} lessons. Forget some, or see deciban space quota."
            )
        if self.bytes is not None and size >= self.bytes:
            raise OverQuota(
                f"The database of this space has {size:,} of {self.bytes:,} bytes. "
                "Compact it, or raise its quota: deciban space quota."
            )
