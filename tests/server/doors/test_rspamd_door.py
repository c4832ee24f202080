"""The rspamd door with the real rspamc, and beside the real rspamd."""

import json
import random
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.effort import effort
from tests.server.doors.documented import block
from tests.server.doors.nonsense import speak_nonsense
from tests.server.doors.private_programs import free_port, open_folder, unpacked, wait_until
from tests.server.doors.rspamd_server import PASSWORD, RspamdServer, asked, rspamc, running_rspamd
from tests.server.running_server import RunningServer, mail_of, teach

SPACES = ("ann@example.org", "bob@example.org", "@")
SPAM, HAM = mail_of("spam", 100), mail_of("ham", 100)
# So often the real rspamd is started, until it learns.
STARTS = 4

WORDS = {
    "spam": ["casino", "winner", "lottery", "discount", "pharmacy", "million", "urgent", "account", "prize"],
    "ham": ["meeting", "agenda", "project", "lunch", "report", "garden", "holiday", "music", "library"],
}


def letter(label: str, number: int) -> bytes:
    """A longer mail: rspamd looks at runs of words, and knows mails of the same words as one."""
    rng = random.Random(f"{label}{number}")
    text = "\n".join(" ".join(rng.choices(WORDS[label], k=8)) for _ in range(8))
    head = f"From: {label}@example.com\nTo: ann@example.org\nMessage-ID: <{label}{number}@x>"
    return f"{head}\nSubject: {text[:40].splitlines()[0]}\n\n{text}\n".encode()


class Door:
    """A server with two doors for rspamd: one that trusts loopback, one that does not."""

    def __init__(self, server: RunningServer, port: int) -> None:
        self.server, self.port = server, port

    def rspamc(self, *options: str, message: bytes = SPAM) -> str:
        done = rspamc("-h", f"127.0.0.1:{self.port}", *options, message=message)
        return done.stdout.decode()

    def labels(self, space: str) -> dict[str, int]:
        return self.server.get("labels", space=space).json()["labels"]


def opened(folder: Path, change: tuple[str, str] = ("", "")) -> tuple[RunningServer, int]:
    port = free_port()
    lines = block("rspamd.md", "toml").replace("11333", str(port)).replace(*change)
    return RunningServer(folder, f"{lines}\n[server]\nworkers = 1\n", SPACES), port


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    unpacked("rspamd")
    with open_folder() as folder:
        server, port = opened(folder)
        with server:
            for space in SPACES:
                teach(server, space=space)
            yield Door(server, port)


@pytest.fixture(scope="module")
def strange() -> Iterator[Door]:
    """A door at which nobody is trusted, so that keys are needed."""
    with open_folder() as folder:
        server, port = opened(folder, ('trusted_addresses = ["127.0.0.1"]', ""))
        with server:
            for space in SPACES:
                teach(server, space=space)
            yield Door(server, port)


def test_rspamc_shows_the_verdict(door: Door) -> None:
    shown = door.rspamc("-d", "ann@example.org")
    assert "Action: add header" in shown
    assert "Spam: true" in shown
    assert "Symbol: DECIBAN_SPAM" in shown
    good = door.rspamc("-d", "ann@example.org", message=HAM)
    assert "Action: no action" in good
    assert "Spam: false" in good


def test_rspamc_can_write_the_message_with_its_score(door: Door) -> None:
    assert "X-Spam-Action: add header" in door.rspamc("-m", "-d", "ann@example.org")


def test_rspamc_teaches(door: Door) -> None:
    mail = mail_of("ham", 200)
    before = door.labels("ann@example.org")
    assert "success = true" in door.rspamc("-d", "ann@example.org", "learn_spam", message=mail)
    assert door.labels("ann@example.org")["spam"] == before["spam"] + 1
    assert "already learned as spam" in door.rspamc("-d", "ann@example.org", "learn_spam", message=mail)
    assert "success = true" in door.rspamc("-d", "ann@example.org", "learn_ham", message=mail)
    assert door.labels("ann@example.org") == {**before, "ham": before["ham"] + 1}


def test_rspamc_shows_figures(door: Door) -> None:
    asked(door.port, "/checkv2", SPAM)
    shown = door.rspamc("stat")
    assert "Messages scanned: " in shown
    assert "Messages with action add header: " in shown


def test_rspamc_may_tell_all_it_knows(door: Door) -> None:
    known = ("-i", "192.0.2.1", "-F", "joe@example.com", "--helo", "mx.example.com", "--hostname", "mx")
    for whom in (("-r", "ann@example.org"), ("-u", "ann@example.org"), ("-d", "ann@example.org", "-r", "x")):
        assert "Action: add header" in door.rspamc(*known, *whom)


def test_rspamc_asks_how_long_we_run(door: Door) -> None:
    assert "Uptime: " in door.rspamc("uptime")
    with urllib.request.urlopen(f"http://127.0.0.1:{door.port}/ping", timeout=60) as response:
        assert response.read() == b"pong\r\n"


def test_what_we_do_not_have_is_an_error_of_the_client_s(door: Door) -> None:
    assert "404" in door.rspamc("counters")


def test_a_message_for_several_is_spam_only_if_it_is_for_each(door: Door) -> None:
    def action(*recipients: str) -> str:
        lines = "".join(f"Rcpt: <{each}>\r\n" for each in recipients)
        head = f"POST /checkv2 HTTP/1.0\r\n{lines}Content-Length: {len(SPAM)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", door.port), timeout=60) as client:
            client.sendall(head.encode() + SPAM)
            return json.loads(client.makefile("rb").read().partition(b"\r\n\r\n")[2])["action"]

    assert action("ann@example.org", "bob@example.org") == "add header"
    before = door.labels("bob@example.org")
    asked(door.port, "/learnham", SPAM, **{"Deliver-To": "bob@example.org"})
    assert door.labels("bob@example.org")["ham"] == before["ham"] + 1
    for number in range(8):
        asked(door.port, "/learnham", mail_of("spam", 300 + number), **{"Deliver-To": "bob@example.org"})
    assert action("ann@example.org", "bob@example.org") == "no action"


def test_web_pages_are_refused(door: Door) -> None:
    assert asked(door.port, "/learnspam", HAM, Origin="https://evil.example")["status"] == 403
    assert asked(door.port, "/learnspam", HAM, Host="evil.example")["status"] == 403


def test_strangers_get_verdicts_of_the_common_space_and_teach_nothing(strange: Door) -> None:
    before = {space: strange.labels(space) for space in SPACES}
    assert (
        asked(strange.port, "/checkv2", SPAM, **{"Deliver-To": "ann@example.org"})["action"] == "add header"
    )
    for path in ("/learnspam", "/learnham"):
        for space in SPACES:
            assert asked(strange.port, path, HAM, **{"Deliver-To": space})["status"] == 401
            assert asked(strange.port, path, HAM, Password="wrong", **{"Deliver-To": space})["status"] == 401
    assert asked(strange.port, "/stat")["status"] == 401
    assert {space: strange.labels(space) for space in SPACES} == before


def test_a_key_is_a_password_as_far_as_it_goes(strange: Door) -> None:
    key = strange.server.add_key("classify", "learn", space="ann@example.org")
    mail = mail_of("ham", 400)
    shown = strange.rspamc("-P", key, "-d", "ann@example.org", "learn_ham", message=mail)
    assert "success = true" in shown
    assert "401" in strange.rspamc("-P", key, "-d", "bob@example.org", "learn_ham", message=mail)
    reader = strange.server.add_key("classify", space="ann@example.org")
    assert "401" in strange.rspamc("-P", reader, "-d", "ann@example.org", "learn_ham", message=mail)
    assert asked(strange.port, "/stat", Password=key)["version"]


def test_a_wrong_password_holds_no_mail_back(strange: Door) -> None:
    told = asked(strange.port, "/checkv2", SPAM, Password="wrong")
    assert (told["is_skipped"], told["action"]) == (True, "no action")


def test_nobody_s_mail_goes_on_skipped(door: Door) -> None:
    told = asked(door.port, "/checkv2", SPAM, **{"Deliver-To": "nobody"})
    assert (told["is_skipped"], told["action"], told["score"]) == (True, "no action", 0.0)


@pytest.fixture(scope="module")
def real() -> Iterator[RspamdServer]:
    with open_folder() as folder, ExitStack() as stack:
        for start in range(STARTS):
            server = stack.enter_context(running_rspamd(folder / f"rspamd-{start}"))
            if works(server):
                break
            stack.close()
        else:
            pytest.fail(f"rspamd did not work in any of {STARTS} starts")
        yield server


def works(server: RspamdServer) -> bool:
    """Whether rspamd learns and judges once it has started.

    Its processes make their files at once, and the one that is taught or the one that is asked may fail.
    """
    try:
        for number in range(effort(8, 50)):
            for label in ("spam", "ham"):
                mail = letter(label, number)
                wait_until(
                    lambda label=label, mail=mail: learned_by(server, label, mail),
                    lambda label=label, mail=mail: f"a lesson of rspamd: {teaching(server, label, mail)}",
                    15,
                )
        wait_until(lambda: asked(server.port, "/checkv2", letter("spam", 0))["symbols"], "a verdict", 15)
    except pytest.fail.Exception:
        return False
    return True


def teaching(server: RspamdServer, label: str, mail: bytes) -> dict[str, object]:
    """What rspamd says when it is taught a mail."""
    return asked(server.control, f"/learn{label}", mail, Password=PASSWORD)


def learned_by(server: RspamdServer, label: str, mail: bytes) -> bool:
    """Whether rspamd has learned a mail, now or before."""
    told = teaching(server, label, mail)
    return bool(told.get("success")) or "already learned" in told.get("error", "")


def kinds_of(value: object) -> object:
    """What kind of value stands where, numbers alike."""
    if isinstance(value, dict):
        return {name: kinds_of(each) for name, each in value.items()}
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
    )


def test_every_field_of_rspamd_has_its_like_here(door: Door, real: RspamdServer) -> None:
    """On 50 mails: the same fields with values of the same kinds, but for the names of symbols."""
    hits = 0
    for number in range(500, 525):
        for label in ("spam", "ham"):
            mail = letter(label, number)
            theirs, ours = asked(real.port, "/checkv2", mail), asked(door.port, "/checkv2", mail)
            symbols = theirs.pop("symbols"), ours.pop("symbols")
            assert ours.pop("milter")
            assert kinds_of(ours) == kinds_of(theirs)
            assert ours["message-id"] == theirs["message-id"]
            assert ours["required_score"] == theirs["required_score"]
            for symbol in symbols[0].values():
                hits += 1
                (like,) = symbols[1].values()
                assert {name: kinds_of(like[name]) for name in symbol if name in like} == kinds_of(
                    {name: value for name, value in symbol.items() if name in like}
                )
                assert set(symbol) <= set(like)
    assert hits, "rspamd never had a symbol to compare"


def test_the_other_answers_have_the_fields_of_rspamd(door: Door, real: RspamdServer) -> None:
    theirs, ours = asked(real.control, "/stat", Password=PASSWORD), asked(door.port, "/stat")
    assert set(theirs) <= set(ours)
    assert set(theirs["actions"]) == set(ours["actions"])
    theirs, ours = asked(real.control, "/symbols", Password=PASSWORD), asked(door.port, "/symbols")
    assert kinds_of(ours[0]["rules"][0]) == kinds_of(theirs[0]["rules"][0])
    theirs, ours = asked(real.control, "/auth", Password=PASSWORD), asked(door.port, "/auth")
    assert kinds_of(ours) == kinds_of(theirs)
    mail = letter("ham", 600)
    for path, port, password in (("/learnham", real.control, PASSWORD), ("/learnham", door.port, "")):
        headers = {"Password": password} if password else {}
        assert asked(port, path, mail, **headers) == {"success": True}
        again = asked(port, path, mail, **headers)
        assert again == {"status": 404, "error": "<ham600@x> has been already learned as ham, ignore it"}


def test_mutated_requests_end_and_harm_nobody(strange: Door) -> None:
    seeds = [
        b"POST /checkv2 HTTP/1.0\r\nRcpt: a@b\r\nContent-Length: %d\r\n\r\n%b" % (len(SPAM), SPAM),
        b"CHECK RSPAMC/1.3\r\nFrom: <a@b>\r\nContent-Length: %d\r\n\r\n%b" % (len(SPAM), SPAM),
        b"POST /learnspam HTTP/1.1\r\nPassword: x\r\nContent-Length: %d\r\n\r\n%b" % (len(HAM), HAM),
    ]
    before = {space: strange.labels(space) for space in SPACES}
    speak_nonsense(
        strange.server,
        lambda: socket.create_connection(("127.0.0.1", strange.port)),
        seeds,
        effort(300, 50_000),
    )
    assert asked(strange.port, "/checkv2", SPAM)["action"] == "add header"
    assert {space: strange.labels(space) for space in SPACES} == before


def test_a_server_that_is_gone_is_an_error_of_the_client(door: Door) -> None:
    done = rspamc("-h", f"127.0.0.1:{free_port()}", message=SPAM)
    assert b"refused" in done.stdout + done.stderr
    wait_until(lambda: asked(door.port, "/checkv2", SPAM)["action"] == "add header", "the door goes on")
