"""What was decided can be corrected, without the mail, undone, and forgotten without a trace."""

from pathlib import Path
from time import time

import pytest

from deciban.errors import CannotWrite, NoSuchEntry
from deciban.filter import Filter
from deciban.filter.tag import tagged, tags_of
from deciban.journal import Desk
from deciban.journal.desk import SILENCE_SECONDS, judged
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.ledger import Selection
from deciban.ledger.facts import MIXING_DUE
from deciban.sources import RawMessage
from tests.filter.mails import classify, mail, why

LATER = time() + SILENCE_SECONDS + 1000


def entries(desk):
    desk.writer.flush()
    return list(desk.writer.journal.entries(desk.space))


def tagged_mail(desk, raw):
    """A message as it lies in a mailbox: judged, tagged, and with a field that a later hop added."""
    asked = desk.ask(raw)
    data = tagged(raw.data, tags_of(asked.verdict, asked.id))
    return RawMessage(raw.id, b"Received: from a.example by b.example; Mon, 2 Jan 2006\n" + data), asked.id


def test_a_question_leaves_an_entry(desk: Desk):
    raw = mail("spam", 50)
    asked = desk.ask(raw)
    assert asked.verdict.replaced(subtotals=None) == classify(desk.mail_filter, raw.data)
    (entry,) = entries(desk)
    assert entry.id == asked.id
    assert (entry.kind, entry.door, entry.done) == ("question", "test", "told")
    assert (entry.sender, entry.message_id) == ("spam50@example.org", "<spam-50@example.org>")
    assert entry.verdict["verdict"] == asked.verdict.decision
    assert entry.verdict["probabilities"] == asked.verdict.probabilities
    assert entry.outcome is None


@pytest.mark.parametrize("label", ["spam", "ham"])
def test_an_entry_keeps_the_subtotals_of_its_verdict_which_are_those_of_why(desk: Desk, label: str):
    raw = mail(label, 50)
    desk.ask(raw)
    (entry,) = entries(desk)
    subtotals = entry.verdict["subtotals"]
    assert sum(subtotals.values()) == pytest.approx(entry.verdict["decibans"], abs=1e-9)
    evidence = why(desk.mail_filter, raw.data).evidence
    for view, name in (("words", "words"), ("letters", "letters"), ("judge", "prior")):
        said = sum(item.decibans for item in evidence if item.view == view)
        assert subtotals[name] == pytest.approx(said, abs=1e-6)


def test_nothing_waits_to_be_mixed_after_a_folder_was_taught_at_a_desk(desk: Desk):
    for label in ("work", "news"):
        desk.learn([mail(label, number) for number in range(30)], label)
        assert desk.mail_filter.ledger.fact(MIXING_DUE) is None
        # The published state is up to date: a follower, which makes nothing, knows the label.
        with Filter.open(desk.mail_filter.ledger.path, follows=True) as follower:
            assert classify(follower, mail(label, 100).data).label == label


def test_a_filter_that_knows_nothing_has_no_subtotals(tmp_path: Path, journal: SqliteJournal):
    with Filter.open(str(tmp_path / "empty.db")) as mail_filter:
        verdict, entry = judged(mail_filter, mail("spam", 1), "test")
    assert verdict.subtotals is None
    assert "subtotals" not in entry.verdict


def test_an_entry_of_a_version_that_kept_no_subtotals_can_be_read_and_corrected(desk: Desk):
    asked = desk.ask(mail("spam", 50))
    (entry,) = entries(desk)
    without = {name: value for name, value in entry.verdict.items() if name != "subtotals"}
    desk.writer.journal.erase_entries([entry.id])
    desk.writer.journal.write([entry.replaced(verdict=without)])
    assert desk.entry(asked.id).verdict == without
    assert desk.correct(asked.id, "ham").learned == 1


def test_a_correction_teaches_what_the_mail_would_have_taught(desk: Desk):
    raw = mail("spam", 50)
    asked = desk.ask(raw)
    assert desk.correct(asked.id, "Ham", by="ann").learned == 1
    (lesson,) = desk.mail_filter.lessons(Selection(sender="spam50@example.org"))
    assert (lesson.label, lesson.by, lesson.subject[:4]) == ("ham", "ann", entries(desk)[0].subject[:4])
    assert desk.learn([raw], "ham").known == 1
    assert entries(desk)[0].outcome.label == "ham"


def test_undo_restores_the_filter(desk: Desk):
    before = desk.mail_filter.state()
    asked = desk.ask(mail("spam", 50))
    desk.correct(asked.id, "ham")
    assert desk.mail_filter.state() != before
    desk.undo(asked.id)
    assert desk.mail_filter.state() == before
    assert entries(desk)[0].outcome is None
    with pytest.raises(NoSuchEntry, match="not taught"):
        desk.undo(asked.id)


def test_undo_of_a_second_opinion_restores_the_first(desk: Desk):
    asked = desk.ask(mail("spam", 3))  # taught as spam long ago
    desk.correct(asked.id, "ham")
    assert desk.mail_filter.labels() == {"spam": 9, "ham": 11}
    desk.undo(asked.id)
    assert desk.mail_filter.labels() == {"spam": 10, "ham": 10}


def test_an_entry_that_is_not_there_is_an_error_and_teaches_nothing(desk: Desk):
    before = desk.mail_filter.position()
    for call in (lambda: desk.correct(bytes(16), "ham"), lambda: desk.undo(bytes(16))):
        with pytest.raises(NoSuchEntry):
            call()
    assert desk.mail_filter.position() == before


def test_a_space_cannot_correct_an_entry_of_another(desk: Desk):
    asked = desk.ask(mail("spam", 50))
    other = Desk(desk.mail_filter, desk.writer, space="other")
    with pytest.raises(NoSuchEntry):
        other.correct(asked.id, "ham")


def test_a_tagged_message_is_known_by_its_id_whatever_was_added_on_the_way(desk: Desk):
    stored, identity = tagged_mail(desk, mail("spam", 50))
    assert desk.learn([stored], "ham").learned == 1
    (entry,) = entries(desk)
    assert (entry.id, entry.outcome.label) == (identity, "ham")
    # However often it is sorted, and by what means, it has one lesson.
    assert desk.learn([stored], "spam").relearned == 1
    assert desk.correct(identity, "ham").relearned == 1
    assert desk.learn([mail("spam", 50)], "ham").known == 1
    assert desk.mail_filter.count(Selection(sender="spam50@example.org")) == 1


def test_the_id_of_another_message_is_not_believed(desk: Desk):
    _, identity = tagged_mail(desk, mail("ham", 60))
    forged = b"X-Deciban-Id: " + identity.hex().encode() + b"\n" + mail("spam", 61).data
    desk.learn([RawMessage("x", forged)], "spam")
    assert desk.mail_filter.count(Selection(sender="ham60@example.org")) == 0
    assert desk.mail_filter.count(Selection(sender="spam61@example.org")) == 1


def test_a_lesson_that_nobody_asked_about_leaves_an_entry_too(desk: Desk):
    desk.learn([mail("ham", 70)], "ham")
    (entry,) = entries(desk)
    assert (entry.kind, entry.done, entry.verdict, entry.outcome.label) == ("lesson", "learned", None, "ham")


def test_what_is_forgotten_leaves_no_trace_in_the_journal(desk: Desk, tmp_path: Path):
    for number in range(50, 60):
        desk.ask(mail("spam", number))
    desk.writer.flush()
    found = [path for path in tmp_path.iterdir() if b"uniquespamsubject55" in path.read_bytes()]
    assert [path.name for path in found] == ["mail.db.journal"]
    assert desk.forget(sender="Spam55@example.org") == 1
    assert desk.forget([entries(desk)[0].digest]) == 1
    words = (b"uniquespamsubject55", b"spam55@example.org", b"bodywordspam55", b"uniquespamsubject59")
    for path in tmp_path.iterdir():
        assert not [word for word in words if word in path.read_bytes()], path
    assert len(entries(desk)) == 8


def test_good_verdicts_that_nobody_contested_are_sampled_once(desk: Desk):
    for number in range(100, 200):
        desk.ask(mail("ham", number))
        desk.ask(mail("spam", number))
    desk.writer.flush()
    assert desk.draw_sample() == 0  # three days have not passed
    drawn = desk.draw_sample(LATER)
    sampled = [lesson for lesson in desk.mail_filter.lessons() if lesson.origin == "sample"]
    assert 1 <= drawn == len(sampled) <= 30
    assert {lesson.label for lesson in sampled} == {"ham"}
    assert {lesson.share for lesson in sampled} == {0.1}
    assert desk.draw_sample(LATER) == 0


def test_what_was_corrected_is_not_in_the_sample(desk: Desk):
    for number in range(100, 200):
        asked = desk.ask(mail("ham", number))
        desk.correct(asked.id, "spam")
    assert desk.draw_sample(LATER) == 0


def test_sampled_mail_counts_ten_times_for_a_promise(desk: Desk):
    desk.mail_filter.prefer(promise=0.5)
    before = desk.mail_filter.assurance()
    for number in range(100, 200):
        desk.ask(mail("ham", number))
    desk.writer.flush()
    drawn = desk.draw_sample(LATER)
    assert desk.mail_filter.assurance().sampled == min(10 * drawn, 20)
    assert before.sampled == 0


def test_a_journal_that_cannot_be_written_stands_in_the_way_of_no_lesson(desk: Desk, monkeypatch):
    asked = desk.ask(mail("spam", 50))
    desk.writer.flush()

    def refuse(entries, **_):
        raise CannotWrite("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(desk.writer.journal, "write", refuse)
        assert desk.learn([mail("ham", 80)], "ham").learned == 1
        assert desk.correct(asked.id, "ham").learned == 1
    # What waited is written as soon as that is possible.
    assert {entry.outcome.label for entry in entries(desk)} == {"ham"}
    assert len(entries(desk)) == 2
