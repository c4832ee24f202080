import pytest

from deciban.errors import BadSetting, OverQuota
from deciban.filter.mail import lessons_from
from deciban.spaces import Quota, Spaces
from tests.filter.mails import mail


def lessons(space, label, numbers):
    return lessons_from([mail(label, number) for number in numbers], label, space.mail_filter.preferences)


def test_a_lesson_too_many_is_refused_and_changes_nothing(spaces: Spaces):
    spaces.add(["ann"], quota=Quota(lessons=3))
    with spaces.using("ann") as space:
        assert space.learn(lessons(space, "ham", range(3))).learned == 3
        with pytest.raises(OverQuota, match="its 3 lessons"):
            space.learn(lessons(space, "ham", [7]))
        assert space.mail_filter.labels() == {"ham": 3}


def test_what_was_taught_before_takes_no_room(spaces: Spaces):
    spaces.add(["ann"], quota=Quota(lessons=3))
    with spaces.using("ann") as space:
        space.learn(lessons(space, "ham", range(3)))
        assert space.learn(lessons(space, "ham", range(3))).known == 3
        relearned = lessons_from([mail("ham", 1)], "spam", space.mail_filter.preferences)
        assert space.learn(relearned).relearned == 1


def test_bytes_are_those_of_the_database(spaces: Spaces):
    spaces.add(["ann"], quota=Quota(bytes=1000))
    with spaces.using("ann") as space, pytest.raises(OverQuota, match="bytes"):
        space.learn(lessons(space, "ham", range(3)))


@pytest.mark.parametrize("most", [-1, 1.5, True, "7", 1 << 70])
def test_a_quota_is_a_whole_number(most):
    with pytest.raises(BadSetting):
        Quota(lessons=most)
