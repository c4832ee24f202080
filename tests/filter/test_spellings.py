"""One label in several spellings: taught, forgotten, merged and shared as one, in old ledgers too."""

import io
import os
from pathlib import Path

import pytest

from deciban.errors import BadLabel
from deciban.filter import Filter, Settings
from deciban.filter.foundation import pack
from deciban.ledger.facts import FOUNDATION_DIGEST
from deciban.ledger.lesson import Selection
from deciban.ledger.trail import digest_of
from tests.filter.mails import classify, mail, teach, why

SMALL = Settings(bits=10, salt=99)
PROBES = [mail(label, number).data for label in ("spam", "ham", "work") for number in range(40, 50)]


def filter_with(path: Path, *lessons: tuple[str, str]) -> Filter:
    """A filter that was taught the mails of some kinds as some labels, five of each."""
    filter_ = Filter.open(str(path), SMALL)
    for number in range(5):
        for label, kind in lessons:
            teach(filter_, label, [mail(kind, number)])
    return filter_


def spell_as_before(path: Path, spellings: dict[str, str]) -> None:
    """Name labels as a version did that kept all spellings apart."""
    with Filter.open(str(path)) as filter_, filter_.ledger.writing():
        for label, name in spellings.items():
            ((number,),) = filter_.ledger._execute("SELECT number FROM labels WHERE name = ?", label)
            filter_.ledger._respell([number], name)
    os.unlink(str(path) + ".snapshot")


@pytest.mark.parametrize("label", ["Spam", "SPAM", " spam", "spam\t"])
def test_spam_is_taught_in_any_spelling(tmp_path: Path, label: str) -> None:
    with filter_with(tmp_path / "mail", (label, "spam"), ("ham", "ham")) as filter_:
        assert filter_.labels() == {"spam": 5, "ham": 5}
        assert classify(filter_, mail("spam", 40).data).label == "spam"


def test_the_first_spelling_taught_is_shown(tmp_path: Path) -> None:
    with filter_with(tmp_path / "mail", ("Work", "work"), ("ham", "ham")) as filter_:
        teach(filter_, " work ", [mail("work", 20)])
        again = teach(filter_, "WORK", [mail("work", 20), mail("work", 0)])
        assert (again.known, again.relearned) == (2, 0)
        assert filter_.labels() == {"Work": 6, "ham": 5}
        assert {lesson.label for lesson in filter_.lessons(Selection(label="wORK"))} == {"Work"}
        assert filter_.is_replay()
        assert filter_.forget(Selection(label="work")) == 6
        teach(filter_, "work", [mail("work", 20)])
        assert filter_.labels() == {"ham": 5, "work": 1}


@pytest.mark.parametrize("label", ["unsure", "UNSURE", "", "a\nb", "a\u2028b", "\udcff"])
def test_a_label_that_cannot_be_one_is_refused_and_changes_nothing(tmp_path: Path, label: str) -> None:
    with Filter.open(str(tmp_path / "mail"), SMALL) as filter_:
        with pytest.raises(BadLabel):
            teach(filter_, label, [mail("spam", 1)])
        assert filter_.labels() == {}


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """A ledger of an early version, with two labels in two spellings each."""
    path = tmp_path / "split"
    with filter_with(path, ("work", "work"), ("ham", "ham"), ("spam", "spam")) as filter_:
        teach(filter_, "news", [mail("work", number) for number in range(5, 9)])
        teach(filter_, "shop", [mail("spam", number) for number in range(5, 9)])
    spell_as_before(path, {"work": "Work", "news": "work", "shop": "Spam"})
    return path


def united_afresh(path: Path, split: Path) -> Filter:
    """A new filter with the lessons of the other, in its order."""
    fresh = Filter.open(str(path), SMALL)
    with Filter.open(str(split), read_only=True) as filter_:
        for lesson in filter_.ledger.select(Selection()):
            raw = next(
                mail(kind, number)
                for kind in ("work", "ham", "spam")
                for number in range(9)
                if mail(kind, number).id == lesson.source
            )
            teach(fresh, lesson.label, [raw])
    return fresh


def test_a_ledger_with_several_spellings_is_united_when_it_is_opened(split: Path, tmp_path: Path) -> None:
    with united_afresh(tmp_path / "fresh", split) as fresh, Filter.open(str(split)) as filter_:
        assert filter_.labels() == fresh.labels()
        assert set(filter_.labels()) == {"Work", "ham", "spam"}
        assert filter_.state() == fresh.state()
        assert filter_.is_replay()
        assert [exam for *_, exam in filter_.exams()] == [exam for *_, exam in fresh.exams()]
        assert classify(filter_, mail("spam", 40).data).label == "spam"
    changes = []
    for _ in range(2):
        with Filter.open(str(split)) as filter_:
            changes.append(filter_.ledger.address())
    assert changes[0] == changes[1]


def test_who_may_only_read_sees_the_same_as_if_it_were_united(split: Path) -> None:
    with Filter.open(str(split), read_only=True) as reader:
        labels = reader.labels()
        verdicts = [classify(reader, data) for data in PROBES]
        taught_as_spam = {lesson.digest for lesson in reader.lessons(Selection(label="spam"))}
        assert {label for _, label, _ in reader.exams()} == {"Work", "ham", "spam"}
    with Filter.open(str(split)) as filter_:
        assert filter_.labels() == labels
        assert [classify(filter_, data) for data in PROBES] == verdicts
        assert {lesson.digest for lesson in filter_.lessons(Selection(label="spam"))} == taught_as_spam


def test_forgetting_after_uniting_follows_the_law(split: Path, tmp_path: Path) -> None:
    with united_afresh(tmp_path / "fresh", split) as fresh, Filter.open(str(split)) as filter_:
        assert filter_.forget(Selection(label="WORK")) == fresh.forget(Selection(label="work")) > 0
        assert filter_.state() == fresh.state()
        assert filter_.is_replay()


def test_which_ledger_is_merged_into_which_does_not_matter(tmp_path: Path) -> None:
    first = filter_with(tmp_path / "first", ("Work", "work"), ("ham", "ham"))
    second = filter_with(tmp_path / "second", ("work", "news"), ("SPAM", "spam"))
    first.close()
    second.close()
    merged = []
    for into, other in (("first", "second"), ("second", "first")):
        copy = tmp_path / f"{into}-copy"
        copy.write_bytes((tmp_path / into).read_bytes())
        with Filter.open(str(copy)) as filter_:
            # Both have the settings of their own, the salt of their slots among them, which are equal here.
            assert filter_.merge(str(tmp_path / other)) == 10
            assert filter_.is_replay()
            merged.append((filter_.state(), filter_.labels()))
    assert merged[0] == merged[1]
    assert merged[0][1].keys() == {"Work", "ham", "spam"}


def test_importing_takes_other_spellings_for_the_same_label(tmp_path: Path) -> None:
    with filter_with(tmp_path / "first", ("Work", "work")) as first:
        exported = io.StringIO()
        first.export(exported)
    with filter_with(tmp_path / "second", ("work", "news"), ("ham", "ham")) as second:
        second.import_(io.StringIO(exported.getvalue().replace('"Work"', '" WORK "')))
        assert sorted(second.labels().values()) == [5, 10]
        assert second.is_replay()


def test_a_label_is_spelled_as_the_shared_filter_spells_it(tmp_path: Path) -> None:
    state = str(tmp_path / "site.state")
    with filter_with(tmp_path / "site", ("Work", "work"), ("ham", "ham")) as site:
        site.publish(state)
    with filter_with(tmp_path / "own", ("work", "news"), ("ham", "shop")) as own:
        own.rest_on(state)
        teach(own, "WORK", [mail("news", 20)])
        assert own.labels() == {"Work": 6, "ham": 5}
        assert set(classify(own, PROBES[0]).probabilities) == {"Work", "ham"}
        assert own.is_replay()
        own.rest_on(None)
        assert own.is_replay()


def test_lessons_that_were_folded_in_several_spellings_are_weighed_as_one(split: Path) -> None:
    with Filter.open(str(split)) as filter_:
        teach(filter_, "news", [mail("news", 1)])
        filter_.compact(before=4e9)
        committee = filter_._own.replaying.begin()
        committee.rename("spam", "Spam")
        committee.rename("news", "WORK")
        packed = pack(committee.state())
        with filter_.ledger.writing():
            filter_.ledger._execute("UPDATE foundation SET value = ? WHERE what = 'state'", packed)
            filter_.ledger.set_fact(FOUNDATION_DIGEST, digest_of(packed))
            ((news,),) = filter_.ledger._execute("SELECT number FROM labels WHERE name = 'news'")
            filter_.ledger._respell([news], "WORK")
    with Filter.open(str(split)) as filter_:
        teach(filter_, "SPAM", [mail("spam", 20)])
        assert set(classify(filter_, PROBES[0]).probabilities) == {"Work", "ham", "spam"}
        for data in PROBES:
            verdict = why(filter_, data)
            assert sum(item.decibans for item in verdict.evidence) == pytest.approx(verdict.decibans)
        assert filter_.is_replay()
