r"""From any bytes to a `Message`: headers, parts, visible and hidden text, links, facts.

>>> from deciban.text import read
>>> message = read(b"Subject: =?utf-8?q?Caf=C3=A9?=\nContent-Type: text/html\n\n<p>Come <b>in</b>!<p>Free")
>>> message.header("subject"), message.text
('Café', 'Come in!\nFree')
"""

from deciban.errors import NotBuilt

try:
    from deciban.text._hashing import FORMAT
    from deciban.text._reader import Message, read, read_many
except ModuleNotFoundError as missing:  # an .so that was never built; any other failure is not ours to hide
    if missing.name is None or not missing.name.startswith("deciban.text._"):
        raise
    raise NotBuilt(
        f"{missing.name} is not built. Run: pip install --editable . (needs gcc and the Python headers)."
    ) from None

from deciban.text.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.text.pieces import Header, Link, Part
    from deciban.text.views import FeatureSet, Views, extract, trace

__all__ = [
    "FORMAT",
    "FeatureSet",
    "Header",
    "Limits",
    "Link",
    "Message",
    "Part",
    "Views",
    "extract",
    "read",
    "read_many",
    "trace",
]


def __getattr__(name: str) -> object:
    """The pieces and the views, on demand: views import typing and with it re, as much as starting Python."""
    found: object
    if name in ("Header", "Link", "Part"):
        from deciban.text import pieces

        found = getattr(pieces, name)
    elif name in ("FeatureSet", "Views", "extract", "trace"):
        from deciban.text import views

        found = getattr(views, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
