"""A lesson as a record of plain values, for JSON, the server and programs that are not in Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.ledger import Lesson


def lesson_record(lesson: Lesson) -> dict[str, object]:
    """A lesson ready for JSON; docs/json.md describes the fields."""
    return {
        "digest": lesson.digest.hex(),
        "label": lesson.label,
        "taught": lesson.taught / 1e6,
        "by": lesson.by,
        "origin": lesson.origin,
        "share": lesson.share,
        "source": lesson.source,
        "sender": lesson.sender,
        "subject": lesson.subject,
        "date": lesson.date,
        "message_id": lesson.message_id,
    }
