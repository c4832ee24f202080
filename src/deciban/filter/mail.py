r"""Between mail and the filter: messages become lessons and questions.

The filter knows lessons and features, not mail; whoever has the bytes reads them, with these functions:

    source → read → features → lessons → Filter.learn
    bytes  → read → features → question → Filter.classify

>>> from deciban.filter.preferences import Preferences
>>> from deciban.sources import RawMessage
>>> mail = RawMessage("inbox@0", b"From: Ann <ann@example.org>\nSubject: Lunch\n\nAt one?")
>>> (lesson,) = lessons_from([mail], "ham", Preferences())
>>> lesson.sender, lesson.subject, lesson.source
('ann@example.org', 'Lunch', 'inbox@0')
>>> question = question_of(mail.data, Preferences(allowed=["ann@example.org"]))
>>> question.sender, question.features == lesson.features
('ann@example.org', True)
"""

from __future__ import annotations

from deciban.committee.extraction import features_of_many, named_features
from deciban.committee.label import label_of
from deciban.ledger.lesson import INCOMING, Lesson, all_storable
from deciban.text import Message, read, read_many
from deciban.text.sender import sender_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.committee._lesson_code import Features
    from deciban.committee.extraction import Whereabouts
    from deciban.filter.preferences import Preferences
    from deciban.sources import RawMessage

# What is kept of a header to find a lesson again.
MOST_CHARACTERS = 120


class Question(Value):
    """What the filter needs to know of a message: its features, and who sent it; `question_of` makes one."""

    features: Features
    sender: str = ""
    """The address in the From field, for the allow list."""


def lessons_from(
    messages: Iterable[RawMessage],
    label: str,
    preferences: Preferences,
    by: str = "",
    origin: str = INCOMING,
) -> Iterator[Lesson]:
    """The lessons of messages that are taught as ``label``, one by one; of an origin of lesson.py."""
    from functools import partial

    return map(partial(lesson_of, label_of(label), by, preferences, origin=origin), messages)


def lesson_of(
    label: str, by: str, preferences: Preferences, raw: RawMessage, origin: str = INCOMING
) -> Lesson:
    """What is learned from a message; with its bytes, if they are to be kept."""
    return lessons_of(label, by, preferences, [raw], origin)[0]


def lessons_of(
    label: str, by: str, preferences: Preferences, raws: list[RawMessage], origin: str = INCOMING
) -> list[Lesson]:
    """The same for several messages, which are read in two stretches without Python's lock."""
    messages = read_many([raw.data for raw in raws])
    senders = [sender_of(message) for message in messages]
    facts = [_facts(message, sender, preferences) for message, sender in zip(messages, senders, strict=True)]
    found = named_features(messages, facts, _hears(preferences))
    return [
        _lesson(label, by, preferences, raw, origin, message, sender, features, names)
        for raw, message, sender, (features, names) in zip(raws, messages, senders, found, strict=True)
    ]


def _lesson(
    label: str,
    by: str,
    preferences: Preferences,
    raw: RawMessage,
    origin: str,
    message: Message,
    sender: str,
    features: Features,
    names: str,
) -> Lesson:
    header = message.header
    by, source, sender, subject, date, message_id = all_storable(
        by,
        raw.id,
        sender[:MOST_CHARACTERS],
        header("subject")[:MOST_CHARACTERS],
        header("date")[:MOST_CHARACTERS],
        header("message-id")[:MOST_CHARACTERS],
    )
    return Lesson(  # all fields in their order, which takes half the time of naming them
        message.digest,
        label,
        0,
        by,
        source,
        sender,
        subject,
        date,
        message_id,
        names,
        features,
        origin,
        1.0,
        raw.data if preferences.keep_mail else None,
    )


def question_of(message: bytes | Message, preferences: Preferences) -> Question:
    """What the filter is asked about a message."""
    return questions_of([message if isinstance(message, Message) else read(message)], preferences)[0]


def questions_of(messages: list[Message], preferences: Preferences) -> list[Question]:
    """The same for several messages, whose features are taken in one stretch without Python's lock."""
    # Looking for the address takes 20 µs, and most users have neither contacts nor an allow list.
    is_asked = bool(preferences.contacts or preferences.allowed)
    senders = [sender_of(message) if is_asked else "" for message in messages]
    facts = [_facts(message, sender, preferences) for message, sender in zip(messages, senders, strict=True)]
    return list(map(Question, features_of_many(messages, facts, _hears(preferences)), senders))


def whereabouts_in(message: Message, preferences: Preferences) -> Whereabouts:
    """Names and places of the features of a message, for `Filter.why`."""
    from deciban.committee.extraction import whereabouts_of

    return whereabouts_of(message, _facts(message, sender_of(message), preferences), _hears(preferences))


def _facts(message: Message, sender: str, preferences: Preferences) -> tuple[str, ...]:
    """What is known about a message from outside, as features."""
    facts = preferences.facts(sender)
    if preferences.results_from:
        from deciban.filter.foreign_results import facts_in

        facts += facts_in(message.source, preferences.results_from)
    return facts


def _hears(preferences: Preferences) -> bool:
    """Whether results of whatever host are words, too: where hosts are named, nobody else is heard."""
    return not preferences.results_from
