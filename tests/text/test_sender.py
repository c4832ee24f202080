from deciban.text import read
from deciban.text.sender import sender_of


def test_the_sender_is_the_address_in_lower_case() -> None:
    assert sender_of(read(b"From: Ann <Ann@Example.org>\n\n")) == "ann@example.org"
    assert sender_of(read(b"Subject: nobody\n\n")) == ""
