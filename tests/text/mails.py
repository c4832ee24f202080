"""Strategies that make mail: by grammar (`mails`), broken on purpose (`broken_mails`), or any bytes.

A mail of the grammar is well-formed: a header with encoded words and folded lines, a MIME tree with text,
HTML and attachments in any charset and transfer encoding. `broken_mails` takes one and cuts, doubles, swaps
or overwrites pieces of it, with a taste for the places where readers break: boundaries, header ends,
base64, charset names.
"""

import base64
import quopri
from dataclasses import dataclass

from hypothesis import strategies as st

CHARSETS = (
    "us-ascii", "utf-8", "iso-8859-1", "windows-1252", "gb18030", "big5", "euc-kr", "iso-2022-jp", "koi8-r",
    "utf-16",
)  # fmt: skip

# Pieces that steer a reader into its corners; the fuzzer uses them too.
TOKENS = (
    b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n ", b":", b"From ", b"\n>From ", b"\n\nFrom me\n", b"--",
    b"\n--x\n", b"\n--x--\n", b"Content-Type: multipart/mixed; boundary=x\n",
    b'Content-Type: multipart/digest; boundary="y"\n', b"Content-Type: message/rfc822\n",
    b"Content-Type: text/html; charset=gb2312\n", b"Content-Type: text/plain; charset=zlib\n",
    b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Transfer-Encoding: x-uuencode\n", b"begin 644 a\n#0V%T\n`\nend\n",
    b"Content-Disposition: attachment; filename*0*=utf-8''%e2%82; filename*1*=%ac\n", b'; name="',
    b"; charset=", b"=?utf-8?q?=C3?= =?utf-8?q?=A9?=", b"=?gb2312?b?0ru49g==?=", b"=?", b"?=", b"?q?", b"=",
    b"=3D", b"=\n", b"====", b"Zm9v", b"\x1b$B", b"\x1b(B", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"\xc3\xa9", b"\xe9", b"\xd6\xd0\xce\xc4", b"\x00", b"\x80", b"<html>", b"<!--", b"-->", b"<script>",
    b"</script>", b'<a href="http://a.example/?b=1&amp;c">', b"</a>", b"<", b">", b"'", b'"',
    b'<p style="display:none">', b"</p>", b"<font color=white>", b"<td bgcolor='#fff'>", b"<img alt=x src=",
    b"&#x41;", b"&nbsp", b"&#55296;", b"X-Spam-Flag: YES\n", b"X-Deciban", b"Status: RO\n", b"Subject: hi\n",
    b"Received: by a with LMTP; now\n",
)  # fmt: skip

words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)
foreign = st.sampled_from(
    [
        "Grüße aus Köln",
        "日本語のテキストです",
        "这是一封普通的中文邮件",
        "Привет, как дела",
        "안녕하세요 여러분",
        "naïve café",
        "🙂 smile",
    ]
)
file_names = st.one_of(
    words.map(lambda name: name + ".pdf"),
    st.sampled_from(["Überweisung.pdf", "发票.zip", 'a "b".txt', "a;b=c.doc"]),
)


@dataclass(frozen=True)
class Mail:
    """A made-up mail: its bytes, and what a reader must find in it."""

    raw: bytes
    subject: str
    texts: tuple[str, ...]
    file_names: tuple[str, ...]


def encoded_word(text: str, charset: str, letter: str) -> str:
    """One RFC 2047 encoded word."""
    raw = text.encode(charset)
    if letter == "b":
        return f"=?{charset}?b?{base64.b64encode(raw).decode()}?="
    return f"=?{charset}?q?{''.join(f'={byte:02X}' for byte in raw)}?="


@st.composite
def subjects(draw: st.DrawFn) -> tuple[str, str]:
    """A subject as it reads and as it is written."""
    text = draw(st.one_of(sentences, foreign))
    if text.isascii() and draw(st.booleans()):
        return text, text.replace(" ", "\n ") if draw(st.booleans()) else text
    letter = draw(st.sampled_from("bq"))
    half = len(text) // 2
    return text, encoded_word(text[:half], "utf-8", letter) + "\n " + encoded_word(
        text[half:], "utf-8", letter
    )


def fits(text: str, charset: str) -> bool:
    """Whether a text can be written in a charset; Python's big5 has kana where no one else has them."""
    try:
        return text.encode(charset).decode("big5hkscs" if charset == "big5" else charset) == text
    except UnicodeError:
        return False


@st.composite
def leaves(draw: st.DrawFn) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    """A part without parts: its header and body, its texts, its file names."""
    if draw(st.integers(0, 3)) == 0:
        name = draw(file_names)
        if name.isascii():
            parameter = 'filename="' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        else:
            parameter = "filename*=utf-8''" + "".join(f"%{byte:02X}" for byte in name.encode())
        body = base64.encodebytes(draw(st.binary(max_size=200)))
        head = f"Content-Type: application/octet-stream\nContent-Disposition: attachment; {parameter}\n"
        return head.encode() + b"Content-Transfer-Encoding: base64\n\n" + body, (), (name,)
    text = draw(st.one_of(sentences, foreign))
    charset = draw(st.sampled_from(CHARSETS).filter(lambda charset: fits(text, charset)))
    html = draw(st.booleans())
    raw = (f"<html><body><p>{text}</p></body></html>" if html else text).encode(charset)
    head = f"Content-Type: text/{'html' if html else 'plain'}; charset={charset}\n"
    encoding = draw(st.sampled_from(["base64", "quoted-printable", "8bit"]))
    if charset == "utf-16":
        encoding = "base64"  # its bytes look like line ends
    if encoding == "base64":
        raw = base64.encodebytes(raw)
    elif encoding == "quoted-printable":
        raw = quopri.encodestring(raw)
    return f"{head}Content-Transfer-Encoding: {encoding}\n\n".encode() + raw, (text,), ()


@st.composite
def entities(draw: st.DrawFn, depth: int = 3) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    """A MIME part of any kind, at most `depth` levels deep."""
    kind = draw(st.sampled_from(["leaf", "leaf", "multipart", "message"])) if depth else "leaf"
    if kind == "leaf":
        return draw(leaves())
    if kind == "message":
        inner, texts, names = draw(entities(depth - 1))
        return b"Content-Type: message/rfc822\n\nSubject: inner\n" + inner, texts, names
    boundary = draw(words) + str(depth)
    children = draw(st.lists(entities(depth - 1), min_size=1, max_size=3))
    raw = f'Content-Type: multipart/mixed; boundary="{boundary}"\n\n'.encode()
    raw += b"".join(b"--" + boundary.encode() + b"\n" + child[0] + b"\n" for child in children)
    raw += b"--" + boundary.encode() + b"--\n"
    return raw, sum((child[1] for child in children), ()), sum((child[2] for child in children), ())


@st.composite
def mails(draw: st.DrawFn) -> Mail:
    """A well-formed mail."""
    subject, written = draw(subjects())
    others = draw(
        st.lists(
            st.sampled_from(["X-Mailer: pine", "To: you@example.org", "Received: from a by b"]), max_size=3
        )
    )
    body, texts, names = draw(entities())
    header = "\n".join(["From: me@example.org", *others, f"Subject: {written}", "MIME-Version: 1.0"]).encode()
    return Mail(header + b"\n" + body, subject, texts, names)


@st.composite
def broken_mails(draw: st.DrawFn) -> bytes:
    """A mail with a few pieces cut, doubled, swapped or overwritten."""
    raw = draw(mails()).raw
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted((draw(st.integers(0, len(raw))), draw(st.integers(0, len(raw)))))
        raw = draw(
            st.sampled_from(
                [
                    raw[:start] + raw[end:],
                    raw[:end] + raw[start:end] + raw[end:],
                    raw[start:] + raw[:start],
                    raw[:start] + draw(st.sampled_from(TOKENS)) + raw[start:],
                    raw[:start] + draw(st.binary(max_size=8)) + raw[min(end, start + 8) :],
                    raw[:end],
                ]
            )
        )
    return raw


any_bytes = st.one_of(
    st.binary(max_size=300), st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join), broken_mails()
)


def delivered(raw: bytes, tagged: bool, crlf: bool, mbox: bool) -> bytes:
    """The same mail after a filter tagged it and it was stored."""
    if tagged:
        raw = b"X-Spam-Status: Yes, score=9\n\ttests=A,B\nX-Deciban: spam 31.4\n" + raw
        raw = (
            b"Return-Path: <me@example.org>\nDelivered-To: you@example.org\n"
            b"Received: by host with LMTP id 7;\n\tnow\n" + raw
        )
        raw = raw.replace(b"\nSubject:", b"\nX-Bogosity: Ham\nStatus: RO\nX-UID: 17\nSubject:", 1)
    if mbox:
        lines = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in raw.split(b"\n")]
        raw = b"From me@example.org Mon Jan  1 00:00:00 2024\n" + b"\n".join(lines) + b"\n\n"
    return raw.replace(b"\n", b"\r\n") if crlf else raw
