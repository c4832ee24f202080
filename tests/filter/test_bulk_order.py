"""Lessons taught label after label, as everybody begins, are learned as well as in any other order."""

from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.sample import Mail, sample_mails
from deciban.sources import RawMessage
from tests.filter.mails import mail as made_up


@pytest.fixture(scope="module")
def mailbox():
    return sample_mails()


def raw(label: str, mails: list[Mail], first: int = 0) -> list[RawMessage]:
    return [RawMessage(f"{label}@{number}", one.data) for number, one in enumerate(mails, first)]


@pytest.mark.parametrize("order", [("ham", "spam"), ("spam", "ham")])
def test_the_label_that_was_taught_last_does_not_drown_the_others(tmp_path: Path, mailbox, order) -> None:
    with Filter.open(str(tmp_path / "filter.db")) as mail:
        for label in order:
            mail.learn(label, raw(label, [one for one in mailbox if one.label == label and not one.held_out]))
        assert mail.is_replay()
        new = [one for one in mailbox if one.held_out]
        right = sum(mail.classify(one.data).label == one.label for one in new)
        assert right > 0.9 * len(new)


@pytest.mark.parametrize("order", [("ham", "spam"), ("spam", "ham")])
@pytest.mark.parametrize("at_once", [20, 30, 50])
def test_labels_taught_in_several_calls_are_mixed_as_well(
    tmp_path: Path, mailbox, order, at_once: int
) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=18)) as mail:
        for label in order:
            taught = [one for one in mailbox if one.label == label and not one.held_out]
            for start in range(0, len(taught), at_once):
                mail.learn(label, raw(label, taught[start : start + at_once], start))
                assert mail.is_replay()
        new = [one for one in mailbox if one.held_out]
        right = sum(mail.classify(one.data).label == one.label for one in new)
        assert right > 0.9 * len(new)


def test_a_small_share_of_all_lessons_moves_none_of_them(tmp_path: Path, mailbox) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=10)) as mail:
        for start in range(0, 300, 25):
            label = ("ham", "spam")[start // 25 % 2]
            mail.learn(label, [made_up(label, number) for number in range(start, start + 25)])
        before = [lesson.digest for lesson in mail.lessons()]
        mail.learn("ham", [made_up("ham", number) for number in range(300, 325)])
        after = [lesson.digest for lesson in mail.lessons()]
        assert after[:300] == before
        assert mail.is_replay()
        mail.learn("ham", [made_up("ham", number) for number in range(325, 350)])
        assert [lesson.digest for lesson in mail.lessons()][:300] != before
        assert mail.is_replay()


def test_single_lessons_stay_in_the_order_of_teaching(tmp_path: Path, mailbox) -> None:
    with Filter.open(str(tmp_path / "filter.db")) as mail:
        for number, one in enumerate(mailbox[:60]):
            mail.learn(one.label, [RawMessage(str(number), one.data)])
        assert [lesson.source for lesson in mail.lessons()] == [str(number) for number in range(60)]
