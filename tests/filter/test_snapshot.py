"""A snapshot that is lost, stale, dirty or damaged anywhere is made again, and never believed."""

import os
import random
from pathlib import Path

import pytest

from deciban.committee._committee import Committee
from deciban.committee.course import features_of
from deciban.errors import CannotWrite, DamagedSnapshot
from deciban.filter import Filter, Settings
from deciban.filter.snapshot import PAGE
from deciban.text import read
from tests.filter.mails import mail

SMALL = Settings(bits=10, salt=99)
PROBES = [mail(label, number).data for label in ("spam", "ham") for number in range(40, 60)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "mail")
    with Filter.open(place, SMALL) as filter_:
        filter_.learn("spam", (mail("spam", number) for number in range(20)))
        filter_.learn("ham", (mail("ham", number) for number in range(20)))
    return place


def verdicts(path: str, read_only: bool = False) -> list[object]:
    with Filter.open(path, read_only=read_only) as filter_:
        return [filter_.classify(data) for data in PROBES]


def damage(path: str, place: int, data: bytes) -> None:
    with open(path + ".snapshot", "r+b") as file:
        file.seek(place)
        file.write(data)


def filled_places(path: str) -> list[int]:
    content = Path(path + ".snapshot").read_bytes()
    return [place for place, byte in enumerate(content) if byte]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_any_damaged_byte_that_matters_is_noticed(path: str, seed: int, read_only: bool) -> None:
    before = verdicts(path)
    place = random.Random(seed).choice(filled_places(path))
    damage(path, place, b"\xa5")
    assert verdicts(path, read_only) == before
    with Filter.open(path) as filter_:
        filter_.learn("spam", [mail("spam", 30)])
        filter_.classify(PROBES[0])
        filter_.forget(message=mail("spam", 30).data)
        assert filter_.is_replay()


def test_the_first_message_of_a_process_is_judged_as_the_next_ones_are(path: str) -> None:
    # The first is read from the file, the next from a mapping.
    alone = []
    for data in PROBES:
        with Filter.open(path) as filter_:
            alone.append(filter_.classify(data))
    assert alone == verdicts(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_damage_is_noticed_by_the_first_message_of_a_process(path: str, read_only: bool) -> None:
    with Filter.open(path) as filter_:
        before = filter_.classify(PROBES[0])
    for seed in range(20):
        damage(path, random.Random(seed).choice(filled_places(path)), b"\xa5")
        with Filter.open(path, read_only=read_only) as filter_:
            assert filter_.classify(PROBES[0]) == before


def test_the_first_question_may_be_for_the_whole_state(path: str) -> None:
    with Filter.open(path) as filter_:
        state = filter_.state()
        assert filter_.state() == state
        assert Committee(SMALL, state).labels == ("spam", "ham")


def test_what_others_learned_meanwhile_is_seen_by_the_second_question(path: str, tmp_path: Path) -> None:
    with Filter.open(path) as first, Filter.open(path) as second:
        first.classify(PROBES[0])
        second.learn("ham", [mail("spam", number) for number in range(30, 36)])
        first.classify(PROBES[0])
        assert first.state() == second.state()


@pytest.mark.parametrize("seed", range(10))
def test_learning_does_not_build_on_a_damaged_table(path: str, seed: int, tmp_path: Path) -> None:
    tables = [place for place in filled_places(path) if place >= 2 * PAGE]
    damage(path, random.Random(seed).choice(tables), b"\x5a")
    with Filter.open(path) as filter_, Filter.open(str(tmp_path / "other"), SMALL) as other:
        filter_.learn("ham", [mail("spam", number) for number in range(20)])
        other.learn("ham", [mail("ham", number) for number in range(20)])
        other.learn("ham", [mail("spam", number) for number in range(20)])
        assert filter_.state() == other.state()


@pytest.mark.parametrize("size", [0, 1, PAGE, PAGE + 100, 3 * PAGE])
def test_a_snapshot_that_is_cut_short_is_made_again(path: str, size: int) -> None:
    before = verdicts(path)
    os.truncate(path + ".snapshot", size)
    assert verdicts(path, read_only=True) == before
    assert os.path.getsize(path + ".snapshot") == size
    assert verdicts(path) == before
    with Filter.open(path) as filter_:
        assert filter_.is_replay()


def test_a_snapshot_of_another_ledger_is_not_believed(path: str, tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "other"), SMALL) as other:
        other.learn("ham", (mail("spam", number) for number in range(20)))
        other.learn("spam", (mail("ham", number) for number in range(20)))
    before = verdicts(path)
    os.replace(tmp_path / "other.snapshot", path + ".snapshot")
    assert verdicts(path) == before


def test_a_snapshot_from_before_a_reboot_is_made_again(path: str) -> None:
    before = verdicts(path)
    # Nobody knows which pages reached the disk, so what the tables hold must not matter.
    damage(path, 40, b"another-boot")
    damage(path, 4 * PAGE, b"\1" * 1000)
    assert verdicts(path) == before


def test_a_snapshot_that_is_removed_under_an_open_filter_is_made_again(path: str) -> None:
    with Filter.open(path) as filter_:
        before = filter_.classify(PROBES[0])
        os.unlink(path + ".snapshot")
        assert filter_.classify(PROBES[0]) == before
        assert os.path.exists(path + ".snapshot")


def test_a_snapshot_whose_folder_cannot_be_written_says_so(path: str) -> None:
    with Filter.open(path) as filter_:
        filter_.snapshot.path = "/proc/nowhere/snapshot"
        with pytest.raises(CannotWrite):
            filter_.classify(PROBES[0])


def test_a_damaged_committee_names_the_damage(path: str) -> None:
    with Filter.open(path) as filter_:
        state = bytearray(filter_.state())
    state[-5000:] = b"\7" * 5000
    committee = Committee(SMALL, state)
    features = [features_of(read(data)) for data in PROBES]
    with pytest.raises(DamagedSnapshot, match="tables"):
        list(map(committee.score, features))
