import json
from pathlib import Path

import pytest

from deciban.cli import main

UNTOUCHED = (
    "cost      9\npromise   none\nsure      0.5\ncontacts  0\nallowed   0\nshared    none\nkeep-mail never\n"
    "results   none\n"
)


def test_preferences_are_kept_and_shown(taught, capsys):
    assert main(["prefer"]) == 0
    assert capsys.readouterr().out == UNTOUCHED
    assert main(["prefer", "--cost", "99", "--promise", "0.001"]) == 0
    capsys.readouterr()
    assert main(["prefer"]) == 0
    assert capsys.readouterr().out.startswith("cost      99\npromise   0.001\n")
    main(["prefer", "--promise", "none"])
    assert "promise   none\nsure      0.5\n" in capsys.readouterr().out


def test_a_promise_that_cannot_be_kept_yet_makes_spam_unsure(taught, capsys):
    assert main(["classify", str(taught / "new-spam.eml")]) == 0
    main(["prefer", "--promise", "0.001"])
    capsys.readouterr()
    assert main(["classify", str(taught / "new-spam.eml")]) == 2
    assert capsys.readouterr().out.endswith("  rather spam\n")


def test_who_is_allowed_is_never_called_spam(taught, tmp_path, capsys):
    (tmp_path / "friends.txt").write_text("Winner@spam.example\n")
    assert main(["prefer", "--allow", str(tmp_path / "friends.txt")]) == 0
    assert "allowed   1\nshared    none\nkeep-mail never\n" in capsys.readouterr().out
    assert main(["classify", str(taught / "new-spam.eml")]) != 0


def test_contacts_come_from_a_vcard(taught, tmp_path, capsys):
    (tmp_path / "contacts.vcf").write_text("BEGIN:VCARD\nEMAIL:ann@example.org\nEND:VCARD\n")
    assert main(["prefer", "--contacts", str(tmp_path / "contacts.vcf")]) == 0
    assert "contacts  1\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cost", "much"], "must be a number"),
        (["--cost", "-1"], "cost must be a number from"),
        (["--cost", "nan"], "cost must be a number from"),
        (["--promise", "7"], "promise must be a share"),
        (["--contacts", "/no/such/file"], "nothing was changed"),
        (["--results-from", "mx.example.org,,"], "names of hosts"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(taught, capsys, arguments, message):
    assert main(["prefer", *arguments]) == 3
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    main(["prefer"])
    assert capsys.readouterr().out == UNTOUCHED


def test_mail_is_kept_on_request_and_explained_by_its_digest(mails, database, capsys):
    main(["learn", "ham", str(mails / "ham")])
    assert main(["prefer", "--keep-mail", "30"]) == 0
    assert "keep-mail 30 days" in capsys.readouterr().out
    main(["learn", "spam", str(mails / "spam")])
    capsys.readouterr()
    main(["status"])
    assert "Kept: 20 mails" in capsys.readouterr().out
    main(["classify", "--json", str(mails / "spam" / "1.eml")])
    digest = json.loads(capsys.readouterr().out)["digest"]
    assert main(["why", "--digest", digest]) == 0
    assert capsys.readouterr().out.startswith(digest)
    assert main(["prefer", "--keep-mail", "never"]) == 0
    capsys.readouterr()
    assert main(["why", "--digest", digest]) == 3
    assert "no mail is kept" in capsys.readouterr().err
    assert main(["prefer", "--keep-mail", "sometimes"]) == 3


def test_results_of_a_named_host_are_facts_that_why_shows(mails, database, tmp_path, capsys):
    found = (
        "X-Rspamd-Server: mx.example.org\nX-Spamd-Result: default: True [9.00 / 15.00]; BAD_SIGN(9.00)[]\n"
    )
    for path in (mails / "spam").iterdir():
        path.write_text(found + path.read_text())
    main(["learn", "--no-starter", "ham", str(mails / "ham")])
    assert main(["prefer", "--results-from", "MX.example.org,.example.net"]) == 0
    assert "results   .example.net, mx.example.org\n" in capsys.readouterr().out
    main(["learn", "spam", str(mails / "spam")])
    (tmp_path / "new.eml").write_text(found + "Subject: hello\n\nhello\n")
    capsys.readouterr()
    main(["why", "--json", str(tmp_path / "new.eml")])
    evidence = {item["name"]: item["decibans"] for item in json.loads(capsys.readouterr().out)["evidence"]}
    assert evidence["fact:rspamd=BAD_SIGN"] != 0
    assert main(["prefer", "--results-from", "none"]) == 0
    capsys.readouterr()
    main(["why", "--json", str(tmp_path / "new.eml")])
    assert "BAD_SIGN" not in capsys.readouterr().out


@pytest.mark.parametrize("cost", ["inf", "nan", "1e400", "0"])
def test_a_cost_that_cannot_be_meant_is_one_line_and_changes_nothing(taught, capsys, cost):
    assert main(["prefer", "--cost", cost]) == 3
    assert "cost must be a number from" in capsys.readouterr().err
    assert main(["prefer"]) == 0
    assert capsys.readouterr().out == UNTOUCHED


def allow_everybody(taught):
    (taught / "friends.txt").write_text("winner@spam.example\nann@example.org\n")
    assert main(["prefer", "--allow", str(taught / "friends.txt")]) == 0


def test_an_allowed_sender_is_said_to_be_one_with_what_would_have_been_said(taught, capsys):
    spam = str(taught / "new-spam.eml")
    main(["classify", spam])
    before = capsys.readouterr().out.strip()
    assert before.startswith("spam ")
    allow_everybody(taught)
    capsys.readouterr()
    assert main(["classify", spam]) == 1
    assert capsys.readouterr().out.strip() == f"ham  allowed sender; otherwise {before}"
    main(["classify", spam, str(taught / "new-ham.eml")])
    first, second = capsys.readouterr().out.splitlines()
    assert f"(allowed sender; otherwise {before})" in first
    assert first.startswith(f"{'ham':6} {'':19}  {spam}")
    assert "allowed sender" not in second


def test_why_and_json_of_an_allowed_sender_add_up(taught, capsys):
    allow_everybody(taught)
    capsys.readouterr()
    assert main(["why", "--json", str(taught / "new-spam.eml")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["verdict"], record["otherwise"]["verdict"]) == ("ham", "spam")
    assert record["otherwise"]["decibans"] == pytest.approx(-record["decibans"])
    assert sum(item["decibans"] for item in record["evidence"]) == pytest.approx(record["decibans"])
    assert main(["why", str(taught / "new-spam.eml")]) == 0
    shown = capsys.readouterr().out
    assert "for ham (+) and for spam (−)" in shown
    assert "allowed sender; otherwise spam" in shown
    main(["classify", "--json", str(taught / "new-ham.eml")])
    assert json.loads(capsys.readouterr().out)["otherwise"] is None


def test_what_no_label_has_half_of_the_probability_of_is_unsure(database, tmp_path, capsys):
    for label, word in (("work", "invoice"), ("club", "roses"), ("home", "dinner"), ("bank", "account")):
        for number in range(3):
            path = tmp_path / f"{label}{number}.eml"
            path.write_text(f"Subject: {word}\n\n{word} {number} and more {word}\n")
            main(["learn", label, str(path)])
    mixed = tmp_path / "mixed.eml"
    mixed.write_text("Subject: hello\n\nsomething else entirely\n")
    capsys.readouterr()
    assert main(["classify", "--json", str(mixed)]) == 2
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["verdict"] == "unsure"
    assert verdict["probability"] < 0.5
    assert main(["classify", "--sure", "0", str(mixed)]) == 1
    assert main(["prefer", "--sure", "0"]) == 0
    assert main(["classify", str(mixed)]) == 1
    assert main(["classify", "--sure", "0.999999", str(tmp_path / "work0.eml")]) == 2


@pytest.mark.parametrize("value", ["1", "-0.1", "nan", "sure"])
def test_a_probability_that_cannot_be_asked_for_is_refused(taught, capsys, value):
    assert main(["prefer", f"--sure={value}"]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    main(["prefer"])
    assert capsys.readouterr().out == UNTOUCHED


def test_cost_and_promise_hold_for_one_call(taught, capsys):
    spam = str(taught / "new-spam.eml")
    assert main(["classify", spam]) == 0
    assert main(["classify", "--cost", "1000000000", spam]) == 2
    assert main(["classify", "--promise", "0.001", spam]) == 2
    assert main(["classify", spam]) == 0
    capsys.readouterr()
    main(["prefer", "--promise", "0.001"])
    capsys.readouterr()
    assert main(["classify", "--cost", "9", spam]) == 0
    assert main(["why", "--json", "--promise", "none", spam]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["unsure"] is False
    main(["prefer"])
    assert "promise   0.001" in capsys.readouterr().out


@pytest.fixture
def starting(monkeypatch: pytest.MonkeyPatch, database: Path) -> Path:
    """Filters begin with the starter of the package, as they do for users."""
    monkeypatch.delenv("DECIBAN_STARTER")
    return database


def said(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    capsys.readouterr()
    assert main([*words, "--json"]) in (0, 1, 2)
    return json.loads(capsys.readouterr().out)


def test_a_filter_on_the_starter_answers_before_its_first_lesson(starting, mails, capsys):
    assert said(capsys, "prefer", "--starter")["shared"]["path"].startswith("starter:")
    verdict = said(capsys, "classify", str(mails / "new-spam.eml"))
    assert set(verdict["probabilities"]) == {"spam", "ham"}
    status = said(capsys, "status")
    assert (status["belief"], status["lessons"]) == (0.9, {})
    assert main(["status"]) == 0
    assert "Began with the starter" in capsys.readouterr().out


def test_new_filters_begin_with_the_starter(starting, mails, capsys):
    assert main(["learn", "ham", str(mails / "ham")]) == 0
    assert "second label" not in capsys.readouterr().err
    assert said(capsys, "prefer")["shared"]["path"].startswith("starter:")
    explained = said(capsys, "why", str(mails / "new-ham.eml"))
    assert isinstance(explained["shared"], float)
    assert said(capsys, "check")


@pytest.mark.parametrize("way", ["flag", "configuration"])
def test_a_new_filter_may_begin_with_nothing(starting, mails, capsys, monkeypatch, way):
    if way == "configuration":
        monkeypatch.setenv("DECIBAN_STARTER", "no")
    flags = ["--no-starter"] if way == "flag" else []
    assert main(["learn", "ham", str(mails / "ham"), *flags]) == 0
    assert said(capsys, "prefer")["shared"] is None


def test_a_filter_leaves_the_starter_and_comes_back(starting, taught, capsys):
    assert main(["prefer", "--no-starter"]) == 0
    without = said(capsys, "classify", str(taught / "new-spam.eml"))
    assert main(["prefer", "--starter"]) == 0
    with_it = said(capsys, "classify", str(taught / "new-spam.eml"))
    assert with_it["probabilities"] != without["probabilities"]
    assert said(capsys, "prefer", "--starter")["shared"] is not None
    assert main(["prefer", "--no-starter"]) == 0
    assert said(capsys, "classify", str(taught / "new-spam.eml")) == without


def test_how_far_the_starter_is_believed_is_not_rounded_to_all_or_nothing(starting, taught, capsys):
    assert main(["prefer", "--starter"]) == 0
    belief = said(capsys, "status")["belief"]
    assert main(["status"]) == 0
    shares = [f"{100 * share:.2f}%" for share in (belief, 1 - belief)]
    line = f"It is believed to {shares[0]}, and your own lessons, without it or against it, to {shares[1]}."
    assert line in capsys.readouterr().out


def test_a_filter_rests_on_one_thing(starting, capsys):
    for words in (["--starter", "--no-starter"], ["--starter", "--shared", "none"]):
        assert main(["prefer", *words]) == 3
        assert "one thing" in capsys.readouterr().err
    assert not starting.exists()


def test_a_space_begins_with_the_starter(starting, mails, tmp_path, capsys):
    spaces = str(tmp_path / "spaces")
    assert said(capsys, "space", "add", "ann", "--spaces", spaces)["starter"] is True
    assert said(capsys, "space", "add", "bob", "--no-starter", "--spaces", spaces)["starter"] is False
    for name, known in (("ann", {"spam", "ham"}), ("bob", set())):
        verdict = said(capsys, "classify", "--space", name, "--spaces", spaces, str(mails / "new-spam.eml"))
        assert set(verdict["probabilities"]) == known
