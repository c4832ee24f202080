"""A real Dovecot with Pigeonhole, in a folder of its own; mail of everybody belongs to one user, as usual."""

import imaplib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.doors.private_programs import free_port, listens, running, wait_until

PROGRAM = "/usr/sbin/dovecot"
PLUGIN = "/usr/lib/dovecot/modules/lib95_imap_sieve_plugin.so"
OWNER = "news"
PASSWORD = "secret"
SETTINGS = """\
base_dir = {home}/run
state_dir = {home}/run
log_path = {home}/log
protocols = imap
ssl = no
disable_plaintext_auth = no
auth_username_chars =
listen = 127.0.0.1
mail_location = maildir:{home}/mail/%u
first_valid_uid = 1
first_valid_gid = 1
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}/mail/%u
}}
namespace inbox {{
  inbox = yes
  mailbox Junk {{
    auto = create
  }}
  mailbox Trash {{
    auto = create
  }}
  mailbox Later {{
    auto = create
  }}
}}
"""


class DovecotServer:
    """A Dovecot that is running."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.port = home, port

    def client(self, user: str) -> imaplib.IMAP4:
        """A user who logged in."""
        client = imaplib.IMAP4("127.0.0.1", self.port, timeout=60)
        client.login(f'"{user}"', PASSWORD)
        return client

    def deliver(self, user: str, mail: bytes, script: str) -> None:
        """Hand a mail to its delivery agent, which files it as a script of Sieve says."""
        (self.home / "default.sieve").write_text(script)
        settings = (self.home / "dovecot.conf").read_text()
        own = "protocol lda {\n  mail_plugins = sieve\n}\n"
        own += f"plugin {{\n  sieve = {self.home}/default.sieve\n}}\n"
        (self.home / "delivery.conf").write_text(settings + own)
        command = ["/usr/lib/dovecot/dovecot-lda", "-c", self.home / "delivery.conf", "-d", user]
        done = subprocess.run(command, input=mail, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode() + self.log()

    def log(self) -> str:
        path = self.home / "log"
        return path.read_text(errors="replace")[-3000:] if path.exists() else ""


@contextmanager
def running_dovecot(home: Path, settings: str) -> Iterator[DovecotServer]:
    """A Dovecot in a folder, with these lines in its configuration beside ours."""
    _need_dovecot()
    port, owner = free_port(), pwd.getpwnam(OWNER)
    (home / "run").mkdir(parents=True)
    (home / "mail").mkdir()
    shutil.chown(home / "mail", OWNER, owner.pw_gid)
    home.chmod(0o755)
    own = SETTINGS.format(home=home, port=port, password=PASSWORD, uid=owner.pw_uid, gid=owner.pw_gid)
    (home / "dovecot.conf").write_text(own + settings)
    with running([PROGRAM, "-F", "-c", str(home / "dovecot.conf")], home / "output"):
        server = DovecotServer(home, port)
        wait_until(lambda: listens(port), lambda: f"{(home / 'output').read_text()} {server.log()}")
        yield server


def sieve_test(home: Path, settings: str) -> str:
    """What Pigeonhole says that a script of this folder does with a mail."""
    _need_dovecot()
    owner = pwd.getpwnam(OWNER)
    (home / "mail").mkdir()
    for path in (home, *home.iterdir()):
        shutil.chown(path, OWNER, owner.pw_gid)
    own = f"mail_uid = {owner.pw_uid}\nmail_gid = {owner.pw_gid}\nfirst_valid_uid = 1\nfirst_valid_gid = 1\n"
    (home / "dovecot.conf").write_text(f"{own}mail_home = {home}/mail\n{settings}")
    command = ["sieve-test", "-c", "dovecot.conf", "-l", f"maildir:{home}/mail", "script.sieve", "mail.eml"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _need_dovecot() -> None:
    if not os.path.exists(PLUGIN):
        pytest.skip("needs dovecot-imapd and dovecot-sieve: .ci/prepare tests installs them")
    if os.geteuid() != 0:
        pytest.skip("dovecot must be started by root")
