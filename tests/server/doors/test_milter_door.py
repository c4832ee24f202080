"""The milter door with a real Postfix: mail is tagged, and goes on whatever happens."""

import email
import grp
import os
import re
import signal
import smtplib
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import pytest
from miltertest import MilterConnection, constants

from deciban.server.doors.milter_protocol import packet
from deciban.spaces import Spaces
from tests.effort import effort
from tests.server.doors.documented import block
from tests.server.doors.milter_site import SPACES, LoggedIn, Site, configuration, settings
from tests.server.doors.nonsense import speak_nonsense
from tests.server.doors.postfix_server import OWNER, running_postfix
from tests.server.doors.private_programs import free_port, open_folder, wait_until
from tests.server.doors.test_milter_protocol import dialogue, message
from tests.server.running_server import RunningServer, mail_of, teach


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with (
        open_folder() as folder,
        RunningServer(folder, configuration(folder), SPACES) as server,
        running_postfix(folder / "postfix", settings(folder)) as postfix,
    ):
        for space in SPACES[:2]:
            teach(server, space=space)
        yield Site(server, postfix, folder)


def test_spam_and_good_mail_are_tagged(site: Site) -> None:
    spam, good = site.sent(mail_of("spam", 100)), site.sent(mail_of("ham", 100))
    assert spam["X-Spam-Flag"] == "YES"
    assert spam["X-Deciban"].startswith("spam; ")
    assert good["X-Spam-Flag"] == "NO"
    assert good["X-Deciban"].startswith("ham; ")
    assert site.done("<spam100@x>") == site.done("<ham100@x>") == "tagged"
    assert good.get_payload() == "Lunch with the team, agenda attached 100\n"


def test_the_tag_names_the_entry_in_the_journal(site: Site) -> None:
    arrived = site.sent(mail_of("spam", 101))
    found = wait_until(
        lambda: [each for each in site.entries(SPACES[0]) if each["entry"] == arrived["X-Deciban-Id"]],
        "the entry in the journal",
    )
    assert found[0]["door"] == "milter"


def test_forged_tags_are_taken_off(site: Site) -> None:
    forged = (
        b"X-Spam-Flag: NO\r\nx-spam-flag : NO\r\nX-Spam-Status: No\r\n\tfolded\r\nX-Spam-Level: \r\n"
        b"X-Deciban: ham; 99 dB\r\nX-DECIBAN-ID: 00\r\nX-Spam-Flag: NO\r\n"
    )
    arrived = site.sent(forged + mail_of("spam", 102))
    assert arrived.get_all("X-Spam-Flag") == ["YES"]
    assert len(arrived.get_all("X-Deciban")) == 1
    assert len(arrived.get_all("X-Deciban-Id")) == 1
    assert arrived["X-Spam-Level"] is None
    assert b"folded" not in bytes(arrived)
    tags = [name for name in arrived.keys() if name.lower().startswith(("x-spam", "x-deciban"))]  # noqa: SIM118
    assert tags == ["X-Deciban", "X-Spam-Flag", "X-Spam-Status", "X-Deciban-Id"]


def test_mail_for_somebody_without_a_space_goes_on_without_tags_even_forged_ones(site: Site) -> None:
    arrived = site.sent(b"X-Spam-Flag: NO\r\n" + mail_of("spam", 103), "dora")
    assert arrived["X-Spam-Flag"] is None
    assert arrived["X-Deciban"] is None


def test_mail_for_a_space_that_was_never_taught_is_unsure(site: Site) -> None:
    assert site.sent(mail_of("spam", 104), "carl")["X-Deciban"] == "unsure"


def test_several_recipients_get_the_verdict_that_is_least_for_spam(site: Site) -> None:
    both = site.sent(mail_of("spam", 105), "ann", "bob")
    assert both["X-Spam-Flag"] == "YES"
    assert both["X-Deciban-Id"] is None
    for space in SPACES[:2]:
        wait_until(
            lambda space=space: [e for e in site.entries(space) if e.get("message_id") == "<spam105@x>"],
            f"an entry for {space}",
        )
    with_a_stranger = site.sent(mail_of("spam", 106), "ann", "dora")
    assert with_a_stranger["X-Deciban"].startswith("unsure; ")
    untaught = site.sent(mail_of("spam", 107), "bob", "carl")
    assert untaught["X-Spam-Flag"] == "NO"


def test_a_header_names_nobody_and_no_words(site: Site) -> None:
    site.server.post("learn?label=secretlabel", mail_of("ham", 300), space=SPACES[1])
    arrived = site.sent(mail_of("ham", 301), "ann", "bob")
    tags = " ".join(v for k, v in arrived.items() if k.lower().startswith(("x-spam", "x-deciban")))
    assert not {"ann", "bob", "secretlabel", "unch"} & set(tags.replace(";", " ").split())


def test_many_messages_and_resets_on_one_connection(site: Site) -> None:
    with site.postfix.client() as client:
        for number in range(110, 120):
            client.mail("joe@example.com")
            client.rcpt("ann@example.org")
            if number % 2:
                client.rset()
                continue
            label = "spam" if number % 4 else "ham"
            code, _ = client.data(mail_of(label, number))
            assert code == 250
    arrived = [site.arrived("ann") for _ in range(5)]
    assert {each["Message-ID"]: each["X-Spam-Flag"] for each in arrived} == {
        "<spam110@x>": "YES",
        "<ham112@x>": "NO",
        "<spam114@x>": "YES",
        "<ham116@x>": "NO",
        "<spam118@x>": "YES",
    }


def test_a_client_that_goes_away_in_the_middle_harms_nobody(site: Site) -> None:
    client = site.postfix.client()
    client.ehlo()
    client.mail("joe@example.com")
    client.rcpt("ann@example.org")
    client.docmd("DATA")
    client.send(b"Subject: half of a mess")
    client.sock.close()
    assert site.sent(mail_of("ham", 121))["X-Spam-Flag"] == "NO"


def test_a_body_past_the_limit_is_judged_by_its_head(site: Site) -> None:
    long = mail_of("spam", 122).replace(b"\n", b"\r\n") + b"x" * 70 + b"\r\n" + (b"y" * 70 + b"\r\n") * 80_000
    arrived = site.sent(long)
    assert arrived["X-Deciban"] is not None
    assert len(arrived.get_payload()) > 5_000_000


def test_pipelined_commands_are_answered(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.postfix.port), timeout=60) as client:
        client.sendall(b"EHLO x\r\n")
        assert client.recv(4096)
        one = b"MAIL FROM:<joe@example.com>\r\nRCPT TO:<ann@example.org>\r\nDATA\r\n"
        client.sendall(one)
        reader = client.makefile("rb")
        wait_until(lambda: reader.readline().startswith(b"354"), "go on")
        body = mail_of("ham", 123).replace(b"\n", b"\r\n") + b"\r\n.\r\n"
        client.sendall(body + one)
        wait_until(lambda: reader.readline().startswith(b"354"), "go on")
        client.sendall(body.replace(b"123", b"124") + b"QUIT\r\n")
        reader.read()
    assert [site.arrived("ann")["X-Spam-Flag"] for _ in range(2)] == ["NO", "NO"]


def test_only_the_mail_server_s_group_can_open_the_socket(site: Site) -> None:
    status = os.stat(site.socket)
    assert (status.st_mode & 0o777, grp.getgrgid(status.st_gid).gr_name) == (0o660, OWNER)


def test_mail_goes_on_when_a_space_is_damaged(site: Site) -> None:
    seen = len(site.server.log_lines)
    assert site.sent(mail_of("spam", 124), "carl")["X-Deciban"] == "unsure"
    with Spaces(str(site.server.folder)) as spaces:
        folder = Path(spaces.folder_of(spaces.find("carl@example.org")))
    for path in folder.iterdir():
        path.write_bytes(b"this is no filter" * 1000)
    for pid, role in site.server.children().items():
        if role == "worker":  # it has the files open
            os.kill(pid, signal.SIGKILL)
    arrived = site.sent(b"X-Spam-Flag: NO\r\n" + mail_of("spam", 125), "carl")
    assert arrived["X-Spam-Flag"] is None
    assert arrived["Subject"] == "Free money, win big now"
    site.server.wait_for("milter: failed", after=seen)


def test_connections_that_say_nothing_keep_nobody_waiting(site: Site) -> None:
    silent = []
    for _ in range(200):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(site.socket))
        client.sendall(b"\0\0")  # half of a length
        silent.append(client)
    try:
        assert site.sent(mail_of("spam", 130))["X-Spam-Flag"] == "YES"
    finally:
        for client in silent:
            client.close()


def test_nonsense_ends_its_own_connection_only(site: Site) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(str(site.socket))
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert client.recv(100) == b""
    assert site.sent(mail_of("ham", 131))["X-Spam-Flag"] == "NO"


def test_mutated_dialogues_end_and_harm_nobody(site: Site) -> None:
    def connect() -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(site.socket))
        return client

    seeds = [
        dialogue(*message(recipients=(b"ann@example.org",)), packet(b"A"), *message(), packet(b"Q")),
        dialogue(*message(fields=((b"X-Spam", b" no"), (b"Subject", b" free money")))),
    ]
    speak_nonsense(site.server, connect, seeds, effort(300, 50_000))
    assert site.sent(mail_of("spam", 132))["X-Spam-Flag"] == "YES"


def test_memory_stays_flat_and_every_message_is_answered(site: Site) -> None:
    """Many messages on few connections: after a first quarter the worker needs no more memory."""
    count, connections = effort(2_000, 200_000), 8
    mails = [b"".join(message(fields=((b"Subject", b" Free money %d" % n),))) for n in range(50)]
    clients = []
    for _ in range(connections):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(60)
        client.connect(str(site.socket))
        client.sendall(dialogue())
        clients.append((client, client.makefile("rb")))
    for _, reader in clients:
        assert next_packet(reader)[:1] == b"O"
    early = 0
    for number in range(count):
        client, reader = clients[number % connections]
        client.sendall(mails[number % len(mails)])
        kinds = iter(lambda reader=reader: next_packet(reader)[:1], b"")
        assert next(kind for kind in kinds if kind == b"i") == b"i"
        assert next(kind for kind in kinds if kind == b"c") == b"c"
        if number == count // 4:
            early = memory_of_workers(site)
    assert memory_of_workers(site) < early + 30_000
    for client, _ in clients:
        client.close()


def next_packet(reader: BinaryIO) -> bytes:
    return reader.read(int.from_bytes(reader.read(4), "big"))


def memory_of_workers(site: Site) -> int:
    """In kilobytes."""
    found = 0
    for pid, role in site.server.children().items():
        if role == "worker":
            status = Path(f"/proc/{pid}/status").read_text()
            found += int(re.search(r"VmRSS:\s+(\d+)", status)[1])
    return found


def test_another_implementation_of_the_protocol_understands_us(site: Site) -> None:
    """miltertest plays the mail server, packet by packet."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(str(site.socket))
        milter = MilterConnection(client)
        milter.optneg_mta(protocol=constants.SMFI_V2_PROT)
        milter.send(constants.SMFIC_CONNECT, hostname="x", family="4", port=25, address="192.0.2.1")
        for number in range(3):
            milter.send(constants.SMFIC_MAIL, args=["<joe@example.com>"])
            milter.send(constants.SMFIC_RCPT, args=["<ann@example.org>"])
            milter.send_headers([("Subject", " Free money, win big now")])
            milter.send(constants.SMFIC_EOH)
            milter.send_body("Free money, win big now")
            replies = milter.send_eom()
            added = [values["name"] for kind, values in replies if kind == constants.SMFIR_INSHEADER]
            assert sorted(added) == ["X-Deciban", "X-Deciban-Id", "X-Spam-Flag", "X-Spam-Status"], number


def test_mail_goes_on_while_deciban_is_killed_and_started_again(site: Site) -> None:
    """The last test: all that was accepted is delivered, once, and the queue is empty afterwards."""
    count = effort(40, 400)
    accepted: list[int] = []

    def send() -> None:
        for number in range(count):
            site.postfix.send(mail_of("ham", 1000 + number), "ann@example.org")
            accepted.append(number)

    def wait_for_mail() -> None:
        done = len(accepted)
        wait_until(lambda: len(accepted) >= min(done + 4, count), "some mail")

    def killed_workers() -> None:
        for pid, role in site.server.children().items():
            if role == "worker":
                os.kill(pid, signal.SIGKILL)

    sender = threading.Thread(target=send)
    sender.start()
    for _ in range(effort(2, 20)):
        wait_for_mail()
        killed_workers()
        wait_for_mail()
        site.server.kill()
        wait_for_mail()  # nobody is there to ask
        site.server.__enter__()
    sender.join(120)
    assert len(accepted) == count
    wait_until(lambda: not site.postfix.queued(), "an empty queue")
    names = [email.message_from_bytes(mail)["Message-ID"] for mail in site.postfix.delivered("ann")]
    sent = [name for name in names if re.fullmatch(r"<ham1\d{3}@x>", name)]
    assert sorted(sent) == sorted(f"<ham{1000 + number}@x>" for number in range(count))


@pytest.fixture(scope="module")
def strict_site() -> Iterator[Site]:
    """A site that changes subjects, puts spam on hold, learns what its users send, and hears its own host."""
    more = 'subject_tag = "[SPAM]"\nquarantine_decibans = 0.1\nlearn_sent = true\n'
    hears = 'results_from = ["mx.example.org"]\n'
    tcp = free_port()
    with open_folder() as folder, ExitStack() as stack:
        checks = folder / "header_checks"
        checks.write_text(block("beside.md", "header_checks"))
        checked = block("beside.md", "main.cf").replace("/etc/postfix/header_checks", str(checks))
        server = stack.enter_context(
            RunningServer(folder, configuration(folder, more, tcp) + hears, (*SPACES, "@"))
        )
        postfix = stack.enter_context(running_postfix(folder / "postfix", settings(folder) + checked))
        teach(server, space=SPACES[0])
        yield Site(server, postfix, folder, tcp)


def test_good_mail_goes_on_and_a_forged_word_in_its_subject_is_taken_off(strict_site: Site) -> None:
    arrived = strict_site.sent(mail_of("ham", 400).replace(b"Subject: ", b"Subject: [SPAM] "))
    assert arrived["Subject"] == "Lunch with the team, agenda attached"


def test_spam_above_the_bar_is_put_on_hold_with_our_word_in_its_subject(strict_site: Site) -> None:
    strict_site.postfix.send(mail_of("spam", 401), "ann@example.org")
    (held,) = wait_until(lambda: strict_site.postfix.queued("hold"), "a message on hold")
    assert b"Subject: [SPAM] Free money" in held.read_bytes()
    assert b"X-Spam-Flag: YES" in held.read_bytes()
    assert strict_site.done("<spam401@x>") == "held"


def test_what_users_send_is_learned_as_good_unless_it_looks_like_spam(strict_site: Site) -> None:
    def count(space: str = SPACES[0]) -> int:
        return strict_site.server.get("labels", space=space).json()["labels"].get("ham", 0)

    before = count()
    with socket.create_connection(("127.0.0.1", strict_site.tcp), timeout=60) as client:
        LoggedIn(client).send("ann@example.org", "Lunch with the team, whoever can reach the port")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(str(strict_site.socket))
        logged_in = LoggedIn(client)
        logged_in.send("", "Lunch with the team, nobody logged in")
        logged_in.send("ann@example.org", "Free money, win big now")
        logged_in.send("stranger@example.net", "Lunch with the team, agenda of a stranger")
        logged_in.send("ann@example.org", "Lunch with the team, agenda follows")
    wait_until(lambda: count() > before, "a lesson")
    assert count() == before + 1
    assert count("@") == 0  # the stranger's: nobody's own mail is learned where others are judged by it


def test_a_mail_server_that_takes_off_forged_results_hands_on_none_of_them(strict_site: Site) -> None:
    forged = b"Authentication-Results: mx.example.org; dmarc=pass\nReceived-SPF: pass (mx.example.org: a)\n"
    known = b"Authentication-Results: mx.example.org; dmarc=none\n"
    arrived = strict_site.sent(forged + mail_of("ham", 404))
    assert arrived["X-Deciban"]
    assert not arrived["Authentication-Results"]
    assert not arrived["Received-SPF"]
    entry = arrived["X-Deciban-Id"]
    wait_until(
        lambda: [each for each in strict_site.entries(SPACES[0]) if each["entry"] == entry], "its entry"
    )
    assert (
        strict_site.server.post("correct", {"entry": entry, "label": "spam"}, space=SPACES[0]).status == 200
    )
    strict_site.server.post("learn?label=ham", known + mail_of("ham", 405), space=SPACES[0])
    words = strict_site.server.get("show?words=fact:dmarc=none%20fact:dmarc=pass", space=SPACES[0]).json()[
        "words"
    ]
    assert words["fact:dmarc=none"]["ham"]["counts"] == {"spam": 0, "ham": 1}
    assert words["fact:dmarc=pass"]["ham"]["counts"] == {"spam": 0, "ham": 0}


def test_spam_above_the_bar_is_rejected_after_a_reload(strict_site: Site) -> None:
    path = strict_site.server.configuration
    path.write_text(path.read_text().replace("quarantine_decibans", "reject_decibans"))
    seen, before = len(strict_site.server.log_lines), strict_site.server.children()
    strict_site.server.process.send_signal(signal.SIGHUP)
    strict_site.server.wait_for("ready", after=seen)
    strict_site.server.wait_for_the_end_of(before)
    reply = wait_until(lambda: refusal_of_spam(strict_site), "a rejection")
    assert reply == (550, b"5.7.1 This message looks like spam.")
    wait_until(lambda: strict_site.done("<spam402@x>") == "rejected", "an entry that says so")
    strict_site.postfix.send(mail_of("ham", 403), "ann@example.org")
    assert strict_site.arrived("ann")["X-Spam-Flag"] == "NO"


def refusal_of_spam(site: Site) -> tuple[int, bytes] | None:
    """How Postfix turns spam away; the old worker may still answer for a moment, and have it held."""
    try:
        site.postfix.send(mail_of("spam", 402), "ann@example.org")
    except smtplib.SMTPDataError as refused:
        return refused.smtp_code, bytes(refused.smtp_error)
    return None
