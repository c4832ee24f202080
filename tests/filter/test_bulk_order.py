"""Lessons taught label after label, as everybody begins, are learned as well as in any other order."""

from pathlib import Path
from statistics import fmean
from threading import Thread

import pytest

from deciban.filter import Filter, Settings
from deciban.filter.learned import BATCH_LESSONS
from deciban.filter.mail import lessons_from
from deciban.filter.starter import newest_file
from deciban.ledger import Selection
from deciban.ledger.facts import MIXING_DUE
from deciban.sample import Mail, sample_mails
from deciban.sources import RawMessage
from tests.filter.mails import classify, teach
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
            teach(
                mail, label, raw(label, [one for one in mailbox if one.label == label and not one.held_out])
            )
        assert mail.is_replay()
        new = [one for one in mailbox if one.held_out]
        right = sum(classify(mail, one.data).label == one.label for one in new)
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
                teach(mail, label, raw(label, taught[start : start + at_once], start))
                assert mail.is_replay()
        new = [one for one in mailbox if one.held_out]
        right = sum(classify(mail, one.data).label == one.label for one in new)
        assert right > 0.9 * len(new)


def test_a_folder_that_will_be_mixed_is_not_learned_in_a_row_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=10)) as mail:
        taught: list[int] = []
        monkeypatch.setattr(mail._own.changing, "teach", lambda placed: taught.append(len(placed)))
        for label in ("ham", "spam", "work", "news"):
            teach(mail, label, [made_up(label, number) for number in range(25)])
            assert mail.labels()[label] == 25
            assert mail.ledger.fact(MIXING_DUE) == (1 if label == "ham" else None)
        assert mail.is_replay()
        assert taught == []
        # What is known already is no reason to replay anything.
        before = mail.position(), mail.state()
        teach(mail, "work", [made_up("work", number) for number in range(25)])
        assert mail.ledger.fact(MIXING_DUE) is None
        assert (mail.position(), mail.state()) == before


def test_a_small_share_of_the_lessons_of_a_label_moves_none_of_them(tmp_path: Path, mailbox) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=10)) as mail:
        for start in range(0, 600, 25):
            label = ("ham", "spam")[start // 25 % 2]
            teach(mail, label, [made_up(label, number) for number in range(start, start + 25)])
        before = [lesson.digest for lesson in mail.lessons()]
        teach(mail, "ham", [made_up("ham", number) for number in range(600, 625)])
        after = [lesson.digest for lesson in mail.lessons()]
        assert after[:600] == before
        assert mail.is_replay()
        teach(mail, "ham", [made_up("ham", number) for number in range(625, 650)])
        assert [lesson.digest for lesson in mail.lessons()][:600] != before
        assert mail.is_replay()


def test_a_small_folder_of_a_new_label_is_mixed_in_however_many_lessons_there_are(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=12)) as mail:
        for label, count in {"spam": 300, "ham": 300, "news": 300, "shop": 25}.items():
            teach(mail, label, [made_up(label, number) for number in range(count)])
        places = [place for place, lesson in enumerate(mail.lessons()) if lesson.label == "shop"]
        assert places[0] < 50
        assert places[12] in range(400, 520)
        assert mail.is_replay()


@pytest.mark.parametrize("order", [("ham", "spam"), ("spam", "ham")])
@pytest.mark.parametrize("counts", [(5, 5), (8, 2), (9, 1), (10, 10), (19, 19)])
def test_the_first_few_mails_of_two_folders_are_mixed(tmp_path: Path, order, counts) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=10)) as mail:
        for label, count in zip(order, counts, strict=True):
            teach(mail, label, [made_up(label, number) for number in range(count)])
        places = [place for place, lesson in enumerate(mail.lessons()) if lesson.label == order[1]]
        # Spread over the whole: in the mean they are in the middle.
        assert fmean(places) == pytest.approx((sum(counts) - 1) / 2, abs=1)
        assert mail.ledger.fact(MIXING_DUE) is None
        assert mail.is_replay()


@pytest.mark.parametrize("starter", [None, newest_file()], ids=["on nothing", "on the starter"])
@pytest.mark.parametrize("first", [0, 10, 30, 60])
def test_after_ten_mails_of_each_folder_what_is_in_doubt_is_unsure(
    tmp_path: Path, mailbox, starter: str | None, first: int
) -> None:
    with Filter.open(str(tmp_path / "filter.db"), starter=starter) as mail:
        for label in ("ham", "spam"):
            taught = [one for one in mailbox if one.label == label and not one.held_out]
            teach(mail, label, raw(label, taught[first : first + 10]))
        verdicts = [(one.label, classify(mail, one.data)) for one in mailbox if one.held_out]
    for _, verdict in verdicts:
        surest = {"ham": 0.8, "spam": 0.9}[verdict.label]
        assert (verdict.decision == "unsure") == (verdict.probability < surest)
    spam = [verdict for label, verdict in verdicts if label == "spam"]
    # Spam that looks rather like good mail is there, and nearly all of it is not called good.
    assert any(verdict.label == "ham" and verdict.decision == "unsure" for verdict in spam)
    assert sum(verdict.decision == "ham" for verdict in spam) < len(spam) / 6


@pytest.mark.parametrize("few", [1, 10])
def test_a_folder_waits_for_the_second_label_whoever_asks_in_between(tmp_path: Path, few: int) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=12)) as mail:
        teach(mail, "ham", [made_up("ham", number) for number in range(300)])
        assert classify(mail, made_up("ham", 999).data).decision == "unsure"
        teach(mail, "spam", [made_up("spam", number) for number in range(few)])
        places = [place for place, lesson in enumerate(mail.lessons()) if lesson.label == "spam"]
        assert places[0] <= 150
        assert mail.ledger.fact(MIXING_DUE) is None
        assert mail.is_replay()


def test_single_lessons_stay_in_the_order_of_teaching(tmp_path: Path, mailbox) -> None:
    with Filter.open(str(tmp_path / "filter.db")) as mail:
        for number, one in enumerate(mailbox[:60]):
            teach(mail, one.label, [RawMessage(str(number), one.data)])
        assert [lesson.source for lesson in mail.lessons()] == [str(number) for number in range(60)]


class Interrupted(Exception):
    pass


def begin_with_spam_and_die_in_the_ham(path: str) -> None:
    """Two folders, the second of which is cut off after its first batch."""

    def interrupt(*_: object) -> None:
        raise Interrupted

    with Filter.open(path, Settings(bits=12)) as mail:
        teach(mail, "spam", [made_up("spam", number) for number in range(300)])
        good = [made_up("ham", number) for number in range(BATCH_LESSONS + 44)]
        with pytest.raises(Interrupted):
            teach(mail, "ham", good, progress=interrupt)


def test_a_new_filter_is_taught_nothing_before_there_are_two_labels(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")
    with Filter.open(path, Settings(bits=12)) as mail:
        teach(mail, "spam", [made_up("spam", number) for number in range(300)])
        assert mail.ledger.fact(MIXING_DUE) == 1
        teach(mail, "ham", [made_up("ham", number) for number in range(300)])
        assert mail.ledger.fact(MIXING_DUE) is None
        assert sum(exam.best is not None for _, _, exam in mail.exams()) == 598
        assert mail.is_replay()


@pytest.mark.parametrize(
    "use",
    [
        lambda mail: classify(mail, b"Subject: hello"),
        lambda mail: teach(mail, "ham", [made_up("ham", 999)]),
        lambda mail: mail.forget(Selection(label="spam", source="spam.mbox@7")),
        lambda mail: list(mail.exams()),
        lambda mail: mail.assurance(),
        lambda mail: mail.compact(before=0),
    ],
    ids=["classify", "learn", "forget", "exams", "assurance", "compact"],
)
def test_whoever_comes_next_learns_what_an_interrupt_left_untaught(tmp_path: Path, use) -> None:
    path = str(tmp_path / "filter.db")
    begin_with_spam_and_die_in_the_ham(path)
    with Filter.open(path) as mail:
        assert mail.labels() == {"spam": 300, "ham": BATCH_LESSONS}
        use(mail)
        assert mail.ledger.fact(MIXING_DUE) is None
        assert sum(exam.best is not None for _, _, exam in mail.exams()) >= 300 + BATCH_LESSONS - 3
        assert mail.is_replay()


def test_untaught_lessons_can_be_used_by_who_may_not_write(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")
    begin_with_spam_and_die_in_the_ham(path)
    with Filter.open(path, read_only=True) as mail:
        assert classify(mail, made_up("spam", 1000).data).label == "spam"
        assert mail.ledger.fact(MIXING_DUE) == 1


def test_what_is_relearned_before_there_are_two_labels_has_one_lesson(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=12)) as mail:
        teach(mail, "spam", [made_up("spam", number) for number in range(40)])
        learned = teach(mail, "ham", [made_up("spam", number) for number in range(20, 60)])
        assert (learned.learned, learned.relearned) == (20, 20)
        assert sorted(mail.labels().items()) == [("ham", 40), ("spam", 20)]
        assert mail.is_replay()


FOLDERS = "ham", "spam", "work", "news", "shop"


def learn(mail: Filter, label: str, numbers: range = range(25)) -> None:
    """Teach a folder, as a program does that may go on with the next."""
    mail.learn(lessons_from([made_up(label, number) for number in numbers], label, mail.preferences))


def counted_replays(mail: Filter, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list to which each replay adds how many lessons there are."""
    replaying = mail._own.replaying
    build, replays = replaying._build, []

    def counting(*arguments, **options):
        replays.append(mail.position())
        return build(*arguments, **options)

    monkeypatch.setattr(replaying, "_build", counting)
    return replays


def test_folders_taught_one_by_one_are_replayed_once_to_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(bits=12, salt=7)
    with Filter.open(str(tmp_path / "each.db"), settings) as each:
        for label in FOLDERS:
            learn(each, label)
            each.settle()
        expected = each.state()
    with Filter.open(str(tmp_path / "filter.db"), settings) as mail:
        replays = counted_replays(mail, monkeypatch)
        for label in FOLDERS:
            learn(mail, label)
        assert replays == []
        assert mail.state() == expected
        assert replays == [125]
        assert mail.ledger.fact(MIXING_DUE) is None
        mail.settle()
        assert mail.is_replay()
        assert replays == [125]


def test_a_lesson_taught_alone_settles_the_folders_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=12)) as mail:
        for label in FOLDERS:
            learn(mail, label)
        mail.settle()
        learn(mail, "ham", range(100, 125))
        assert mail.ledger.fact(MIXING_DUE) == 1
        taught: list[int] = []
        monkeypatch.setattr(mail._own.changing, "teach", lambda placed: taught.append(len(placed)))
        learn(mail, "ham", range(999, 1000))
        # It waits with them, instead of having them taught in a row before.
        assert taught == []
        assert mail.ledger.fact(MIXING_DUE) is None
        assert mail.is_replay()


def test_before_the_first_question_a_lesson_taught_alone_waits_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Filter.open(str(tmp_path / "filter.db"), Settings(bits=12)) as mail:
        for label in FOLDERS[:2]:
            learn(mail, label)
        mail.settle()
        replays = counted_replays(mail, monkeypatch)
        for label in FOLDERS[2:]:
            learn(mail, label)
            learn(mail, label, range(999, 1000))
        assert replays == []
        assert mail.is_replay()
        assert replays == [128]


def test_a_filter_that_was_closed_leaves_nothing_to_whoever_asks_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "filter.db")
    with Filter.open(path, Settings(bits=12)) as mail:
        for label in FOLDERS:
            learn(mail, label)
    with Filter.open(path) as mail:
        replays = counted_replays(mail, monkeypatch)
        assert mail.ledger.fact(MIXING_DUE) is None
        assert classify(mail, made_up("shop", 100).data).label == "shop"
        assert replays == []


def test_what_a_thread_has_left_is_settled_by_who_closes_the_filter(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")
    with Filter.open(path, Settings(bits=12)) as mail:
        for label in FOLDERS:
            thread = Thread(target=learn, args=(mail, label))
            thread.start()
            thread.join()
        assert mail.ledger.fact(MIXING_DUE) == 1
    with Filter.open(path) as mail:
        assert mail.ledger.fact(MIXING_DUE) is None


def test_after_an_error_whoever_asks_next_mixes_what_waits(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")

    def learn_and_fail() -> None:
        with Filter.open(path, Settings(bits=12)) as mail:
            for label in FOLDERS:
                learn(mail, label)
            raise Interrupted

    with pytest.raises(Interrupted):
        learn_and_fail()
    with Filter.open(path) as mail:
        assert mail.ledger.fact(MIXING_DUE) == 1
        assert classify(mail, made_up("shop", 100).data).label == "shop"
        assert mail.ledger.fact(MIXING_DUE) is None
        assert mail.is_replay()


def test_what_waits_is_mixed_by_who_asks_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "filter.db")
    with Filter.open(path, Settings(bits=12)) as mail, Filter.open(path) as other:
        for label in FOLDERS:
            learn(mail, label)
        assert classify(other, made_up("shop", 100).data).label == "shop"
        replays = counted_replays(mail, monkeypatch)
        mail.settle()
        assert mail.is_replay()
        assert replays == []


def teach_by_commands(path: str, labels: tuple[str, ...], numbers: range = range(25)) -> None:
    """Teach each folder in a process of its own, which leaves what may wait."""
    for label in labels:
        with Filter.open(path, Settings(bits=12, salt=7)) as mail:
            learn(mail, label, numbers)
            mail.leave()


def is_mixed(path: str) -> bool:
    with Filter.open(path) as mail:
        return mail.ledger.fact(MIXING_DUE) is None


@pytest.mark.parametrize("starter", [False, True])
def test_folders_of_many_commands_are_mixed_by_who_asks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starter: bool
) -> None:
    path, each = str(tmp_path / "filter.db"), str(tmp_path / "each.db")
    if starter:
        for new in path, each:
            Filter.open(new, Settings(bits=12, salt=7), starter=newest_file()).close()
    teach_by_commands(path, FOLDERS[:2])
    assert is_mixed(path)
    teach_by_commands(path, FOLDERS[2:])
    with Filter.open(each, Settings(bits=12, salt=7)) as mail:
        for label in FOLDERS:
            learn(mail, label)
            mail.settle()
        expected = mail.state()
    assert not is_mixed(path)
    with Filter.open(path) as mail:
        replays = counted_replays(mail, monkeypatch)
        assert classify(mail, made_up("shop", 100).data).label == "shop"
        assert mail.state() == expected
        assert replays == [125]
        assert mail.is_replay()
    # From now on somebody asks, who should not have to wait.
    teach_by_commands(path, FOLDERS[:1], range(100, 125))
    assert is_mixed(path)


def test_what_others_may_read_is_mixed_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")
    Filter.open(path, Settings(bits=12, salt=7)).close()
    (tmp_path / "filter.db").chmod(0o640)
    teach_by_commands(path, FOLDERS)
    assert is_mixed(path)


def test_who_may_not_write_mixes_what_waits_for_himself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "filter.db")
    teach_by_commands(path, FOLDERS)
    questions = [made_up(label, 100).data for label in FOLDERS]
    with Filter.open(path, read_only=True) as reader:
        replaying, replays = reader._own.replaying, []
        build = replaying.mixed_in_memory
        monkeypatch.setattr(replaying, "mixed_in_memory", lambda: replays.append(1) or build())
        found = [classify(reader, data) for data in questions]
        assert [verdict.label for verdict in found] == list(FOLDERS)
        assert replays == [1]
        teach_by_commands(path, FOLDERS[:1], range(100, 125))
        again = [classify(reader, data) for data in questions]
        assert replays == [1, 1]
        assert not is_mixed(path)
        with Filter.open(path) as mail:
            assert [classify(mail, data) for data in questions] == again
        assert [classify(reader, data) for data in questions] == again != found


def test_lessons_taught_anew_under_another_label_are_mixed_by_who_asks_too(tmp_path: Path) -> None:
    path = str(tmp_path / "filter.db")
    teach_by_commands(path, FOLDERS)
    with Filter.open(path) as mail:
        # The state without the old lessons is made at once, so it knows the new ones too, but unmixed.
        mail.learn(lessons_from([made_up("shop", number) for number in range(25)], "news", mail.preferences))
        mail.leave()
    with Filter.open(path) as mail:
        assert classify(mail, made_up("shop", 100).data).label == "news"
        assert mail.ledger.fact(MIXING_DUE) is None
        assert [lesson.label for lesson in mail.lessons()][-4:] != ["news"] * 4


def test_who_died_before_mixing_is_followed_by_one_who_mixes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "filter.db")
    with Filter.open(path, Settings(bits=12)) as mail:
        for label in FOLDERS[:2]:
            learn(mail, label, range(100))
        mail.settle()
        for number in range(100, 130):  # one by one: the state knows each of them at once
            learn(mail, "spam", range(number, number + 1))
        with mail.ledger.writing():  # as `_mix_if_due` does before it begins
            mail.ledger.set_fact(MIXING_DUE, 1)
    with Filter.open(path) as mail:
        replays = counted_replays(mail, monkeypatch)
        classify(mail, made_up("ham", 1000).data)
        assert mail.ledger.fact(MIXING_DUE) is None
        assert replays == [230]
        assert mail.is_replay()
