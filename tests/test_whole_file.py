"""A file appears whole or not at all, whoever writes, waits, plants a link or pulls the plug."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from deciban.whole_file import WholeFile

WRITER = """
import sys
from deciban.whole_file import WholeFile
path, letter, times = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(times):
    with WholeFile(path) as file:
        for _ in range(64):
            file.write(letter * 4096)
            file.flush()
"""
WHOLE = 64 * 4096


def write(path, content):
    with WholeFile(path) as file:
        file.write(content)


def start(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_write_one_path_never_show_a_piece_of_it(tmp_path):
    path = tmp_path / "model"
    write(path, b"0" * WHOLE)
    writers = [start(WRITER, path, letter, 30) for letter in "ab"]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    seen = set()
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes()
        seen.add((len(content), content.count(content[:1])))
    assert [writer.wait() for writer in writers] == [0, 0]
    for writer in writers:
        writer.communicate()
    assert seen == {(WHOLE, WHOLE)}
    assert os.listdir(tmp_path) == ["model"]


def test_a_link_planted_under_the_name_beside_the_target_is_not_followed(tmp_path, monkeypatch):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    monkeypatch.setattr(os, "urandom", bytes)  # even for who guesses the random name
    os.symlink(precious, tmp_path / f".deciban-{bytes(8).hex()}.part")
    with pytest.raises(FileExistsError):
        write(tmp_path / "model", b"new")
    assert precious.read_text() == "mine"
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("planted", ["model.part", "model.new"])
def test_links_under_names_that_can_be_guessed_stay_as_they_are(tmp_path, planted):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    os.symlink(precious, tmp_path / planted)
    write(tmp_path / "model", b"new")
    assert precious.read_text() == "mine"
    assert os.path.islink(tmp_path / planted)
    assert (tmp_path / "model").read_bytes() == b"new"


def test_a_link_under_the_name_of_the_target_is_replaced_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    os.symlink(precious, tmp_path / "model")
    write(tmp_path / "model", b"new")
    assert precious.read_text() == "mine"
    assert not os.path.islink(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == b"new"


def test_after_a_failure_the_old_file_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def interrupted():
        with WholeFile(path) as file:
            file.write(b"half of the ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


FULL = """
import resource, signal, sys
from deciban.whole_file import WholeFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with WholeFile(sys.argv[1]) as file:
        file.write(b"x" * 1001)
except OSError as error:
    print(type(error).__name__)
"""


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    shown = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True)
    assert shown.stdout == "OSError\n"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    code = (
        "import sys; from deciban.whole_file import WholeFile\n"
        "with WholeFile(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); print('ready', flush=True); sys.stdin.read()"
    )
    writer = start(code, path)
    assert writer.stdout.readline() == "ready\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert path.read_bytes() == b"old"
    write(path, b"new")
    assert path.read_bytes() == b"new"


def test_permissions_are_passed_on_and_otherwise_those_of_any_new_file(tmp_path):
    path, other = tmp_path / "model", tmp_path / "other"
    write(path, b"new")
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    path.chmod(0o640)
    write(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_cannot_be_written(tmp_path):
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"new")
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "none" / "model", b"new")
    assert os.listdir(tmp_path) == []


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path):
    write(tmp_path / ("n" * 255), b"new")
    assert os.listdir(tmp_path) == ["n" * 255]


def test_a_plain_name_is_written_into_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("model", b"new")
    assert (tmp_path / "model").read_bytes() == b"new"


def test_pipes_and_devices_are_written_to_and_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink(tmp_path / "pipe", tmp_path / "link")
    code = "import sys; print(open(sys.argv[1]).read())"
    reader = start(code, tmp_path / "pipe")
    write(tmp_path / "link", b"through")
    assert reader.communicate()[0] == "through\n"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert os.path.islink(tmp_path / "link")
    write("/dev/null", b"new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_standard_output_is_written_to_also_where_it_is_a_plain_file(tmp_path):
    code = "from deciban.whole_file import WholeFile as W\nwith W('/dev/stdout') as file: file.write(b'new')"
    with open(tmp_path / "output", "wb") as output:
        subprocess.run([sys.executable, "-c", code], stdout=output, check=True)
    assert (tmp_path / "output").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["output"]
