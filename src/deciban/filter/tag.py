r"""A verdict written into the header of a message, for whoever sorts the mail behind the filter.

>>> message = b"From joe Mon Jan  1 00:00:00 2026\nX-Spam-Flag: NO\nSubject: hi\n\nhello\n"
>>> print(tagged(message, [("X-Deciban", "spam; 31.6 dB; p=0.9993")]).decode(), end="")
From joe Mon Jan  1 00:00:00 2026
X-Deciban: spam; 31.6 dB; p=0.9993
Subject: hi
<BLANKLINE>
hello

Tags that the message brought along are removed, because anybody can send them; SpamAssassin removes all
X-Spam fields for the same reason. The tags stand first, so that a reader that gives up at a broken line still
finds them. text/_tags.pyx says what a tag is, and where the head of a message ends.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> tags_of(spam)
[('X-Deciban', 'spam; 31.6 dB; p=0.9993'), ('X-Spam-Flag', 'YES'), ('X-Spam-Status', 'Yes, score=31.6')]
>>> tags_of(spam, bytes(16))[-1]
('X-Deciban-Id', '00000000000000000000000000000000')
>>> tags_of(spam.replaced(unsure=True))[0]
('X-Deciban', 'unsure; 31.6 dB; p=0.9993; rather spam')
>>> allowed = Verdict("ham", 0.00069, -31.6, spam.probabilities, unsure=False, otherwise=spam)
>>> [value for _, value in tags_of(allowed)]
['ham; allowed sender; otherwise spam; 31.6 dB; p=0.9993', 'NO', 'No']

Law: tagging a mail changes neither its digest nor a byte of its body. Bytes that are not a mail get a head
made of tags in front.
"""

from __future__ import annotations

from math import log10

from deciban.decibans import SPAM, probability_text
from deciban.text._tags import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.committee.verdict import Verdict


ID_FIELD = "X-Deciban-Id"


def tagged(message: bytes, tags: Iterable[tuple[str, str]]) -> bytes:
    """The message with these header fields in front, if any, and without such fields that it came with."""
    return with_fields(message, "".join(f"{name}: {value}\n" for name, value in tags).encode())


def tags_of(verdict: Verdict, identity: bytes = b"") -> list[tuple[str, str]]:
    """The header fields that say what the filter thinks; and the id of the journal's entry, if it has one."""
    is_spam = verdict.decision == SPAM
    # Mail that the user allowed must not end up among the spam when somebody sorts by the score.
    has_score = SPAM in verdict.probabilities and verdict.otherwise is None
    score = f", score={spam_decibans(verdict):.1f}" if has_score else ""
    return [
        ("X-Deciban", "; ".join(_tag_parts(verdict))),
        ("X-Spam-Flag", "YES" if is_spam else "NO"),
        ("X-Spam-Status", ("Yes" if is_spam else "No") + score),
        *([(ID_FIELD, identity.hex())] if identity else []),
    ]


def _tag_parts(verdict: Verdict) -> Iterator[str]:
    yield _header_word(verdict.decision)
    if verdict.otherwise is not None:
        otherwise, *rest = _tag_parts(verdict.otherwise)
        yield from ("allowed sender", f"otherwise {otherwise}", *rest)
    elif verdict.probability is not None:
        yield f"{verdict.decibans:.1f} dB"
        yield f"p={probability_text(verdict.probability)}"
        if verdict.unsure:
            yield f"rather {_header_word(verdict.label)}"


def spam_decibans(verdict: Verdict) -> float:
    """The evidence for spam against everything else: above 0 it is rather spam."""
    if verdict.label == SPAM and len(verdict.probabilities) == 2:
        return verdict.decibans  # exact also where p rounds to 1
    spam = verdict.probabilities[SPAM]
    good = sum(p for label, p in verdict.probabilities.items() if label != SPAM)
    least = 1e-30  # where exp() gave up
    return 10 * log10(max(spam, least) / max(good, least))


def _header_word(label: str) -> str:
    """A label in a header: ASCII as it is, everything else as an encoded word of RFC 2047.

    >>> _header_word("work"), _header_word("größer; als")
    ('work', '=?utf-8?q?gr=C3=B6=C3=9Fer=3B=20als?=')
    """
    if label.isascii() and label.isprintable() and ";" not in label:
        return label
    safe = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    text = "".join(chr(byte) if byte in safe else f"={byte:02X}" for byte in label.encode("utf-8", "replace"))
    return f"=?utf-8?q?{text}?="
