"""Laws of the views: a trace is the features, delivery changes nothing, any bytes will do, work is linear."""

import json
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.text import Limits, read
from deciban.text._hashing import feature_hash, gram_hash
from deciban.text.views import View, extract, trace
from tests.effort import effort
from tests.sanitizer import instrumented, pass_under_the_sanitizer
from tests.text.attacks import ATTACKS
from tests.text.corpora import messages
from tests.text.mails import Mail, any_bytes, delivered, mails

VIEWS: tuple[View, ...] = ("words", "letters")
SMALL = Limits(features=200)


def check_trace(raw: bytes, limits: Limits) -> None:
    """The law: the hashes of a trace are exactly the features, each the hash of its name."""
    message = read(raw)
    for view, features in zip(VIEWS, extract(message, ("known",), limits), strict=True):
        traced = trace(message, view, ("known",) if view == "words" else (), limits)
        assert [feature.hash for feature in traced] == list(features)
        assert len(features) <= limits.features


@given(any_bytes)
def test_a_trace_is_exactly_the_features(raw: bytes) -> None:
    check_trace(raw, Limits())


@given(any_bytes)
def test_a_trace_is_exactly_the_features_at_the_limit_too(raw: bytes) -> None:
    check_trace(raw, SMALL)


@given(mails())
def test_a_feature_is_the_hash_of_its_name_and_text_stands_where_it_was_seen(made: Mail) -> None:
    message = read(made.raw)
    text = message.text.encode()
    features = trace(message, "words")
    # f r e e and v1agra are also seen as the words that they stand for.
    names = {feature.name for feature in features}
    for feature in features:
        assert feature.hash == feature_hash(feature.name)
        for place in feature.places:
            plain = feature.name.isalpha() and f"obfuscated:{feature.name}" not in names
            if place.where == "text" and plain:
                assert feature.name in text[place.start : place.end].decode().lower()
    for feature in trace(message, "letters"):
        for place in feature.places:
            source = text if place.where == "text" else message.canonical
            assert feature.hash == gram_hash(b"letters:", source[place.start : place.end])


@given(mails(), st.booleans(), st.booleans(), st.booleans())
def test_a_delivered_mail_has_the_same_features(made: Mail, tagged: bool, crlf: bool, mbox: bool) -> None:
    assert extract(read(delivered(made.raw, tagged, crlf, mbox))) == extract(read(made.raw))


@given(mails())
def test_features_are_sorted_and_each_is_there_once(made: Mail) -> None:
    for features in extract(read(made.raw)):
        assert list(features) == sorted(set(features))


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_has_no_more_features_than_the_limit(name: str) -> None:
    for features in extract(read(ATTACKS[name](2_000_000))):
        assert 0 < len(features) <= Limits().features


def test_facts_are_kept_when_the_text_is_cut_at_the_limit() -> None:
    text = " ".join(f"word{number}" for number in range(100_000))
    words = extract(read(text.encode())).words
    assert feature_hash("fact:limit-features") in words
    assert feature_hash("fact:links:0") in words
    assert len(words) <= 50_000


def test_a_feature_set_is_a_buffer_of_unsigned_64_bit_numbers() -> None:
    words = extract(read(b"hello")).words
    assert array("Q", bytes(words)).tolist() == list(words) == memoryview(words).tolist()
    assert words[0] == min(words)
    with pytest.raises(IndexError, match="none at"):
        words[len(words)]
    assert memoryview(words).readonly


def test_views_of_nothing_are_facts_alone() -> None:
    views = extract(read(b""))
    assert all(name.name.startswith(("fact:", "mime:")) for name in trace(read(b""), "words"))
    assert len(views.words) > 0


def test_real_mail_of_every_kind_has_traceable_features() -> None:
    for name in ("spamassassin", "ccert_zh"):
        for _, raw in messages(name, every=200):
            check_trace(raw, Limits())


def test_twice_the_message_is_at_most_twice_the_work_of_its_views() -> None:
    done = instrumented("-m", "tests.text.work_of_views")
    assert done.returncode == 0, done.stderr[-3000:]
    works = json.loads(done.stdout)
    assert not {name: work for name, work in works.items() if work[1] > 2.1 * work[0] + 2_000}


def test_views_and_tokens_pass_under_the_sanitizer() -> None:
    tests = ("test_tokens.py", "test_hashing.py", "test_words.py", "test_letters.py")
    # The table of characters is written by a script, which runs none of the compiled code.
    pass_under_the_sanitizer(*(f"tests/text/{name}" for name in tests), "-k", "not committed_character_table")


def test_fuzzed_inputs_have_features_under_the_sanitizer() -> None:
    done = instrumented("-m", "fuzz.views", str(effort(1_500, 50_000)), "1")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "nothing found" in done.stdout
