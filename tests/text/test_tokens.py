"""Words in many languages, words in disguise, and bytes that are no text."""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.text._tokens import tokens

ROOT = Path(__file__).parents[2]
INVISIBLE, STYLED, DISGUISED, CUT = 256, 512, 2048, 32768


def words(text: str) -> list[str]:
    return [word.decode() for word, *_ in tokens(text.encode())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't STOP, snake_case 42x", ["don", "t", "stop", "snake_case", "42x"]),
        ("Crème BRÛLÉE", ["crème", "brûlée"]),
        ("Straße, ΟΔΟΣ", ["straße", "οδοσ"]),
        ("Здравствуй, МИР", ["здравствуй", "мир"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("안녕하세요 여러분", ["안녕하세요", "여러분"]),
        ("免费发票", ["免费", "费发", "发票"]),
        ("免 费", ["免", "费"]),
        ("iPhone免费!", ["iphone", "免费"]),
        ("こんにちは", ["こん", "んに", "にち", "ちは"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ຂອບໃຈ", ["ຂອ", "ອບ", "ບໃ", "ໃຈ"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("go 🚀🚀 now", ["go", "🚀", "🚀", "now"]),
    ],
)
def test_words_of_many_languages(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "word", "flag"),
    [
        ("ＦＲＥＥ", "free", STYLED),
        ("𝐟𝐫𝐞𝐞", "free", STYLED),
        ("ⓕⓡⓔⓔ", "free", STYLED),
        ("fr\u200bee", "free", INVISIBLE),
        ("fr\u00adee", "free", INVISIBLE),
        ("раypal", "paypal", DISGUISED),
        ("ΡayΡal", "paypal", DISGUISED),
        ("Аррlе", "apple", DISGUISED),
    ],
)
def test_disguised_words_are_read_and_marked(text: str, word: str, flag: int) -> None:
    [(found, start, end, flags)] = tokens(text.encode())
    assert (found.decode(), start, end) == (word, 0, len(text.encode()))
    assert flags & flag


def test_words_wholly_in_another_script_are_no_disguise() -> None:
    assert words("рост оса") == ["рост", "оса"]
    assert not any(flags & DISGUISED for *_, flags in tokens("рост оса".encode()))


def test_a_long_word_is_cut_but_keeps_its_place() -> None:
    [(word, start, end, flags)] = tokens(b"x" * 10_000_000)
    assert (word, start, end) == (b"x" * 256, 0, 10_000_000)
    assert flags & CUT


def test_bytes_that_are_no_text_separate_words() -> None:
    assert [word for word, *_ in tokens(b"ab\xffcd\xed\xa0\x80ef\xf4\xbf\xbf\xbfgh\xc0\xafij\xe4")] == [
        b"ab",
        b"cd",
        b"ef",
        b"gh",
        b"ij",
    ]


@given(st.binary(max_size=300))
def test_any_bytes_give_words_at_increasing_places_inside_the_text(text: bytes) -> None:
    last = -1
    for word, start, end, _ in tokens(text):
        assert last < start < end <= len(text)
        assert word.decode()
        last = start


def test_one_pass_folds_every_look_alike_that_a_second_would() -> None:
    for first in {*range(0, 0x110000, 2048)} - {0xD800}:  # but for surrogates, which no text has
        text = " ".join(f"A{chr(code)}b" for code in range(first, first + 2048))
        once = [word for word, _, _, flags in tokens(text.encode()) if not flags & 4096]
        assert [word for word, *_ in tokens(b" ".join(once))] == once, hex(first)


@given(st.text(max_size=100))
def test_tokens_of_tokens_are_the_tokens_unless_scripts_have_no_spaces(text: str) -> None:
    once = [word for word, _, _, flags in tokens(text.encode("utf-8", "surrogatepass")) if not flags & 4096]
    assert [word for word, *_ in tokens(b" ".join(once))] == once


@given(st.text(st.characters(max_codepoint=127)))
def test_on_ascii_words_are_what_a_regular_expression_finds(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text.lower())


def test_the_committed_character_table_is_what_its_script_writes() -> None:
    committed = (ROOT / "src/deciban/text/_characters.h").read_text(encoding="utf-8")
    if f"Unicode {unicodedata.unidata_version};" not in committed:
        pytest.skip("this Python has another version of Unicode")
    written = subprocess.run(
        [sys.executable, str(ROOT / "tools/make_characters.py")], capture_output=True, check=True
    )
    assert written.stdout.decode() == committed
