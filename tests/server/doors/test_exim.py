"""A real Exim's ``spam`` condition, with the spamd door and with the rspamd door."""

import email
import os
import pwd
import shutil
import smtplib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.doors.documented import block
from tests.server.doors.private_programs import (
    free_port,
    listens,
    open_folder,
    running,
    unpacked,
    wait_until,
)
from tests.server.running_server import RunningServer, mail_of, teach

OWNER = "news"
WRAPPER = "/usr/lib/x86_64-linux-gnu/libnss_wrapper.so"
SETTINGS = """\
exim_path = {program}
exim_user = {owner}
exim_group = {owner}
spool_directory = {home}/spool
log_file_path = {home}/log/%s
pid_file_path = {home}/pid
primary_hostname = mx.example.org
keep_environment = LD_PRELOAD : NSS_WRAPPER_PASSWD : NSS_WRAPPER_GROUP
tls_advertise_hosts =
never_users =
acl_smtp_rcpt = accept
"""
DELIVERY = """
begin routers
local:
  driver = accept
  transport = maildir
begin transports
maildir:
  driver = appendfile
  maildir_format
  create_directory
  directory = {home}/mail/ann
  user = {owner}
  group = {owner}
"""


class Exim:
    """An Exim that is running."""

    def __init__(self, home: Path, port: int, command: list[str], environment: dict[str, str]) -> None:
        self.home, self.port = home, port
        self.command, self.environment = command, environment
        self.seen = 0

    def sent(self, message: bytes) -> email.message.Message:
        """A message as it arrives."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
            client.sendmail("joe@example.com", ["ann@example.org"], message.replace(b"\n", b"\r\n"))
        self.seen += 1
        # What Exim starts by itself does not see the user that it wants, so we run its queue.
        subprocess.run(
            [*self.command, "-qff"], env={**os.environ, **self.environment}, check=True, timeout=120
        )
        wait_until(
            lambda: len(self.paths()) >= self.seen, lambda: (self.home / "log/main").read_text()[-2000:]
        )
        return email.message_from_bytes(self.paths()[-1].read_bytes())

    def paths(self) -> list[Path]:
        return sorted((self.home / "mail/ann").glob("new/*"), key=lambda path: path.stat().st_mtime_ns)


@contextmanager
def running_exim(home: Path, lines: str) -> Iterator[Exim]:
    """An Exim in a folder, with these lines of docs/exim.md."""
    program = unpacked("exim", needs_root=True) / "usr/sbin/exim4"
    if not Path(WRAPPER).exists():
        pytest.skip("needs libnss-wrapper, for the user that Exim wants: .ci/prepare tests installs it")
    home.mkdir()
    for name in ("spool", "log", "mail"):
        (home / name).mkdir()
        shutil.chown(home / name, OWNER, OWNER)
    number = pwd.getpwnam(OWNER).pw_uid
    (home / "passwd").write_text(
        Path("/etc/passwd").read_text() + f"Debian-exim:x:{number}:{number}::/:/bin/false\n"
    )
    (home / "group").write_text(Path("/etc/group").read_text() + f"Debian-exim:x:{number}:\n")
    text = (
        SETTINGS
        + lines.replace("$", "\0").replace("{", "{{").replace("}", "}}").replace("\0", "$")
        + DELIVERY
    )
    configuration = home / "exim.conf"
    configuration.write_text(text.format(home=home, program=program, owner=OWNER))
    port = free_port()
    environment = {
        "LD_PRELOAD": WRAPPER,
        "NSS_WRAPPER_PASSWD": str(home / "passwd"),
        "NSS_WRAPPER_GROUP": str(home / "group"),
    }
    command = [str(program), "-C", str(configuration)]
    with running([*command, "-bdf", "-oX", f"127.0.0.1.{port}"], home / "output", environment):
        wait_until(lambda: listens(port), lambda: (home / "output").read_text())
        yield Exim(home, port, command, environment)


@pytest.mark.parametrize(("kind", "number", "port"), [("spamd.conf", 0, "783"), ("rspamd.conf", 1, "11333")])
def test_mail_is_tagged_and_goes_on_without_us(kind: str, number: int, port: str) -> None:
    unpacked("exim", needs_root=True)
    here = str(free_port())
    lines = block("exim.md", "toml", number).replace(port, here) + "[server]\nworkers = 1\n"
    page = block("exim.md", kind).replace(port, here)
    with open_folder() as folder, running_exim(folder / "exim", page) as exim:
        with RunningServer(folder, lines, ("@",)) as server:
            teach(server, space="@")
            spam = exim.sent(b"X-Spam-Flag: NO\n" + mail_of("spam", 100))
            assert spam.get_all("X-Spam-Flag") == ["YES"]
            assert float(spam["X-Spam-Score"]) >= 5
            good = exim.sent(b"X-Spam-Flag: NO\n" + mail_of("ham", 100))
            assert good["X-Spam-Flag"] is None
        untagged = exim.sent(mail_of("spam", 101))
        assert untagged["X-Spam-Flag"] is None
        assert untagged.get_payload() == mail_of("spam", 101).decode().partition("\n\n")[2]
