from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.cli.message_page import ENTRIES, WIDTH, MessagePage
from deciban.sources import RawMessage
from deciban.text import read
from deciban.text.views import trace


def page(data: bytes, cut: int = 0, full: bool = False) -> list[str]:
    return list(MessagePage(RawMessage("1.eml", data, cut), read(data), full).lines())


def test_the_title_tells_what_was_cut():
    assert page(b"Subject: hi\n\nx\n", cut=1_000)[0].startswith(
        "1.eml · 15 bytes of 1,015, the rest was cut · digest "
    )


def test_defects_are_told_apart_from_facts():
    lines = page(b"Received: by x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhello\n")
    assert lines[lines.index("facts") + 1] == "  received 1"
    assert lines[lines.index("limits and defects") + 1] == "  unclosed_multipart 1"


def test_the_tree_of_parts_is_indented_by_depth():
    inner = b"Content-Type: multipart/mixed; boundary=y\n\n--y\n\nhello\n--y--\n"
    lines = page(b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" + inner + b"--x--\n")
    parts = lines[lines.index("parts (3)") + 1 :][:3]
    assert [len(line) - len(line.lstrip()) for line in parts] == [2, 4, 6]


def test_a_section_that_would_be_empty_is_left_out():
    assert not any(line.startswith(("links", "hidden", "limits")) for line in page(b"Subject: hi\n\nx\n"))


@settings(deadline=None)
@given(
    st.binary(max_size=300)
    | st.text().map(lambda text: f"Subject: {text}\n\n{text}".encode("utf-8", "replace"))
)
def test_a_page_of_any_bytes_is_harmless_and_bounded(data):
    message = read(data)
    pages = MessagePage(RawMessage("1.eml", data), message)
    lines = [*pages.lines(), *pages.feature_lines("words", trace(message, "words"))]
    assert not any(char in line for line in lines for char in "\x1b\x07\n\r\x9b\u202e")
    # Escapes make a cut line longer, at most \U0010ffff for a character.
    assert all(len(line) < 10 * WIDTH + 100 for line in lines)
    assert len(lines) < 8 * (ENTRIES + 2)
