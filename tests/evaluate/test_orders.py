import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from deciban.evaluate import LabelledMessage, halves, shuffled


class Remembered(LabelledMessage):
    """A message whose bytes are its path."""

    def read(self):
        return self.path.split("/")[0].encode()


def messages(contents):
    return [Remembered("ham", f"{content}/{number}") for number, content in enumerate(contents)]


def test_a_seed_decides_the_order_and_the_order_is_of_all():
    assert shuffled(range(100), 1) == shuffled(range(100), 1) != shuffled(range(100), 2)
    assert sorted(shuffled(range(100), 3)) == list(range(100))


@given(st.lists(st.sampled_from("abcdefghijklm"), max_size=40), st.integers(0, 9))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_halves_share_no_message_and_lose_none(contents, seed):
    everything = messages(contents)
    learned, asked = halves(everything, seed)
    assert sorted(m.path for m in learned + asked) == sorted(m.path for m in everything)
    assert not {m.read() for m in learned} & {m.read() for m in asked}
    assert len(learned) <= (len(contents) + 1) // 2


def test_halves_of_different_messages_are_equally_large():
    learned, asked = halves(messages(range(101)), 5)
    assert (len(learned), len(asked)) == (51, 50)
    other, _ = halves(messages(range(101)), 6)
    assert {message.path for message in learned} != {message.path for message in other}
