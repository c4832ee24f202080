"""One rule for what is empty or cannot be read, held against the real program."""

import os
import shutil
import subprocess
import sys

import pytest

DECIBAN = (sys.executable, "-m", "deciban")
MAIL = b"Subject: lunch\n\nat one\n"
READERS = (("classify",), ("why",), ("read",), ("learn", "ham"), ("forget", "--yes"))


def run(*arguments, **options):
    return subprocess.run([*DECIBAN, *map(str, arguments)], capture_output=True, text=True, **options)


def unprivileged():
    """What runs a command so that permissions hold for it, for root too."""
    if os.getuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and setpriv is not there to take that away")
    taken = "-dac_override,-dac_read_search"
    return ("setpriv", f"--bounding-set={taken}", f"--inh-caps={taken}")


@pytest.mark.parametrize("verb", READERS, ids=lambda verb: verb[0])
def test_an_empty_folder_holds_no_messages(taught, tmp_path, verb):
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run(*verb, empty)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"deciban: there are no messages in {empty}\n"


@pytest.mark.parametrize("verb", READERS, ids=lambda verb: verb[0])
def test_an_empty_mail_is_skipped_with_its_reason(taught, tmp_path, verb):
    (tmp_path / "empty.eml").write_bytes(b"")
    done = run(*verb, tmp_path / "empty.eml")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"deciban: skipped {tmp_path / 'empty.eml'}: empty\n"
    nothing = run(*verb, "-", input="")
    assert (nothing.returncode, nothing.stderr) == (3, "deciban: skipped standard input: empty\n")


@pytest.mark.parametrize("verb", READERS, ids=lambda verb: verb[0])
def test_an_unreadable_folder_is_called_so(taught, tmp_path, verb):
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "1.eml").write_bytes(MAIL)
    folder.chmod(0)
    before = unprivileged()
    for place, words in (
        (folder, f"deciban: skipped {folder}: permission denied\n"),
        (
            folder / "1.eml",
            f"deciban: '{folder / '1.eml'}' cannot be read: permission denied; check its folder\n",
        ),
    ):
        done = subprocess.run(
            [*before, *DECIBAN, *verb, str(place)], capture_output=True, text=True, cwd=tmp_path
        )
        assert (done.returncode, done.stdout, done.stderr) == (3, "", words)
    folder.chmod(0o700)


def test_what_can_be_read_is_read_and_the_rest_is_counted(taught, tmp_path):
    (tmp_path / "empty.eml").write_bytes(b"")
    done = run("learn", "ham", tmp_path / "empty.eml", taught / "new-ham.eml")
    assert done.returncode == 0
    assert done.stdout == "learned 1 message as ham\n"
    assert done.stderr.endswith("deciban: 1 read, 1 skipped\n")


def test_a_refused_lesson_makes_no_database(database, tmp_path):
    (tmp_path / "empty.eml").write_bytes(b"")
    assert run("learn", "spam", tmp_path / "empty.eml").returncode == 3
    assert not database.exists()


@pytest.mark.parametrize("verb", ["classify", "why", "read", "learn", "forget", "man"])
def test_help_and_manual_tell_the_rule(verb):
    told = " ".join(run(verb, *(["--help"] if verb != "man" else [])).stdout.split())
    assert "skipped, with a line on standard error" in told
    assert "the exit code is 3" in told


@pytest.mark.parametrize("end", ["\n", "\0"])
def test_file_names_come_from_a_list(taught, end):
    names = [str(taught / "spam" / f"{number}.eml") for number in range(3)]
    done = run("classify", "--files-from", "-", input=end.join(names) + end)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["spam"] * 3
    listed = taught / "list"
    listed.write_text(end.join(names))
    assert run("read", "--json", "--files-from", listed).stdout.count('"id":') == 3
    assert run("learn", "work", "--files-from", listed).stdout.startswith("learned 0 messages as work, 3 rel")


def test_names_are_given_one_way(taught):
    done = run("classify", "--files-from", "-", taught / "new-ham.eml", input="x\n")
    assert done.returncode == 3
    assert "name the messages one way" in done.stderr
    assert run("classify", "--files-from", "-", input="").returncode == 3


@pytest.mark.parametrize("verb", ["learn", "forget"])
def test_a_label_that_is_no_text_is_told_as_that(taught, verb):
    label = os.fsdecode(b"caf\xe9")
    rest = [label, str(taught / "new-ham.eml")] if verb == "learn" else ["--label", label, "--yes"]
    done = run(verb, *rest)
    assert done.returncode == 3
    assert done.stderr.startswith("deciban: The label 'caf\\udce9' is not text in UTF-8.")
