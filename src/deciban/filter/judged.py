r"""Verdicts, and the address of the state that gave them: what a server answers with.

>>> from deciban.ledger.records import Address
>>> address_text(Address(b"\x1f\x0c", b"\x01", 7, b"\xa0\xb1"))
'1f0c:7:a0b1'
"""

from __future__ import annotations

from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.verdict import Verdict
    from deciban.ledger.records import Address


class Judged(Value):
    """What one state made of some messages."""

    verdicts: list[Verdict]
    address: Address


def address_text(address: Address) -> str:
    """An address for people and programs: ledger, position and trail; the base stays with us.

    The base is a digest of settings and foundation, which a server hands out in no form.
    """
    return f"{address.ledger.hex()}:{address.position}:{address.trail.hex()}"
