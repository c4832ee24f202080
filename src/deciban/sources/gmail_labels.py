r"""The labels that Gmail keeps of a message, in the mbox that Google Takeout makes.

A label may have any characters; with a comma in it, it is quoted, and beyond ASCII the field is encoded.

>>> gmail_labels(b"X-GM-THRID: 17\nX-Gmail-Labels: Inbox,Opened,\"Bills, paid\"\nSubject: x\n\nhi")
['Inbox', 'Opened', 'Bills, paid']
>>> gmail_labels(b"X-Gmail-Labels: =?UTF-8?Q?Posteingang,_Ge=C3=B6ffnet?=\n\n")
['Posteingang', 'Geöffnet']
>>> gmail_labels(b"Subject: hi\n\nX-Gmail-Labels: in the body")
[]
"""

from __future__ import annotations

import re

# Takeout writes it among the first fields; a head longer than this is an attack, not a mail.
_LONGEST_HEAD = 1 << 16
_FIELD = re.compile(rb"^x-gmail-labels:[ \t]*((?:[^\r\n]|\r?\n[ \t])*)", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")


def gmail_labels(message: bytes) -> list[str]:
    """The labels of a message in their order; none where Gmail was not asked."""
    start = message[:_LONGEST_HEAD]
    end = _HEAD_END.search(start)
    field = _FIELD.search(start[: end.start() + 1 if end else None])
    if field is None:
        return []
    import csv
    from email.errors import HeaderParseError
    from email.header import decode_header, make_header

    written = re.sub(rb"\r?\n[ \t]+", b" ", field[1]).decode("utf-8", "replace")
    try:
        text = str(make_header(decode_header(written)))
    except (HeaderParseError, LookupError, ValueError):
        text = written
    rows = list(csv.reader([text], skipinitialspace=True))
    return [label.strip() for row in rows for label in row if label.strip()]
