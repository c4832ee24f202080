"""The spamd door with the real spamc: every option, exit codes, who may do what, and failing open."""

import email
import os
import pwd
import re
import socket
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.effort import effort
from tests.server.doors.documented import block
from tests.server.doors.nonsense import speak_nonsense
from tests.server.doors.private_programs import free_port, open_folder, unpacked
from tests.server.running_server import RunningServer, mail_of, teach

# A user of every Debian who is not root, and another.
ANN, BOB = "news", "uucp"
SPACES = (ANN, BOB, "@", "carl@example.org")
SPAM, HAM = mail_of("spam", 100), mail_of("ham", 100)


class Spamd:
    """A server, and a spamc that asks it."""

    def __init__(self, server: RunningServer, folder: Path, port: int) -> None:
        self.server, self.port = server, port
        self.program = unpacked("spamassassin") / "usr/bin/spamc"
        line = block("spamassassin.md", "spamc.conf").replace("/run/deciban", str(folder))
        self.configuration = folder / "spamc.conf"
        self.configuration.write_text(line)
        self.path = line.split()[1]

    def spamc(
        self, *options: str, message: bytes = SPAM, user: str | None = ANN, tcp: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask as a user of this machine; as root for None."""
        where = ["-d", "127.0.0.1", "-p", str(self.port)] if tcp else ["-F", str(self.configuration)]
        return subprocess.run(
            [self.program, *where, *options],
            input=message,
            capture_output=True,
            timeout=120,
            user=None if user is None else pwd.getpwnam(user).pw_uid,
            group=None if user is None else pwd.getpwnam(user).pw_gid,
        )

    def labels(self, space: str) -> dict[str, int]:
        return self.server.get("labels", space=space).json()["labels"]


@pytest.fixture(scope="module")
def spamd() -> Iterator[Spamd]:
    unpacked("spamassassin", needs_root=True)
    with open_folder() as folder:
        port = free_port()
        lines = block("spamassassin.md", "toml").replace("/run/deciban", str(folder))
        lines = lines.replace('.sock"]', f'.sock", "127.0.0.1:{port}"]')
        more = 'trusted_users = ["root"]\ndomain = "example.org"\n[server]\nworkers = 1\n'
        with RunningServer(folder, lines + more, SPACES) as server:
            for space in SPACES:
                teach(server, space=space)
            yield Spamd(server, folder, port)


def test_check_prints_points_and_exits_with_one_for_spam(spamd: Spamd) -> None:
    spam, good = spamd.spamc("-c"), spamd.spamc("-c", message=HAM)
    points = [float(text) for text in spam.stdout.split(b"/")]
    assert (spam.returncode, points[1]) == (1, 5.0)
    assert points[0] >= 5.0
    assert good.returncode == 0
    assert float(good.stdout.split(b"/")[0]) < 5.0


def test_process_tags_the_message_and_takes_forged_tags_off(spamd: Spamd) -> None:
    done = spamd.spamc(message=b"X-Spam-Flag: NO\nX-Spam-Level: \n" + SPAM)
    tagged = email.message_from_bytes(done.stdout)
    assert tagged.get_all("X-Spam-Flag") == ["YES"]
    assert tagged["X-Spam-Level"] is None
    assert re.fullmatch(r"Yes, score=[0-9.]+ required=5.0", tagged["X-Spam-Status"])
    assert done.stdout.partition(b"\n\n")[2] == SPAM.partition(b"\n\n")[2]
    assert done.returncode == 0


def test_headers_gives_the_same_as_process(spamd: Spamd) -> None:
    one, other = spamd.spamc(), spamd.spamc("--headers")
    without_id = [re.sub(rb"X-Deciban-Id: .*", b"", each.stdout).replace(b"\r", b"") for each in (one, other)]
    assert without_id[0] == without_id[1]


def test_the_exit_code_can_tell_the_verdict(spamd: Spamd) -> None:
    assert spamd.spamc("-E").returncode == 1
    assert spamd.spamc("-E", message=HAM).returncode == 0


def test_a_compressed_message_is_judged_alike(spamd: Spamd) -> None:
    """By hand: Debian builds its spamc without zlib."""
    packed = zlib.compress(SPAM)
    plain = raw_answer(spamd, b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b" % (len(SPAM), SPAM))
    head = b"CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: %d\r\n\r\n" % len(packed)
    assert raw_answer(spamd, head + packed) == plain
    assert b"Spam: True" in plain


def raw_answer(spamd: Spamd, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", spamd.port), timeout=60) as client:
        client.sendall(request)
        return client.makefile("rb").read()


def test_symbols_name_the_verdict(spamd: Spamd) -> None:
    assert spamd.spamc("-y").stdout.strip() == b"DECIBAN_SPAM"
    assert spamd.spamc("-y", message=HAM).stdout.strip() == b"DECIBAN_HAM"


def test_a_report_has_evidence_for_the_owner_only(spamd: Spamd) -> None:
    own = spamd.spamc("-R")
    assert b"evidence" in own.stdout
    assert b"money" in own.stdout.lower()
    other = spamd.spamc("-R", tcp=True)
    assert b"points" in other.stdout
    assert b"money" not in other.stdout.lower()


def test_a_report_if_spam_is_empty_for_good_mail(spamd: Spamd) -> None:
    assert b"evidence" in spamd.spamc("-r").stdout
    assert b"evidence" not in spamd.spamc("-r", message=HAM).stdout


def test_learning_relearning_and_forgetting(spamd: Spamd) -> None:
    mail = mail_of("ham", 200)
    before = spamd.labels(ANN)
    first = spamd.spamc("-L", "spam", message=mail)
    assert b"successfully" in first.stdout
    assert spamd.labels(ANN)["spam"] == before["spam"] + 1
    assert b"already" in spamd.spamc("-L", "spam", message=mail).stdout
    assert b"successfully" in spamd.spamc("-L", "ham", message=mail).stdout
    assert spamd.labels(ANN) == {**before, "ham": before["ham"] + 1}
    assert b"successfully" in spamd.spamc("-L", "forget", message=mail).stdout
    assert spamd.labels(ANN) == before
    assert b"already" in spamd.spamc("-L", "forget", message=mail).stdout


def test_a_tagged_message_is_found_by_its_id_and_forgotten_too(spamd: Spamd) -> None:
    before = spamd.labels(ANN)
    tagged = spamd.spamc(message=mail_of("ham", 210)).stdout
    moved = b"Received: by another hop\n" + tagged
    assert b"successfully" in spamd.spamc("-L", "spam", message=moved).stdout
    assert spamd.labels(ANN)["spam"] == before["spam"] + 1
    again = b"Received: by yet another\n" + moved
    assert b"successfully" in spamd.spamc("-L", "forget", message=again).stdout
    assert spamd.labels(ANN) == before


def test_whoever_claims_to_be_another_stays_in_the_own_space(spamd: Spamd) -> None:
    before = spamd.labels(BOB)
    done = spamd.spamc("-u", BOB, "-L", "spam", message=mail_of("ham", 220), user=ANN)
    assert b"successfully" in done.stdout
    assert spamd.labels(BOB) == before


def test_a_trusted_user_asks_and_teaches_for_everybody(spamd: Spamd) -> None:
    before = spamd.labels("carl@example.org")
    done = spamd.spamc("-u", "carl", "-L", "spam", message=mail_of("ham", 230), user=None)
    assert b"successfully" in done.stdout
    assert spamd.labels("carl@example.org")["spam"] == before["spam"] + 1


def test_a_user_without_a_space_gets_verdicts_of_the_common_one_and_teaches_nothing(spamd: Spamd) -> None:
    before = spamd.labels("@")
    assert spamd.spamc("-c", user="games").returncode == 1
    assert b"success" not in spamd.spamc("-L", "ham", user="games").stdout
    assert spamd.labels("@") == before


def test_over_tcp_nobody_teaches_whatever_is_claimed(spamd: Spamd) -> None:
    before = {space: spamd.labels(space) for space in SPACES}
    for user in SPACES:
        assert b"success" not in spamd.spamc("-u", user, "-L", "spam", message=HAM, tcp=True).stdout
    assert {space: spamd.labels(space) for space in SPACES} == before
    assert spamd.spamc("-c", tcp=True).returncode == 1


def test_no_claim_makes_a_space(spamd: Spamd) -> None:
    spamd.spamc("-u", "nobody-at-all", "-c", user=None)
    spamd.spamc("-u", "nobody-at-all", "-L", "spam", user=None)
    assert spamd.server.get("labels", space="nobody-at-all").status == 404


def test_what_is_too_large_is_handed_on(spamd: Spamd) -> None:
    done = spamd.spamc("-s", "1000", message=SPAM + b"x" * 5000)
    assert done.stdout == SPAM + b"x" * 5000


def test_a_ping_is_answered(spamd: Spamd) -> None:
    assert spamd.spamc("-K", message=b"").stdout.startswith(b"SPAMD/")


def test_without_a_server_spamc_hands_the_message_on(spamd: Spamd, tmp_path: Path) -> None:
    gone = [spamd.program, "-d", "127.0.0.1", "-p", str(free_port()), "-t", "5", "--retry-sleep", "0"]
    done = subprocess.run([*gone, "--connect-retries", "1"], input=SPAM, capture_output=True, timeout=120)
    assert (done.stdout, done.returncode) == (SPAM, 0)
    strict = subprocess.run(
        [*gone, "-x", "--connect-retries", "1"], input=SPAM, capture_output=True, timeout=120
    )
    assert strict.returncode != 0


def test_a_client_that_says_half_keeps_nobody_waiting(spamd: Spamd) -> None:
    clients = [socket.create_connection(("127.0.0.1", spamd.port)) for _ in range(50)]
    for client in clients:
        client.sendall(b"CHECK SPAMC/1.5\r\nContent-length: 1000\r\n\r\nhalf")
    try:
        assert spamd.spamc("-c").returncode == 1
    finally:
        for client in clients:
            client.close()


def test_nonsense_is_refused_with_a_line(spamd: Spamd) -> None:
    with socket.create_connection(("127.0.0.1", spamd.port), timeout=60) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert client.recv(1000).startswith(b"SPAMD/1.0 76 ")


def test_mutated_requests_end_and_harm_nobody(spamd: Spamd) -> None:
    packed = zlib.compress(SPAM)
    seeds = [
        b"CHECK SPAMC/1.5\r\nUser: ann\r\nContent-length: %d\r\n\r\n%b" % (len(SPAM), SPAM),
        b"PROCESS SPAMC/1.5\r\nCompress: zlib\r\nContent-length: %d\r\n\r\n%b" % (len(packed), packed),
        b"TELL SPAMC/1.5\r\nMessage-class: spam\r\nSet: local\r\nContent-length: %d\r\n\r\n%b"
        % (len(HAM), HAM),
    ]
    before = {space: spamd.labels(space) for space in SPACES}
    speak_nonsense(
        spamd.server,
        lambda: socket.create_connection(("127.0.0.1", spamd.port)),
        seeds,
        effort(300, 50_000),
    )
    assert spamd.spamc("-c").returncode == 1
    assert {space: spamd.labels(space) for space in SPACES} == before


def test_the_socket_is_open_to_all_as_configured(spamd: Spamd) -> None:
    assert os.stat(spamd.path).st_mode & 0o777 == 0o666


def test_a_trusted_address_asks_and_teaches_over_tcp_and_mail_of_nobody_is_handed_on() -> None:
    with open_folder() as folder:
        port = free_port()
        lines = f'[spamd]\nlisten = ["127.0.0.1:{port}"]\ntrusted_addresses = ["127.0.0.1"]\n'
        with RunningServer(folder, lines + "[server]\nworkers = 1\n", ("carl",)) as server:
            teach(server, space="carl")
            spamd = Spamd(server, folder, port)
            assert spamd.spamc("-u", "carl", "-c", tcp=True).returncode == 1
            assert b"money" in spamd.spamc("-u", "carl", "-R", tcp=True).stdout.lower()
            before = spamd.labels("carl")
            told = spamd.spamc("-u", "carl", "-L", "spam", message=HAM, tcp=True)
            assert b"successfully" in told.stdout
            assert spamd.labels("carl")["spam"] == before["spam"] + 1
            nobody = spamd.spamc("-u", "nobody", tcp=True)
            assert (nobody.stdout, nobody.returncode) == (SPAM, 0)
            assert spamd.spamc("-u", "nobody", "-x", tcp=True).returncode != 0
            assert spamd.spamc("-u", "nobody", "-L", "spam", "-x", tcp=True).returncode != 0


def test_what_one_worker_holds_in_memory_is_limited() -> None:
    """Clients that send much and never end are refused; the others go on."""
    with open_folder() as folder:
        port = free_port()
        lines = f'[spamd]\nlisten = ["127.0.0.1:{port}"]\n[server]\nworkers = 1\n'
        lines += "[limits]\nwaiting_bytes = 1_000_000\n"
        with RunningServer(folder, lines, ("@",)) as server:
            teach(server, space="@")
            clients = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(20)]
            for client in clients:
                with suppress(BrokenPipeError, ConnectionResetError):
                    client.sendall(b"CHECK SPAMC/1.5\r\nContent-length: 200000\r\n\r\n" + b"x" * 100_000)
            server.wait_for("waiting_bytes")
            for client in clients:
                client.close()
            with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
                client.sendall(b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b" % (len(SPAM), SPAM))
                assert b"Spam: True" in client.makefile("rb").read()
