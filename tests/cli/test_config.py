"""Configuration as the real program follows it: files of machine and user, and the environment."""

import json
import os
import socket
import subprocess
import sys

import pytest

from deciban.text import read

DECIBAN = (sys.executable, "-m", "deciban")


@pytest.fixture
def configured(tmp_path, monkeypatch):
    """A function that writes the machine's and the user's file."""
    for variable, name in (("XDG_CONFIG_DIRS", "system"), ("XDG_CONFIG_HOME", "user")):
        (tmp_path / name / "deciban").mkdir(parents=True)
        monkeypatch.setenv(variable, str(tmp_path / name))

    def write(system="", user=""):
        (tmp_path / "system" / "deciban" / "config").write_text(system)
        (tmp_path / "user" / "deciban" / "config").write_text(user)

    return write


def run(*arguments, **options):
    return subprocess.run([*DECIBAN, *map(str, arguments)], capture_output=True, **options)


def settings(**environment):
    done = run("config", "--json", env={**os.environ, **environment})
    return json.loads(done.stdout)["settings"]


def test_the_user_comes_before_the_machine_and_the_environment_before_both(configured, tmp_path):
    configured("color = never\nsubject-tag = [JUNK]\nsyslog = yes\n", "# mine\n\nsubject-tag=[SPAM]\n")
    found = settings(DECIBAN_SYSLOG="no")
    assert found["color"] == {"value": "never", "from": f"{tmp_path}/system/deciban/config:1"}
    assert found["subject-tag"] == {"value": "[SPAM]", "from": f"{tmp_path}/user/deciban/config:3"}
    assert found["syslog"] == {"value": "no", "from": "$DECIBAN_SYSLOG"}
    assert found["keep-fields"] == {"value": "no", "from": "default"}


def test_the_database_is_where_the_configuration_says(configured, mails, tmp_path, monkeypatch):
    monkeypatch.delenv("DECIBAN_DB", raising=False)
    configured(f"db = {tmp_path}/site.db\n")
    assert run("learn", "spam", mails / "spam").returncode == 0
    assert (tmp_path / "site.db").exists()
    assert settings()["db"]["value"] == f"{tmp_path}/site.db"
    assert settings(DECIBAN_DB="/elsewhere")["db"] == {"value": "/elsewhere", "from": "$DECIBAN_DB"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense = 1", "there is no setting 'nonsense'; deciban config lists them"),
        ("color", "must be NAME = VALUE"),
        ("color = red", "color must be auto or always or never"),
        ("flag-header = Subject", "must be the name of a header field"),
        ("verdict-header = X-\x1b[2J", "must be the name of a header field"),
        ("subject-tag = größer", "must be plain letters"),
    ],
)
def test_a_mistake_is_one_line_that_says_where_and_the_mail_goes_on(
    configured, taught, tmp_path, line, words
):
    configured(line + "\n")
    mail = (taught / "new-spam.eml").read_bytes()
    for verb in ("classify", "config"):
        done = run(verb, input=mail)
        assert done.returncode == 3
        assert done.stdout == b""
        assert done.stderr.count(b"\n") == 1
        assert words in done.stderr.decode()
        assert f"{tmp_path}/system/deciban/config" in done.stderr.decode()
    passed = run("filter", input=mail)
    assert (passed.returncode, passed.stdout) == (0, mail)


def test_hosts_whose_results_count_are_configured_for_all_filters(configured, taught, tmp_path):
    mail = tmp_path / "authenticated.eml"
    mail.write_text(
        "Authentication-Results: mx.example.org; dkim=pass\n" + (taught / "new-spam.eml").read_text()
    )
    assert b"fact:dkim=pass" not in run("why", "--json", mail).stdout
    configured("results-from = mx.example.org, mx2.example.org\n")
    assert b"fact:dkim=pass" in run("why", "--json", mail).stdout
    configured("results-from = mx.example.org/\n")
    refused = run("why", mail)
    assert refused.returncode == 3
    assert refused.stderr.count(b"\n") == 1
    assert b"names of hosts" in refused.stderr
    data = mail.read_bytes()
    passed = run("filter", input=data)
    assert (passed.returncode, passed.stdout) == (0, data)


TAGGED = "verdict-header = X-Junk\nflag-header = X-Junk-Flag\nsubject-tag = [SPAM]\n"


def test_fields_and_subject_are_written_as_configured(configured, taught):
    configured(TAGGED)
    mail = b"X-Junk: no\nX-Junk-Flag: NO\n" + (taught / "new-spam.eml").read_bytes()
    head, _, body = run("filter", input=mail).stdout.partition(b"\n\n")
    lines = head.decode().splitlines()
    assert lines[0].startswith("X-Junk: spam; ")
    assert lines[1] == "X-Junk-Flag: YES"
    assert lines[2].startswith("X-Spam-Status: Yes")
    assert "Subject: [SPAM] free money" in lines
    assert head.count(b"X-Junk") == 2
    assert mail.endswith(b"\n\n" + body)
    ham = run("filter", input=(taught / "new-ham.eml").read_bytes()).stdout
    assert b"[SPAM]" not in ham


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("front", [b"", b"From joe Thu Aug 22 12:36:23 2002\n", b"Subject: one\n"])
def test_what_was_written_comes_off_again_before_digest_and_features(configured, taught, ends, front):
    configured(TAGGED + "keep-fields = yes\n")
    plain = (front + (taught / "new-spam.eml").read_bytes()).replace(b"\n", ends)
    tagged = run("filter", input=plain).stdout
    assert tagged != plain
    digests = [json.loads(run("classify", "--json", input=data).stdout)["digest"] for data in (plain, tagged)]
    assert digests == [read(plain).digest.hex()] * 2
    features = [
        json.loads(run("read", "--json", "--features", "all", "-", input=data).stdout)["features"]
        for data in (plain, tagged)
    ]
    assert features[0] == features[1]
    assert run("filter", input=tagged).stdout == tagged
    (taught / "plain.eml").write_bytes(plain)
    (taught / "tagged.eml").write_bytes(tagged)
    assert run("learn", "spam", taught / "plain.eml").stdout == b"learned 1 message as spam\n"
    assert run("learn", "spam", taught / "tagged.eml").stdout.endswith(b"1 known already\n")


def test_fields_of_other_filters_are_kept_on_request_but_never_in_place_of_ours(configured, taught):
    mail = b"X-Spam-Level: ***\nX-Spam-Flag: NO\nX-Deciban: ham\n" + (taught / "new-spam.eml").read_bytes()
    assert b"X-Spam-Level" not in run("filter", input=mail).stdout
    configured("keep-fields = yes\n")
    head = run("filter", input=mail).stdout.partition(b"\n\n")[0]
    assert b"X-Spam-Level: ***" in head
    assert b"X-Spam-Flag: NO" not in head
    assert head.count(b"X-Deciban: ") == 1


def test_verdicts_are_logged_without_a_word_of_the_mail(configured, taught, tmp_path):
    place = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(place))
        configured(f"syslog = {place}\n")
        assert run("filter", input=(taught / "new-spam.eml").read_bytes()).returncode == 0
        record = log.recv(65536).decode()
    assert record.startswith("<22>deciban[")
    assert "]: spam; " in record
    assert "message-id=<spam as never seen>" in record
    assert "free money" not in record
    done = run(
        "filter", input=(taught / "new-spam.eml").read_bytes(), env={**os.environ, "DECIBAN_SYSLOG": "/no"}
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"X-Deciban: spam")
    assert b"the verdict was not logged to /no" in done.stderr


def test_colors_are_configured_too(configured, taught):
    configured("color = always\n")
    assert b"\x1b[31mspam" in run("classify", taught / "new-spam.eml").stdout
    assert b"\x1b" not in run("classify", "--color", "never", taught / "new-spam.eml").stdout
