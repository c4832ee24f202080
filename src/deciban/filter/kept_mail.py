"""Kept mail: the messages themselves, packed, for those who ask for it (`deciban prefer --keep-mail`).

By default a ledger holds no mail. A user who wants to look again at what was taught can have it kept beside
the lessons, for some days or for ever. A mail is erased when its lesson is forgotten, relearned or folded,
when its days are over, and at once when the user wants no mail kept any more.
"""

from __future__ import annotations

from time import time

from deciban.filter.preferences import ALWAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.ledger.ledger import Ledger

SECONDS_A_DAY = 86_400


def keep(ledger: Ledger, digest: bytes, mail: bytes) -> None:
    """Keep the mail of a lesson; only while writing."""
    from zlib import compress

    from deciban.ledger.packed import MOST_MAIL_BYTES

    ledger.keep_mail(digest, int(time()), compress(mail[:MOST_MAIL_BYTES]))


def kept_mail(ledger: Ledger, digest: bytes) -> bytes | None:
    """The mail of a lesson, if it was kept."""
    from deciban.errors import DamagedLedger
    from deciban.ledger.packed import MOST_MAIL_BYTES, unpacked

    packed = ledger.kept_mail(digest)
    if packed is None:
        return None
    mail = unpacked(packed, MOST_MAIL_BYTES)
    if mail is None:
        raise DamagedLedger(f"{ledger.path} is damaged: a kept mail cannot be read.")
    return mail


def erase_old(ledger: Ledger, days: int) -> int:
    """Erase the mail whose days are over; how many there were. Only while writing."""
    if days == ALWAYS:
        return 0
    return ledger.erase_mails(int(time()) - days * SECONDS_A_DAY if days else 1 << 62)
