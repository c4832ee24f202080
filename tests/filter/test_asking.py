"""Who asks gets the right answer, or none in time: whoever stopped, may not write, or has filled the disk."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.cli import main
from deciban.errors import CannotWrite
from deciban.filter import Filter, Settings, asking, locks
from deciban.filter.published import Published
from deciban.filter.snapshot import Snapshot
from tests.filter.mails import classify, mail, teach

SMALL = Settings(bits=10, salt=99)
SITE, PERSON = 65533, 65534
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "mail")
    with Filter.open(place, SMALL) as filter_:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
    return place


def right(path: str) -> bytes:
    """The state that a replay gives."""
    with Filter.open(path, read_only=True) as filter_, filter_.ledger.reading():
        return filter_._own.replaying.in_memory(from_the_foundation=True).look().state()


# Who stopped

HOLDING = """
import sys
from deciban.filter.locks import Locks
locks = Locks(sys.argv[1] + '.lock', sys.argv[1])
with locks.changing():
    print('held', flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def stopped(path: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that was stopped while it held the lock of the state."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    process.send_signal(signal.SIGSTOP)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "QUESTION_SECONDS", 0.0)
    monkeypatch.setattr(locks, "QUESTION_SECONDS", 0.0)
    monkeypatch.setattr(locks, "CHANGE_SECONDS", 0.0)


@pytest.mark.usefixtures("stopped", "impatient")
def test_a_question_beside_a_stopped_process_is_unsure(path: str) -> None:
    with Filter.open(path) as filter_:
        verdict = classify(filter_, mail("spam", 50).data)
    assert verdict.unsure
    assert verdict.probabilities == {}


@pytest.mark.usefixtures("stopped", "impatient")
def test_a_lesson_beside_a_stopped_process_is_learned_all_the_same(
    path: str, stopped: "subprocess.Popen[bytes]"
) -> None:
    with Filter.open(path) as filter_:
        assert teach(filter_, "spam", [mail("spam", 50)]).learned == 1
        assert filter_.labels()["spam"] == 11
        stopped.kill()
        stopped.wait()
        assert filter_.is_replay()


def test_a_mail_beside_a_stopped_process_goes_on_untagged_after_two_seconds(
    path: str, stopped: "subprocess.Popen[bytes]"
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deciban", "filter", "--db", path],
        input=mail("spam", 50).data,
        capture_output=True,
        timeout=60,  # of a change it would be 120
        check=True,
    )
    assert done.stdout == mail("spam", 50).data
    assert b"no state yet" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert stopped.poll() is None


# Who finds the disk full


def test_a_sparse_copy_of_a_state_on_a_full_disk_kills_nobody(path: str, tmp_path: Path) -> None:
    state = tmp_path / "mail.snapshot"
    content = state.read_bytes()
    with state.open("r+b") as file:
        file.truncate(0)
        file.truncate(len(content))
        for start in range(0, len(content), 4096):
            if any(piece := content[start : start + 4096]):
                file.seek(start)
                file.write(piece)
    assert os.stat(state).st_blocks * 512 < len(content)
    before = right(path)
    with Filter.open(path) as filter_:
        assert filter_.state() == before
        teach(filter_, "spam", [mail("spam", 50)])
        assert filter_.is_replay()


def test_a_state_with_holes_is_given_its_room_before_it_is_taught(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "mail.snapshot"
    size = state.stat().st_size
    with state.open("r+b") as file:
        file.truncate(0)
        file.truncate(size)
    asked = []

    def full(file: int, start: int, length: int) -> None:
        asked.append((start, length))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(CannotWrite, match="room"):
        Snapshot.open_to_teach(str(state), SMALL)
    assert asked == [(0, size)]


def test_on_a_full_disk_questions_are_answered_from_memory(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Filter.open(path) as filter_:
        (tmp_path / "mail.snapshot").unlink()
        before = right(path)
        monkeypatch.setattr(Published, "beside", _no_room)
        assert filter_.state() == before
        teach(filter_, "spam", [mail("spam", 50)])
        assert filter_.state() == right(path) != before
    assert not (tmp_path / "mail.snapshot").exists()


def _no_room(*_: object) -> None:
    raise CannotWrite("The disk is full.")


def test_a_disk_that_fills_while_a_ledger_is_made_leaves_nothing(tmp_path: Path) -> None:
    made = "import sys; from deciban.cli import main; sys.exit(main(sys.argv[1:]))"
    message = tmp_path / "mail.eml"
    message.write_bytes(mail("spam", 1).data)
    folder = tmp_path / "filter"
    folder.mkdir()
    for kilobytes in (0, 1, 8, 24, 40, 52):

        def limit(kilobytes: int = kilobytes) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

        done = subprocess.run(
            [sys.executable, "-c", made, "learn", "spam", "--db", str(folder / "mail"), str(message)],
            preexec_fn=limit,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 3, done
        assert done.stderr.count("\n") == 1, done.stderr
        assert os.listdir(folder) == [], kilobytes


# Who may not write


@pytest.fixture
def site(path: str) -> Iterator[str]:
    """The filter of a site, which everybody may read."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name in os.listdir(os.path.dirname(path)):
            shutil.copy(os.path.join(os.path.dirname(path), name), folder)
            os.chmod(os.path.join(folder, name), 0o644)
        yield os.path.join(folder, "mail")


def files_of(site: str) -> dict[str, bytes]:
    folder = Path(site).parent
    return {name: (folder / name).read_bytes() for name in os.listdir(folder)}


def give(site: str, owner: int) -> None:
    """Let everything belong to somebody."""
    for name in ("", *os.listdir(os.path.dirname(site))):
        os.chown(os.path.join(os.path.dirname(site), name), owner, owner)


def as_person(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run deciban as somebody who owns nothing here; what it needs is imported before."""
    become = (
        "import contextlib, io, json, os, sys, tempfile, zlib; from deciban.cli import main\n"
        "from deciban.cli.verbs import VERBS, load_verb\n"
        "import deciban.filter.changing, deciban.filter.replaying, deciban.filter.foundation\n"
        "import deciban.filter.shared_filter, deciban.filter.mail, deciban.cli.progress_line\n"
        "import deciban.cli.verdict_text, deciban.filter.tag, mmap, deciban.filter.status\n"
        "for verb in VERBS: load_verb(verb)\n"
        "with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), "
        "contextlib.redirect_stderr(io.StringIO()):\n"
        "    with open(folder + '/hello.eml', 'w') as file: file.write('Subject: hello')\n"
        "    main(['learn', 'spam', '--db', folder + '/mail', folder + '/hello.eml'])\n"
        f"os.setgid({PERSON}); os.setuid({PERSON}); sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", become, *arguments],
        input=mail("spam", 50).data.decode(),
        env={**os.environ, "HOME": "/", "XDG_CONFIG_HOME": ""},  # that of root may be closed to others
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_state_has_the_permissions_of_its_ledger_whatever_the_umask(site: str) -> None:
    before = os.umask(0o077)
    try:
        for part in (".snapshot", ".lock"):
            os.unlink(site + part)
        with Filter.open(site) as filter_:
            classify(filter_, mail("spam", 50).data)
    finally:
        os.umask(before)
    for part in (".snapshot", ".lock"):
        assert stat.S_IMODE(os.stat(site + part).st_mode) == 0o644


@only_root
def test_who_may_only_read_a_sites_filter_gets_its_verdict_and_nothing_is_written(
    site: str,
) -> None:
    before = files_of(site)
    done = as_person("classify", "--db", site, "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("spam")
    assert files_of(site) == before


@only_root
@pytest.mark.parametrize("part", [".snapshot", ".lock"])
def test_who_may_not_read_the_state_gets_the_same_verdict_and_is_told_once_what_to_mend(
    site: str, part: str
) -> None:
    usual = as_person("classify", "--db", site, "-").stdout
    os.chmod(site + part, 0o600)
    done = as_person("classify", "--db", site, "-")
    assert (done.returncode, done.stdout) == (0, usual)
    assert done.stderr.count("\n") == 1
    assert f"chmod --reference={site} {site}{part}" in done.stderr


@only_root
def test_a_state_and_a_lock_of_somebody_else_in_my_own_folder_are_replaced(site: str) -> None:
    give(site, PERSON)
    for part in (".snapshot", ".lock"):
        os.chown(site + part, SITE, SITE)
        os.chmod(site + part, 0o600)
    done = as_person("learn", "spam", "--db", site, "-")
    assert (done.returncode, done.stderr) == (0, "")
    for part in (".snapshot", ".lock"):
        assert os.stat(site + part).st_uid == PERSON
    with Filter.open(site) as filter_:
        assert filter_.labels()["spam"] == 11
        assert filter_.is_replay()


@only_root
def test_what_root_does_to_somebodys_filter_stays_his(site: str, tmp_path: Path) -> None:
    give(site, PERSON)
    for part in (".snapshot", ".lock"):
        os.unlink(site + part)
    assert main(["learn", "spam", "--db", site, str(_eml(tmp_path))]) == 0
    for part in (".snapshot", ".lock"):
        assert os.stat(site + part).st_uid == PERSON


def _eml(folder: Path) -> Path:
    path = folder / "new.eml"
    path.write_bytes(mail("spam", 51).data)
    return path
