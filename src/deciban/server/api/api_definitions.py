r"""What goes in and comes out over HTTP: the same definitions check the input and make the OpenAPI document.

Answers are those of ``--json`` on the command line (docs/json.md), and where the space is then: its position,
which a later question can ask for (`at_least`), and the address of the state.

>>> import msgspec
>>> msgspec.json.decode(b'{"message": "U3ViamVjdDogRnJlZQ=="}', type=MessageInput).data()
b'Subject: Free'
>>> msgspec.json.decode(b'{"text": "Free money"}', type=MessageInput).data()
b'\nFree money'
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from deciban.errors import BadRequest

MOST_AT_ONCE = 1_000
Position = Annotated[
    int,
    Meta(
        ge=0, le=(1 << 62), description="wait for a state that knows this position, as learning answered it"
    ),
]
Limit = Annotated[int, Meta(ge=1, le=MOST_AT_ONCE, description="so many at most")]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="of a message, as answers have it")]
Sender = Annotated[str, Meta(description="the address that mail is from")]
Source = Annotated[str, Meta(description="the id that a message was taught with")]
Teacher = Annotated[str, Meta(description="who taught it")]
Label = Annotated[
    str, Meta(min_length=1, max_length=200, description="spam, ham, or any word of yours for good mail")
]
Moment = Annotated[float, Meta(ge=0, le=1e11, description="seconds since 1970")]
CursorText = Annotated[str, Meta(max_length=200, description="`next` of the page before")]
Origin = Annotated[
    Literal["incoming", "sent", "imported"],
    Meta(description="how the mail came to you; only incoming mail counts for a promise"),
]


def about(text: str) -> Meta:
    """A description."""
    return Meta(description=text)


# Input


class Input(Struct, forbid_unknown_fields=True, kw_only=True):
    """What somebody sends: a name that is not known is an error."""


class NoQuery(Input):
    """An address that takes no parameters."""


class MessageInput(Input):
    """One message: its text, or all of it in base64."""

    id: Annotated[str, Meta(max_length=500, description="your name for it, which comes back")] = "-"
    text: Annotated[str | UnsetType, about("plain text, without a header")] = UNSET
    message: Annotated[bytes | UnsetType, about("a mail as it came, header and all, in base64")] = UNSET

    def data(self) -> bytes:
        """The bytes to read."""
        if isinstance(self.text, str) and self.message is UNSET:
            return b"\n" + self.text.encode("utf-8", "replace")
        if isinstance(self.message, bytes) and self.text is UNSET:
            return self.message
        raise BadRequest(
            "A message is either its text or all of it in base64: {'text': …} or {'message': …}."
        )


class LessonInput(MessageInput):
    """One message to learn."""

    label: Annotated[Label | UnsetType, about("instead of the one in the address")] = UNSET
    origin: Annotated[
        Origin | UnsetType, about("how the mail came; only incoming mail counts for a promise")
    ] = UNSET


class ClassifyQuery(Input):
    """How to classify."""

    at_least: Position = 0
    journal: Annotated[bool, about("keep an entry, so that it can be corrected")] = True
    done: Annotated[Literal["told", "tagged"], about("what you do with it, for the journal")] = "told"


class LearnQuery(Input):
    """What the messages are."""

    label: Annotated[Label | UnsetType, about("of all messages that name none")] = UNSET
    by: Annotated[str, Meta(max_length=200, description="who teaches, kept with each lesson")] = ""
    origin: Origin = "incoming"


class ForgetInput(Input):
    """Which lessons to forget: those for which all that is given holds."""

    digests: Annotated[list[Hex], Meta(max_length=MOST_AT_ONCE)] = []
    sender: Sender | UnsetType = UNSET
    source: Source | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    by: Teacher | UnsetType = UNSET
    since: Moment | UnsetType = UNSET
    until: Moment | UnsetType = UNSET


class CorrectInput(Input):
    """What the message of an entry is."""

    entry: Annotated[Hex, about("of the verdict, or X-Deciban-Id of the mail")]
    label: Label
    by: Annotated[str, Meta(max_length=200)] = ""


class UndoInput(Input):
    """Which correction to take back."""

    entry: Hex


class LessonsQuery(Input):
    """Which lessons to list, the newest first."""

    limit: Limit = 50
    cursor: CursorText = ""
    digest: Hex | UnsetType = UNSET
    sender: Sender | UnsetType = UNSET
    source: Source | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    by: Teacher | UnsetType = UNSET
    since: Moment | UnsetType = UNSET
    until: Moment | UnsetType = UNSET


class JournalQuery(Input):
    """Which entries to list, the newest first."""

    limit: Limit = 50
    cursor: CursorText = ""
    sender: Sender | UnsetType = UNSET
    verdict: Annotated[str | UnsetType, about("a label, or unsure")] = UNSET
    corrected: Annotated[bool, about("only those that were taught afterwards")] = False
    words: Annotated[str, about("words in sender, subject or source, between spaces")] = ""
    since: Moment | UnsetType = UNSET
    until: Moment | UnsetType = UNSET


class ShowQuery(Input):
    """Which words to show."""

    top: Annotated[int, Meta(ge=0, le=MOST_AT_ONCE, description="so many words for each label")] = 12
    words: Annotated[str, about("features of the view words, between spaces, instead")] = ""


class PreferencesInput(Input):
    """What to change; all else stays."""

    cost: Annotated[float, Meta(ge=0, le=1e9)] | UnsetType = UNSET
    promise: Annotated[float, Meta(gt=0, lt=1)] | UnsetType | None = UNSET
    sure: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    contacts: list[str] | UnsetType = UNSET
    allowed: list[str] | UnsetType = UNSET
    keep_mail: Annotated[int, Meta(ge=0, le=36_500, description="days; 0 for never")] | UnsetType = UNSET
    results_from: list[str] | UnsetType = UNSET


class PageQuery(Input):
    """Which page."""

    limit: Limit = 100
    cursor: CursorText = ""


class SpaceInput(Input):
    """A new space."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    most_lessons: Annotated[int, Meta(ge=0, lt=1 << 62)] | None = None
    most_bytes: Annotated[int, Meta(ge=0, lt=1 << 62)] | None = None
    starter: Annotated[bool, about("whether it begins with what public mail has taught")] = True


class SpaceChange(Input):
    """What to change of a space."""

    name: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET
    most_lessons: Annotated[int, Meta(ge=0, lt=1 << 62)] | UnsetType | None = UNSET
    most_bytes: Annotated[int, Meta(ge=0, lt=1 << 62)] | UnsetType | None = UNSET


class KeyInput(Input):
    """A new key: what it may do and where."""

    rights: Annotated[list[Literal["classify", "learn", "forget", "read", "admin"]], Meta(min_length=1)]
    space: Annotated[str | UnsetType, about("for this space")] = UNSET
    pattern: Annotated[str | UnsetType, about("for spaces whose whole name matches; * is anything")] = UNSET
    expires: Annotated[int, Meta(ge=0, lt=1 << 40, description="seconds since 1970")] | None = None
    note: Annotated[str, Meta(max_length=200)] = ""


# Answers


class VerdictAnswer(Struct, kw_only=True):
    """What a message is taken for."""

    verdict: Annotated[str, about("the label, or unsure")]
    label: Annotated[str, about("the most probable label")]
    unsure: bool
    probability: Annotated[float | None, about("of the label; null until two labels were taught")]
    decibans: Annotated[float, about("for the label against the next one")]
    probabilities: dict[str, float]
    otherwise: Annotated[dict[str, Any] | None, about("where the allow list decided: what would be said")]


class PlaceAnswer(Struct, kw_only=True):
    """Where a space is."""

    position: Position
    address: Annotated[str, about("of the state: ledger, position and trail")]


class ClassifyAnswer(VerdictAnswer):
    """A verdict about one message."""

    id: str
    digest: str
    entry: Annotated[str, about("in the journal; empty if none is kept")]
    position: Position
    address: Annotated[str, about("of the state that answered; empty if there was none")]
    stale: Annotated[bool, about("whether the state did not know `at_least` in time")]


class WhyAnswer(VerdictAnswer):
    """A verdict with the evidence for it."""

    id: str
    digest: str
    evidence: list[dict[str, Any]]
    kinds: dict[str, float]
    spots: list[dict[str, Any]]
    shared: float | None
    position: Position
    address: str


class LearnAnswer(PlaceAnswer):
    """What was learned, durably."""

    labels: dict[str, int]
    learned: int
    known: Annotated[int, about("messages that were taught before, with this label")]
    relearned: Annotated[int, about("messages that had another label before")]
    beside: Annotated[int, about("of them, beside a folded lesson, which stays")]


class ForgetAnswer(PlaceAnswer):
    """What is gone, as if never taught."""

    forgotten: list[dict[str, Any]]
    entries: Annotated[int, about("entries of the journal that are gone, too")]
    swept: Annotated[bool, about("whether no trace is left in any file by now")]


class CorrectAnswer(PlaceAnswer):
    """What was made of an entry."""

    entry: str
    label: str
    known: bool


class UndoAnswer(PlaceAnswer):
    """The entry whose correction was taken back."""

    entry: str


class LessonsAnswer(Struct, kw_only=True):
    """A page of lessons."""

    lessons: list[dict[str, Any]]
    next: Annotated[str | None, about("the cursor of the next page; null on the last")]


class JournalAnswer(Struct, kw_only=True):
    """A page of entries."""

    entries: list[dict[str, Any]]
    next: Annotated[str | None, about("the cursor of the next page; null on the last")]


class LabelsAnswer(PlaceAnswer):
    """How many lessons of each label there are."""

    labels: dict[str, int]


class ShowAnswer(Struct, kw_only=True):
    """Labels, and what was learned about words."""

    labels: dict[str, int]
    strongest: dict[str, list[dict[str, Any]]]
    words: dict[str, dict[str, dict[str, Any]]]


class PreferencesAnswer(Struct, kw_only=True):
    """What is preferred."""

    cost: float
    promise: float | None
    sure: float
    contacts: list[str]
    allowed: list[str]
    keep_mail: int
    results_from: list[str]


class ImportAnswer(PlaceAnswer):
    """How many lessons were taken over."""

    imported: int


class SpaceAnswer(Struct, kw_only=True):
    """A space."""

    name: str
    made: int
    bytes: int
    most_lessons: int | None
    most_bytes: int | None
    starter: bool


class SpacesAnswer(Struct, kw_only=True):
    """A page of spaces."""

    spaces: list[SpaceAnswer]
    next: str | None


class KeyAnswer(Struct, kw_only=True):
    """A key, without its secret."""

    id: str
    rights: list[str]
    space: str | None
    pattern: str | None
    made: int
    expires: int | None
    used: int | None
    note: str


class NewKeyAnswer(KeyAnswer):
    """A key, with its secret: it is shown once."""

    key: str


class KeysAnswer(Struct, kw_only=True):
    """All keys."""

    keys: list[KeyAnswer]


class HealthAnswer(Struct, kw_only=True):
    """Whether the server is well."""

    status: str


class ProblemAnswer(Struct, kw_only=True):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str | UnsetType = UNSET


class StatusAnswer(Struct, kw_only=True):
    """How good a filter is; docs/json.md describes the parts."""

    lessons: dict[str, int]
    examined: int
    right: int
    cost: float
    promise: float | None
    standing: str | None
    alerts: list[dict[str, Any]]
    assurance: dict[str, Any]
    overall: dict[str, Any]
    recent: dict[str, Any]
    labels: dict[str, dict[str, Any]]
    curve: list[Any]
    folded: dict[str, Any]
    shared: dict[str, Any] | None
    kept_mails: dict[str, int]
    doubts: list[dict[str, Any]]
