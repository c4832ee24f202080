"""Spaces are apart from each other, made and removed whole, and opened as needed."""

import os
import threading
from pathlib import Path

import pytest

from deciban.errors import DamagedLedger, FilterError, NoSuchSource, NoSuchSpace
from deciban.filter.mail import lessons_from
from deciban.spaces import Spaces
from tests.filter.mails import classify, mail, teach


def traces(folder: str, words: list[bytes]) -> list[str]:
    """Files below a folder in which one of the words stands."""
    found = [path for path in Path(folder).rglob("*") if path.is_file()]
    return [str(path) for path in found if any(word in path.read_bytes() for word in words)]


def open_names(spaces: Spaces) -> set[str]:
    return {record.name for record in spaces.all() if record.id in spaces._open}


def test_what_one_space_learns_no_other_knows(spaces: Spaces):
    spaces.add(["ann", "bob"])
    with spaces.using("ann") as ann, spaces.using("BOB") as bob:
        teach(ann.mail_filter, "spam", [mail("spam", 1)])
        teach(ann.mail_filter, "ham", [mail("ham", 1)])
        assert ann.mail_filter.labels() == {"spam": 1, "ham": 1}
        assert bob.mail_filter.labels() == {}


def test_a_space_on_a_shared_filter_can_tell_spam_at_once(spaces: Spaces, site: str):
    spaces.add(["ann"], shared=site)
    with spaces.using("ann") as space:
        assert classify(space.mail_filter, mail("spam", 50).data).label == "spam"
        assert space.mail_filter.labels() == {}
        assert space.mail_filter.is_replay()


def test_hosts_whose_results_count_are_named_for_all_spaces_at_once(tmp_path: Path):
    with Spaces(str(tmp_path), create=True, results_from=["mx.example.org"]) as spaces:
        spaces.add(["ann"])
        with spaces.using("ann") as space:
            assert space.mail_filter.preferences.results_from == {"mx.example.org"}
            space.mail_filter.prefer(cost=99)
            assert space.mail_filter.preferences.results_from == {"mx.example.org"}
    with Spaces(str(tmp_path)) as spaces, spaces.using("ann") as space:
        assert not space.mail_filter.preferences.results_from


def resident_kilobytes(path: Path) -> int:
    """How much of a file this process has mapped in memory."""
    found, is_meant = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if " kB" not in line and "VmFlags" not in line:
            is_meant = line.endswith(f" {path}")
        elif is_meant and line.startswith("Rss:"):
            found += int(line.split()[1])
    return found


def test_states_of_open_spaces_take_no_more_memory_than_they_may(tmp_path: Path):
    names = ["ann", "bob", "eve"]
    with Spaces(str(tmp_path), create=True) as teaching:
        teaching.add(names)
        for name in names:
            with teaching.using(name) as space:
                teach(space.mail_filter, "spam", [mail("spam", 1)])
                teach(space.mail_filter, "ham", [mail("ham", 1)])
    with Spaces(str(tmp_path), follows=True, most_bytes=1) as spaces:
        paths = {name: Path(spaces.database_of(spaces.find(name)) + ".snapshot") for name in names}
        for name in [*names, "ann"]:
            with spaces.using(name) as space:
                for _ in range(2):  # the first question only glances at the file
                    assert classify(space.mail_filter, mail("spam", 2).data).label == "spam"
        assert open_names(spaces) == set(names)
        assert [name for name in names if resident_kilobytes(paths[name])] == ["ann"]


def test_a_shared_filter_that_is_not_there_is_found_before_a_space_is_added(spaces: Spaces):
    with pytest.raises((NoSuchSource, FilterError)):
        spaces.add(["ann"], shared="/no/such.state")
    assert list(spaces.all()) == []


@pytest.mark.parametrize("name", ["../../escape", "/etc/passwd", "..", ".", "😀" * 200, "a/b", "spaces.db"])
def test_no_name_leaves_the_folder_or_names_a_file(spaces: Spaces, tmp_path: Path, name: str):
    spaces.add([name])
    with spaces.using(name) as space:
        teach(space.mail_filter, "ham", [mail("ham", 1)])
    assert os.listdir(tmp_path) == ["spaces"]
    inside = set(os.listdir(tmp_path / "spaces"))
    assert inside == {"spaces.db", spaces.find(name).id}


def test_looking_for_a_space_that_is_not_there_makes_nothing(spaces: Spaces):
    before = os.listdir(spaces.folder)
    with pytest.raises(NoSuchSpace), spaces.using("nobody@example.org"):
        pass
    assert os.listdir(spaces.folder) == before


def test_a_deleted_space_leaves_no_trace(spaces: Spaces):
    spaces.add(["remarkable@example.org", "bob"])
    with spaces.using("remarkable@example.org") as space:
        teach(space.mail_filter, "ham", [mail("ham", 77)])
        assert traces(spaces.folder, [b"uniquehamsubject77"])
    identity = spaces.delete("Remarkable@example.org").id
    words = [b"remarkable", b"uniquehamsubject77", identity.encode()]
    assert traces(spaces.folder, words) == []
    assert os.listdir(spaces.folder) == ["spaces.db"]


def test_whoever_uses_a_space_that_is_deleted_can_teach_it_nothing_any_more(spaces: Spaces):
    spaces.add(["ann"])
    with Spaces(spaces.folder) as other, other.using("ann") as space:
        teach(space.mail_filter, "ham", [mail("ham", 1)])
        spaces.delete("ann")
        with pytest.raises(FilterError):
            teach(space.mail_filter, "ham", [mail("ham", 2)])
        with pytest.raises(NoSuchSpace), other.using("ann"):
            pass
    assert os.listdir(spaces.folder) == ["spaces.db"]


def test_a_name_that_was_deleted_can_be_given_again_and_begins_with_nothing(spaces: Spaces):
    spaces.add(["ann"])
    with spaces.using("ann") as space:
        teach(space.mail_filter, "ham", [mail("ham", 1)])
    spaces.delete("ann")
    spaces.add(["ann"])
    with spaces.using("ann") as space:
        assert space.mail_filter.labels() == {}


def test_what_a_killed_process_left_of_a_deleted_space_the_next_one_removes(spaces: Spaces):
    spaces.add(["ann", "bob"])
    with spaces.using("ann") as space:
        teach(space.mail_filter, "ham", [mail("ham", 1)])
    spaces.registry.remove("ann")  # and no further
    with Spaces(spaces.folder) as other:
        other.add(["cleo"])
        assert other.registry.gone() == []
    assert os.listdir(spaces.folder) == ["spaces.db"]


def test_of_a_space_that_was_half_made_nothing_stays(spaces: Spaces):
    half = os.path.join(spaces.folder, ".new-0123")
    os.mkdir(half)
    spaces.add(["ann"])
    assert os.path.exists(half)  # somebody may be making it
    os.utime(half, (0, 0))
    spaces.add(["bob"])
    assert not os.path.exists(half)


def test_those_used_longest_ago_are_closed_first(spaces: Spaces):
    spaces.most_open = 2
    spaces.add(["a", "b", "c"])
    for name in ("a", "b", "a", "c"):
        with spaces.using(name):
            pass
    assert open_names(spaces) == {"a", "c"}


def test_a_space_in_use_is_never_closed(spaces: Spaces):
    spaces.most_open = 1
    spaces.add(["a", "b", "c"])
    with spaces.using("a") as space:
        for name in ("b", "c"):
            with spaces.using(name):
                pass
        teach(space.mail_filter, "ham", [mail("ham", 1)])
        assert "a" in open_names(spaces)
    assert len(open_names(spaces)) == 1


def test_a_broken_space_disturbs_no_other(spaces: Spaces):
    spaces.add(["a", "b"])
    for name in ("a", "b"):
        with spaces.using(name) as space:
            teach(space.mail_filter, "ham", [mail("ham", 1)])
    spaces.close()
    with Spaces(spaces.folder) as again:
        path = again.database_of(again.find("a"))
        Path(path).write_bytes(b"no database at all\n" * 100)
        with pytest.raises(DamagedLedger), again.using("a"):
            pass
        with again.using("b") as space:
            assert space.mail_filter.labels() == {"ham": 1}
        again.delete("a")


def test_a_backup_that_is_put_in_place_is_what_is_used_next(spaces: Spaces, tmp_path: Path):
    from deciban.filter.safekeeping import back_up, restore

    spaces.add(["ann"])
    path = spaces.database_of(spaces.find("ann"))
    with spaces.using("ann") as space:
        teach(space.mail_filter, "ham", [mail("ham", 1)])
        back_up(path, str(tmp_path / "backup"))
        teach(space.mail_filter, "ham", [mail("ham", 2)])
    restore(path, str(tmp_path / "backup"), replacing=True)
    with spaces.using("ann") as space:
        assert space.mail_filter.labels() == {"ham": 1}
        teach(space.mail_filter, "ham", [mail("ham", 3)])


def test_threads_that_use_one_space_at_once_open_it_once(spaces: Spaces):
    spaces.add(["ann"])
    together = threading.Barrier(4)
    failed = []

    def work(number: int) -> None:
        together.wait()
        try:
            with spaces.using("ann") as space:
                preferences = space.mail_filter.preferences
                space.learn(lessons_from([mail("ham", number)], "ham", preferences))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with spaces.using("ann") as space:
        assert space.mail_filter.labels() == {"ham": 4}
    assert len(spaces._open) == 1


def test_a_folder_without_spaces_is_an_error_that_says_what_to_do(tmp_path: Path):
    with pytest.raises(NoSuchSource, match="space add"):
        Spaces(str(tmp_path))
    assert os.listdir(tmp_path) == []
