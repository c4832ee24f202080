r"""What a stream holds, told by its first bytes: file names lie, and standard input has none.

>>> recognise(b"From MAILER-DAEMON Thu Aug 22 12:36:23 2002\nSubject: hi\n")
'mbox'
>>> recognise(b"From: joe@example.org\nSubject: hi\n")
'message'
>>> recognise(b"\x1f\x8b\x08\x00")
'gzip'
"""

from __future__ import annotations

from deciban.sources._separator import is_separator

# A tar header is 512 bytes; a From_ line has its date well before that.
LOOK_AHEAD = 512

_OPENINGS = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
)
_ANY_OPENING = tuple(opening for opening, _ in _OPENINGS)
PACKED = frozenset({"gzip", "bzip2", "xz"})
ARCHIVES = frozenset({"tar", "zip", "zstd", "7z", "rar"}) | PACKED

# Files that often lie beside mail and are certainly none. Folders and archives pass them over with a word;
# a file that the user names himself is read whatever it is.
_NOT_MAIL = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an Office document or an Outlook message"),
    (b"!BDN", "an Outlook data file"),
)
_ANY_NOT_MAIL = tuple(opening for opening, _ in _NOT_MAIL)


def recognise(head: bytes) -> str:
    """One of mbox, tar, gzip, bzip2, xz, zip, zstd, 7z, rar or, for anything else, message."""
    if head.startswith(b"From "):
        return "mbox" if is_separator(head) else "message"
    if head.startswith(_ANY_OPENING):
        return next(kind for opening, kind in _OPENINGS if head.startswith(opening))
    if head[257:262] == b"ustar":
        return "tar"
    return "message"


def not_mail(head: bytes) -> str | None:
    """What the file is instead of mail or text, where its first bytes leave no doubt.

    >>> not_mail(b"%PDF-1.7"), not_mail(b"Subject: hi")
    ('a PDF document', None)
    """
    if not head.startswith(_ANY_NOT_MAIL):
        return None
    return next(name for opening, name in _NOT_MAIL if head.startswith(opening))
