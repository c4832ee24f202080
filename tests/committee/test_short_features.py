"""Short features made in one pass are those of the long hashes, for any mail and any attack."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee import _short_features
from deciban.committee._lesson_code import Features
from deciban.text import Limits, Message, read, read_many
from deciban.text._views import sightings
from deciban.text.views import extract
from tests.committee.streams import finished
from tests.text.attacks import ATTACKS
from tests.text.mails import Mail, any_bytes, mails

FACTS = ("sender-in-contacts",)
SMALL = Limits(features=200)


def named(message: Message, facts: tuple[str, ...], seed: int, count: int, limits: Limits = SMALL):
    ((features, names),) = _short_features.named_features([message], [facts], [seed], count, 60, limits)
    return features, names


def check_features(raw: bytes, limits: Limits) -> None:
    message = read(raw)
    expected = Features.of(*extract(message, FACTS, limits))
    assert _short_features.features_of(message, FACTS, limits) == expected
    assert named(message, FACTS, 7, 16, limits)[0] == expected


@given(any_bytes)
def test_any_bytes_have_the_short_features_of_their_hashes(raw: bytes) -> None:
    check_features(raw, Limits())


@given(any_bytes)
def test_so_they_do_at_the_limit(raw: bytes) -> None:
    check_features(raw, SMALL)


@given(mails())
def test_so_do_mails(made: Mail) -> None:
    check_features(made.raw, Limits())


@pytest.mark.parametrize("name", ATTACKS)
def test_so_do_attacks(name: str) -> None:
    check_features(ATTACKS[name](300_000), Limits())


HASHES = st.integers(0, 2**64 - 1)


@given(st.lists(HASHES | st.integers(0, 300).map(lambda number: number << 41), max_size=300))
def test_the_set_is_that_of_the_top_bits(hashes: list[int]) -> None:
    assert _short_features.short_set(hashes) == sorted({hash_ >> 41 for hash_ in hashes})


def test_hashes_searched_to_share_their_top_bits_are_sorted_too() -> None:
    # Insertion alone would move each of them past half of those that are there.
    alike = [(5 << 48) + (number * 37 % 128 << 41) for number in range(10_000)]
    falling = [number << 41 for number in range(127, -1, -1)] * 50
    for hashes in (alike, falling):
        assert _short_features.short_set(hashes) == sorted({hash_ >> 41 for hash_ in hashes})


def test_each_word_has_one_name_however_often_it_is_seen() -> None:
    message = read(b"free money " * 1_000)
    names = named(message, (), 7, 64)[1].split(b"\n")
    assert len(names) == len(set(names))


def lowest_names(message: Message, facts: tuple[str, ...], seed: int, count: int) -> list[bytes]:
    lots = {finished(hash_ ^ seed): name for hash_, name, *_ in sightings(message, "words", facts)}
    names = (lots[drawn] for drawn in sorted(lots)[:count])
    return sorted(name for name in names if len(name) <= 60 and b"\n" not in name)


@given(mails(), st.integers(0, 2**64 - 1), st.integers(1, 64), st.integers(0, 70))
def test_the_names_are_those_with_the_lowest_lots(made: Mail, seed: int, count: int, facts: int) -> None:
    message, outside = read(made.raw), tuple(f"known-{number}" for number in range(facts))
    names = named(message, outside, seed, count, Limits())[1]
    assert names.split(b"\n") == (lowest_names(message, outside, seed, count) or [b""])


@pytest.mark.parametrize("words", [0, 1, 30, 400, 5_000])
@pytest.mark.parametrize("repeated", [1, 40])
def test_so_they_are_of_texts_with_many_words_and_with_few(words: int, repeated: int) -> None:
    text = " ".join(f"word{number}" for number in range(words)) + "\n"
    message = read(b"Subject: hello\n\n" + text.encode() * repeated)
    for seed in range(20):
        for count in (1, 16, 64):
            names = named(message, (), seed, count, Limits())[1]
            assert names.split(b"\n") == lowest_names(message, (), seed, count)


@pytest.mark.parametrize("other", [None, b"hi"])
def test_what_is_no_message_is_refused(other: object) -> None:
    with pytest.raises(TypeError):
        _short_features.features_of(other, ())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        named(other, (), 7, 1)  # type: ignore[arg-type]


def test_none_or_too_many_names_cannot_be_drawn() -> None:
    for count in (0, 65):
        with pytest.raises(ValueError, match=f"1 to 64 names can be drawn, got {count}"):
            named(read(b"hi"), (), 7, count)


@given(st.lists(st.tuples(any_bytes, st.sampled_from([(), FACTS])), max_size=6))
def test_several_messages_have_the_features_and_names_of_each(
    mails: list[tuple[bytes, tuple[str, ...]]],
) -> None:
    messages = read_many([data for data, _ in mails])
    facts, seeds = [facts for _, facts in mails], list(range(len(mails)))
    assert _short_features.features_of_many(messages, facts) == [
        _short_features.features_of(read(data), own) for data, own in mails
    ]
    found = _short_features.named_features(messages, facts, seeds, 16, 60)
    assert found == [
        named(read(data), own, seed, 16, Limits()) for (data, own), seed in zip(mails, seeds, strict=True)
    ]
