"""What is written is what the standard library reads."""

import email
import email.policy
import random

import pytest

from deciban.sample.mime import field, file_part, mailbox, multipart, text_part

TEXTS = {
    "us-ascii": "Nothing to see here, but a long line of it, which has to be folded somewhere in the middle",
    "iso-8859-1": "Größenänderung für die Vitrinen, überfällig seit längerem; naïve café, niño, coração, où",
    "koi8-r": "Разрешение на вывоз карты залива обещают дать в пятницу, без печати ящик не выпустят",
    "gb2312": "展览开幕定在星期五下午，请告诉我们您的航班时间，我们去机场接您，然后一起吃饭，谈谈合作",
    "iso-2022-jp": "打ち合わせは金曜日の三時からでよろしいでしょうか。小川も参加いたします。写真は来週までに",
    "utf-8": "🔥 Sale — “everything” must go, v\u200biagrа included, 海图 and Größe too",
}


def parsed(raw):
    return email.message_from_bytes(raw, policy=email.policy.default)


@pytest.mark.parametrize("charset", TEXTS)
@pytest.mark.parametrize("letter", "bq")
def test_a_subject_is_read_as_it_was_meant_and_its_lines_are_short(charset, letter):
    raw = field("Subject", TEXTS[charset], charset, letter)
    assert parsed(raw + b"\n")["subject"] == TEXTS[charset]
    assert max(map(len, raw.split(b"\n"))) <= 78
    assert raw.isascii()


@pytest.mark.parametrize(
    "name", ["", "Ann", "Lind, Mara", "K. Abara", "Jörg Brandstätter", "Пётр Снегов", "陈晓岚"]
)
@pytest.mark.parametrize("letter", "bq")
def test_a_sender_keeps_name_and_address(name, letter):
    found = parsed(field("From", mailbox(name, "a@post.example", "utf-8", letter)) + b"\n")["from"].addresses[
        0
    ]
    assert (found.display_name, found.addr_spec) == (name, "a@post.example")


@pytest.mark.parametrize("charset", TEXTS)
@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
def test_a_text_is_read_in_every_charset_and_encoding(charset, encoding):
    part = text_part("plain", TEXTS[charset] + "\n", charset, encoding)
    assert parsed(part.written()).get_content() == TEXTS[charset] + "\n"


def test_the_parts_of_a_multipart_are_read_in_their_order():
    data = random.Random(1).randbytes(999)
    file = file_part("application/pdf", "Maße.pdf", data)
    inner = multipart("alternative", [text_part("plain", "a\n", "utf-8", "8bit")] * 2, "inner")
    message = parsed(multipart("mixed", [inner, file], "outer").written())
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "text/plain", "application/pdf",
    ]  # fmt: skip
    attached = next(message.iter_attachments())
    assert (attached.get_filename(), attached.get_content()) == ("Maße.pdf", data)
