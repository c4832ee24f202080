r"""Labels: what may be one, and which spellings are one label.

Labels are compared without case and outer space; the first spelling taught is the one that is shown. `spam`
is spam however it is written: if ``Spam`` were a label of its own, it would be a label of *good* mail.

>>> label_of(" Work "), label_of("SPAM"), key_of("Straße") == key_of(" STRASSE")
('Work', 'spam', True)
>>> label_of("Unsure")
Traceback (most recent call last):
deciban.errors.BadLabel: 'Unsure' is what the filter says when it cannot decide. Choose another label.
>>> spellings(["Work", "ham", "work", "Spam"])
{'Work': 'Work', 'ham': 'ham', 'work': 'Work', 'Spam': 'spam'}
"""

from __future__ import annotations

from deciban._exponentials import log_sum
from deciban.decibans import SPAM, UNSURE
from deciban.errors import BadLabel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Words that others use for spam; here each would be a label of good mail.
LIKE_SPAM = frozenset({"junk", "bulk"})
# What a state has room for (see _committee_buffer.pyx).
MOST_BYTES = 64
# Control and format characters, lone surrogates, separators of lines and paragraphs.
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def label_of(text: str) -> str:
    """The label that somebody means, as it is shown; refused if it cannot be one."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadLabel(f"The label {text!r} is not text in UTF-8. Type it in UTF-8, or in plain letters.")
    label = shown(text)
    if not label or _has_refused(label) or len(label.encode()) > MOST_BYTES:
        raise BadLabel(
            f"A label has 1 to {MOST_BYTES} bytes in UTF-8 and no control characters, got {text!r} instead."
        )
    if key_of(label) == UNSURE:
        raise BadLabel(f"{text!r} is what the filter says when it cannot decide. Choose another label.")
    return label


def key_of(text: str) -> str:
    """What is compared of a label: it is the same for every spelling."""
    if text.isascii():
        return text.strip().casefold()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFD", text.strip()).casefold())


def shown(text: str) -> str:
    """A label without outer space, in composed characters, and `spam` as the one word for it."""
    if key_of(text) == SPAM:
        return SPAM
    if text.isascii():
        return text.strip()
    from unicodedata import normalize

    return normalize("NFC", text.strip())


def spellings(labels: Iterable[str]) -> dict[str, str]:
    """Each label with the spelling that is shown for it: that of the first with its key."""
    first: dict[str, str] = {}
    return {label: first.setdefault(key_of(label), shown(label)) for label in labels}


def united(totals: Mapping[str, float]) -> dict[str, float]:
    """The totals of a judge, in nats, with several spellings as one label: their probabilities are added.

    A state may have several spellings if its lessons were folded or published by an early version.

    >>> {label: round(total, 3) for label, total in united({"Work": 1.0, "ham": 2.0, "work": 1.0}).items()}
    {'Work': 1.693, 'ham': 2.0}
    """
    spelled = spellings(totals)
    found: dict[str, float] = {}
    for label, total in totals.items():
        name = spelled[label]
        found[name] = log_sum((found[name], total)) if name in found else total
    return found


def _has_refused(label: str) -> bool:
    if label.isascii():
        return not label.isprintable()
    from unicodedata import category

    return any(category(character) in _REFUSED for character in label)
