"""Few messages are read here and start nothing; many are read by the engine, in their order."""

from threading import active_count

from deciban.cli.hands import Hands
from deciban.engines import Threads
from deciban.sources import RawMessage

MESSAGES = [RawMessage(str(number), b"Subject: hi\n") for number in range(300)]


def ids_of(messages: list[RawMessage]) -> list[str]:
    return [message.id for message in messages]


def never() -> Threads:
    raise AssertionError("started for a few messages")


def test_few_messages_start_nothing() -> None:
    with Hands(never, few=300) as hands:
        assert list(hands.apply(ids_of, MESSAGES)) == [message.id for message in MESSAGES]


def test_many_messages_come_out_in_their_order_over_several_calls() -> None:
    with Hands(lambda: Threads(2), few=10) as hands:
        found = [*hands.apply(ids_of, MESSAGES[:7]), *hands.apply(ids_of, MESSAGES[7:200])]
        found += hands.apply(ids_of, MESSAGES[200:])
    assert found == [message.id for message in MESSAGES]


def test_threads_are_started_once_and_gone_at_the_end() -> None:
    before = active_count()
    with Hands(lambda: Threads(2), few=0) as hands:
        for _ in range(2):
            assert list(hands.apply(ids_of, MESSAGES)) == [message.id for message in MESSAGES]
            assert active_count() == before + 1
    assert active_count() == before
