from typing import NamedTuple

class Header(NamedTuple):
    """One header field of the message or of one of its parts."""

    name: str
    """Lower-cased."""
    value: str
    """Unfolded, RFC 2047 decoded."""
    part: int
    """The number of the part whose header it is; 0 is the message itself."""
    place: tuple[int, int]
    """The field as a range of bytes of the canonical form."""

class Part(NamedTuple):
    """One node of the MIME tree; part 0 is the message itself, parents come before their children."""

    number: int
    parent: int
    """-1 for part 0."""
    depth: int
    kind: str
    """text, html, multipart, message or other."""
    media_type: str
    charset: str
    """As declared, lower-cased; empty if it was not."""
    codec: str
    """What the text was read as; empty if there is no text."""
    encoding: str
    """plain, base64, quoted-printable, uuencode or unknown."""
    disposition: str
    """inline, attachment, or empty."""
    file_name: str
    size: int
    """Bytes after the transfer decoding."""
    text: str
    hidden: str
    place: tuple[int, int]
    """The body, still encoded, as a range of bytes of the canonical form."""

class Link(NamedTuple):
    """One link of an HTML part."""

    kind: str
    """anchor, image, form or other."""
    target: str
    text: str
    """The visible text that an anchor covers."""
    part: int
