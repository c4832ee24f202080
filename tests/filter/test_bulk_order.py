"""Lessons taught label after label, as everybody begins, are learned as well as in any other order."""

from pathlib import Path

import pytest

from deciban.filter import Filter
from deciban.sample import sample_mails
from deciban.sources import RawMessage


@pytest.fixture(scope="module")
def mailbox():
    return sample_mails()


@pytest.mark.parametrize("order", [("ham", "spam"), ("spam", "ham")])
def test_the_label_that_was_taught_last_does_not_drown_the_others(tmp_path: Path, mailbox, order) -> None:
    with Filter.open(str(tmp_path / "filter.db")) as mail:
        for label in order:
            mail.learn(
                label,
                [
                    RawMessage(f"{label}@{number}", one.data)
                    for number, one in enumerate(mailbox)
                    if one.label == label and not one.held_out
                ],
            )
        assert mail.is_replay()
        new = [one for one in mailbox if one.held_out]
        right = sum(mail.classify(one.data).label == one.label for one in new)
        assert right > 0.9 * len(new)


def test_single_lessons_stay_in_the_order_of_teaching(tmp_path: Path, mailbox) -> None:
    with Filter.open(str(tmp_path / "filter.db")) as mail:
        for number, one in enumerate(mailbox[:60]):
            mail.learn(one.label, [RawMessage(str(number), one.data)])
        assert [lesson.source for lesson in mail.lessons()] == [str(number) for number in range(60)]
