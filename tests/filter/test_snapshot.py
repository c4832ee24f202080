"""A snapshot that is lost, stale, dirty or damaged anywhere is made again, and never believed."""

import os
import random
import shutil
from pathlib import Path

import pytest

from deciban.committee._committee import Committee, Glance
from deciban.committee.extraction import features_of
from deciban.errors import DamagedSnapshot
from deciban.filter import Filter, Settings
from deciban.filter.replaying import Replaying
from deciban.filter.snapshot import CHECK_BYTES, HEAD, PAGE
from deciban.text import read
from tests.effort import effort
from tests.filter.mails import classify, forget, mail, teach

SMALL = Settings(bits=10, salt=99)
PROBES = [mail(label, number).data for label in ("spam", "ham") for number in range(40, 60)]

# The head of the committee and its labels, of which one has no name yet.
COMMITTEE_HEAD = 240 + 4 * 128


@pytest.fixture
def path(tmp_path: Path, starter: str | None) -> str:
    place = str(tmp_path / "mail")
    with Filter.open(place, SMALL, starter=starter) as filter_:
        teach(filter_, "spam", (mail("spam", number) for number in range(20)))
        teach(filter_, "ham", (mail("ham", number) for number in range(20)))
    return place


def verdicts(path: str, read_only: bool = False) -> list[object]:
    with Filter.open(path, read_only=read_only) as filter_:
        return [classify(filter_, data) for data in PROBES]


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
        teach(filter_, "spam", [mail("spam", 30)])
        classify(filter_, PROBES[0])
        forget(filter_, mail("spam", 30).data)
        assert filter_.is_replay()


def test_the_first_message_of_a_process_is_judged_as_the_next_ones_are(path: str) -> None:
    # The first is read from the file, the next from a mapping.
    alone = []
    for data in PROBES:
        with Filter.open(path) as filter_:
            alone.append(classify(filter_, data))
    assert alone == verdicts(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_damage_is_noticed_by_the_first_message_of_a_process(path: str, read_only: bool) -> None:
    with Filter.open(path) as filter_:
        before = classify(filter_, PROBES[0])
    for seed in range(20):
        damage(path, random.Random(seed).choice(filled_places(path)), b"\xa5")
        with Filter.open(path, read_only=read_only) as filter_:
            assert classify(filter_, PROBES[0]) == before


def test_the_first_question_may_be_for_the_whole_state(path: str) -> None:
    with Filter.open(path) as filter_:
        state = filter_.state()
        assert filter_.state() == state
        assert filter_.ask(lambda committee: committee.labels) == ("spam", "ham")


def test_what_others_learned_meanwhile_is_seen_by_the_second_question(path: str, tmp_path: Path) -> None:
    with Filter.open(path) as first, Filter.open(path) as second:
        classify(first, PROBES[0])
        teach(second, "ham", [mail("spam", number) for number in range(30, 36)])
        classify(first, PROBES[0])
        assert first.state() == second.state()


@pytest.mark.parametrize("seed", range(10))
def test_learning_does_not_build_on_a_damaged_table(
    path: str, starter: str | None, seed: int, tmp_path: Path
) -> None:
    tables = [place for place in filled_places(path) if place >= 2 * PAGE]
    damage(path, random.Random(seed).choice(tables), b"\x5a")
    other_path = str(tmp_path / "other")
    with Filter.open(path) as filter_, Filter.open(other_path, SMALL, starter=starter) as other:
        teach(filter_, "ham", [mail("spam", number) for number in range(20)])
        teach(other, "ham", [mail("ham", number) for number in range(20)])
        teach(other, "ham", [mail("spam", number) for number in range(20)])
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
        teach(other, "ham", (mail("spam", number) for number in range(20)))
        teach(other, "spam", (mail("ham", number) for number in range(20)))
    before = verdicts(path)
    os.replace(tmp_path / "other.snapshot", path + ".snapshot")
    assert verdicts(path) == before


def test_blocks_that_were_set_back_together_with_their_checks_are_noticed(path: str) -> None:
    # As a power cut may leave it: the head is on the disk, some pages with rows and checks never got there.
    older = Path(path + ".snapshot").read_bytes()
    with Filter.open(path) as filter_:
        teach(filter_, "ham", [mail("spam", number) for number in range(30, 36)])
        right = [classify(filter_, data) for data in PROBES]
    newer = Path(path + ".snapshot").read_bytes()
    head = PAGE + COMMITTEE_HEAD
    assert newer[head:] != older[head:]
    Path(path + ".snapshot").write_bytes(newer[:head] + older[head:] + newer[len(older) :])
    assert verdicts(path, read_only=True) == right
    assert verdicts(path) == right


def test_a_reboot_costs_no_replay(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing but the file itself says whether it is whole.
    before = verdicts(path)
    shutil.copy(path + ".snapshot", path + ".copy")
    os.replace(path + ".copy", path + ".snapshot")
    monkeypatch.setattr(Replaying, "_build", lambda *_, **__: pytest.fail("a state was made again"))
    assert verdicts(path) == before


def test_a_snapshot_that_is_removed_under_an_open_filter_is_made_again(path: str) -> None:
    with Filter.open(path) as filter_:
        before = classify(filter_, PROBES[0])
        os.unlink(path + ".snapshot")
        assert classify(filter_, PROBES[0]) == before
        assert os.path.exists(path + ".snapshot")


def test_a_snapshot_of_another_history_is_not_believed(path: str, tmp_path: Path) -> None:
    # Two copies of a ledger take equally many changes, then one is copied over the other.
    copy = str(tmp_path / "copy")
    for suffix in ("", ".snapshot"):
        shutil.copy(path + suffix, copy + suffix)
    for place, label, number in ((path, "spam", 30), (copy, "ham", 30)):
        with Filter.open(place) as filter_:
            teach(filter_, label, [mail(other, number) for other in ("spam", "ham")])
    right = verdicts(copy)
    assert right != verdicts(path)
    shutil.copy(copy, path)
    assert verdicts(path, read_only=True) == right
    assert verdicts(path) == right
    with Filter.open(path) as filter_:
        assert filter_.is_replay()


def taught_three_labels(path: str) -> None:
    with Filter.open(path, Settings(bits=6, salt=99)) as filter_:
        for number in range(4):
            for label in ("spam", "ham", "work"):
                teach(filter_, label, [mail(label, number)])


def test_any_flipped_bit_of_the_head_of_a_committee_is_noticed(tmp_path: Path) -> None:
    path = str(tmp_path / "mail")
    taught_three_labels(path)
    features = features_of(read(PROBES[0]))
    with Filter.open(path) as filter_, open(path + ".snapshot", "r+b") as file:
        settings, state = filter_.settings, os.pread(file.fileno(), 1 << 20, PAGE)
        for place in range(COMMITTEE_HEAD):
            for bit in range(8):
                damaged = bytearray(state)
                damaged[place] ^= 1 << bit
                with pytest.raises(DamagedSnapshot):
                    Committee(settings, damaged).score(features)
                os.pwrite(file.fileno(), damaged[place : place + 1], PAGE + place)
                with pytest.raises(DamagedSnapshot):
                    Glance(settings, file.fileno(), PAGE).score(features)
                os.pwrite(file.fileno(), state[place : place + 1], PAGE + place)


# Every bit of the head of the snapshot, and one of every eight bytes of that of the committee; in the short
# form one of five of them, so that all places in a byte occur.
HEAD_BITS = [(place, 1 << bit) for place in range(HEAD.size + CHECK_BYTES) for bit in range(8)]
HEAD_BITS += [(PAGE + place, 1) for place in range(0, COMMITTEE_HEAD + 64, 8)]


@pytest.mark.parametrize("read_only", [False, True])
def test_any_flipped_bit_of_a_head_is_noticed_or_harmless(tmp_path: Path, read_only: bool) -> None:
    path = str(tmp_path / "mail")
    taught_three_labels(path)
    whole = Path(path + ".snapshot").read_bytes()
    with Filter.open(path) as filter_:
        before = classify(filter_, PROBES[0]), classify(filter_, PROBES[30])
    for place, bit in HEAD_BITS[:: effort(5, 1)]:
        Path(path + ".snapshot").write_bytes(whole)
        damage(path, place, bytes([whole[place] ^ bit]))
        # The first question is answered by a glance, the next ones from a mapping.
        with Filter.open(path, read_only=read_only) as filter_:
            assert (classify(filter_, PROBES[0]), classify(filter_, PROBES[30])) == before


def test_learning_does_not_build_on_a_head_with_a_flipped_bit(tmp_path: Path) -> None:
    path = str(tmp_path / "mail")
    taught_three_labels(path)
    kept = {suffix: Path(path + suffix).read_bytes() for suffix in ("", ".snapshot")}
    step = effort(40, 8)
    for place in (*range(0, HEAD.size + CHECK_BYTES, step), *range(PAGE, PAGE + COMMITTEE_HEAD, 2 * step)):
        for suffix, content in kept.items():
            Path(path + suffix).write_bytes(content)
        damage(path, place, bytes([kept[".snapshot"][place] ^ 1]))
        with Filter.open(path) as filter_:
            teach(filter_, "news", [mail("news", 1)])
            assert filter_.is_replay()


def test_a_damaged_state_is_neither_saved_nor_published(path: str, tmp_path: Path) -> None:
    with Filter.open(path) as filter_:
        classify(filter_, PROBES[0])
        damage(path, os.path.getsize(path + ".snapshot") - 8, b"\xa5")
        filter_.checkpoints.nearest = 1
        teach(filter_, "spam", [mail("spam", 30)])
        filter_.publish(str(tmp_path / "site.state"))
        os.unlink(path + ".snapshot")
        assert filter_.is_replay()
    with Filter.open(str(tmp_path / "own")) as own:
        own.rest_on(str(tmp_path / "site.state"))
        assert own.is_replay()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_link_planted_under_the_name_of_the_snapshot_is_not_followed(
    path: str, tmp_path: Path, read_only: bool
) -> None:
    before = verdicts(path)
    victim = tmp_path / "victim"
    shutil.copy(path + ".snapshot", victim)
    os.unlink(path + ".snapshot")
    os.symlink(victim, path + ".snapshot")
    content = victim.read_bytes()
    assert verdicts(path, read_only) == before
    with Filter.open(path) as filter_:
        teach(filter_, "spam", [mail("spam", 30)])
        assert filter_.is_replay()
    assert victim.read_bytes() == content
    assert not os.path.islink(path + ".snapshot")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_pipe_under_the_name_of_the_snapshot_is_not_waited_for(path: str, read_only: bool) -> None:
    before = verdicts(path)
    os.unlink(path + ".snapshot")
    os.mkfifo(path + ".snapshot")
    assert verdicts(path, read_only) == before
