"""Every peer that is installed learns a small mailbox; one that is not is named and how to install it."""

import pytest

from deciban.errors import PeerMissing
from deciban.evaluate import (
    PEERS,
    Bogofilter,
    Figures,
    TaughtMessage,
    installed_peers,
    online,
    read_index,
    split_in_half,
)
from tests.evaluate.small_mailbox import write_mailbox


@pytest.fixture(params=sorted(PEERS))
def peer(request):
    try:
        PEERS[request.param]().close()
    except PeerMissing as reason:
        pytest.skip(str(reason))
    return PEERS[request.param]


def test_a_peer_learns_a_small_mailbox_both_ways(peer, tmp_path):
    messages = read_index(write_mailbox(tmp_path))
    with peer() as subject:
        one_by_one = online(subject, messages)
    with peer() as subject:
        in_bulk = split_in_half(subject, messages, seed=1)
    assert Figures.of(one_by_one.since(30)).roc_loss < 10
    assert Figures.of(in_bulk).roc_loss < 10


def test_a_peer_starts_knowing_nothing_and_leaves_nothing(peer, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with peer() as subject:
        untaught = subject.classify([b"Subject: hello\n\nhello\n"])[0]
        subject.learn(
            [TaughtMessage("spam", b"Subject: pills\n\ncheap pills\n"), TaughtMessage("ham", b"\n\nlunch\n")]
        )
    assert not untaught.rejected
    assert list(tmp_path.iterdir()) == []


def test_a_batch_of_one_is_a_batch(peer, tmp_path):
    messages = read_index(write_mailbox(tmp_path))
    data = [message.read() for message in messages[:20]]
    with peer() as subject:
        subject.learn([TaughtMessage(message.label, message.read()) for message in messages[20:]])
        together = subject.classify(data)
        apart = [subject.classify([one])[0] for one in data]
    assert [opinion.score for opinion in together] == pytest.approx([opinion.score for opinion in apart])


def test_bytes_that_are_no_mail_are_judged_all_the_same(peer):
    with peer() as subject:
        subject.learn(
            [
                TaughtMessage("spam", b"Subject: pills\n\ncheap\n"),
                TaughtMessage("ham", b"Subject: hi\n\nlunch\n"),
            ]
        )
        strange = [b"", b"\n", b"\0\xff" * 50, b"From \n\n", b"a: b", b"From x\nFrom y\n\nFrom z\n"]
        assert len(subject.classify(strange)) == len(strange)


def test_a_peer_that_is_not_installed_is_left_out_and_said_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PeerMissing, match="apt-get install bogofilter"):
        Bogofilter()
    told = []
    assert "bogofilter" not in installed_peers(["bogofilter", "SpamAssassin"], told.append)
    assert told[0].startswith("bogofilter is left out: bogofilter is not installed.")
