"""A place in a list that runs from new to old: what comes behind it is the next page.

It is the time and the id of the last item that was seen. So a list can be read page by page while items are
added in front or removed anywhere: none comes twice, and none is left out.

>>> cursor = Cursor(1_794_898_800_000_000, bytes.fromhex("7a90c2b7e6354f1d8a90c2b7e6354f1d"))
>>> cursor.text()
'1794898800000000-7a90c2b7e6354f1d8a90c2b7e6354f1d'
>>> Cursor.of_text(cursor.text()) == cursor
True
>>> Cursor.of_text("yesterday")
Traceback (most recent call last):
deciban.errors.WrongUsage: a cursor is what the page before gave, got 'yesterday' instead
"""

from __future__ import annotations

from deciban.errors import WrongUsage
from deciban.value import Value

# Nothing is later.
_LATEST = 1 << 62


class Cursor(Value):
    """Behind which item a page begins."""

    moment: int
    """In microseconds since 1970."""
    id: bytes = b""
    """The id of an entry, or the digest of a lesson: several items may be of one moment."""

    @classmethod
    def of_text(cls, text: str) -> Cursor:
        """The cursor that `text` wrote."""
        moment, _, identity = text.partition("-")
        try:
            if not (moment.isascii() and moment.isdecimal() and len(moment) < 20 and len(identity) <= 64):
                raise ValueError
            return cls(min(int(moment), _LATEST), bytes.fromhex(identity))
        except ValueError:
            shown = text if len(text) <= 100 else text[:100] + "…"
            raise WrongUsage(f"a cursor is what the page before gave, got {shown!r} instead") from None

    def text(self) -> str:
        """What is handed out."""
        return f"{self.moment}-{self.id.hex()}"


START = Cursor(_LATEST)
