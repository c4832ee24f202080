"""Mail that was made to hurt its reader: each attack by name, as large as one asks for.

`attack(size)` answers about `size` bytes (within a constant factor), so that doubling the size doubles the
input.
"""

from collections.abc import Callable

TEXT = b"Subject: x\nContent-Type: text/plain\n\n"
HTML = b"Subject: x\nContent-Type: text/html\n\n"
MIXED = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n"


def repeated(piece: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    """The same piece again and again."""
    return lambda size: before + piece * (size // len(piece)) + after


def encoded(encoding: bytes, piece: bytes) -> Callable[[int], bytes]:
    """The same piece again and again under a transfer encoding."""
    return repeated(piece, b"Subject: x\nContent-Transfer-Encoding: " + encoding + b"\n\n")


def charset(name: bytes, piece: bytes) -> Callable[[int], bytes]:
    """The same piece again and again under a charset."""
    return repeated(piece, b"Subject: x\nContent-Type: text/plain; charset=" + name + b"\n\n")


def nested_multiparts(size: int) -> bytes:
    """A multipart in a multipart in a multipart …, each with a boundary of its own."""
    levels = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
        for level in range(size // 60)
    )
    return b"Subject: x\n" + levels + b"\ndeep\n"


def strangers_in_the_deep(size: int) -> bytes:
    """Boundary lines of no one, inside of many open multiparts: each is compared with all of them."""
    return nested_multiparts(size // 2) + b"--stranger\n" * (size // 22)


ATTACKS: dict[str, Callable[[int], bytes]] = {
    "millions of tiny parts": repeated(b"--b\n\n\n", MIXED),
    "tiny parts without an empty line": repeated(b"--b\n", MIXED),
    "nested multiparts": nested_multiparts,
    "strangers in the deep": strangers_in_the_deep,
    "nested multiparts of one boundary": repeated(
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n", b"Subject: x\n"
    ),
    "nested messages": repeated(b"Content-Type: message/rfc822\n\n", b"Subject: x\n"),
    "lines that are almost boundaries": repeated(b"--bb\n", MIXED),
    "a line of dashes": repeated(b"-", MIXED),
    "lines of dashes": repeated(b"--\n", MIXED),
    "closing boundaries": repeated(b"--b--\n", MIXED),
    "one long header": repeated(b"a", b"Subject: "),
    "one long header without a colon": repeated(b"a"),
    "one long folded header": repeated(b"\n a", b"Subject: x"),
    "many headers": repeated(b"A: b\n", b"Subject: x\n"),
    "many known headers": repeated(b"To: b\n"),
    "many added headers": repeated(b"X-Spam: b\n", b"Subject: x\n"),
    "many content types": repeated(b"Content-Type: x\n", b"Subject: x\n"),
    "one header with many hops": repeated(b"with ", b"Received: "),
    "headers of nothing but colons": repeated(b":", b"Subject:"),
    "encoded words": repeated(b"=?utf-8?q?=C3=A9?= ", b"Subject: "),
    "encoded words that never end": repeated(b"=?utf-8?q?", b"Subject: "),
    "encoded words with one end for all": repeated(b"=?utf-8?q?", b"Subject: ", b"?="),
    "encoded words that only begin": repeated(b"=?", b"Subject: "),
    "ends of encoded words": repeated(b"?=", b"Subject: =?"),
    "encoded words in made-up charsets": repeated(b"=?made-up?b?AAAA?= ", b"Subject: "),
    "blanks between encoded words": repeated(b" ", b"Subject: =?utf-8?q?a?=", b"=?utf-8?q?a?="),
    "parameters": repeated(b"; a=b", b"Content-Type: text/plain"),
    "parameters that never end": repeated(b'; a="', b"Content-Type: text/plain"),
    "sections of a parameter": repeated(b"; name*0*=a''%41", b"Content-Type: text/plain"),
    "semicolons": repeated(b";", b"Content-Type: text/plain"),
    "angle brackets": repeated(b"<", HTML),
    "tags without end": repeated(b"<a ", HTML),
    "nested elements": repeated(b"<div>", HTML),
    "end tags": repeated(b"</div>", HTML),
    "end tags without end": repeated(b"</div ", HTML),
    "comments without end": repeated(b"<!--", HTML),
    "declarations without end": repeated(b"<!", HTML),
    "scripts without end": repeated(b"<script>", HTML),
    "a script with many false ends": repeated(b"</scrip", HTML + b"<script>"),
    "quotes without end": repeated(b'<a href="', HTML),
    "two kinds of quotes without end": repeated(b"<a b='c d=\"e>", HTML),
    "attributes": repeated(b" a=b", HTML + b"<p"),
    "blanks in a tag": repeated(b" ", HTML + b"<p"),
    "equals signs in a tag": repeated(b"= ", HTML + b"<p a"),
    "hidden elements": repeated(b'<p style="display:none">x', HTML),
    "coloured cells": repeated(b"<td bgcolor=red><font color=red>x", HTML),
    "declarations of style": repeated(b"color:red;", HTML + b'<p style="', b'">'),
    "links": repeated(b"<a href=x>y</a>", HTML),
    "entities": repeated(b"&amp;", HTML),
    "entities without end": repeated(b"&", HTML),
    "numbers without end": repeated(b"&#x1", HTML),
    "broken base64": encoded(b"base64", b"AA*"),
    "base64 of padding": encoded(b"base64", b"="),
    "base64 with a padding everywhere": encoded(b"base64", b"A="),
    "broken quoted-printable": encoded(b"quoted-printable", b"="),
    "quoted-printable with blanks": encoded(b"quoted-printable", b"= "),
    "uuencoded lines that promise too much": encoded(b"x-uuencode", b"begin 6 a\nM\nM\nM\n"),
    "a made-up charset": charset(b"made-up", b"\xe9 "),
    "a codec that is no charset": charset(b"zlib_codec", b"x\x9c"),
    "lone surrogates": charset(b"utf-8", b"\xed\xa0\x80"),
    "UTF-8 that always begins": charset(b"utf-8", b"\xf4"),
    "undeclared 8-bit bytes": charset(b"", b"\xd6\xd0 \xe9"),
    "wrong GB2312": charset(b"gb2312", b"\x81 "),
    "escapes": charset(b"iso-2022-jp", b"\x1b$B\x1b(B"),
    "UTF-7": charset(b"utf-7", b"+2AA-"),
    "one word": repeated(b"a", TEXT),
    "NUL bytes": repeated(b"\0", TEXT),
    "nothing but NUL bytes": repeated(b"\0"),
    "carriage returns": repeated(b"\r", TEXT),
    "doubled carriage returns": repeated(b"\r\r\n", TEXT),
    "empty lines": repeated(b"\n", TEXT, b"x"),
    "quotes before From": repeated(b">", TEXT, b"From "),
    "quoted From lines": repeated(b"\n>From ", TEXT),
    "quoted From within a line": repeated(b">From ", TEXT),
    "mbox lines": repeated(b"From a\n", b"", b"Subject: x\n"),
    "mbox lines and no mail": repeated(b"From a\n"),
}
