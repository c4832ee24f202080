"""Every message of every mail corpus is read without an exception, and comes out as what it is."""

import pytest

from deciban.text import read
from tests.text.corpora import MAIL_CORPORA, messages


@pytest.mark.parametrize("corpus", MAIL_CORPORA)
def test_every_message_of_a_corpus_is_read(corpus: str) -> None:
    number = mails = limits = 0
    for _, raw in messages(corpus):
        message = read(raw)
        number += 1
        mails += message.is_mail
        limits += any(fact.startswith("limit_") for fact in message.facts)
        assert message.text.strip() or message.header("subject") or not message.is_mail or message.parts
    assert mails >= 0.998 * number
    assert limits == 0


def test_chinese_mail_comes_out_as_chinese_whatever_it_declares() -> None:
    number = garbled = 0
    for _, raw in messages("ccert_zh"):
        message = read(raw)
        text = message.text + message.hidden
        number += 1
        garbled += "\ufffd" in text or any(part.codec == "cp1252" for part in message.parts)
    assert garbled <= 0.005 * number
