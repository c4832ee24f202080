"""A question to the filter: what it needs to know of a message, without the message."""

from __future__ import annotations

from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._lesson_code import Features


class Question(Value):
    """The features of a message and who sent it; `deciban.filter.mail.question_of` makes one."""

    features: Features
    sender: str = ""
    """The address in the From field, for the allow list."""
