"""A deciban and a Postfix that asks it, as docs/postfix.md tells to set them up; miltertest asks it, too."""

import email
import socket
from pathlib import Path

from miltertest import MilterConnection, constants

from tests.server.doors.documented import block
from tests.server.doors.postfix_server import OWNER, USERS, PostfixServer
from tests.server.doors.private_programs import wait_until
from tests.server.running_server import RunningServer

SPACES = ("ann@example.org", "bob@example.org", "carl@example.org")


def configuration(folder: Path, more: str = "", tcp: int = 0) -> str:
    """What docs/postfix.md tells to write, for this machine; a port of loopback beside the socket."""
    lines = (
        block("postfix.md", "toml").replace("/run/deciban", str(folder)).replace('"postfix"', f'"{OWNER}"')
    )
    if tcp:
        lines = lines.replace('milter.sock"]', f'milter.sock", "127.0.0.1:{tcp}"]')
    return f"{lines}\n{more}\n[server]\nworkers = 1\n"


def settings(folder: Path) -> str:
    return block("postfix.md", "main.cf").replace("/run/deciban", str(folder))


class Site:
    """A deciban and a Postfix that asks it."""

    def __init__(self, server: RunningServer, postfix: PostfixServer, folder: Path, tcp: int = 0) -> None:
        self.server, self.postfix, self.tcp = server, postfix, tcp
        self.socket = folder / "milter.sock"
        self.seen = dict.fromkeys(USERS, 0)

    def sent(self, message: bytes, *users: str) -> email.message.Message:
        """A message as it arrives at the first of its recipients."""
        users = users or ("ann",)
        self.postfix.send(message, *(f"{user}@example.org" for user in users))
        first, *_ = [self.arrived(user) for user in users]
        return first

    def arrived(self, user: str) -> email.message.Message:
        """The next message that comes for a user."""
        self.seen[user] += 1
        wait_until(lambda: len(self.postfix.delivered(user)) >= self.seen[user], self.postfix.log)
        paths = sorted(
            (self.postfix.home / "mail" / user).glob("new/*"), key=lambda path: path.stat().st_mtime_ns
        )
        return email.message_from_bytes(paths[self.seen[user] - 1].read_bytes())

    def entries(self, space: str) -> list[dict[str, object]]:
        return self.server.get("journal", space=space).json()["entries"]

    def done(self, message_id: str, space: str = SPACES[0]) -> str:
        """What the journal says was done with a message the last time."""
        found = wait_until(
            lambda: [each for each in self.entries(space) if each["message_id"] == message_id],
            f"an entry about {message_id}",
        )
        return max(found, key=lambda each: each["time"])["done"]


class LoggedIn:
    """A mail server that tells of a user who logged in; miltertest speaks for it."""

    def __init__(self, client: socket.socket) -> None:
        self.milter = MilterConnection(client)
        self.milter.optneg_mta(protocol=constants.SMFI_V2_PROT)

    def send(self, user: str, text: str) -> None:
        """A mail of a user; of somebody who did not log in, without one."""
        self.milter.send_macro(constants.SMFIC_MAIL, **({"{auth_authen}": user} if user else {}))
        self.milter.send(constants.SMFIC_MAIL, args=["<ann@example.org>"])
        self.milter.send(constants.SMFIC_RCPT, args=["<joe@elsewhere.example>"])
        self.milter.send_headers([("Subject", f" {text}"), ("Message-ID", f" <{hash(text)}@x>")])
        self.milter.send(constants.SMFIC_EOH)
        self.milter.send_body(text)
        self.milter.send_eom()
