"""The sample mailbox is the same everywhere, well-formed, varied, balanced, and names nobody who exists."""

import email
import email.policy
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC
from functools import cache
from ipaddress import ip_address, ip_network

import pytest

from deciban.sample import sample_mails, write_mailbox
from deciban.sample.mailbox import LANGUAGES
from deciban.sources import open_source
from deciban.text import read

# Of every mail of seed 0, in order: a change of a text or of the code changes it, a machine must not.
DIGEST = "14b8444928f396ffff0b33afef32bfbb35c25c17229660640a007fcd6002c1b1"

MALFORMED = {
    "broken_header", "broken_encoded_word", "raw_8bit_header", "broken_base64", "broken_quoted",
    "unknown_encoding", "unknown_charset", "wrong_charset", "no_boundary", "unclosed_multipart", "nul_bytes",
}  # fmt: skip
RESERVED = (".example", ".test", ".invalid")
DOCUMENTATION = [ip_network(block) for block in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]


@pytest.fixture(scope="module")
def mails():
    return sample_mails(seed=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mailbox")
    write_mailbox(folder)
    return folder


@cache
def parsed(mail):
    """The mail as the standard library reads it: an oracle that shares no code with ours."""
    return email.message_from_bytes(mail.data, policy=email.policy.default)


def digest_of(mails):
    return hashlib.sha256(b"".join(mail.data for mail in mails)).hexdigest()


def readable(mail):
    """Everything in a mail that a person or a program could read, decoded."""
    message = parsed(mail)
    texts = [str(value) for part in message.walk() for value in part.values()]
    for part in message.walk():
        if part.get_content_type() in ("text/plain", "text/html", "text/calendar", "application/ics"):
            payload = part.get_payload(decode=True)
            texts.append(payload.decode(part.get_content_charset("utf-8")))
    return "\n".join(texts)


def test_a_seed_gives_the_same_bytes_on_every_machine(mails):
    assert digest_of(mails) == DIGEST


def test_neither_the_locale_nor_the_hash_seed_nor_the_time_zone_matters(mails):
    code = (
        "import hashlib; from deciban.sample import sample_mails;"
        "print(hashlib.sha256(b''.join(mail.data for mail in sample_mails())).hexdigest())"
    )
    strange = os.environ | {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONUTF8": "0"}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=strange, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == digest_of(mails)


def test_another_seed_gives_other_mail(mails):
    others = {mail.data for mail in sample_mails(seed=1)}
    assert not others & {mail.data for mail in mails}


def test_no_two_mails_say_the_same(mails):
    texts = Counter((read(mail.data).header("subject"), read(mail.data).text) for mail in mails)
    assert texts.most_common(1)[0][1] == 1


def test_both_labels_are_there_in_like_numbers(mails):
    for held_out in (False, True):
        part = [mail.label for mail in mails if mail.held_out == held_out]
        assert 0.4 < part.count("spam") / len(part) < 0.6
    assert 300 <= len(mails) <= 400
    assert 80 <= sum(mail.held_out for mail in mails) <= 120


def test_the_inbox_comes_after_the_lessons_and_brings_something_new(mails):
    assert max(m.when for m in mails if not m.held_out) < min(m.when for m in mails if m.held_out)
    seen = {(mail.label, mail.kind) for mail in mails if not mail.held_out}
    new = {(mail.label, mail.kind) for mail in mails if mail.held_out} - seen
    assert {label for label, _ in new} == {"ham", "spam"}


def test_every_language_has_good_mail_and_spam(mails):
    assert {(mail.language, mail.label) for mail in mails} == {
        (language, label) for language in LANGUAGES for label in ("ham", "spam")
    }


def test_the_reader_finds_nothing_malformed(mails):
    for mail in mails:
        message = read(mail.data)
        assert message.is_mail
        assert not MALFORMED & {name for name, count in message.facts.items() if count}, mail


def test_the_standard_library_finds_nothing_malformed(mails):
    for mail in mails:
        message = parsed(mail)
        assert not [part.defects for part in message.walk() if part.defects], mail
        assert not [value.defects for value in message.values() if value.defects], mail
        assert message["date"].datetime == mail.when.replace(tzinfo=UTC)


def test_both_readers_see_the_same_subject_and_sender(mails):
    for mail in mails:
        message = parsed(mail)
        assert read(mail.data).header("subject") == message["subject"]
        assert message["from"].addresses[0].addr_spec == mail.sender.address
        assert message["from"].addresses[0].display_name == mail.sender.name


def test_the_kinds_of_content_that_mail_comes_in_are_there(mails):
    assert {part.get_content_type() for mail in mails for part in parsed(mail).walk()} == {
        "text/plain", "text/html", "text/calendar", "multipart/alternative", "multipart/mixed",
        "multipart/related", "application/pdf", "application/ics", "application/zip", "image/png",
        "image/jpeg",
    }  # fmt: skip
    parts = [part for mail in mails for part in parsed(mail).walk()]
    assert {part.get_content_charset() for part in parts} >= {
        "utf-8", "iso-8859-1", "gb2312", "gb18030", "iso-2022-jp", "koi8-r",
    }  # fmt: skip
    encodings = {part["content-transfer-encoding"] for part in parts}
    assert encodings >= {"7bit", "8bit", "base64", "quoted-printable"}
    html_only = [mail for mail in mails if parsed(mail).get_content_type() == "text/html"]
    assert {mail.label for mail in html_only} == {"ham", "spam"}


def test_the_tricks_of_spam_are_there(mails):
    spam = [read(mail.data) for mail in mails if mail.label == "spam"]
    assert any("\u200b" in readable(mail) for mail in mails if mail.label == "spam")
    assert any(message.hidden.strip() for message in spam)
    assert any(not message.text.strip() for message in spam), "nothing but a picture"
    assert any(
        link.target not in link.text and link.text.startswith("http") for m in spam for link in m.links
    )


def test_good_mail_has_lists_replies_signatures_and_newsletters(mails):
    ham = [mail for mail in mails if mail.label == "ham"]
    assert len({parsed(mail)["list-id"] for mail in ham} - {None}) == 2
    assert any(b"\n> " in mail.data for mail in ham)
    assert sum(b"nsubscribe" in mail.data for mail in ham) > 30


def test_the_header_alone_does_not_give_a_mail_away(mails):
    for label in ("ham", "spam"):
        checks = Counter(
            str(parsed(m)["authentication-results"]).count("pass") for m in mails if m.label == label
        )
        assert checks[2] > 0
        assert checks[0] > 0


def test_no_address_lies_outside_the_reserved_domains(mails):
    for mail in mails:
        text = readable(mail)
        hosts = re.findall(r"@([\w.-]+)", text) + re.findall(r"https?://([^\s/\"'<>?]+)", text)
        hosts += re.findall(r"\b((?:[a-z0-9-]+\.)+(?:com|org|net|info|biz|io|de|fr|es|pt|cn|jp|ru))\b", text)
        assert [host for host in hosts if not host.rstrip(".").endswith(RESERVED)] == [], mail
        for address in re.findall(r"\[(\d+\.\d+\.\d+\.\d+)\]", text):
            assert any(ip_address(address) in block for block in DOCUMENTATION)


def test_no_blank_is_left_unfilled(mails):
    for mail in mails:
        assert not re.search(r"[{}^]|\|[a-z]|->", read(mail.data).text), mail


def test_what_is_written_is_what_was_made(mails, folder):
    for label in ("ham", "spam"):
        made = [mail.data for mail in mails if mail.label == label and not mail.held_out]
        assert [message.data for message in open_source(str(folder / f"{label}.mbox"))] == made


def test_the_index_says_what_each_mail_of_the_inbox_is(mails, folder):
    lines = (folder / "index.tsv").read_text().splitlines()
    inbox = {mail.data: mail.label for mail in mails if mail.held_out}
    assert {
        (folder / path).read_bytes(): label for label, path in (line.split("\t") for line in lines)
    } == inbox
    assert len(lines) == len(inbox) == len(list(open_source(str(folder / "inbox"))))


def test_writing_twice_changes_nothing(tmp_path):
    contents = []
    for _ in range(2):
        write_mailbox(tmp_path)
        contents.append({path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()})
    assert contents[0] == contents[1]
