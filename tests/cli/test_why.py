import json

import pytest

from deciban.cli import main


def test_the_strongest_words_are_shown_and_what_is_shown_adds_up(taught, capsys):
    assert main(["why", str(taught / "new-spam.eml")]) == 0
    title, verdict, order, *lines = capsys.readouterr().out.splitlines()
    assert title == f"{taught}/new-spam.eml  “free money”"
    assert verdict.startswith("spam  ")
    assert order == "for spam (+) and for ham (−), in decibans:"
    numbers = [float(line.split()[0].replace("−", "-")) for line in lines]
    assert lines[-1].endswith("  in all")
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.06 * len(numbers))
    assert any("subject:" in line for line in lines)


def test_json_has_all_evidence_and_adds_up_to_the_last_digit(taught, capsys):
    assert main(["why", "--json", str(taught / "new-spam.eml")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert sum(item["decibans"] for item in record["evidence"]) == pytest.approx(record["decibans"], abs=1e-9)
    assert {item["view"] for item in record["evidence"]} >= {"words", "letters"}


def test_more_words_on_request(taught, capsys):
    main(["why", str(taught / "new-spam.eml"), "--top", "2"])
    few = capsys.readouterr().out
    main(["why", str(taught / "new-spam.eml"), "--top", "30"])
    assert len(capsys.readouterr().out.splitlines()) > len(few.splitlines())


def test_without_two_labels_there_is_nothing_to_explain(mails, database, capsys):
    main(["learn", "spam", str(mails / "spam")])
    capsys.readouterr()
    assert main(["why", str(mails / "new-spam.eml")]) == 0
    assert "teach at least two labels" in capsys.readouterr().out


def test_words_of_the_message_cannot_reach_the_terminal(taught, capsys):
    path = taught / "evil.eml"
    path.write_bytes(b"Subject: \x1b[2Jfree\x07money\n\n\x1b]0;title\x07 \x9b free\n")
    main(["why", "--top", "1000", str(path)])
    shown = capsys.readouterr().out
    assert not any(char in shown for char in "\x1b\x07\x9b")
