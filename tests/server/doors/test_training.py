"""From the milter to a mailbox and back: what users move in a real Dovecot teaches, by COPY and by MOVE."""

import email
from collections.abc import Iterator
from pathlib import Path

import imap_tools
import pytest

from tests.server.doors.documented import block
from tests.server.doors.dovecot_server import OWNER, PASSWORD, DovecotServer, running_dovecot, sieve_test
from tests.server.doors.postfix_server import running_postfix
from tests.server.doors.private_programs import open_folder, unpacked, wait_until
from tests.server.running_server import RunningServer, mail_of, teach

ANN, BOB = "ann@example.org", "bob@example.org"
# Names that would do harm if a shell read them.
HOSTILE = ("$(touch pwned)@example.org", "a;touch pwned;@example.org", "-L@example.org")


class Training:
    """A deciban, and a Dovecot whose users teach it."""

    def __init__(self, server: RunningServer, dovecot: DovecotServer, folder: Path) -> None:
        self.server, self.dovecot, self.folder = server, dovecot, folder

    def labels(self, space: str = ANN) -> dict[str, int]:
        return self.server.get("labels", space=space).json()["labels"]

    def taught(self, before: dict[str, int], **more: int) -> None:
        """Wait until exactly so many lessons more are there."""
        wanted = {label: before[label] + more.get(label, 0) for label in before}
        wait_until(
            lambda: self.labels() == wanted, lambda: f"{wanted}, not {self.labels()}; {self.dovecot.log()}"
        )

    def tagged(self, number: int, label: str = "ham") -> bytes:
        """A mail as it comes from the server that asked: with its tags, and fields of the way behind them."""
        shown = self.server.post("classify", mail_of(label, number), space=ANN).json()
        return f"Received: by mx\nX-Deciban-Id: {shown['entry']}\nReceived: by mx2\n".encode() + mail_of(
            label, number
        )


@pytest.fixture(scope="module")
def training() -> Iterator[Training]:
    program = unpacked("spamassassin", needs_root=True)
    with open_folder() as folder:
        scripts = folder / "deciban"
        scripts.mkdir()
        places = {
            "/etc/dovecot/deciban": str(scripts),
            "/run/deciban": str(folder),
            "vmail": OWNER,
            "exec spamc": f"exec {program}/usr/bin/spamc",
        }

        def page(kind: str) -> str:
            text = block("dovecot.md", kind)
            for name, here in places.items():
                text = text.replace(name, here)
            return text

        for name in ("junk.sieve", "good.sieve", "learn"):
            (scripts / name).write_text(page(name))
            (scripts / name).chmod(0o755)
        scripts.chmod(0o777)
        milter = f'[milter]\nlisten = ["unix:{folder}/milter.sock"]\nsocket_mode = "0666"\n'
        with (
            RunningServer(
                folder, page("toml") + milter + "[server]\nworkers = 1\n", (ANN, BOB, *HOSTILE)
            ) as server,
            running_dovecot(folder / "dovecot", page("dovecot.conf")) as dovecot,
        ):
            for space in (ANN, BOB):
                teach(server, space=space)
            yield Training(server, dovecot, folder)


def test_by_copy_with_one_client(training: Training) -> None:
    client = training.dovecot.client(ANN)
    client.append("INBOX", None, None, training.tagged(100).replace(b"\n", b"\r\n"))
    client.select("INBOX")
    before = training.labels()
    client.copy("1", "Junk")
    training.taught(before, spam=1)
    client.select("Junk")
    client.copy("1", "Trash")
    client.copy("1", "INBOX")
    training.taught(before, ham=1)
    client.logout()


def test_by_move_with_another_client(training: Training) -> None:
    with imap_tools.MailBoxUnencrypted("127.0.0.1", training.dovecot.port).login(ANN, PASSWORD) as box:
        box.append(training.tagged(110).replace(b"\n", b"\r\n"), "Later")
        box.folder.set("Later")
        before = training.labels()
        box.move([message.uid for message in box.fetch(mark_seen=False)], "Junk")
        training.taught(before, spam=1)
        box.folder.set("Junk")
        uids = [m.uid for m in box.fetch(mark_seen=False) if m.headers.get("message-id") == ("<ham110@x>",)]
        box.move(uids, "Later")
        training.taught(before, ham=1)


def test_deleting_teaches_nothing(training: Training) -> None:
    client = training.dovecot.client(ANN)
    client.append("Later", None, None, training.tagged(120).replace(b"\n", b"\r\n"))
    before = training.labels()
    client.select("Later")
    client.copy("1:*", "Trash")
    client.store("1:*", "+FLAGS", r"\Deleted")
    client.expunge()
    client.append("Junk", None, None, training.tagged(121).replace(b"\n", b"\r\n"))  # by hand: a lesson
    training.taught(before, spam=1)
    client.select("Junk")
    client.copy("*", "Trash")
    client.store("*", "+FLAGS", r"\Deleted")
    client.expunge()
    client.logout()
    training.taught(before, spam=1)


def test_a_message_is_known_by_its_id_and_the_entry_says_what_became_of_it(training: Training) -> None:
    mail = training.tagged(130, "spam")
    identity = email.message_from_bytes(mail)["X-Deciban-Id"]
    client = training.dovecot.client(ANN)
    client.append("Junk", None, None, mail.replace(b"\n", b"\r\n"))
    client.select("Junk")
    client.copy("*", "INBOX")
    client.logout()

    def entry() -> dict[str, object] | None:
        entries = training.server.get("journal", space=ANN).json()["entries"]
        return next(
            (e for e in entries if e["entry"] == identity and (e["outcome"] or {}).get("label") == "ham"),
            None,
        )

    assert wait_until(entry, "what became of the message")
    lessons = training.server.get("lessons", space=ANN).json()["lessons"]
    assert len([each for each in lessons if each["message_id"] == "<spam130@x>"]) == 1


def test_what_the_filter_filed_is_no_lesson_until_the_user_acts(training: Training) -> None:
    before = training.labels()
    mail = b"X-Spam-Flag: YES\n" + training.tagged(170, "spam")
    training.dovecot.deliver(ANN, mail, block("dovecot.md", "sieve"))
    with imap_tools.MailBoxUnencrypted("127.0.0.1", training.dovecot.port).login(ANN, PASSWORD) as box:
        box.folder.set("Junk")
        filed = [m.uid for m in box.fetch(mark_seen=True) if m.headers.get("message-id") == ("<spam170@x>",)]
        assert len(filed) == 1
        box.folder.set("Later")
        box.append(training.tagged(171).replace(b"\n", b"\r\n"), "Junk")  # a lesson, behind which none hides
        training.taught(before, spam=1)
        box.folder.set("Junk")
        box.move(filed, "INBOX")
        training.taught(before, spam=1, ham=1)


@pytest.mark.parametrize("user", HOSTILE)
def test_no_name_is_read_by_a_shell(training: Training, user: str) -> None:
    client = training.dovecot.client(user)
    client.append("Junk", None, None, mail_of("spam", 140).replace(b"\n", b"\r\n"))
    client.logout()
    wait_until(
        lambda: training.labels(user).get("spam") == 1,
        lambda: f"a lesson of {user}; {training.dovecot.log()}",
    )
    assert not list(training.folder.rglob("pwned"))


def test_one_user_teaches_nobody_else(training: Training) -> None:
    before = training.labels(ANN)
    client = training.dovecot.client(BOB)
    client.append("Junk", None, None, mail_of("ham", 150).replace(b"\n", b"\r\n"))
    client.logout()
    wait_until(lambda: training.labels(BOB)["spam"] == 7, "bob's lesson")
    assert training.labels(ANN) == before


def test_the_way_from_postfix_to_a_lesson(training: Training) -> None:
    """Milter, delivery, and a move: the entry that the milter made is the one that the move finds."""
    settings = (
        f"smtpd_milters = unix:{training.folder}/milter.sock\nmilter_default_action = accept\n"
        f"virtual_mailbox_base = {training.folder}/dovecot/mail\nvirtual_mailbox_maps = static:{ANN}/\n"
    )
    with running_postfix(training.folder / "postfix", settings) as postfix:
        postfix.send(mail_of("ham", 160), ANN)
        client = training.dovecot.client(ANN)

        def found() -> list[bytes]:
            client.select("INBOX")
            return client.search(None, "HEADER", "Message-ID", "<ham160@x>")[1][0].split()

        (number,) = wait_until(found, "delivery")
        head = email.message_from_bytes(client.fetch(number.decode(), "(RFC822.HEADER)")[1][0][1])
        client.copy(number.decode(), "Junk")
        client.logout()

    def outcome() -> object:
        entries = training.server.get("journal", space=ANN).json()["entries"]
        (entry,) = [each for each in entries if each["message_id"] == "<ham160@x>"]
        return entry if (entry["outcome"] or {}).get("label") == "spam" else None

    entry = wait_until(outcome, "what became of the message")
    assert (entry["entry"], entry["door"]) == (head["X-Deciban-Id"], "milter")


@pytest.mark.parametrize(
    ("tag", "folder"), [(b"X-Spam-Flag: YES\n", "Junk"), (b"X-Spam-Flag: NO\n", "INBOX"), (b"", "INBOX")]
)
def test_sieve_s_spamtest_reads_our_tag(tag: bytes, folder: str) -> None:
    with open_folder() as home:
        (home / "script.sieve").write_text(block("dovecot.md", "spamtest.sieve"))
        (home / "mail.eml").write_bytes(tag + mail_of("spam", 1))
        shown = sieve_test(home, block("dovecot.md", "spamtest.conf"))
    assert f"store message in folder: {folder}" in shown
