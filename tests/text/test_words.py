"""What the view `words` sees: fields, pairs, patterns, links, structure and facts."""

import pytest

from deciban.text import read
from deciban.text.words import features, names

HTML = (
    b"Subject: x\nContent-Type: text/html\n\n"
    b'<p>Go to <a href="http://evil.example/login?id=7">http://www.bank.example</a>'
    b'<img src="cid:logo"><font color="#ff0000">now</font><div style="display:none">hidden text</div>'
)
MULTIPART = (
    b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhi\n--b\n"
    b"Content-Type: application/pdf; name=invoice.pdf.exe\nContent-Transfer-Encoding: base64\n"
    b"Content-Disposition: attachment\n\nAAAA\n--b--\n"
)


def named(raw: bytes | str, *facts: str) -> set[str]:
    return set(names(read(raw.encode() if isinstance(raw, str) else raw), facts))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Subject: Free MONEY\n\n", {"subject:free", "subject:money", "subject:free money", "free money"}),
        (
            "From: Ann <Ann@mail.Example.org>\n\n",
            {"from:ann@mail.example.org", "from:example.org", "from:ann"},
        ),
        ("To: a@b.example, c@d.example\n\n", {"to:a@b.example", "to:d.example", "fact:recipients:2"}),
        ("Received: from mx.a.example ([192.0.2.7]) by b; x\n\n", {"received:a.example", "received:192.0.2"}),
        ("Date: Tue, 3 Sep 2024 13:07:00 +0200\n\n", {"date:tue", "date:13:", "date:+0200"}),
        ("Message-Id: <1.2@host.example>\n\n", {"message-id:host.example"}),
        ("DKIM-Signature: v=1; d=mail.example; b=AbC\n\n", {"signed:mail.example", "header:dkim-signature"}),
        ("Authentication-Results: mx; spf=pass x; dkim=fail\n\n", {"auth:spf=pass", "auth:dkim=fail"}),
        ("X-Mailer: The Bat!\n\n", {"x-mailer:bat", "header:x-mailer"}),
        ("Subject: Re: hello\n\n", {"fact:answers-nothing"}),
        (
            HTML.decode(),
            {"url:evil.example", "path:login", "url:elsewhere", "url:cid:", "html:font color=#ff0000"},
        ),
        (HTML.decode(), {"hidden:hidden", "hidden:text", "mime:text/html", "fact:hidden:1", "url:image"}),
        (
            MULTIPART.decode(),
            {"attachment:invoice", "attachment:.exe", "attached:application/pdf", "mime:base64"},
        ),
        (MULTIPART.decode(), {"mime:multipart/mixed>application/pdf", "fact:attachments:1"}),
    ],
)
def test_fields_and_structure(raw: str, expected: set[str]) -> None:
    assert expected <= named(raw)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("free money now", {"free", "free money", "money now"}),
        ("Save $1,500.00!", {"$d,ddd.dd", "!"}),
        ("WOW!!! really?!", {"!!!", "?!"}),
        ("v1agra", {"v1agra", "viagra", "obfuscated:viagra"}),
        ("buy v.i.a.g.r.a today", {"viagra", "obfuscated:viagra"}),
        ("f r e e stuff", {"free", "obfuscated:free"}),
        ("c@sh ca$h v!agra", {"obfuscated:cash", "obfuscated:viagra"}),
        ("call 08001234567", {"digits:11", "08001234567"}),
        ("раypal", {"paypal", "disguised:paypal", "fact:disguised:1"}),
        ("fr\u200bee", {"free", "disguised:free", "fact:invisible:1"}),
        ("see http://www.shop.example:81/win/now.html.", {"url:shop.example", "path:win", "url::port"}),
        ("http://user@192.0.2.7/", {"url:user@", "url:ip", "url:192.0.2"}),
        ("0123456789abcdef" * 4, {"long:0123:7", "fact:long-words:1"}),
        ("免费发票", {"免费", "费发", "发票", "免费 费发"}),
    ],
)
def test_patterns_of_text(text: str, expected: set[str]) -> None:
    assert expected <= named("Subject: x\n\n" + text)


@pytest.mark.parametrize("text", ["write to ann@mail.example", "room b12 in 2024", "e.g. this", "mp3 h2o"])
def test_ordinary_text_is_not_obfuscated(text: str) -> None:
    assert not [name for name in named(text) if name.startswith("obfuscated:")]


@pytest.mark.parametrize(
    ("shown", "target", "elsewhere"),
    [
        ("http://www.bank.example", "http://evil.example/", True),
        ("www.bank.example", "https://login.bank.example/x", False),
        ("http://a.co.uk", "http://b.co.uk", True),
        ("Click here", "http://evil.example/", False),
    ],
)
def test_a_link_that_shows_another_host_leads_elsewhere(shown: str, target: str, elsewhere: bool) -> None:
    raw = f'Content-Type: text/html\n\n<a href="{target}">{shown}</a>'
    assert ("url:elsewhere" in named(raw)) is elsewhere


def test_words_of_a_link_are_no_words_of_the_text() -> None:
    assert "shop" not in named("see http://www.shop.example/ now")


def test_facts_from_outside_are_features() -> None:
    assert "fact:sender-in-contacts" in named("hello", "sender-in-contacts")


def test_limits_and_defects_that_the_reader_reports_are_facts() -> None:
    assert "fact:nul-bytes" in named(b"Subject: a\n\n\0")


def test_the_features_of_a_known_message_are_the_same_for_ever() -> None:
    known = features(read(HTML), ("sender-in-contacts",))
    assert (len(known), known[0], known[len(known) - 1]) == (49, 0x081D66CD92529FF0, 0xFDD0FD8D7F149CDB)
