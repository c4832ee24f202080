import shutil
import sys

import pytest

from deciban.errors import PeerFailed, PeerMissing
from deciban.evaluate import Bogofilter, CommandPeer, TaughtMessage, online, read_index
from deciban.evaluate.peers.command import answer_of
from tests.evaluate.small_mailbox import write_mailbox

BOGOFILTER = "bogofilter -C -d {home} --db-transaction=no"


@pytest.mark.skipif(shutil.which("bogofilter") is None, reason="bogofilter is not installed")
def test_bogofilter_by_its_own_lines_says_what_the_built_in_peer_says(tmp_path):
    messages = read_index(write_mailbox(tmp_path, count=24))
    lines = {"spam": f"{BOGOFILTER} -s -I {{path}}", "*": f"{BOGOFILTER} -n -I {{path}}"}
    with CommandPeer("bogo", f"{BOGOFILTER} -T -I {{path}}", lines) as peer, Bogofilter() as known:
        found, expected = online(peer, messages), online(known, messages)
    assert found.scores[1:] == pytest.approx(expected.scores[1:], abs=1e-6)
    assert [o.rejected for o in found.opinions] == [o.rejected for o in expected.opinions]


def test_what_stands_in_braces_cannot_break_out(tmp_path):
    script = 'import sys; open(sys.argv[1] + "/seen", "a").write(sys.argv[2])'
    line = f"{sys.executable} -c '{script}' {{home}} {{label}}"
    with CommandPeer("peer", "cat", {"*": line}) as peer:
        label = "a'; touch {path} $(x) \"b"
        peer.learn([TaughtMessage(label, b"x")])
        assert (peer._home / "seen").read_text() == label
        home = peer._home
    assert not home.exists()


def test_the_message_comes_on_standard_input_and_as_a_file():
    script = 'import sys; sys.exit(int(sys.stdin.buffer.read() != open(sys.argv[1], "rb").read()))'
    line = f"{sys.executable} -c '{script}' {{path}}"
    with CommandPeer("peer", line, {"*": "cat"}) as peer:
        peer.learn([TaughtMessage("ham", b"")])
        assert peer.classify([b"\0\xff\n"])[0].rejected


@pytest.mark.parametrize(
    ("output", "code", "bar", "score", "rejected"),
    [
        ("S 0.999", 0, None, 0.999, True),
        ("X-Spam: no, -1.5e-3", 1, None, -0.0015, False),
        ("", 0, None, 1.0, True),
        ("", 1, None, 0.0, False),
        ("7.5/5.0", 0, 5.0, 7.5, True),
        ("4.9/5.0", 0, 5.0, 4.9, False),
    ],
)
def test_a_number_is_the_score_and_the_exit_code_the_verdict(output, code, bar, score, rejected):
    opinion = answer_of(output, code, bar)
    assert (opinion.score, opinion.rejected) == (score, rejected)


def test_the_first_word_is_the_label_if_it_is_one():
    assert answer_of("work 3.1", 1, labels={"work", "home"}).said == "work"
    assert answer_of("other 3.1", 1, labels={"work", "home"}).said == "not spam"


def test_a_command_that_fails_or_is_not_there_is_named():
    with CommandPeer(
        "peer", f"{sys.executable} -c 'import sys; sys.exit(\"no database\")'", {"*": "cat"}
    ) as peer:
        assert peer.classify([b"x"])[0].said == "unsure"  # before the first lesson it is not asked
        peer.learn([TaughtMessage("ham", b"x")])
        assert not peer.classify([b"x"])[0].rejected  # exit code 1 is an answer
    with CommandPeer(
        "peer", f"{sys.executable} -c 'import sys; print(\"sorry\"); sys.exit(9)'", {"*": "cat"}
    ) as peer:
        peer.learn([TaughtMessage("ham", b"x")])
        with pytest.raises(PeerFailed, match="peer stopped classifying with exit code 9: sorry"):
            peer.classify([b"x"])
    with pytest.raises(PeerMissing, match="no program '/no/such'"):
        CommandPeer("peer", "/no/such {path}", {})
