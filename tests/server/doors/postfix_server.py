"""A real Postfix with configuration, queue and Maildirs of its own, for example.org."""

import os
import pwd
import smtplib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server.doors.private_programs import free_port, listens, running, unpacked, wait_until

# Accounts that every Debian has: Postfix wants one that nothing else uses, and a group of its own.
OWNER, GROUP = "news", "uucp"
USERS = ("ann", "bob", "carl", "dora", "spam", "ham")
SERVICES = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
showq unix n - n - - showq
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
SETTINGS = """\
compatibility_level = 3.6
queue_directory = {home}/queue
data_directory = {home}/data
command_directory = {program}/usr/sbin
daemon_directory = {program}/usr/lib/postfix/sbin
shlib_directory = {program}/usr/lib/postfix
meta_directory = {program}/etc/postfix
mail_owner = {owner}
setgid_group = {group}
import_environment = MAIL_CONFIG LANG=C LD_LIBRARY_PATH
maillog_file = {home}/log
maillog_file_prefixes = {home}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.org
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
local_recipient_maps =
smtpd_peername_lookup = no
smtpd_recipient_restrictions = permit_mynetworks, reject
recipient_delimiter = +
virtual_mailbox_domains = example.org
virtual_mailbox_base = {home}/mail
virtual_mailbox_maps = texthash:{home}/etc/mailboxes
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
"""


class PostfixServer:
    """A Postfix that is running."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.port = home, port

    def client(self) -> smtplib.SMTP:
        """A connection to it."""
        return smtplib.SMTP("127.0.0.1", self.port, timeout=60)

    def send(self, message: bytes, *recipients: str, sender: str = "joe@example.com") -> None:
        """Hand a message over, as another mail server does."""
        lines = message.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        try:
            with self.client() as client:
                client.sendmail(sender, recipients or ("ann@example.org",), lines)
        except smtplib.SMTPServerDisconnected as error:
            error.add_note(self.log())
            raise

    def delivered(self, user: str = "ann") -> list[bytes]:
        """What lies in a mailbox."""
        return [path.read_bytes() for path in sorted((self.home / "mail" / user).glob("new/*"))]

    def wait_for(self, count: int, user: str = "ann") -> list[bytes]:
        """The mail of a user, once so many have come."""
        wait_until(
            lambda: len(self.delivered(user)) >= count, lambda: f"{count} mails for {user}; {self.log()}"
        )
        return self.delivered(user)

    def queued(self, *kinds: str) -> list[Path]:
        """The messages in its queue, or in some parts of it."""
        kinds = kinds or ("incoming", "active", "deferred", "maildrop", "hold")
        return [path for kind in kinds for path in (self.home / "queue" / kind).rglob("*") if path.is_file()]

    def log(self) -> str:
        """The end of its log."""
        path = self.home / "log"
        return path.read_text(errors="replace")[-6000:] if path.exists() else ""


@contextmanager
def running_postfix(home: Path, settings: str) -> Iterator[PostfixServer]:
    """A Postfix in a folder, with these lines in its main.cf beside ours, or in place of them."""
    program = unpacked("postfix", needs_root=True)
    port = free_port()
    owner = pwd.getpwnam(OWNER)
    _make_folders(home, owner)
    own = SETTINGS.format(
        home=home, program=program, owner=OWNER, group=GROUP, uid=owner.pw_uid, gid=owner.pw_gid
    )
    (home / "etc/main.cf").write_text(_each_once(own + settings))
    (home / "etc/master.cf").write_text(SERVICES.format(port=port))
    (home / "etc/mailboxes").write_text("".join(f"{user}@example.org {user}/\n" for user in USERS))
    environment = {"MAIL_CONFIG": str(home / "etc"), "LD_LIBRARY_PATH": str(program / "usr/lib/postfix")}
    command = [str(program / "usr/lib/postfix/sbin/master"), "-d", "-c", str(home / "etc")]
    with running(command, home / "output", environment):
        server = PostfixServer(home, port)
        wait_until(
            lambda: listens(port), lambda: f"Postfix listens; {server.log()} {(home / 'output').read_text()}"
        )
        yield server


def _each_once(settings: str) -> str:
    """Settings without those that a later line replaces.

    Every process of Postfix warns of such lines. Ten warnings fill the socket of the one that writes the log,
    and that one, warning itself, then waits for itself for ever.
    """
    lines = dict(line.split(" =", 1) for line in settings.splitlines())
    return "".join(f"{name} ={value}\n" for name, value in lines.items())


def _make_folders(home: Path, owner: pwd.struct_passwd) -> None:
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)
    (home / "etc").mkdir()
    (home / "queue/pid").mkdir(parents=True)
    for name in ("active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "private",
                 "saved", "trace"):  # fmt: skip
        (home / "queue" / name).mkdir(mode=0o700)
        os.chown(home / "queue" / name, owner.pw_uid, -1)
    for name in ("data", "mail"):
        (home / name).mkdir()
        os.chown(home / name, owner.pw_uid, owner.pw_gid)
    group = _group_number(GROUP)
    for name, mode in (("maildrop", 0o730), ("public", 0o710)):
        (home / "queue" / name).mkdir()
        os.chown(home / "queue" / name, owner.pw_uid, group)
        (home / "queue" / name).chmod(mode)


def _group_number(name: str) -> int:
    import grp

    return grp.getgrnam(name).gr_gid


def postconf(home: Path, program: Path, *changes: str) -> None:
    """Change settings of a Postfix that is running, as its administrator does."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(program / "usr/lib/postfix")}
    subprocess.run(
        [program / "usr/sbin/postconf", "-c", home / "etc", *changes], env=environment, check=True, timeout=60
    )
