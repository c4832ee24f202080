"""How the command behaves in front of a person: on a real terminal, and in a pipe from one."""

import os
import re
import subprocess
import sys

import pytest

from deciban.cli.terminal import columns_of
from tests.cli.terminals import on_terminal

DECIBAN = (sys.executable, "-m", "deciban")
MAIL = b"Subject: free money\n\nfree money\n"


def test_classify_says_that_it_waits_and_one_end_of_file_is_enough(taught):
    seen = on_terminal("classify", typed=MAIL + b"\x04")
    assert "deciban: waiting for what you type; Ctrl-D ends it\n" in seen.text
    assert "spam" in seen.text
    assert seen.code == 0


@pytest.mark.parametrize("verb", [("why",), ("read", "-"), ("learn", "spam", "-"), ("filter",)])
def test_every_verb_that_reads_a_terminal_says_so(taught, verb):
    seen = on_terminal(*verb, typed=MAIL + b"\x04")
    assert seen.text.count("deciban: waiting for what you type; Ctrl-D ends it\n") == 1
    assert seen.code == 0


def test_nobody_is_told_to_wait_in_a_pipe(taught):
    done = subprocess.run([*DECIBAN, "classify"], input=MAIL, capture_output=True)
    assert done.stderr == b""


def test_no_progress_runs_into_what_a_pipe_shows(taught):
    reader, writer = os.pipe()
    seen = on_terminal("classify", str(taught / "spam"), str(taught / "ham"), stdout=writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        assert pipe.read().count(b"\n") == 40
    assert seen.text == "deciban: 40 messages: 20 spam, 20 ham\n"


def test_the_progress_of_an_evaluation_stays_out_of_a_pipe_too(taught):
    lines = [f"{label}\t{label}/{number}.eml\n" for number in range(20) for label in ("ham", "spam")]
    (taught / "index.tsv").write_text("".join(lines) * 5)
    reader, writer = os.pipe()
    seen = on_terminal("evaluate", "--rounds", "0", str(taught / "index.tsv"), stdout=writer)
    os.close(writer)
    os.close(reader)
    assert seen.text == ""
    assert "200 of 200" in on_terminal("evaluate", "--rounds", "0", str(taught / "index.tsv")).text


def test_progress_is_shown_while_a_file_is_written(taught, tmp_path):
    with open(tmp_path / "verdicts", "wb") as file:
        seen = on_terminal("classify", str(taught / "spam"), str(taught / "ham"), stdout=file.fileno())
    assert "1 message ·" in seen.text
    assert re.search(r"\x1b\[Kdeciban: 40 messages: ", seen.text)


@pytest.mark.parametrize("before", [["--db", "{}"], ["--db={}"]])
def test_the_database_may_be_named_before_the_verb(taught, database, before, tmp_path):
    elsewhere = tmp_path / "elsewhere.db"
    database.rename(elsewhere)
    front = [word.format(elsewhere) for word in before]
    done = subprocess.run([*DECIBAN, *front, "classify"], input=MAIL, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert subprocess.run([*DECIBAN, "classify"], input=MAIL, capture_output=True).returncode == 3


def test_one_is_not_many(mails, database):
    for label in ("spam", "ham"):
        path = str(mails / f"new-{label}.eml")
        taught = subprocess.run([*DECIBAN, "learn", label, path], capture_output=True, text=True)
        assert taught.stdout == f"learned 1 message as {label}\n"
    exported = subprocess.run([*DECIBAN, "export"], capture_output=True, text=True)
    assert exported.stderr == "deciban: 2 lessons exported\n"
    shown = subprocess.run([*DECIBAN, "show"], capture_output=True, text=True).stdout
    assert "spam  1 lesson\n" in shown
    counts = re.findall(
        r"counted 1 (\w+)", subprocess.run([*DECIBAN, "show", "free"], capture_output=True, text=True).stdout
    )
    assert set(counts) <= {"time"}


@pytest.mark.parametrize(("file", "color"), [("new-spam.eml", 31), ("new-ham.eml", 32)])
def test_a_terminal_sees_the_verdict_in_color(taught, file, color):
    label = file.removeprefix("new-").removesuffix(".eml")
    path = str(taught / file)
    assert on_terminal("classify", path).text.startswith(f"\x1b[{color}m{label}\x1b[0m  ")
    for plain in (on_terminal("classify", path, NO_COLOR="1"), on_terminal("classify", path, TERM="dumb")):
        assert plain.text.startswith(f"{label}  ")
    assert on_terminal("classify", "--color", "never", path).text.startswith(f"{label}  ")


def test_a_pipe_sees_colors_only_if_it_asks(taught):
    path = str(taught / "new-spam.eml")
    assert b"\x1b" not in subprocess.run([*DECIBAN, "classify", path], capture_output=True).stdout
    asked = [*DECIBAN, "classify", "--color", "always", path]
    assert b"\x1b[31mspam\x1b[0m" in subprocess.run(asked, capture_output=True).stdout
    as_json = [*DECIBAN, "classify", "--color", "always", "--json", path]
    assert b"\x1b" not in subprocess.run(as_json, capture_output=True).stdout


@pytest.mark.parametrize("columns", [40, 59, 80, 120, 200])
def test_a_table_fits_the_terminal(taught, columns):
    (taught / "spam" / "wide.eml").write_bytes(
        "Subject: 日本語のとても長い件名 free money and a subject that goes on and on and on\n\nx\n".encode()
    )
    seen = on_terminal("classify", str(taught / "spam"), columns=columns, NO_COLOR="1")
    *lines, _ = seen.text.splitlines()
    assert len(lines) == 21
    assert all(columns_of(line) <= columns for line in lines)
    assert any("…" in line for line in lines)
    if columns >= 80:  # cut in the middle: the names, which tell the messages apart, are seen
        assert len(set(re.findall(r"\w+\.eml", seen.text))) == 21


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("verb", ["why", "show", "lessons"])
def test_every_table_fits_the_terminal(taught, columns, verb):
    path = taught / "long.eml"
    path.write_text(f"From: {'a' * 90}@example.org\nSubject: {'free money ' * 20}\n\n{'prize' * 40} free\n")
    seen = on_terminal(verb, *([str(path)] if verb == "why" else []), columns=columns, NO_COLOR="1")
    assert seen.code == 0
    prose = ("for ", "the strongest ", "strongest for ", "In a mail of many words")
    lines = [line for line in seen.text.splitlines() if not line.startswith(prose)]
    assert len(lines) > 5
    assert all(columns_of(line) <= columns for line in lines)


@pytest.mark.parametrize("verb", ["why", "show", "status", "config"])
def test_tables_are_coloured_on_a_terminal_only(taught, verb):
    arguments = [verb, *([str(taught / "new-spam.eml")] if verb == "why" else [])]
    assert "\x1b[" in on_terminal(*arguments).text
    assert "\x1b[" not in on_terminal(*arguments, NO_COLOR="1").text
    assert b"\x1b[" not in subprocess.run([*DECIBAN, *arguments], capture_output=True).stdout
