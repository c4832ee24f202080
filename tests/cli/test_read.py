import json
from pathlib import Path

import pytest

from deciban.cli import main

MULTIPART = b"""\
From: Joe <joe@example.org>
Subject: =?utf-8?q?Caf=C3=A9?=
X-Spam-Status: Yes
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>Come <a href="http://example.org/in">in</a>!<p style="display:none">secret
--b
Content-Type: application/pdf; name=bill.pdf
Content-Disposition: attachment; filename=bill.pdf
Content-Transfer-Encoding: base64

JVBERi0=
--b--
"""


@pytest.fixture
def mail(tmp_path: Path) -> str:
    path = tmp_path / "mail.eml"
    path.write_bytes(MULTIPART)
    return str(path)


def write_mbox(folder: Path, count: int) -> str:
    path = folder / "box.mbox"
    separator = b"From joe Thu Aug 22 12:36:23 2002\n"
    path.write_bytes(b"".join(separator + b"Subject: %d\n\ntext\n\n" % number for number in range(count)))
    return str(path)


def test_a_page_shows_headers_parts_links_and_both_kinds_of_text(mail, capsys):
    assert main(["read", mail]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{mail} · {len(MULTIPART)} bytes · digest ")
    assert "  subject    Café\n" in page
    assert "  0 multipart/mixed" in page
    assert "    1 text/html" in page
    assert "attachment “bill.pdf”" in page
    assert "http://example.org/in" in page
    assert "hidden text" in page
    assert "secret" in page
    assert "Come in!" in page


def test_headers_that_filters_add_are_not_seen(mail, capsys):
    main(["read", mail])
    assert "x-spam-status" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("view", "shown", "not_shown"),
    [
        ("words", ["features of words"], ["features of letters"]),
        ("letters", ["features of letters"], ["features of words"]),
        ("all", ["features of words", "features of letters"], []),
    ],
)
def test_features_are_shown_by_view_on_request(mail, capsys, view, shown, not_shown):
    assert main(["read", "--full", "--features", view, mail]) == 0
    page = capsys.readouterr().out
    assert all(title in page for title in shown)
    assert not any(title in page for title in not_shown)


def test_features_without_a_view_are_those_of_all_views(mail, capsys):
    main(["read", mail, "--features"])
    without = capsys.readouterr().out
    main(["read", mail, "--features", "all"])
    assert capsys.readouterr().out == without


def test_json_is_one_object_a_line_with_everything_in_it(mail, capsys):
    assert main(["read", "--json", "--features", "words", mail, mail]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert (first["id"], first["bytes"], first["cut"], first["mail"]) == (mail, len(MULTIPART), 0, True)
    assert [header["name"] for header in first["headers"] if header["part"] == 0][:2] == ["from", "subject"]
    assert [part["media_type"] for part in first["parts"]] == [
        "multipart/mixed",
        "text/html",
        "application/pdf",
    ]
    assert first["links"][0]["target"] == "http://example.org/in"
    assert "subject:café" in {feature["name"] for feature in first["features"]["words"]}
    assert all(len(feature["hash"]) == 16 for feature in first["features"]["words"])


def test_long_texts_and_lists_are_cut_with_a_note_and_whole_on_request(tmp_path, capsys):
    path = tmp_path / "long.txt"
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(1_000)) + b"x" * 1_000)
    main(["read", str(path)])
    page = capsys.readouterr().out
    assert "line 19\n" in page
    assert "line 20\n" not in page
    assert "  … 981 more (--full shows them)\n" in page
    main(["read", "--full", str(path)])
    page = capsys.readouterr().out
    assert "line 999\n" in page
    assert "x" * 1_000 in page


def test_the_first_ten_messages_are_shown_or_as_many_as_asked_for(tmp_path, capsys):
    box = write_mbox(tmp_path, 12)
    for arguments, shown, note in (
        ([], 10, "deciban: stopped after 10 messages (--limit 0 reads all)\n"),
        (["--limit", "3"], 3, "deciban: stopped after 3 messages (--limit 0 reads all)\n"),
        (["--limit", "0"], 12, ""),
        (["--limit", "12"], 12, ""),
    ):
        assert main(["read", *arguments, box]) == 0
        captured = capsys.readouterr()
        assert captured.out.count(" · digest ") == shown
        assert captured.err == note


def test_json_has_no_limit_unless_asked_for(tmp_path, capsys):
    assert main(["read", "--json", write_mbox(tmp_path, 12)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12


def test_one_message_of_an_mbox_is_read_by_its_id(tmp_path, capsys):
    box = write_mbox(tmp_path, 3)
    main(["read", "--json", box])
    ids = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    assert main(["read", ids[1]]) == 0
    assert "subject    1\n" in capsys.readouterr().out


def test_what_is_skipped_is_told_with_a_count_at_the_end(tmp_path, capsys):
    (tmp_path / "1.eml").write_bytes(b"")
    (tmp_path / "2.eml").write_bytes(MULTIPART)
    assert main(["read", str(tmp_path)]) == 0
    assert (
        capsys.readouterr().err == f"deciban: skipped {tmp_path}/1.eml: empty\ndeciban: 1 read, 1 skipped\n"
    )


def test_the_exit_code_is_3_when_nothing_could_be_read(tmp_path, capsys):
    (tmp_path / "1.eml").write_bytes(b"")
    assert main(["read", str(tmp_path)]) == 3


def test_escapes_and_overrides_in_mail_and_file_names_are_shown_not_sent(tmp_path, capsys):
    path = tmp_path / "\x1b]0;title\x07.eml"
    path.write_bytes("From: a\nSubject: \x1b[31m\u202egpj.exe\n\n\x1b[2J\x9b1m\n".encode())
    main(["read", "--features", "all", "--full", str(path)])
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.splitlines())
    assert "\\x1b[31m\\u202egpj.exe" in shown
    assert "\\x1b]0;title\\x07.eml" in shown


def test_a_text_that_is_no_mail_is_called_a_document(tmp_path, capsys):
    (tmp_path / "note.txt").write_bytes("größer\n".encode())
    main(["read", str(tmp_path / "note.txt")])
    page = capsys.readouterr().out
    assert " · a document, not mail · " in page
    assert "größer" in page
