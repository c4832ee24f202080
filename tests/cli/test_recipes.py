"""The recipes of docs/cli.md, run by the programs they are for: mail is delivered, whatever deciban does."""

import re
import sys
from pathlib import Path

import pytest

from tests.mail_agents import need, run_agent

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
ENVELOPE = b"From joe@example.org Thu Aug 22 12:36:23 2002\n"
HEADLESS = ENVELOPE + b"\nno header at all\n"

# What stands in for a deciban that is broken; nothing of the message comes out of it.
CRASHES = {
    "exits with 1": "exit 1",
    "reads and exits with 1": "cat > /dev/null; exit 1",
    "exits with 75": "cat > /dev/null; exit 75",
    "is killed": "kill -9 $$",
    "is killed after half of the message": "head -c 20; kill -9 $$",
    "is missing": None,
}


def recipe(agent: str) -> str:
    """The recipe of the documentation for this program."""
    found = re.search(rf"^```{agent}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert found, f"{PAGE} has no recipe for {agent}"
    return found[1]


class Delivery:
    """A home with a delivery agent that obeys the recipe of the documentation."""

    def __init__(self, agent: str, home: Path) -> None:
        need(agent)
        self.agent = agent
        self.home = home
        self.programs = home / "bin"
        self.programs.mkdir(parents=True)
        self.rules = home / "rules"
        path = f"{self.programs}:/usr/bin:/bin"
        if agent == "procmail":
            first = f"PATH={path}\nMAILDIR={home}\nDEFAULT={home}/inbox\nLOGFILE={home}/log\n"
            self.rules.write_text(first + recipe(agent))
        else:
            self.rules.write_text(f'PATH="{path}"\n{recipe(agent)}\nto "{home}/inbox"\n')
        self.rules.chmod(0o600)

    def install(self, script: str | None) -> None:
        """Put a shell script where deciban is expected."""
        if script is not None:
            program = self.programs / "deciban"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o700)

    def deliver(self, message: bytes) -> None:
        """Hand one message over, as a mail server does."""
        command = {"procmail": ["procmail", "-m"], "maildrop": ["maildrop"]}[self.agent]
        done = run_agent([*command, str(self.rules)], message, self.home)
        assert done.returncode == 0, done.stderr

    def folder(self, name: str) -> bytes:
        """What was delivered into one mailbox."""
        path = self.home / name
        return path.read_bytes() if path.exists() else b""


@pytest.fixture(params=["procmail", "maildrop"])
def delivery(request: pytest.FixtureRequest, tmp_path: Path) -> Delivery:
    return Delivery(request.param, tmp_path / "home")


@pytest.fixture
def deciban(database: Path) -> str:
    """The script that runs the real program on the database of the test: procmail clears the environment."""
    return f'DECIBAN_DB="{database}" exec "{sys.executable}" -m deciban "$@"'


def test_every_recipe_is_tested():
    agents = re.findall(r"^```(\w+)$", PAGE.read_text(), re.MULTILINE)
    assert set(agents) == {"procmail", "maildrop", "sieve"}


def test_mail_is_sorted_by_its_verdict(delivery: Delivery, deciban: str, taught: Path):
    delivery.install(deciban)
    delivery.deliver(b"X-Spam-Flag: NO\n" + (taught / "new-spam.eml").read_bytes())
    delivery.deliver(b"X-Spam-Flag: YES\n" + (taught / "new-ham.eml").read_bytes())
    assert delivery.folder("spam").count(b"spam as never seen\n") == 1
    assert delivery.folder("spam").count(b"X-Spam-Flag:") == 1
    assert delivery.folder("inbox").count(b"ham as never seen\n") == 1
    assert b"X-Spam-Flag: NO\n" in delivery.folder("inbox")


def test_without_a_database_mail_is_delivered(delivery: Delivery, deciban: str, mails: Path, database: Path):
    delivery.install(deciban)
    delivery.deliver((mails / "new-spam.eml").read_bytes())
    assert delivery.folder("inbox").count(b"spam as never seen\n") == 1


@pytest.mark.parametrize("script", CRASHES.values(), ids=CRASHES)
def test_mail_is_delivered_although_deciban_breaks(delivery: Delivery, script: str | None, mails: Path):
    delivery.install(script)
    message = (mails / "new-spam.eml").read_bytes()
    delivery.deliver(message)
    assert message in delivery.folder("inbox")
    assert delivery.folder("spam") == b""


def test_mail_without_a_header_leaves_a_mailbox_that_can_be_read(
    delivery: Delivery, deciban: str, taught: Path
):
    delivery.install(deciban)
    for number in range(2):
        delivery.deliver(HEADLESS + b"number %d\n" % number)
    delivered = delivery.folder("inbox") + delivery.folder("spam")
    assert len(re.findall(rb"(?:\A|\n\n)From \S+", delivered)) == 2
    assert delivered.count(b"\nX-Deciban: ") == 2
    assert delivered.count(b"no header at all\n") == 2


def test_forged_tags_are_gone_before_the_recipe_looks(delivery: Delivery, deciban: str, taught: Path):
    delivery.install(deciban)
    message = (taught / "new-ham.eml").read_bytes()
    delivery.deliver(message.replace(b"\nSubject", b"\nno colon here\nX-Spam-Flag: YES\nSubject", 1))
    assert delivery.folder("spam") == b""
    assert delivery.folder("inbox").count(b"ham as never seen\n") == 1
