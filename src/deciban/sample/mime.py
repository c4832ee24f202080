r"""Writes MIME byte for byte: header fields, encoded words, parts, multiparts.

The standard library's ``email`` package could do it, but where it folds a line and when it prefers base64
changes between versions of Python, and the sample mailbox is to be the same everywhere.

>>> field("Subject", "Grüße vom Hafen", "iso-8859-1", "q")
b'Subject: =?iso-8859-1?q?Gr=FC=DFe_vom_Hafen?=\n'
>>> text_part("plain", "Grüße\n", "utf-8", "quoted-printable").body
b'Gr=C3=BC=C3=9Fe\n'
"""

from __future__ import annotations

import base64
import quopri

from deciban.value import Value

_LONGEST_LINE = 76
_LONGEST_WORD = 66  # 75 are allowed, but "Subject: " shall fit on the same line


class MimePart(Value):
    """One MIME part: the fields that describe it, and its encoded body."""

    fields: tuple[tuple[str, str], ...]
    body: bytes

    def written(self) -> bytes:
        """Header, an empty line, body."""
        return b"".join(field(name, value) for name, value in self.fields) + b"\n" + self.body


def field(name: str, value: str, charset: str = "utf-8", letter: str = "b") -> bytes:
    """A header field, folded; encoded where it is not ASCII."""
    words = value.split(" ") if value.isascii() else _encoded_words(value, charset, letter)
    lines = [f"{name}:"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > _LONGEST_LINE and lines[-1] != f"{name}:":
            lines.append("")
        lines[-1] += " " + word
    return ("\n".join(lines) + "\n").encode("ascii")


def mailbox(name: str, address: str, charset: str = "utf-8", letter: str = "b") -> str:
    """``name <address>`` with the name quoted or encoded as needed.

    >>> mailbox("Ines Calder", "ines@post.example"), mailbox("Calder, Ines", "ines@post.example")
    ('Ines Calder <ines@post.example>', '"Calder, Ines" <ines@post.example>')
    """
    if not name:
        return address
    if not name.isascii():
        # Some readers keep the space between encoded words, which would split the name; base64 is shorter.
        words = _encoded_words(name, charset, letter)
        return " ".join(words if len(words) == 1 else _encoded_words(name, charset, "b")) + f" <{address}>"
    quoted = f'"{name}"' if any(mark in name for mark in ',.:;()@"') else name
    return f"{quoted} <{address}>"


def _encoded_words(value: str, charset: str, letter: str) -> list[str]:
    words, start = [], 0
    for end in range(1, len(value) + 1):
        if end == len(value) or len(_encoded_word(value[start : end + 1], charset, letter)) > _LONGEST_WORD:
            words.append(_encoded_word(value[start:end], charset, letter))
            start = end
    return words


def _encoded_word(text: str, charset: str, letter: str) -> str:
    raw = text.encode(charset)
    if letter == "b":
        return f"=?{charset}?b?{base64.b64encode(raw).decode()}?="
    return f"=?{charset}?q?{''.join(map(_quoted_byte, raw))}?="


def _quoted_byte(byte: int) -> str:
    if byte == ord(" "):
        return "_"
    return chr(byte) if byte < 128 and chr(byte).isalnum() else f"={byte:02X}"


def text_part(subtype: str, text: str, charset: str, encoding: str) -> MimePart:
    """A text in a charset and a transfer encoding."""
    raw = text.encode(charset)
    if encoding == "base64":
        raw = base64.encodebytes(raw)
    elif encoding == "quoted-printable":
        raw = quopri.encodestring(raw)
    content = ("Content-Type", f'text/{subtype}; charset="{charset}"')
    return MimePart((content, ("Content-Transfer-Encoding", encoding)), raw)


def file_part(kind: str, name: str, data: bytes, disposition: str = "attachment", id: str = "") -> MimePart:  # noqa: A002
    """A file, in base64; with an ``id`` that HTML can show it by."""
    if name.isascii():
        shown = f'filename="{name}"'
    else:
        shown = "filename*=utf-8''" + "".join(f"%{byte:02X}" for byte in name.encode())
    fields = [
        ("Content-Type", kind),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-Disposition", f"{disposition}; {shown}"),
    ]
    if id:
        fields.append(("Content-ID", f"<{id}>"))
    return MimePart(tuple(fields), base64.encodebytes(data))


def multipart(subtype: str, parts: list[MimePart], boundary: str) -> MimePart:
    """Parts between boundaries."""
    rule = b"--" + boundary.encode()
    body = b"".join(rule + b"\n" + part.written() + b"\n" for part in parts) + rule + b"--\n"
    return MimePart((("Content-Type", f'multipart/{subtype}; boundary="{boundary}"'),), body)
