"""The page: complete, harmless, and fetching nothing."""

import re
from html.parser import HTMLParser

from deciban.cli.why_page import article, page
from deciban.text import read
from tests.committee.test_evidence_map import MIXED, course, map_of

__all__ = ["course"]
EVIL = (
    b'Subject: <script>alert(1)</script> \x1b[2J\nFrom: "><img src=x onerror=alert(1)>\n'
    b"Content-Type: text/html\n\n&lt;script&gt;alert(2)&lt;/script&gt;"
    b"<a href='javascript:alert(3)'>x</a>\x07"
)


class Elements(HTMLParser):
    """Collects start tags with their attributes."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def page_of(course, data):
    message = read(data)
    return page([article("mail.eml", "spam  9.9 dB", "for spam (+)", message, map_of(course, data), 40)])


def test_the_page_shows_the_message_and_its_evidence(course):
    text = page_of(course, MIXED)
    for wanted in ("Free lunch, free money", "cheap", "money.pdf", "http://pills.example/buy", "no scripts"):
        assert wanted in text
    assert re.search(r'<span class="f[1-4]" title="\+\d', text)


def test_nothing_of_the_mail_is_run_or_fetched(course):
    for data in (MIXED, EVIL):
        text = page_of(course, data)
        elements = Elements()
        elements.feed(text)
        tags = {tag for tag, _ in elements.found}
        assert not tags & {"script", "img", "a", "link", "iframe", "form", "object", "font", "svg"}
        assert {name for _, attributes in elements.found for name in attributes} <= {
            "lang", "charset", "http-equiv", "content", "name", "class", "title", "style"
        }  # fmt: skip
        assert "default-src 'none'" in text
        assert not {"\x1b", "\x07"} & set(text)


def test_the_page_is_made_for_dark_rooms_and_narrow_screens(course):
    text = page_of(course, MIXED)
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text
    assert "overflow-wrap: anywhere" in text
