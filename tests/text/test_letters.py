"""What the view `letters` sees: 4-grams within two budgets, and little of signatures and keys."""

import pytest

from deciban.text import read
from deciban.text._hashing import gram_hash
from deciban.text.letters import features
from deciban.text.views import trace


def grams(raw: bytes) -> set[str]:
    return {feature.name.removeprefix("letters:") for feature in trace(read(raw), "letters")}


def test_headers_and_text_give_overlapping_grams() -> None:
    found = grams(b"Subject: win\n\nfree")
    assert {"Subj", "ubje", ": wi", " win", "free"} <= found


def test_a_field_name_is_told_from_the_end_of_a_longer_one() -> None:
    assert "\nTo:" in grams(b"From: a\nTo: b\n\n")
    assert "\nTo:" not in grams(b"From: a\nReply-To: b\n\n")


@pytest.mark.parametrize("blob", [b"A1b2" * 16, b"0123456789abcdef" * 8])
def test_keys_and_ids_count_with_their_beginning_only(blob: bytes) -> None:
    with_blob = features(read(b"Subject: x\nX-Key: " + blob + b"\n\n"))
    assert len(with_blob) < 40


def test_signatures_leave_the_budget_to_other_fields() -> None:
    signature = b"DKIM-Signature: v=1; " + b"; ".join(b"h%d=ab cd ef" % i for i in range(1000)) + b"\n"
    assert "last" in grams(signature * 10 + b"Subject: last\n\n")


def test_text_has_a_budget_of_its_own() -> None:
    headers = b"".join(b"X-%d: %d %d\n" % (i, i * i, i * i * i) for i in range(500))
    assert "seen" in grams(headers + b"\nseen")
    assert "zzzz" not in grams(b"Subject: a\n\n" + b"text " * 600 + b"zzzz")


def test_encoded_text_is_seen_decoded() -> None:
    raw = b"Subject: x\nContent-Transfer-Encoding: base64\n\nZnJlZSBtb25leQ==\n"
    assert {"free", "mone"} <= grams(raw)
    assert "ZnJl" not in grams(raw)


def test_a_gram_may_be_any_four_bytes() -> None:
    raw = b"Subject: a\n\n\0\0\0\0\0"
    assert gram_hash(b"letters:", b"\0\0\0\0") in features(read(raw))
