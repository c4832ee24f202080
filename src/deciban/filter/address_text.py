r"""The address of a state as text: what a server answers with.

>>> from deciban.ledger.records import Address
>>> address_text(Address(b"\x1f\x0c", b"\x01", 7, b"\xa0\xb1"))
'1f0c:7:a0b1'
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.ledger.records import Address


def address_text(address: Address) -> str:
    """An address for people and programs: ledger, position and trail; the base stays with us.

    The base is a digest of settings and foundation, which a server hands out in no form.
    """
    return f"{address.ledger.hex()}:{address.position}:{address.trail.hex()}"
