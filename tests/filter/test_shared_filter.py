"""A personal filter is its own lessons on top of a pinned shared state, and of no other."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from deciban.errors import DamagedLedger, FoldedLesson, NewerFormat, NoSuchSource
from deciban.filter import Filter, Settings
from deciban.filter.shared_filter import is_unchanged, look_at
from deciban.ledger import Selection
from tests.filter.mails import classify, forget, mail, teach

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "site.db"), SMALL) as filter_:
        for number in range(10):
            teach(filter_, "spam", [mail("spam", number)])
            teach(filter_, "ham", [mail("ham", number)])
        yield filter_


@pytest.fixture
def state(tmp_path: Path, site: Filter) -> str:
    path = str(tmp_path / "site.state")
    site.publish(path)
    return path


@pytest.fixture
def own(tmp_path: Path, state: str) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "own.db")) as filter_:
        filter_.rest_on(state)
        yield filter_


def test_a_personal_filter_begins_with_what_the_shared_one_knows(site: Filter, own: Filter) -> None:
    assert own.state() == site.state()
    assert own.labels() == {}
    assert classify(own, mail("spam", 50).data) == classify(site, mail("spam", 50).data)
    assert own.is_replay()


def test_own_lessons_are_replayed_on_top(site: Filter, own: Filter) -> None:
    for number in range(20, 24):
        teach(own, "ham", [mail("spam", number)])
        teach(site, "ham", [mail("spam", number)])
    assert own.state() == site.state()
    forget(own, mail("spam", 21).data)
    forget(site, mail("spam", 21).data)
    assert own.state() == site.state()
    assert own.labels() == {"ham": 3}


def test_lessons_from_before_are_replayed_with_the_shared_settings(tmp_path: Path, state: str) -> None:
    with (
        Filter.open(str(tmp_path / "older"), Settings(bits=9)) as older,
        Filter.open(older.ledger.path) as other,
    ):
        teach(older, "ham", [mail("ham", 30)])
        verdict = classify(other, mail("ham", 31).data)
        older.rest_on(state)
        assert older.settings == SMALL
        assert older.is_replay()
        # A process that had it open goes on with what it is now.
        assert classify(other, mail("ham", 31).data) == classify(older, mail("ham", 31).data) != verdict
        assert other.state() == older.state()


def test_a_new_label_of_ones_own_makes_room(own: Filter) -> None:
    for label in ("work", "news"):
        teach(own, label, [mail(label, number) for number in range(5)])
    assert classify(own, mail("work", 50).data).label == "work"
    assert own.is_replay()


def test_a_new_version_is_pinned_by_asking_for_it(site: Filter, own: Filter, state: str) -> None:
    teach(own, "ham", [mail("ham", 40)])
    teach(site, "spam", [mail("spam", 30)])
    site.publish(state)
    pin = own.shared()
    assert pin is not None
    assert not is_unchanged(pin)
    # The version that was pinned stays as long as somebody rests on it.
    before = own.state()
    os.unlink(own.ledger.path + ".snapshot")
    assert own.state() == before
    own.rest_on(state)
    teach(site, "ham", [mail("ham", 40)])
    assert own.state() == site.state()
    assert len(links_of(own)) == 1


def links_of(own: Filter) -> list[Path]:
    return list(Path(own.ledger.path).parent.glob("own.db.foundation-*"))


def test_a_version_that_another_replaced_is_found_under_its_digest(
    site: Filter, own: Filter, state: str
) -> None:
    # As where the filter may not link the file: it is somebody else's, or on another disk.
    pin = own.shared()
    assert pin is not None
    (link,) = links_of(own)
    link.unlink()
    teach(site, "spam", [mail("spam", 30)])
    site.publish(state)
    assert look_at(f"{state}.{pin.digest}")[0].digest == pin.digest
    assert asked_anew(own) == "spam"


def asked_anew(own: Filter) -> str:
    """What a process says that has nothing open yet."""
    code = (
        "import sys; from deciban.filter import Filter; from tests.filter.mails import classify, mail\n"
        "print(classify(Filter.open(sys.argv[1]), mail('spam', 50).data).label)"
    )
    asked = subprocess.run([sys.executable, "-c", code, own.ledger.path], capture_output=True, text=True)
    return (asked.stdout or asked.stderr.strip().rpartition("\n")[2]).strip()


def test_a_shared_file_that_is_removed_stays_for_those_who_rest_on_it(own: Filter, state: str) -> None:
    teach(own, "ham", [mail("ham", 40)])
    os.unlink(state)
    assert asked_anew(own) == "spam"
    forget(own, mail("ham", 40).data)
    assert own.is_replay()
    own.rest_on(None)
    assert links_of(own) == []


def test_a_shared_file_that_is_gone_is_an_error_that_says_how_to_go_on(own: Filter, state: str) -> None:
    teach(own, "ham", [mail("ham", 40)])
    for path in (state, *links_of(own)):
        os.unlink(path)
    assert "is gone. Put it back" in asked_anew(own)
    own.rest_on(None)
    assert own.is_replay()
    assert own.labels() == {"ham": 1}
    assert own.shared() is None


def test_a_damaged_shared_file_is_named_by_who_rests_on_it(own: Filter, state: str) -> None:
    content = bytearray(Path(state).read_bytes())
    content[-8000:] = b"\7" * 8000
    for path in (state, *links_of(own)):
        os.unlink(path)
    Path(state).write_bytes(content)
    assert "shared filter on which this one rests is damaged" in asked_anew(own)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", DamagedLedger),
        (b"no such thing", DamagedLedger),
        (b"[1]\n", DamagedLedger),
        (b'{"deciban": "state", "format": 99, "features": 1, "state": 1}\n', NewerFormat),
    ],
)
def test_other_files_are_refused(own: Filter, tmp_path: Path, content: bytes, error: type[Exception]) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(error):
        own.rest_on(str(tmp_path / "other"))
    with pytest.raises(NoSuchSource):
        own.rest_on(str(tmp_path / "nowhere"))
    assert own.is_replay()


def test_a_damaged_shared_file_is_not_believed(own: Filter, state: str) -> None:
    content = bytearray(Path(state).read_bytes())
    content[-20] ^= 1
    Path(state).write_bytes(content)
    with pytest.raises(DamagedLedger):
        own.rest_on(state)


def test_a_filter_with_folded_lessons_cannot_rest_on_another(site: Filter, state: str) -> None:
    site.compact(4e9)
    with pytest.raises(FoldedLesson):
        site.rest_on(state)
    assert site.is_replay()


def test_a_flipped_bit_anywhere_in_the_head_of_a_published_filter_is_one_clear_error_or_harmless(
    tmp_path: Path, site: Filter, state: str
) -> None:
    whole = Path(state).read_bytes()
    right, settings = look_at(state)
    with open(state, "r+b", buffering=0) as file:
        for place, bit in product(range(whole.index(b"\n") + 64), range(8)):
            os.pwrite(file.fileno(), bytes([whole[place] ^ 1 << bit]), place)
            with suppress(DamagedLedger, NewerFormat):
                found, found_settings = look_at(state)
                # Such as a space that became another.
                assert (found.lessons, found_settings) == (right.lessons, settings)
            os.pwrite(file.fileno(), whole[place : place + 1], place)


def test_a_pinned_filter_with_a_flipped_bit_is_another_one(own: Filter, state: str) -> None:
    content = bytearray(Path(state).read_bytes())
    content[20] ^= 1
    for path in (state, *links_of(own)):
        os.unlink(path)
    Path(state).write_bytes(content)
    assert "not the version that was pinned" in asked_anew(own)


def test_publishing_replaces_a_link_and_does_not_follow_it(tmp_path: Path, site: Filter) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"of somebody else")
    os.symlink(victim, tmp_path / "planted.state")
    site.publish(str(tmp_path / "planted.state"))
    assert victim.read_bytes() == b"of somebody else"
    assert not (tmp_path / "planted.state").is_symlink()


def test_exams_name_their_labels_though_others_came_and_went(site: Filter, own: Filter) -> None:
    teach(own, "work", (mail("work", number) for number in range(4)))
    teach(own, "ham", [mail("work", 50)])
    assert {row.best for _, _, row in own.exams()} >= {"work"}
    own.forget(Selection(label="work"))
    teach(own, "news", (mail("news", number) for number in range(4)))
    teach(own, "ham", [mail("news", 50)])
    teach(site, "ham", [mail("work", 50)])
    teach(site, "news", (mail("news", number) for number in range(4)))
    teach(site, "ham", [mail("news", 50)])
    assert list(own.exams()) == list(site.exams())[-len(list(own.exams())) :]
    assert own.state() == site.state()
    assert own.is_replay()
