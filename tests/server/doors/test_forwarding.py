"""Lessons by mail: what users forward as an attachment teaches their own space, with a real Postfix."""

import email.message
import random
import smtplib
import socket
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from deciban.server.doors.forwarding import MOST_ATTACHED, attached_messages
from deciban.server.doors.milter_protocol import packet, packets_in
from tests.effort import effort
from tests.mutations import mutated
from tests.server.doors.documented import block
from tests.server.doors.dovecot_server import PASSWORD, running_dovecot
from tests.server.doors.milter_site import SPACES, Site, configuration, settings
from tests.server.doors.postfix_server import OWNER, running_postfix
from tests.server.doors.private_programs import free_port, open_folder, wait_until
from tests.server.doors.test_milter_protocol import message, offer
from tests.server.running_server import RunningServer, mail_of, teach

ANN, BOB, CARL = SPACES


def letter(*attached: bytes, text: str = "look at this") -> bytes:
    """A mail to which others are attached, as mail programs do that."""
    outer = EmailMessage()
    outer["From"], outer["Subject"], outer["Message-ID"] = BOB, "Fwd: have a look", "<letter@x>"
    outer.set_content(text)
    for each in attached:
        outer.add_attachment(email.message_from_bytes(each, policy=policy.default))
    return outer.as_bytes()


def part(body: bytes, kind: bytes = b"message/rfc822", more: bytes = b"") -> bytes:
    return b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: %b\n%b\n%b\n--x--\n" % (
        kind,
        more,
        body,
    )


MAIL = b"Subject: hi\n\nhello"


def test_every_message_that_is_attached_is_found() -> None:
    found = attached_messages(letter(mail_of("spam", 1), mail_of("ham", 2)))
    assert [email.message_from_bytes(each)["Message-ID"] for each in found] == ["<spam1@x>", "<ham2@x>"]


@pytest.mark.parametrize(
    "data",
    [
        part(MAIL),
        part(b"U3ViamVjdDogaGkKCmhlbGxv", more=b"Content-Transfer-Encoding: base64\n"),
        part(b"Subject: hi\n\nhel=\nlo", more=b"Content-Transfer-Encoding: quoted-printable\n"),
        part(MAIL, b"application/octet-stream; name=Win.EML"),
        b"Content-Type: message/rfc822\n\n" + MAIL,
    ],
)
def test_every_form_of_an_attached_message_is_read(data: bytes) -> None:
    assert [each.rstrip() for each in attached_messages(data)] == [MAIL]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Subject: Fwd: hi\n\n-------- Forwarded Message --------\nSubject: hi\n\nhello\n",
        part(MAIL, b"text/plain"),
        part(MAIL, b"application/ms-tnef; name=winmail.dat"),
        part(b"!", more=b"Content-Transfer-Encoding: base64\n"),
    ],
)
def test_what_is_no_attached_message_teaches_nothing(data: bytes) -> None:
    assert attached_messages(data) == []


def test_a_message_inside_of_an_attached_one_is_part_of_it() -> None:
    inner = letter(mail_of("spam", 1))
    (found,) = attached_messages(letter(inner))
    assert email.message_from_bytes(found)["Message-ID"] == "<letter@x>"


def test_hostile_letters_are_read_within_limits() -> None:
    many = b"Content-Type: multipart/digest; boundary=x\n\n" + b"--x\n\nSubject: hi\n\nhello\n" * 5_000
    assert MOST_ATTACHED < len(attached_messages(many)) < 1_000
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(20_000))
    assert attached_messages(deep + b"Content-Type: message/rfc822\n\n" + MAIL) == []
    assert len(attached_messages(b"Content-Type: message/rfc822\n\n" * 100_000)) == 1


def test_mutated_letters_are_read() -> None:
    rng, seed = random.Random(22), letter(mail_of("spam", 1), mail_of("ham", 2))
    for _ in range(effort(500, 50_000)):
        assert all(attached_messages(mutated(rng, seed)))


# With Postfix, at which users log in as they do in Dovecot.


class Post(Site):
    """A site whose users teach by mail."""

    def labels(self, space: str) -> dict[str, int]:
        return self.server.get("labels", space=space).json()["labels"]

    def forward(self, data: bytes, *recipients: str, user: str = ANN) -> None:
        """Send mail as a user who logs in; as nobody, without one."""
        with self.postfix.client() as client:
            if user:
                client.login(user, PASSWORD)
            client.sendmail(BOB, [f"{each}@example.org" for each in recipients], data.replace(b"\n", b"\r\n"))

    def why(self, after: int) -> str:
        """Why nothing was learned, as the log says it."""
        return self.server.wait_for(r"nothing learned.*why=(.*)", after).group(1)


@pytest.fixture(scope="module")
def post() -> Iterator[Post]:
    with open_folder() as folder:
        tcp = free_port()
        more = block("postfix.md", "toml", 1) + 'sender_networks = ["192.0.2.0/24"]\n'
        lines = configuration(folder, more, tcp)
        login = block("postfix.md", "dovecot.conf").replace("/var/spool/postfix/private", str(folder))
        login = login.replace("postfix", OWNER)
        sasl = block("postfix.md", "main.cf", 1).replace("private/auth", f"{folder}/auth")
        with (
            RunningServer(folder, lines, SPACES) as server,
            running_dovecot(folder / "dovecot", login),
            running_postfix(folder / "postfix", settings(folder) + sasl) as postfix,
        ):
            for space in (ANN, BOB):
                teach(server, space=space)
            yield Post(server, postfix, folder, tcp)


def test_forwarded_mail_teaches_whoever_logged_in_and_is_not_delivered(post: Post) -> None:
    arrived = [post.sent(mail_of("ham", number)).as_bytes() for number in (100, 101)]
    before, others = post.labels(ANN), post.labels(BOB)
    post.forward(letter(*arrived), "spam")
    assert post.labels(ANN) == {**before, "spam": before["spam"] + 2}
    assert post.labels(BOB) == others
    outcomes = {
        each["entry"]: each["outcome"]["label"] for each in post.entries(ANN) if each["outcome"] is not None
    }
    for each in arrived:
        assert outcomes[email.message_from_bytes(each)["X-Deciban-Id"]] == "spam"
    post.forward(letter(*arrived), "ham")
    assert post.labels(ANN) == {**before, "ham": before["ham"] + 2}
    wait_until(lambda: not post.postfix.queued(), "an empty queue")
    assert not post.postfix.delivered("spam")
    assert not post.postfix.delivered("ham")


def test_mail_that_was_never_judged_teaches_too(post: Post) -> None:
    before = post.labels(ANN)
    post.forward(letter(mail_of("ham", 110)), "spam")
    assert post.labels(ANN) == {**before, "spam": before["spam"] + 1}


@pytest.mark.parametrize(
    ("data", "recipients", "user", "why"),
    [
        (letter(mail_of("ham", 120)), ("spam",), "", "did not log in"),
        (mail_of("ham", 121), ("spam",), ANN, "forward as attachment"),
        (letter(mail_of("ham", 122)), ("spam",), "stranger@example.org", "no space"),
        (letter(mail_of("ham", 123)), ("spam", "ham"), ANN, "addresses for spam and for good mail"),
        (letter(*[mail_of("ham", 124)] * (MOST_ATTACHED + 1)), ("spam",), ANN, "too large, or more than"),
        (letter(mail_of("ham", 125) + b"text of a long mail\n" * 250_000), ("spam",), ANN, "too large, or"),
    ],
)
def test_what_teaches_nothing_is_delivered_and_the_log_says_why(
    post: Post, data: bytes, recipients: tuple[str, ...], user: str, why: str
) -> None:
    before, seen = {space: post.labels(space) for space in SPACES}, len(post.server.log_lines)
    post.forward(data, *recipients, user=user)
    for each in recipients:
        assert post.arrived(each)["Subject"]
    assert why in post.why(seen)
    assert {space: post.labels(space) for space in SPACES} == before


def test_an_address_that_teaches_lets_no_spam_pass(post: Post) -> None:
    post.forward(mail_of("spam", 130), "bob", "spam", user="")
    assert post.arrived("bob")["X-Spam-Flag"] == "YES"
    assert post.arrived("spam")["X-Spam-Flag"] == "YES"


def test_a_letter_that_is_for_others_too_is_delivered(post: Post) -> None:
    before = post.labels(ANN)
    post.forward(letter(mail_of("ham", 131)), "spam", "bob")
    assert post.arrived("bob")["Subject"] == post.arrived("spam")["Subject"] == "Fwd: have a look"
    assert post.labels(ANN) == {**before, "spam": before["spam"] + 1}


def answer(post: Post, client: socket.socket, address: bytes) -> bytes:
    """What a mail server is told to do with a letter that came from an address."""
    client.settimeout(60)
    head, _, body = letter(mail_of("ham", 140)).partition(b"\n\n")
    fields = [line.split(b":", 1) for line in head.replace(b"\n ", b" ").split(b"\n")]
    client.sendall(offer() + packet(b"C", b"x\x004\x10\x00" + address + b"\0"))
    client.sendall(b"".join(message(ANN.encode(), (b"spam@example.org",), fields, body)) + packet(b"Q"))
    return list(packets_in(client.makefile("rb").read()))[-1]


def test_networks_that_the_administrator_names_need_no_login_but_a_socket(post: Post) -> None:
    def opened() -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(post.socket))
        return client

    before = post.labels(ANN)
    with opened() as stranger:
        assert answer(post, stranger, b"198.51.100.1") == b"c"
    with socket.create_connection(("127.0.0.1", post.tcp)) as anybody:
        assert answer(post, anybody, b"192.0.2.7") == b"c"
    assert post.labels(ANN) == before
    with opened() as known:
        assert answer(post, known, b"192.0.2.7") == b"d"
    assert post.labels(ANN) == {**before, "spam": before["spam"] + 1}


def test_a_wrong_password_teaches_nobody(post: Post) -> None:
    with post.postfix.client() as client, pytest.raises(smtplib.SMTPAuthenticationError):
        client.login(ANN, "guess")


def test_networks_that_are_none_are_refused_before_the_server_starts(tmp_path: Path) -> None:
    from deciban.errors import BadSetting
    from deciban.server.server_checks import must_be_startable
    from deciban.server.server_configuration import ServerConfiguration

    for section, line in (
        ("milter", 'sender_networks = ["everywhere"]'),
        ("milter", 'trusted_addresses = ["everywhere"]'),
        ("spamd", 'trusted_users = ["nobody-of-this-name"]'),
        ("rspamd", 'trusted_addresses = ["everywhere"]'),
    ):
        wrong = ServerConfiguration.of_text(f'[{section}]\nlisten = ["127.0.0.1:0"]\n{line}\n')
        with pytest.raises(BadSetting, match=line.partition(" ")[0]):
            must_be_startable(wrong, str(tmp_path))
