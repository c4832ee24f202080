"""The line that separates two messages of an mbox: ``From sender date``.

The four mbox formats (mboxo, mboxrd, mboxcl, mboxcl2) differ in how they keep a line of the text that
begins with ``From `` from looking like one. Here a separator must stand after an empty line, which
`mbox.py` sees to, and hold a date: weekday, month, day, time, and a year thereafter.

>>> is_separator(b"From joe@example.org Thu Aug 22 12:36:23 2002")
True
>>> is_separator(b"From 1594859898984@xxx Thu Jul 16 00:38:18 +0000 2020")    # Google Takeout
True
>>> is_separator(b"From - Thu Aug 22 12:36:23 2002"), is_separator(b"From then on it was Thu Aug 22")
(True, False)
"""

from __future__ import annotations

_WEEKDAYS = frozenset(b"Mon Tue Wed Thu Fri Sat Sun".split())
_MONTHS = frozenset(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())

# A longer line is text: the longest address that SMTP allows has 254 bytes.
LONGEST = 1_000


def is_separator(line: bytes) -> bool:
    """Whether the line, given without its end, is ``From sender date``."""
    if not line.startswith(b"From ") or len(line) > LONGEST:
        return False
    words = line.split()
    # From behind, where the date stands in nearly every mbox.
    for at in range(len(words) - 5, 0, -1):
        if words[at] in _WEEKDAYS and words[at + 1] in _MONTHS and _is_moment(*words[at + 2 : at + 8]):
            return True
    return False


def _is_moment(day: bytes, time: bytes, *rest: bytes) -> bool:
    if not (day.isdigit() and len(day) <= 2 and _is_time(time)):
        return False
    # A zone of one or two words may stand before the year; UUCP adds "remote from host" behind it.
    for word in rest:  # noqa: SIM110 (a generator takes three times as long)
        if len(word) == 4 and word.isdigit():
            return True
    return False


def _is_time(word: bytes) -> bool:
    """Whether the word is digits and one or two colons."""
    digits = word.replace(b":", b"", 2)
    return digits.isdigit() and len(digits) < len(word) and not word.startswith(b"::")


def without_separator(buffer: bytes, start: int, stop: int) -> bytes:
    """The message without its ``From `` line and without the empty line that ends it in an mbox."""
    first = buffer.find(b"\n", start, stop) + 1
    if first == 0:
        return b""
    if buffer.endswith(b"\n\n", first - 1, stop):
        stop -= 1
    elif buffer.endswith(b"\n\r\n", first - 1, stop):
        stop -= 2
    return buffer[first:stop]
