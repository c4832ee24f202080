"""Thunderbird's "trust junk mail headers set by SpamAssassin": our tags are what its rules look at.

The rules stand in SpamAssassin.sfd, which comes with Thunderbird; these conditions are those of version 153.
A rule that holds marks the message as junk, or as no junk.
"""

import email
import re

import pytest

from deciban.committee.verdict import Verdict
from deciban.filter.tag import tagged, tags_of
from deciban.server.doors.spamd_door import with_points

IS_JUNK = (
    'OR ("X-Spam-Status",begins with,Yes) OR ("X-Spam-Flag",begins with,YES) '
    "OR (subject,begins with,***SPAM***)"
)
IS_GOOD = 'OR ("X-Spam-Status",begins with,No)'
MAIL = b"X-Spam-Status: Yes, forged\nSubject: hi\n\nhello\n"
SPAM = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
GOOD = Verdict("ham", 0.99931, 31.6, {"spam": 0.00069, "ham": 0.99931}, unsure=False)
ALLOWED = Verdict("ham", 0.00069, -31.6, SPAM.probabilities, unsure=False, otherwise=SPAM)


def holds(condition: str, mail: bytes) -> bool:
    """Whether a condition of a rule holds: one of its terms does."""
    message = email.message_from_bytes(mail)
    terms = re.findall(r'OR \("?([^",]+)"?,begins with,([^)]+)\)', condition)
    assert len(terms) == condition.count("OR (")
    return any(message.get(field, "").lower().startswith(text.lower()) for field, text in terms)


@pytest.mark.parametrize(
    "write", [lambda *given: tagged(MAIL, tags_of(*given)), lambda *given: with_points(MAIL, *given)]
)
@pytest.mark.parametrize(
    ("verdict", "is_junk"),
    [(SPAM, True), (SPAM.replaced(unsure=True), False), (GOOD, False), (ALLOWED, False)],
)
def test_thunderbird_believes_our_tags(write, verdict, is_junk):
    mail = write(verdict, bytes(16))
    assert (holds(IS_JUNK, mail), holds(IS_GOOD, mail)) == (is_junk, not is_junk)


def test_mail_without_a_verdict_is_left_to_thunderbird():
    mail = tagged(MAIL, [])
    assert not holds(IS_JUNK, mail)
    assert not holds(IS_GOOD, mail)
