"""Kept mail: the messages themselves, packed, for those who ask for it (`deciban prefer --keep-mail`).

By default a ledger holds no mail. Whoever wants to look again at what was taught has it kept beside the
lessons, for some days or for ever. It goes with its lesson: forgotten, relearned or folded, when its days
are over, and at once when nothing is to be kept any more.
"""

from __future__ import annotations

from time import time

from deciban.filter.preferences import ALWAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter.ledger import Ledger

SECONDS_A_DAY = 86_400


def keep(ledger: Ledger, digest: bytes, mail: bytes) -> None:
    """Keep the mail of a lesson; only while writing."""
    from zlib import compress

    ledger.execute("INSERT OR REPLACE INTO mails VALUES (?, ?, ?)", digest, int(time()), compress(mail))


def kept_mail(ledger: Ledger, digest: bytes) -> bytes | None:
    """The mail of a lesson, if it was kept."""
    from zlib import decompress, error

    from deciban.errors import DamagedLedger

    for (packed,) in ledger.execute("SELECT mail FROM mails WHERE digest = ?", digest):
        try:
            return decompress(packed)
        except error:
            raise DamagedLedger(f"{ledger.path} is damaged: a kept mail cannot be read.") from None
    return None


def kept_mails(ledger: Ledger) -> tuple[int, int]:
    """How many mails are kept, and the bytes that they take."""
    ((count, size),) = ledger.execute("SELECT count(*), coalesce(sum(length(mail)), 0) FROM mails")
    return count, size


def erase_old(ledger: Ledger, days: int) -> int:
    """Erase the mail whose days are over; how many there were. Only while writing."""
    if days == ALWAYS:
        return 0
    until = int(time()) - days * SECONDS_A_DAY if days else 1 << 62
    rows = ledger.execute("DELETE FROM mails WHERE kept < ? RETURNING 1", until)
    return len(rows)
