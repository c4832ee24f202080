import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from deciban.cli import main
from deciban.cli.verbs import VERBS, load_verb

MAIL = b"Subject: hi\n\nhello\n"
# What must not be loaded to read one message: the first three by the design, the others for their start-up.
SLOW = "numpy scipy sklearn pandas rich email tarfile zipfile mailbox shutil importlib.metadata"


def deciban(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "deciban", *arguments], capture_output=True, text=True, **options
    )


def test_help_lists_every_verb(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown and summary in shown for name, summary in VERBS.items())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb, capsys):
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown
    assert f"deciban {verb} " in shown


def test_the_version_is_that_of_the_package(capsys):
    from importlib.metadata import version

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"deciban {version('deciban')}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "deciban: 'nonsense' is not a verb of deciban; it knows "),
        (["--nonsense"], "deciban: '--nonsense' is not a verb of deciban; it knows "),
        (["read", "/no/such/file"], "deciban: '/no/such/file' is not a file, a folder or a message id; "),
        (["read", "--limit", "-1", "x"], "deciban: argument --limit: "),
        (["read"], "deciban: name the messages: FILE, or - for standard input"),
        (["read", "\x1b[2J"], "deciban: '\\x1b[2J' is not a file"),
    ],
)
def test_errors_are_one_harmless_line_and_exit_code_3(arguments, message, capsys):
    assert main(arguments) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(message)
    assert captured.err.count("\n") == 1


def test_without_a_verb_the_help_is_shown_as_an_error(capsys):
    assert main([]) == 3
    assert "verbs:" in capsys.readouterr().err


def test_a_reader_that_stops_listening_ends_the_command_quietly(tmp_path: Path):
    for number in range(100):
        (tmp_path / f"{number}.eml").write_bytes(MAIL * 500)
    command = [sys.executable, "-m", "deciban", "read", "--json", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line_too(tmp_path: Path):
    (tmp_path / "1.eml").write_bytes(MAIL)
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "deciban", "read", str(tmp_path)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr == "deciban: No space left on device; nothing more was written\n"


def test_an_interrupt_ends_the_command_quietly():
    command = [sys.executable, "-m", "deciban", "read", "--limit", "0", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        # The first message is printed while standard input is open, so the command is known to be reading.
        separator = b"From joe Thu Aug 22 12:36:23 2002\n"
        process.stdin.write((separator + MAIL * 4_000 + b"\n") * 30)
        process.stdin.flush()
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 130


# A command line for each verb that has something to read or to print.
COMMANDS = {
    "learn": ["ham", "-"],
    "merge": ["other.db"],
    "compact": ["--before", "2020-01-01", "--yes"],
    "publish": ["state"],
    "forget": ["-"],
    "import": ["-"],
    "read": ["-"],
    "evaluate": ["--corpus", "no-such-corpus"],
    "table": ["fit", "-", "--label", "a"],
    "completion": ["bash"],
    "serve": ["--check"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_an_unforeseen_error_is_one_line_and_exit_code_3(verb, taught):
    event = f"import:{load_verb(verb).__name__}"
    command = [sys.executable, "-m", "tests.cli.sabotage", event, "ZeroDivisionError", verb]
    done = subprocess.run(command, input=MAIL.decode(), capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr == (
        "deciban: unforeseen ZeroDivisionError: sabotage; DECIBAN_TRACEBACK=1 shows where it happened\n"
    )


def test_an_error_that_says_what_to_do_says_nothing_else(database):
    done = deciban("status")
    assert done.returncode == 3
    assert (
        done.stderr == f"deciban: There is no ledger {database}. Teach it something first: deciban learn; "
        "or begin with what comes with deciban: deciban prefer --starter.\n"
    )


def test_the_environment_can_ask_where_an_error_happened(taught):
    command = [sys.executable, "-m", "tests.cli.sabotage", "sqlite3.connect", "ZeroDivisionError", "classify"]
    environment = {**os.environ, "DECIBAN_TRACEBACK": "1"}
    done = subprocess.run(command, input=MAIL.decode(), capture_output=True, text=True, env=environment)
    assert done.returncode == 3
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert done.stderr.splitlines()[-1].startswith("deciban: unforeseen ZeroDivisionError: sabotage; ")


@pytest.mark.parametrize("verb", sorted(VERBS.keys() - {"demo", "filter"}))
def test_a_closed_stream_is_never_a_traceback_nor_good_mail(verb, taught):
    command = [verb, *COMMANDS.get(verb, [])]
    usual = deciban(*command, input=MAIL.decode(), cwd=taught)
    assert "Traceback" not in usual.stderr
    for descriptor in (0, 1, 2):
        done = deciban(*command, input=MAIL.decode(), cwd=taught, preexec_fn=partial(os.close, descriptor))
        if descriptor == 2:
            assert done.stderr == ""
        elif done.returncode != usual.returncode:
            assert done.returncode == 3
            assert done.stderr == "deciban: standard input or output is closed; nothing more was written\n"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["classify", "why", "status", "nonsense"])
def test_a_full_standard_error_is_no_traceback(verb, taught):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "deciban", verb, "--nonsense"]
        assert subprocess.run(command, stderr=full, input=MAIL).returncode == 3


def test_the_installed_command_and_the_module_are_the_same(tmp_path: Path):
    (tmp_path / "1.eml").write_bytes(MAIL)
    command = Path(sys.executable).parent / "deciban"
    if not command.exists():
        pytest.skip("the package is not installed with its command")
    path = str(tmp_path / "1.eml")
    installed = subprocess.run([str(command), "read", path], capture_output=True, text=True, check=True)
    assert installed.stdout == deciban("read", path, check=True).stdout


@pytest.mark.parametrize(
    "arguments", [["--help"], ["read", "--help"], ["read", "-"], ["read", "-", "--features"]]
)
def test_no_numerical_package_and_no_slow_module_is_imported(arguments):
    script = (
        "import sys; from deciban.cli import main; main(sys.argv[1:]);"
        f"print(sorted(set(sys.modules) & set({SLOW!r}.split())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=MAIL.decode(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_reading_a_message_without_its_features_imports_no_typing():
    script = (
        "import sys; before = set(sys.modules); from deciban.cli import main; main(['read', '-']);"
        "print(sorted({'typing', 're'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=MAIL.decode(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_imports_no_verb():
    script = (
        "import sys; from deciban.cli import main; main(['--help']); print('deciban.cli.read' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
