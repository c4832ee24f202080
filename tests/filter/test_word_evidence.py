"""Words get their text back, and lose it with the last lesson that has it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee import _short_features
from deciban.committee.extraction import NAMES_PER_LESSON, features_of, named_features
from deciban.filter import Filter, Settings
from deciban.filter.word_evidence import strongest_words, word_evidence
from deciban.ledger import Selection
from deciban.text import read
from deciban.text.words import names
from tests.filter.mails import mail, teach


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), Settings(bits=16, salt=9)) as filter_:
        for number in range(20):
            teach(filter_, "spam", [mail("spam", number)])
            teach(filter_, "ham", [mail("ham", number)])
        yield filter_


def test_a_lesson_keeps_some_names_that_the_message_alone_decides() -> None:
    message = read(mail("spam", 1).data)
    ((features, text),) = named_features([message], [()])
    drawn = text.split("\n")
    assert len(drawn) == NAMES_PER_LESSON
    assert set(drawn) < set(names(message))
    assert named_features([message], [()]) == [(features, text)]
    assert features == features_of(message)


def test_the_names_with_the_lowest_lots_are_drawn_however_often_words_repeat() -> None:
    text = " ".join(f"word{number * number % 97}" for number in range(2000))
    message = read(f"Subject: {text}\n\n{text}\n".encode())

    def drawn_names(seed: int, count: int) -> set[bytes]:
        ((_, drawn),) = _short_features.named_features([message], [()], [seed], count, 60)
        return set(drawn.split(b"\n"))

    drawn = {count: drawn_names(7, count) for count in (1, 16, 63, 64)}
    assert [len(some) for some in drawn.values()] == list(drawn)
    assert drawn[1] < drawn[16] < drawn[63] < drawn[64] < {name.encode() for name in names(message)}
    assert drawn[16] != drawn_names(8, 16)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe \x00 \x80abc"])
def test_an_empty_message_and_bytes_that_are_no_text_have_names_too(data: bytes) -> None:
    ((_, drawn),) = named_features([read(data)], [()])
    assert len(drawn.split("\n")) == NAMES_PER_LESSON
    assert {"mime:text/plain", "fact:received:0"} <= set(drawn.split("\n"))
    assert "\0" not in drawn.encode("utf-8").decode()


def test_the_strongest_words_speak_for_their_label(taught: Filter) -> None:
    strongest = strongest_words(taught, 10)
    assert set(strongest) == {"spam", "ham"}
    for label, words in strongest.items():
        assert len(words) == 10
        decibans = [word.decibans for word in words]
        assert decibans == sorted(decibans, reverse=True)
        assert decibans[-1] > 0
        for word in words:
            assert word_evidence(taught, word.name)[label] == word
    spam = {word.name for word in strongest_words(taught, 1000)["spam"]}
    assert spam & {"free", "money", "cheap", "pills", "winner", "casino"}
    assert not spam & {"lunch", "meeting", "family", "garden"}


def test_one_word_can_be_looked_up(taught: Filter) -> None:
    seen = word_evidence(taught, "free")
    assert seen["spam"].counts["spam"] > 0 == seen["spam"].counts["ham"]
    assert seen["spam"].decibans > 0 > seen["ham"].decibans
    assert word_evidence(taught, "neverseen")["spam"].counts["spam"] == 0


def test_without_a_choice_no_word_is_strong(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "one"), Settings(bits=10)) as filter_:
        assert strongest_words(filter_, 10) == {}
        teach(filter_, "ham", [mail("ham", 1)])
        assert strongest_words(filter_, 10) == {"ham": []}


def test_names_that_no_lesson_has_any_more_are_gone_from_the_files(taught: Filter) -> None:
    own = taught.names()
    taught.forget(Selection(label="spam"))
    gone = {name for name in own - taught.names() if "spam" in name}
    assert len(gone) > 20
    folder = os.path.dirname(taught.ledger.path)
    contents = [Path(folder, name).read_bytes() for name in os.listdir(folder)]
    assert not [name for name in gone if any(name.encode() in content for content in contents)]
