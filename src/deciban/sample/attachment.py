r"""Stand-ins for attached files: the first bytes are right, the rest means nothing.

>>> from deciban.sample.dice import Dice
>>> made("png", Dice("1"))[:4], kind_of("pdf")
(b'\x89PNG', 'application/pdf')
"""

from __future__ import annotations

from datetime import datetime

from deciban.sample.dice import Dice

_KINDS = {
    "pdf": ("application/pdf", b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"),
    "png": ("image/png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x020\x00\x00\x01@\x08\x02\x00\x00"),
    "jpg": ("image/jpeg", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x48\x00\x48\x00\x00"),
    "zip": ("application/zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"),
}  # fmt: skip


def kind_of(extension: str) -> str:
    """The content type of such a file."""
    return _KINDS[extension][0]


def made(extension: str, dice: Dice) -> bytes:
    """A file of such a kind, half a kilobyte to two."""
    return _KINDS[extension][1] + dice.bytes(dice.between(500, 2000))


def invitation(summary: str, organiser: str, guest: str, start: datetime, end: datetime, uid: str) -> str:
    """An iCalendar request; times are UTC."""
    begins, ends = (f"{time:%Y%m%dT%H%M%SZ}" for time in (start, end))
    return "\r\n".join(
        [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Quay Calendar//EN", "METHOD:REQUEST", "BEGIN:VEVENT",
            f"UID:{uid}", f"DTSTAMP:{begins}", f"DTSTART:{begins}", f"DTEND:{ends}", f"SUMMARY:{summary}",
            f"ORGANIZER:mailto:{organiser}", f"ATTENDEE;RSVP=TRUE:mailto:{guest}",
            "END:VEVENT", "END:VCALENDAR", "",
        ]
    )  # fmt: skip
