"""A user who only corrects mistakes: a promise rests on a sample of uncontested mail, and spam is caught."""

from time import time

import pytest

from deciban.filter.status import status_of
from deciban.journal import Desk
from deciban.journal.desk import SILENCE_SECONDS
from tests.filter.mails import mail


def lived(desk: Desk, sampling: bool) -> dict[str, int]:
    """Mail comes in; whatever is unsure or wrong is sorted by the user. What the last spams were called."""
    desk.mail_filter.prefer(promise=0.05)
    called: dict[str, int] = {}
    for number in range(100, 400):
        for label in ("ham", "spam"):
            asked = desk.ask(mail(label, number))
            if asked.verdict.decision != label:
                desk.correct(asked.id, label)
            if label == "spam" and number >= 350:
                called[asked.verdict.decision] = called.get(asked.verdict.decision, 0) + 1
        if sampling and number % 50 == 0:
            desk.writer.flush()
            desk.draw_sample(time() + SILENCE_SECONDS + 1)
    return called


@pytest.mark.parametrize("sampling", [False, True])
def test_only_with_a_sample_a_promise_can_be_given_and_it_is_kept(desk: Desk, sampling: bool):
    called = lived(desk, sampling)
    status = status_of(desk.mail_filter)
    if not sampling:
        assert status.assurance.bar is None
        assert called == {"unsure": 50}
        return
    assert status.assurance.good >= status.assurance.needed
    assert status.assurance.sampled > 0
    assert status.standing == "kept"
    assert called.get("spam", 0) >= 45
