"""The milter protocol: dialogues of real mail servers' forms, in any pieces; anything else is refused."""

import random
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import BadDialogue
from deciban.server.doors import milter_protocol
from deciban.server.doors.milter_protocol import (
    MOST_DELETED,
    HeaderEdit,
    MilterProtocol,
    packet,
    packets_in,
)
from tests.effort import effort
from tests.mutations import mutated

ALL_STEPS = 0x1FFFFF
ALL_ACTIONS = 0x1FF
NOTHING = 0


def offer(version=6, actions=ALL_ACTIONS, steps=ALL_STEPS):
    return packet(b"O", pack(">III", version, actions, steps))


def message(sender=b"joe@example.com", recipients=(b"ann@example.org",), fields=(), body=b"hello\r\n"):
    """The packets of one message, as Postfix sends them."""
    yield packet(b"D", b"M" + b"{mail_addr}\0" + sender + b"\0")
    yield packet(b"M", b"<" + sender + b">\0SIZE=10\0")
    for recipient in recipients:
        yield packet(b"R", b"<" + recipient + b">\0")
    yield packet(b"T")
    for name, value in fields or ((b"Subject", b" hi"),):
        yield packet(b"L", name + b"\0" + value + b"\0")
    yield packet(b"N")
    yield packet(b"D", b"E" + b"i\0" + b"4F2A\0")
    for start in range(0, len(body), 65535):
        yield packet(b"B", body[start : start + 65535])
    yield packet(b"E")


def dialogue(*parts):
    return offer() + packet(b"C", b"mx.example.com\x004\x10\x00192.0.2.1\0") + b"".join(parts)


def negotiated(**offered):
    protocol = MilterProtocol()
    protocol.receive(offer(**offered))
    protocol.to_send()
    return protocol


def kinds(data):
    return [body[:1] for body in packets_in(data)]


def test_a_message_is_told_whole():
    protocol = negotiated()
    protocol.receive(b"".join(message(recipients=(b"ann@example.org", b"bob@example.org"))))
    told = protocol.waiting
    assert (told.sender, told.recipients) == ("joe@example.com", ["ann@example.org", "bob@example.org"])
    assert told.raw == b"Subject: hi\r\n\r\nhello\r\n"
    assert told.queue_id == "4F2A"
    assert not told.is_cut


def test_without_the_space_in_values_one_is_added():
    protocol = negotiated(steps=ALL_STEPS & ~milter_protocol.LEADING_SPACE)
    protocol.receive(b"".join(message(fields=((b"Subject", b"hi"),))))
    assert protocol.waiting.raw.startswith(b"Subject: hi\r\n")
    protocol.to_send()
    protocol.answer([HeaderEdit("X-Deciban", " ham")])
    assert next(packets_in(protocol.to_send())) == b"i\0\0\0\0X-Deciban\0ham\0"


def test_an_old_server_gets_an_answer_to_every_command_but_macros():
    protocol = negotiated(version=2, steps=NOTHING)
    protocol.receive(packet(b"C", b"x\0U") + b"".join(message()))
    # C, M, R, T, L, N, B
    assert kinds(protocol.to_send()) == [b"c"] * 7


def test_a_new_server_waits_for_pieces_of_the_body_only():
    protocol = negotiated()
    protocol.receive(packet(b"C", b"x\0U") + b"".join(message(body=b"x" * 100_000)))
    assert kinds(protocol.to_send()) == [b"c", b"c", b"c"]  # T, which a server leaves out if asked, and B, B


def test_folded_values_have_the_line_ends_of_mail():
    protocol = negotiated()
    protocol.receive(b"".join(message(fields=((b"Subject", b" a\n b"), (b"To", b" c\r\n\td")))))
    assert protocol.waiting.raw.startswith(b"Subject: a\r\n b\r\nTo: c\r\n\td\r\n")


def test_several_messages_wait_for_each_other():
    protocol = negotiated()
    protocol.receive(b"".join([*message(sender=b"one@x.org"), *message(sender=b"two@x.org"), packet(b"Q")]))
    assert protocol.waiting.sender == "one@x.org"
    protocol.answer()
    assert protocol.waiting.sender == "two@x.org"
    assert not protocol.is_over
    protocol.answer()
    assert protocol.waiting is None
    assert protocol.is_over


def test_what_was_given_up_is_no_part_of_the_next():
    protocol = negotiated()
    first = list(message(sender=b"one@x.org", fields=((b"X-Spam-Flag", b" NO"),)))
    protocol.receive(b"".join(first[:-1]) + packet(b"A"))
    assert protocol.waiting is None
    protocol.receive(b"".join(message(sender=b"two@x.org")))
    assert protocol.waiting.raw == b"Subject: hi\r\n\r\nhello\r\n"
    assert protocol.waiting.deletions == []


def test_who_logged_in_is_forgotten_with_the_next_client():
    login = packet(b"D", b"M{auth_authen}\0ann\0")
    protocol = negotiated()
    protocol.receive(login + packet(b"M", b"<ann@example.org>\0") + packet(b"E"))
    assert protocol.waiting.authenticated == "ann"
    protocol.answer()
    protocol.receive(login + packet(b"K") + packet(b"M", b"<x@example.org>\0") + packet(b"E"))
    assert protocol.waiting.authenticated == ""


def test_macros_of_other_commands_log_nobody_in():
    protocol = negotiated()
    protocol.receive(
        packet(b"D", b"R{auth_authen}\0ann\0") + packet(b"M", b"<x@example.org>\0") + packet(b"E")
    )
    assert protocol.waiting.authenticated == ""


def test_forged_tags_are_taken_off_from_the_last_to_the_first():
    fields = ((b"X-Spam-Flag", b" NO"), (b"Subject", b" hi"), (b"x-spam-flag ", b" NO"), (b"X-Junk", b" no"))
    protocol = MilterProtocol(tags=["X-Junk"])
    protocol.receive(offer() + b"".join(message(fields=fields)))
    protocol.to_send()
    protocol.answer(
        [HeaderEdit("X-Deciban", " ham"), HeaderEdit("X-Junk", " no"), *protocol.waiting.deletions]
    )
    *edits, last = packets_in(protocol.to_send())
    assert last == b"c"
    # The fields in front are told last and backwards, since each comes in front of those before.
    assert edits[-2:] == [b"i\0\0\0\0X-Junk\0 no\0", b"i\0\0\0\0X-Deciban\0 ham\0"]
    assert edits[0] == b"m\0\0\0\2x-spam-flag\0\0"
    assert sorted(edits[1:-2]) == [b"m\0\0\0\1x-junk\0\0", b"m\0\0\0\1x-spam-flag\0\0"]


def test_a_million_forged_tags_cost_little():
    protocol = negotiated()
    protocol.receive(packet(b"L", b"X-Spam\0 no\0") * 50_000 + packet(b"E"))
    assert len(protocol.waiting.deletions) == MOST_DELETED
    assert len(protocol.waiting.fields) == milter_protocol.MOST_FIELDS
    assert protocol.waiting.is_cut


def test_a_long_body_is_judged_by_its_head_and_the_rest_is_not_wanted():
    protocol = negotiated()
    piece = packet(b"B", b"x" * 65535)
    protocol.receive(packet(b"L", b"Subject\0 hi\0") + piece * 70)
    sent = kinds(protocol.to_send())
    assert sent[0] == b"c"
    assert sent[-1] == b"s"
    protocol.receive(packet(b"E", b"end"))
    assert protocol.waiting.is_cut
    assert len(protocol.waiting.raw) <= milter_protocol.MOST_BYTES + 100


def test_a_server_that_cannot_skip_is_told_to_go_on():
    protocol = negotiated(steps=NOTHING)
    protocol.receive(packet(b"B", b"x" * 65535) * 70)
    assert set(kinds(protocol.to_send())) == {b"c"}


def test_what_the_server_does_not_offer_is_not_asked_of_it():
    protocol = negotiated(actions=NOTHING)
    protocol.receive(b"".join(message()))
    protocol.to_send()
    protocol.answer([HeaderEdit("X-Deciban", " spam")], quarantine="spam")
    assert kinds(protocol.to_send()) == [b"c"]


def test_a_message_is_quarantined():
    protocol = negotiated()
    protocol.receive(b"".join(message()))
    protocol.to_send()
    protocol.answer([HeaderEdit("X-Deciban", " spam")], quarantine="spam")
    assert list(packets_in(protocol.to_send()))[1:] == [b"qspam\0", b"c"]


def test_a_percent_sign_in_a_rejection_is_doubled():
    """Sendmail formats the reply."""
    protocol = negotiated()
    protocol.receive(b"".join(message()))
    protocol.to_send()
    protocol.answer(reject="550 5.7.1 100% spam")
    assert list(packets_in(protocol.to_send())) == [b"y550 5.7.1 100%% spam\0"]


@pytest.mark.parametrize(
    "data",
    [
        packet(b"M", b"<x@y>\0"),  # before anything was agreed
        packet(b"O", b"short"),
        offer(version=1),
        offer() + packet(b"?"),
        offer() + packet(b"L", b"no value"),
        b"\0\0\0\0",
        b"\xff\xff\xff\xffO",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_milter_dialogue_is_refused(data):
    protocol = MilterProtocol()
    with pytest.raises(BadDialogue):
        protocol.receive(data)


def test_an_answer_without_a_message_is_refused():
    with pytest.raises(BadDialogue):
        negotiated().answer()


@given(st.lists(st.integers(1, 40)), st.integers(0, 3))
def test_pieces_do_not_matter(sizes, more):
    whole = dialogue(*(part for _ in range(more + 1) for part in message()), packet(b"Q"))
    assert told(whole, [len(whole)]) == told(whole, sizes or [1])


def told(data, sizes):
    """What a protocol makes of a dialogue that comes in pieces: messages and answers."""
    protocol, found, sent, place, turn = MilterProtocol(), [], [], 0, 0
    while place < len(data):
        size = sizes[turn % len(sizes)]
        protocol.receive(data[place : place + size])
        place, turn = place + size, turn + 1
        while protocol.waiting is not None:
            found.append((protocol.waiting.sender, protocol.waiting.raw))
            protocol.answer([HeaderEdit("X-Deciban", " ham"), *protocol.waiting.deletions])
        sent.append(protocol.to_send())
    return found, b"".join(sent), protocol.is_over


def test_mutated_dialogues_are_answered_or_refused():
    rng = random.Random(22)
    seeds = [
        dialogue(*message(), packet(b"A"), *message(recipients=(b"a@b", b"c@d")), packet(b"Q")),
        dialogue(*message(fields=((b"X-Spam", b" no\n\tfolded"),)), packet(b"K"), *message(body=b"")),
        offer(2, NOTHING, NOTHING) + b"".join(message()),
    ]
    for _ in range(effort(2_000, 50_000)):
        data = mutated(rng, rng.choice(seeds))
        try:
            told(data, [rng.randrange(1, 200)])
        except BadDialogue as error:
            assert str(error)  # noqa: PT017 (many inputs, each may be refused)
