"""A lesson: one taught message, as the ledger keeps it, and which lessons are meant.

>>> bool(Selection(sender="joe@example.org")), bool(Selection())
(True, False)
>>> Selection().must_mean_some()
Traceback (most recent call last):
deciban.errors.WrongUsage: Say which lessons are meant: digest, label, by, sender, source, since or until.

Where a mail came from decides whether it counts for a promise (filter/threshold.py):

    incoming   it arrived here, and somebody said what it is
    sample     it arrived, and nobody contradicted the verdict "good": one of several, drawn at random
    sent       the user wrote it
    imported   it was taught from elsewhere: another mailbox, a corpus, a colleague
"""

from __future__ import annotations

from binascii import crc32

from deciban.errors import BadSetting, WrongUsage
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._lesson_code import Features


INCOMING = "incoming"
SENT = "sent"
IMPORTED = "imported"
SAMPLE = "sample"
ORIGINS = (INCOMING, SENT, IMPORTED, SAMPLE)
# A sample of fewer than one mail in a thousand would say nothing for months.
LEAST_SHARE = 0.001
DIGEST_BYTES = 16
# No lesson is taught later, in microseconds since 1970: those that come after it must have a time, too.
LATEST = 1 << 62


class Lesson(Value):
    """Everything that the ledger keeps of one taught message."""

    digest: bytes
    """Of the canonical form of the message."""
    label: str
    taught: int
    """When, in microseconds since 1970; different for every lesson of a ledger, and increasing."""
    by: str
    """By whom, as they called themselves."""
    source: str
    """The id of the message in its source."""
    sender: str
    subject: str
    date: str
    message_id: str
    names: str
    """The text of some of its words, one a line (see committee/extraction.py)."""
    features: Features
    origin: str = INCOMING
    """How the mail came here (`ORIGINS`); only mail that came in counts for a promise."""
    share: float = 1.0
    """Of how much such mail it was drawn: of a sample of one in ten, .1."""
    mail: bytes | None = None
    """The message itself, while it is taught and if it is to be kept; `Ledger.kept_mail` finds it again."""

    def _check(self) -> None:
        if self.origin not in ORIGINS:
            raise BadSetting(f"origin must be one of {', '.join(ORIGINS)}, got {self.origin!r} instead.")
        if not (isinstance(self.share, int | float) and LEAST_SHARE <= self.share <= 1):
            raise BadSetting(f"share must be a number from {LEAST_SHARE} to 1, got {self.share!r} instead.")


def is_possible(lesson: Lesson) -> bool:
    """Whether a lesson that somebody else wrote can be one: whatever is not would harm who takes it over."""
    texts = (lesson.label, lesson.by, lesson.source, lesson.sender, lesson.subject, lesson.date)
    return (
        type(lesson.digest) is bytes
        and len(lesson.digest) == DIGEST_BYTES
        and type(lesson.taught) is int
        and 0 <= lesson.taught < LATEST
        and all(type(text) is str for text in (*texts, lesson.message_id, lesson.names))
    )


def check_of(code: bytes, digest: bytes, label: str, taught: int, *fields: object) -> int:
    """A check of everything that a lesson is: its code and its fields in their order (CRC-32)."""
    text = "\0".join((label, str(taught), *map(str, fields)))
    return crc32(code, crc32(text.encode("utf-8", "surrogatepass"), crc32(digest)))


class Selection(Value, kw_only=True):
    """Which lessons are meant: those for which everything that is given holds."""

    digest: bytes | None = None
    label: str | None = None
    by: str | None = None
    """By whom it was taught, as they called themselves."""
    sender: str | None = None
    """The address in the From field."""
    source: str | None = None
    """The id of a message, or a folder, mbox or archive that it came from."""
    since: float | None = None
    """Taught at this time or later, in seconds since 1970."""
    until: float | None = None
    """Taught before this time."""

    def __bool__(self) -> bool:
        return any(value is not None for value in self._fields())

    def must_mean_some(self) -> None:
        """Refuse a selection that says nothing."""
        if not self:
            raise WrongUsage(
                "Say which lessons are meant: digest, label, by, sender, source, since or until."
            )


def storable(text: str) -> str:
    r"""Text that the ledger takes: the name of a file may hold bytes that are no text.

    >>> storable("caf\udce9.eml")
    'caf\\udce9.eml'
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def all_storable(*texts: str) -> tuple[str, ...]:
    """Several of them; nearly all have nothing else than ASCII, which one look tells."""
    return texts if "".join(texts).isascii() else tuple(map(storable, texts))
