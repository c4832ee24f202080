"""Numbers, times and digests, as they are typed and as they are shown."""

from __future__ import annotations

import time

_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


def refused(message: str) -> Exception:
    """What the type of an argument raises to have its message shown."""
    from argparse import ArgumentTypeError  # by now it is loaded, or will be to tell

    return ArgumentTypeError(message)


def whole_number(text: str) -> int:
    """A number from 0 upwards.

    >>> whole_number("12")
    12
    """
    if not (text.isdecimal() and text.isascii()):
        raise refused(f"must be a whole number, 0 or more, got {text!r} instead")
    return int(text)


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "message"), counted(0, "message"), counted(1204, "message")
    ('1 message', '0 messages', '1,204 messages')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def signed(decibans: float) -> str:
    """Evidence for or against something, with a minus sign as wide as the plus.

    >>> signed(5.12), signed(-0.3), signed(-0.01)
    ('+5.1', '−0.3', '+0.0')
    """
    return f"{round(decibans, 1) + 0.0:+.1f}".replace("-", "−")


def share_text(part: float) -> str:
    """A share in percent, with the digits that tell small ones apart.

    >>> [share_text(part) for part in (0.0, 0.000012, 0.0004, 0.0123, 0.2, 1.0)]
    ['0%', '0.0012%', '0.04%', '1.23%', '20%', '100%']
    """
    percent = 100 * part
    digits = 2 if percent >= 0.01 or not percent else 4
    return f"{percent:.{digits}f}".rstrip("0").rstrip(".") + "%"


def percent(part: int, whole: int) -> str:
    """So many of so many, in percent; nothing of nothing is nothing.

    >>> percent(2, 1000), percent(0, 0)
    ('0.2%', '0%')
    """
    return share_text(part / whole if whole else 0.0)


def share(text: str) -> float:
    """A number from 0 to 1.

    >>> share("0.01")
    0.01
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise refused(f"must be a number from 0 to 1, got {text!r} instead")
    return number


def moment(text: str) -> float:
    """A day or a minute of the local time, in seconds since 1970.

    >>> moment("2026-03-02") == moment("2026-03-02T00:00")
    True
    """
    for form in _FORMS:
        try:
            return time.mktime(time.strptime(text, form))
        except (ValueError, OverflowError):
            continue
    raise refused(f"must be a date such as 2026-11-15 or 2026-11-15T18:30, got {text!r} instead")


def moment_text(seconds: float) -> str:
    """A moment as people write it, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def digest(text: str) -> bytes:
    r"""The digest of a message, as `status` and `classify --json` show it.

    >>> digest("548178c90c58e4a0e090322e990d21f0")[:2]
    b'T\x81'
    """
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != 16:
        raise refused(f"must be 32 hexadecimal digits, got {text!r} instead")
    return found
