"""A verdict in the words of the command line, and as the header fields that mail programs sort by.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> verdict_line(spam)
'spam  31.6 dB  p=0.9993'
>>> tags_of(spam)
[('X-Deciban', 'spam; 31.6 dB; p=0.9993'), ('X-Spam-Flag', 'YES'), ('X-Spam-Status', 'Yes, score=31.6')]
>>> tags_of(spam.replaced(unsure=True))[0]
('X-Deciban', 'unsure; 31.6 dB; p=0.9993; rather spam')

Where the allow list decided, the verdict tells so, and what would have been said:

>>> allowed = Verdict("ham", 0.00069, -31.6, spam.probabilities, unsure=False, otherwise=spam)
>>> verdict_line(allowed)
'ham  allowed sender; otherwise spam  31.6 dB  p=0.9993'
>>> [value for _, value in tags_of(allowed)]
['ham; allowed sender; otherwise spam; 31.6 dB; p=0.9993', 'NO', 'No']
"""

from __future__ import annotations

from math import log10

from deciban.cli.terminal import harmless
from deciban.decibans import SPAM, UNSURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.filter import Verdict

# bogofilter's, so that what is written for it (procmail recipes, mutt macros) goes on working.
IS_SPAM, IS_GOOD, IS_UNSURE = 0, 1, 2


def exit_code(verdict: Verdict) -> int:
    """What the program that classified one message returns."""
    if verdict.unsure:
        return IS_UNSURE
    return IS_SPAM if verdict.label == SPAM else IS_GOOD


def decision(verdict: Verdict) -> str:
    """One word for what to do with the message: its label, or unsure."""
    return UNSURE if verdict.unsure else verdict.label


def verdict_line(verdict: Verdict, width: int = 0) -> str:
    """A verdict on one line, the decision padded to a width."""
    line = f"{harmless(decision(verdict)):{width}}"
    if verdict.probability is None:
        return line + "  nothing to choose between yet: teach at least two labels"
    if verdict.otherwise is not None:
        return f"{line}  {allowed_note(verdict.otherwise)}"
    rather = f"  rather {harmless(verdict.label)}" if verdict.unsure else ""
    return f"{line}  {verdict.decibans:.1f} dB  p={probability_text(verdict.probability)}{rather}"


def allowed_note(otherwise: Verdict) -> str:
    """Why it is good mail all the same, and what the filter would have said."""
    return f"allowed sender; otherwise {verdict_line(otherwise)}"


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """A verdict ready for JSON; docs/cli.md describes the fields."""
    return {
        "verdict": decision(verdict),
        "label": verdict.label,
        "unsure": verdict.unsure,
        "probability": verdict.probability,
        "decibans": verdict.decibans,
        "probabilities": verdict.probabilities,
        "otherwise": None if verdict.otherwise is None else verdict_record(verdict.otherwise),
    }


def tags_of(verdict: Verdict) -> list[tuple[str, str]]:
    """The header fields that say what the filter thinks."""
    is_spam = decision(verdict) == SPAM
    # Whoever sorts by the score must not find what the user allowed among the spam.
    has_score = SPAM in verdict.probabilities and verdict.otherwise is None
    score = f", score={spam_decibans(verdict):.1f}" if has_score else ""
    return [
        ("X-Deciban", "; ".join(_tag_parts(verdict))),
        ("X-Spam-Flag", "YES" if is_spam else "NO"),
        ("X-Spam-Status", ("Yes" if is_spam else "No") + score),
    ]


def _tag_parts(verdict: Verdict) -> Iterator[str]:
    yield _header_word(decision(verdict))
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


def probability_text(probability: float) -> str:
    """Four digits, and more where they would all be nines.

    >>> [probability_text(p) for p in (0.5, 0.99931, 0.99999876, 1.0)]
    ['0.5000', '0.9993', '0.9999988', '1']
    """
    if probability >= 1:
        return "1"
    digits = 4
    while round(probability, digits) == 1:
        digits += 1
    return f"{probability:.{digits if digits == 4 else digits + 1}f}"


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
