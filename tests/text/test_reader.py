"""What the reader finds in a message: one test for each thing that mail does."""

import pytest
from hypothesis import given

from deciban.text import Limits, Message, read
from tests.text.mails import Mail, any_bytes, mails

SMALL = Limits(bytes=2_000, headers=5, header_bytes=100, parts=4, depth=2, text_bytes=50, links=2)


def mail(*lines: str | bytes) -> Message:
    return read(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))


def html(source: str) -> Message:
    return mail("Subject: x", "Content-Type: text/html; charset=utf-8", "", source)


def check_integrity(message: Message, limits: Limits) -> None:
    """What holds for every message, however broken."""
    parts = message.parts
    assert 1 <= len(parts) <= max(limits.parts, 1)
    assert len(message.canonical) <= limits.bytes + 1
    assert len(message.headers) <= limits.headers
    assert len(message.links) <= limits.links
    assert len(message.text.encode()) <= limits.text_bytes
    assert isinstance(
        message.hidden + "".join(message.markup), str
    )  # all strings are valid UTF-8, or these would raise
    for part in parts:
        assert part.parent < part.number
        assert part.depth <= limits.depth + 1
        assert 0 <= part.place[0] <= part.place[1] <= len(message.canonical)
        assert part.text in message.text
    for header in message.headers:
        assert 0 <= header.part < len(parts)
        assert header.name == header.name.lower()
        assert header.place[1] - header.place[0] <= limits.header_bytes
    assert all(count > 0 for count in message.facts.values())
    assert len(message.digest) == 16


@given(any_bytes)
def test_any_bytes_are_read(raw: bytes) -> None:
    check_integrity(read(raw), Limits())


@given(any_bytes)
def test_small_limits_are_kept_on_any_bytes(raw: bytes) -> None:
    check_integrity(read(raw, SMALL), SMALL)


@given(mails())
def test_a_well_formed_mail_is_read_as_it_was_written(made: Mail) -> None:
    message = read(made.raw)
    assert message.is_mail
    assert message.header("Subject") == made.subject
    assert [part.text.strip() for part in message.parts if part.codec] == list(made.texts)
    assert [part.file_name for part in message.attachments] == list(made.file_names)


@given(any_bytes)
def test_reading_the_canonical_form_again_changes_nothing(raw: bytes) -> None:
    message = read(raw)
    again = read(message.canonical)
    if message.is_mail:
        assert again.canonical == message.canonical
        assert (again.text, again.headers, again.links) == (message.text, message.headers, message.links)


def test_nothing_at_all_is_an_empty_document() -> None:
    message = read(b"")
    assert (message.is_mail, message.text, message.canonical, message.headers) == (False, "", b"", ())


def test_bytearrays_and_memoryviews_are_read_like_bytes() -> None:
    raw = b"Subject: x\n\nhello\n"
    assert read(bytearray(raw)).digest == read(memoryview(raw)).digest == read(raw).digest


def test_a_single_subject_line_makes_a_mail_and_a_note_is_none() -> None:
    assert mail("Subject: hello", "world").is_mail
    assert not mail("Todo: milk", "", "and bread").is_mail
    assert mail("Todo: milk", "", "and bread").text == "Todo: milk\n\nand bread\n"


def test_a_header_block_that_ends_without_an_empty_line_is_noted() -> None:
    message = mail("Subject: hello", "introducing", "hgh")
    assert message.text == "introducing\nhgh\n"
    assert message.facts["broken_header"] == 1


def test_folded_and_repeated_fields_keep_their_order() -> None:
    message = mail("Received: one", "Received: two\n\tand more", "Subject: a", "", "")
    assert [header.value for header in message.headers] == ["one", "two and more", "a"]
    assert message.facts["received"] == 2


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("=?utf-8?q?caf=C3=A9?=", "café"),
        ("=?ISO-8859-1?Q?a_b?=", "a b"),
        ("=?utf-8?b?w6k=?= =?utf-8?b?w6k=?=", "éé"),
        ("=?utf-8?q?=C3?=\n =?utf-8?q?=A9?=", "é"),
        ("=?utf-8?q?a?= and =?utf-8?q?b?=", "a and b"),
        ("x=?utf-8?q?a?=y", "xay"),
        ("=?utf-8*en?q?a?=", "a"),
        ("=?utf-8?q?a b?=", "a b"),
        ("=?gb2312?B?1tDOxA==?=", "中文"),
        ("=?koi8-r?B?8NLJ18XU?=", "Привет"),
        ("=?utf-8?q?never closed", "=?utf-8?q?never closed"),
        ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
        ("=?made-up?q?abc?=", "abc"),
        ("=?utf-8?b?w6k?=", "é"),
        ("=?", "=?"),
        ("=??=", "=??="),
        ("=?a?q??= b", "b"),
    ],
)
def test_encoded_words_are_decoded_and_broken_ones_stay(written: str, read_as: str) -> None:
    assert mail(f"Subject: {written}", "", "").header("subject") == read_as


def test_raw_8bit_headers_are_guessed() -> None:
    assert mail(b"Subject: caf\xc3\xa9", "", "").header("subject") == "café"
    assert mail(b"Subject: caf\xe9", "", "").header("subject") == "café"
    assert mail("Subject: 中文邮件".encode("gb2312"), "", "").header("subject") == "中文邮件"


@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("gb2312", "gb18030", "免费领取您的奖品，请点击这里"),
        (None, "gb18030", "免费领取您的奖品，请点击这里"),
        ("iso-8859-1", "gb18030", "免费领取您的奖品，请点击这里"),
        ("utf-8", "gb18030", "免费领取您的奖品，请点击这里"),
        ("big5", "big5", "免費領取您的獎品，請點擊這裡"),
        (None, "big5", "免費領取您的獎品，請點擊這裡馬上"),
        ("iso-2022-jp", "iso-2022-jp", "無料でお届けします"),
        (None, "iso-2022-jp", "無料でお届けします"),
        ("shift_jis", "shift_jis", "無料でお届けします"),
        (None, "euc_jp", "無料でお届けしますので、ぜひご覧ください"),
        ("ks_c_5601-1987", "euc_kr", "지금 무료로 받아 보세요"),
        (None, "euc_kr", "지금 무료로 받아 보세요 안녕하세요 여러분"),
        ("koi8-r", "koi8_r", "Уважаемые господа"),
        ("windows-1251", "cp1251", "Уважаемые господа"),
        ("us-ascii", "utf-8", "naïve café"),
        (None, "cp1252", "“naïve” café — 10 €"),
        ("iso-8859-1", "cp1252", "“naïve” café — 10 €"),
        ("no-such-charset", "cp1252", "naïve café"),
        ("zlib", "utf-8", "naïve café"),
        ("utf-7", "utf-7", "naïve + café"),
    ],
)
def test_charsets_declared_wrong_missing_and_made_up(declared: str | None, codec: str, text: str) -> None:
    kind = f"Content-Type: text/plain; charset={declared}" if declared else "Content-Type: text/plain"
    assert mail("Subject: x", kind, "", text.encode(codec)).text.strip() == text


def test_cyrillic_and_western_text_without_a_charset_is_not_taken_for_chinese() -> None:
    russian = "Уважаемые господа, предлагаем вам недорогие услуги рассылки рекламы"
    for codec in ("koi8_r", "cp1251"):
        assert mail("Subject: x", "", russian.encode(codec)).parts[0].codec == "cp1252"
    assert mail("Subject: x", "", "Größe ÄÖÜ äöü straße".encode("cp1252")).parts[0].codec == "cp1252"


def test_a_broken_byte_in_utf8_costs_no_more_than_itself() -> None:
    message = mail(
        "Subject: x",
        "Content-Type: text/plain; charset=utf-8",
        "",
        "é".encode() * 10 + b"\x93" + "é".encode(),
    )
    assert message.text.strip() == "é" * 10 + "“é"


def test_transfer_encodings_are_read_tolerantly() -> None:
    def body(encoding: str, text: str) -> str:
        return mail("Subject: x", f"Content-Transfer-Encoding: {encoding}", "", text).text

    assert body("base64", "SGVs\nbG8=") == "Hello"
    assert body("BASE64", "SGVsbG8") == "Hello"
    assert body("base64", "SGVs*bG8=") == "Hello"
    assert body("base64", "not base64, but plain text") == "not base64, but plain text\n"
    assert body("quoted-printable", "a=3Db=\nc= \nd=ZZ=") == "a=bcd=ZZ"
    assert body("x-uuencode", "begin 644 cat\n#0V%T\n`\nend") == "Cat"
    assert body("made-up", "hello") == "hello\n"


def test_the_mime_tree_is_read_with_its_attachments() -> None:
    message = mail(
        "Subject: x", "Content-Type: multipart/mixed; boundary=\"a b\"", "", "preamble", "--a b", "",
        "first", "--a b", "Content-Type: multipart/alternative;", " boundary=in", "", "--in", "", "second",
        "--in--", "epilogue", "--a b", "Content-Type: message/rfc822", "", "Subject: inner", "", "third",
        "--a b",
        "Content-Type: image/png", "Content-Disposition: attachment; filename=\"p.png\"",
        "Content-Transfer-Encoding: base64", "", "AAAA", "--a b--", "epilogue",
    )  # fmt: skip
    assert message.text == "first\nsecond\nthird"
    assert [(part.kind, part.parent, part.depth) for part in message.parts] == [
        ("multipart", -1, 0), ("text", 0, 1), ("multipart", 0, 1), ("text", 2, 2), ("message", 0, 1),
        ("text", 4, 2), ("other", 0, 1),
    ]  # fmt: skip
    assert [(part.file_name, part.media_type, part.size) for part in message.attachments] == [
        ("p.png", "image/png", 3)
    ]
    assert "unclosed_multipart" not in message.facts
    start, end = message.parts[4].place
    assert message.canonical[start:end] == b"Subject: inner\n\nthird"


def test_a_missing_last_boundary_is_noted() -> None:
    message = mail("Subject: x", "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "hello")
    assert message.text == "hello\n"
    assert message.facts["unclosed_multipart"] == 1


def test_a_multipart_without_boundary_is_text() -> None:
    message = mail("Subject: x", "Content-Type: multipart/mixed", "", "hello")
    assert message.text == "hello\n"
    assert message.facts["no_boundary"] == 1


def test_parts_of_a_digest_are_messages() -> None:
    message = mail(
        "Subject: x",
        "Content-Type: multipart/digest; boundary=b",
        "",
        "--b",
        "",
        "Subject: one",
        "",
        "body",
        "--b--",
    )
    assert [part.kind for part in message.parts] == ["multipart", "message", "text"]
    assert message.text == "body"


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("filename=a.pdf", "a.pdf"),
        ('filename="a b; c.pdf"', "a b; c.pdf"),
        ('filename="a \\"b\\".pdf"', 'a "b".pdf'),
        ("filename*=utf-8''na%C3%AFve.txt", "naïve.txt"),
        ("filename*0*=utf-8''na%C3%AFve;\n filename*1=.txt", "naïve.txt"),
        ('filename="=?utf-8?q?na=C3=AFve=2Etxt?="', "naïve.txt"),
        ("filename = a.pdf ; size=3", "a.pdf"),
    ],
)
def test_file_names_in_all_their_spellings(parameter: str, name: str) -> None:
    message = mail("Subject: x", f"Content-Disposition: attachment; {parameter}", "", "")
    assert [part.file_name for part in message.attachments] == [name]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>a<p>b", "a\nb"),
        ("v<b>ia</b>gr<!-- x -->a", "viagra"),
        ("a<br>b", "a\nb"),
        ("<td>a</td><td>b</td>", "a b"),
        ("a  \n b", "a b"),
        ("<pre>a\nb</pre>", "a\nb"),
        ("&lt;b&gt; &amp;&eacute;&#233;&#xe9;&nbsp;x", "<b> &ééé\xa0x"),
        ("&notanentity; &", "&notanentity; &"),
        ("a&nbsp.b", "a\xa0.b"),
        ("&#150;&#0;&#55296;", "–\ufffd\ufffd"),
        ("a < b and c > d", "a < b and c > d"),
        ("x<script>var a = '<p>';</script>y<style>p {}</style>z", "xyz"),
        ("x<script>never closed", "x"),
        ("x<!-- never closed", "x"),
        ('<img alt="Buy now" src=x.gif>', "Buy now"),
        ("<!doctype html><?xml x?>a", "a"),
        ('<a href="never closed>text</a>', "text"),
        ("<title>T</title>a", "a"),
    ],
)
def test_html_becomes_the_text_that_is_seen(source: str, text: str) -> None:
    assert html(source).text == text


@pytest.mark.parametrize(
    "opening",
    [
        '<div style="display:none">',
        "<div style='DISPLAY : none !important'>",
        '<div style="visibility: hidden">',
        '<div style="font-size:0">',
        '<div style="font-size:0px; color: red">',
        '<div style="font-size: 1px">',
        '<div style="opacity:0">',
        '<div style="height:0; overflow:hidden">',
        '<div style="max-height:0px">',
        '<div style="color:#fffffe">',
        '<div style="color: #fff !important">',
        '<div style="color:transparent">',
        '<div style="color:white;background-color:transparent">',
        '<div style="color:#000;background:#000000">',
        '<div style="mso-hide:all">',
        "<div hidden>",
        "<div><font color=white><div>",
    ],
)
def test_hidden_text_is_told_apart(opening: str) -> None:
    message = html(f"<body>seen {opening}not <div>at</div> all</div></font></div> again")
    assert "seen" in message.text
    assert "not" not in message.text
    assert message.hidden.split() == ["not", "at", "all"]
    assert message.facts["hidden_runs"] == 1


@pytest.mark.parametrize(
    "source",
    [
        "<body bgcolor=#000080><font color=white>seen</font>",
        "<table bgcolor=red><td><table><td>x</td></table><font color=#ffffff>seen</font></td></table>",
        '<div style="background-color:#123"><span style="color:#fff">seen</span></div>',
        '<td style="font-size:0"><span style="font-size:14px">seen</span></td>',
        '<td background="x.gif"><font color=white>seen</font></td>',
        '<p style="font-size:10px">seen</p>',
        '<p style="height:0">seen</p>',
        '<p style="display:block">seen</p>',
    ],
)
def test_visible_text_is_not_taken_for_hidden(source: str) -> None:
    assert "seen" in html(source).text


def test_hidden_text_ends_with_its_element() -> None:
    assert html('<div style="display:none">a<div>b</div>c</div>d').text == "d"


def test_links_images_and_forms_are_listed_with_their_text() -> None:
    message = html(
        '<a href=" http://a.example/?x=1&amp;y ">Click <b>here</b></a>'
        "<img src=i.gif> <form action=/go> <link href=s.css>"
    )
    assert [(link.kind, link.target, link.text) for link in message.links] == [
        ("anchor", "http://a.example/?x=1&y", "Click here"),
        ("image", "i.gif", ""),
        ("form", "/go", ""),
        ("other", "s.css", ""),
    ]


def test_markup_names_tags_and_short_attributes() -> None:
    message = html('<FONT COLOR="#FF0000" Size=2 title="two words"><br/><!-- c -->')
    assert message.markup == ("font color=#ff0000 size=2 title", "br")
    assert (message.facts["html_tags"], message.facts["html_comments"]) == (2, 1)


def test_documents_are_read_by_what_they_look_like() -> None:
    assert read("Größe\r\n".encode()).text == "Größe\n"
    page = read(b"<!DOCTYPE html><meta charset=gb2312><title>T</title><p>" + "中文".encode("gb2312"))
    assert (page.parts[0].kind, page.text) == ("html", "T\n中文")
    assert read("\ufeffBOM".encode()).text == "BOM\n"
    assert read("zwei Zeilen\r\nsind das".encode("utf-16")).text == "zwei Zeilen\r\nsind das"


def test_html_declares_its_charset_itself() -> None:
    message = mail(
        "Subject: x", "Content-Type: text/html", "", "<meta charset='koi8-r'>Привет".encode("koi8_r")
    )
    assert message.text == "Привет"


def test_every_limit_stops_reading_there_and_says_so() -> None:
    raw = b"Subject: x\nA: b\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhello\n" * 9
    page = b"Subject: x\nContent-Type: text/html\n\n" + b"<a href=x>a</a>" * 5
    assert read(raw, Limits(bytes=100)).facts["limit_bytes"] == 1
    assert read(raw, Limits(headers=2)).facts["limit_headers"] == 1
    assert read(raw, Limits(header_bytes=10)).facts["limit_header_bytes"] == 1
    assert read(raw, Limits(parts=3)).facts["limit_parts"] == 1
    assert len(read(raw, Limits(parts=3)).parts) == 3
    assert read(raw, Limits(depth=0)).facts["limit_depth"] == 1
    assert read(raw, Limits(text_bytes=12)).facts["limit_text"] == 1
    assert read(page, Limits(links=2)).facts["limit_links"] == 3


def test_the_text_limit_never_cuts_a_character() -> None:
    raw = b"Subject: x\nContent-Type: text/plain; charset=utf-8\n\n" + "中".encode() * 10
    assert read(raw, Limits(text_bytes=10)).text == "中中中"


def test_nul_bytes_are_counted() -> None:
    assert mail("Subject: x", "", b"a\0b\0c").facts["nul_bytes"] == 2


def test_html_that_declares_no_type_is_read_as_html() -> None:
    assert mail("Subject: x", "", "<html><p>Hello<p>you</html>").text == "Hello\nyou"
    assert mail("Subject: x", "Content-Type: text/plain", "", "<html>").text == "<html>\n"
    broken = mail("Subject: x", "Content-Type: multipart/mixed; boundary=b", "", "<html><p>Hello")
    assert (broken.text, broken.facts["no_boundary"]) == ("Hello", 1)


def test_limits_without_end_are_no_limits() -> None:
    names = ("bytes", "headers", "header_bytes", "parts", "depth", "text_bytes", "links")
    endless = Limits(**dict.fromkeys(names, 1 << 70))
    raw = b"Subject: x\n\nhello\n"
    assert read(raw, endless).text == read(raw).text == "hello\n"


def test_limits_of_nothing_leave_nothing() -> None:
    nothing = Limits(bytes=0, headers=0, header_bytes=0, parts=0, depth=0, text_bytes=0, links=0)
    assert read(b"Subject: x\n\nhello\n", nothing).text == ""
