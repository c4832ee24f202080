"""A filter on a starter answers at once, and changes to another only when its owner says so."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import DamagedLedger, FoldedLesson, SharedFilterChanged
from deciban.filter import Filter, Settings
from deciban.filter.checking import check
from deciban.filter.starter import (
    FOLDER,
    LAID_OUT_ANEW,
    SUFFIX,
    keep,
    newest_file,
    of_text,
    starter_in,
    write,
)
from deciban.ledger.facts import SHARED
from tests.filter.mails import STARTED, a_starter, classify, mail, teach, why

OWN = Settings(bits=10, salt=99)
LABELS = ("spam", "ham")


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "starters").mkdir()
    return a_starter(tmp_path / "starters")


@pytest.fixture
def mine(tmp_path: Path, file: str) -> Iterator[Filter]:
    (tmp_path / "home").mkdir()
    with Filter.open(str(tmp_path / "home" / "mail"), OWN, starter=file) as filter_:
        yield filter_


def taught(filter_: Filter, labels: tuple[str, ...] = LABELS, count: int = 10) -> Filter:
    for number in range(count):
        for label in labels:
            teach(filter_, label, [mail(label, number)])
    return filter_


def test_it_answers_before_the_first_lesson(mine: Filter) -> None:
    for label in LABELS:
        assert classify(mine, mail(label, 77).data).label == label
    assert mine.labels() == {}
    assert mine.known_labels() == LABELS
    assert mine.belief() == 0.9


def test_of_what_it_does_not_know_it_is_unsure(mine: Filter) -> None:
    verdict = classify(mine, b"Subject: quite other words\n\nabout nothing in particular\n")
    assert verdict.unsure
    assert verdict.probability is not None


def test_what_is_explained_is_what_was_computed(mine: Filter) -> None:
    for count in (0, 1, 10):
        taught(mine, count=count)
        verdict = why(mine, mail("spam", 55).data)
        assert sum(item.decibans for item in verdict.evidence) == pytest.approx(verdict.decibans, abs=1e-9)


def test_before_the_first_lesson_all_is_the_starters_evidence(mine: Filter) -> None:
    from deciban.filter.mail import question_of

    question = question_of(mail("spam", 55).data, mine.preferences)
    verdict = mine.classify(question)
    assert mine.shared_evidence(question, verdict) == pytest.approx(verdict.decibans)
    taught(mine)
    verdict = mine.classify(question)
    assert mine.shared_evidence(question, verdict) != pytest.approx(verdict.decibans)


def test_it_keeps_its_own_settings_and_salt(mine: Filter) -> None:
    assert mine.settings == OWN != STARTED


def test_it_is_linked_to_the_ledger_and_shared_by_all(mine: Filter, file: str, tmp_path: Path) -> None:
    (kept,) = (tmp_path / "home").glob("mail.foundation-*")
    assert kept.samefile(file)
    with Filter.open(str(tmp_path / "other"), OWN, starter=file) as other:
        ours, theirs = (filter_.ask(lambda panel: panel.foundation) for filter_ in (mine, other))
        assert ours is theirs


def test_an_upgrade_changes_no_verdict(mine: Filter, file: str, tmp_path: Path) -> None:
    before = [classify(taught(mine), mail(label, 77).data) for label in LABELS]
    path = mine.ledger.path
    mine.close()
    os.unlink(file)
    with Filter.open(path) as again:
        assert [classify(again, mail(label, 77).data) for label in LABELS] == before
        assert again.is_replay()


def test_a_filter_moves_to_another_starter_when_its_owner_says_so(mine: Filter, tmp_path: Path) -> None:
    taught(mine)
    newer = tmp_path / "newer"
    newer.mkdir()
    with Filter.open(str(tmp_path / "site"), STARTED) as site:
        taught(site, count=3)
        path = site.ask(lambda committee: write(str(newer), 2, STARTED, committee))  # type: ignore[arg-type]
    moved = mine.rest_on_starter(path)
    assert mine.shared() == moved == starter_in(path)
    assert moved.path == "starter:2"
    with Filter.open(str(tmp_path / "fresh"), OWN, starter=path) as fresh:
        assert taught(fresh).state() == mine.state()
    assert len(list((tmp_path / "home").glob("mail.foundation-*"))) == 1


def test_a_filter_that_leaves_its_starter_is_as_if_it_never_had_one(mine: Filter, tmp_path: Path) -> None:
    taught(mine)
    mine.rest_on(None)
    with Filter.open(str(tmp_path / "fresh"), OWN) as fresh:
        assert taught(fresh).state() == mine.state()
    assert not list((tmp_path / "home").glob("mail.foundation-*"))
    assert mine.belief() is None


def test_an_existing_filter_moves_onto_a_starter(tmp_path: Path, mine: Filter, file: str) -> None:
    with Filter.open(str(tmp_path / "older"), OWN) as older:
        taught(older).rest_on_starter(file)
        assert older.state() == taught(mine).state()
        assert older.is_replay()


def test_what_is_published_is_what_the_filter_learned_itself(mine: Filter, tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "plain"), OWN) as plain:
        published = taught(plain).publish(str(tmp_path / "plain.state"))
    assert taught(mine).publish(str(tmp_path / "mine.state")).digest == published.digest


def test_who_teaches_other_labels_is_not_told_of_spam(mine: Filter) -> None:
    teach(mine, "work", [mail("work", 0)])
    assert mine.known_labels() == (*LABELS, "work")
    taught(mine, ("work", "news"))
    assert mine.known_labels() == ("work", "news")
    assert set(classify(mine, mail("work", 77).data).probabilities) == {"work", "news"}
    assert mine.is_replay()
    told = [(label, exam.best) for _, label, exam in mine.exams()][-10:]
    assert sum(label == best for label, best in told) >= 8


def test_many_labels_make_room(mine: Filter) -> None:
    taught(mine, ("spam", "ham", "work", "news", "shop"))
    assert mine.is_replay()
    for label in ("work", "news", "shop"):
        assert classify(mine, mail(label, 3).data).label == label


def test_a_starter_that_is_gone_is_an_error_that_says_how_to_go_on(tmp_path: Path) -> None:
    file, path = a_starter(tmp_path, 7), str(tmp_path / "mail")
    with Filter.open(path, OWN, starter=file) as filter_:
        taught(filter_)
    for gone in (file, f"{path}.foundation-{starter_in(file).digest}"):
        os.unlink(gone)
    ask = "from deciban.cli import main; main(['classify', '-'])"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        input=mail("spam", 1).data,
        env=os.environ | {"DECIBAN_DB": path},
        capture_output=True,
        check=False,
    )
    assert b"is gone or damaged" in done.stderr
    assert b"deciban prefer --starter" in done.stderr


def test_a_damaged_starter_is_not_believed(tmp_path: Path) -> None:
    file, path = a_starter(tmp_path, 8), str(tmp_path / "mail")
    with Filter.open(path, OWN, starter=file) as filter_:
        taught(filter_)
    content = bytearray(Path(file).read_bytes())
    content[-4096:] = bytes(byte ^ 0x55 for byte in content[-4096:])
    (tmp_path / "damaged").write_bytes(content)
    os.replace(tmp_path / "damaged", f"{path}.foundation-{starter_in(file).digest}")
    os.unlink(file)
    assert "shared filter" in [finding.part for finding in check(path) if not finding.is_right]


@pytest.mark.parametrize(
    "text", ["starter:", "starter:x 9f a=1", "starter:1", "starter:1 zz a=1", "starter:1 9f a=b"]
)
def test_a_ledger_that_does_not_say_which_starter_is_damaged(mine: Filter, text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        of_text(text)
    with mine.ledger.writing():
        mine.ledger.set_fact(SHARED, text)
    with pytest.raises(DamagedLedger):
        mine.shared()


def test_a_file_that_is_no_starter_is_refused_and_nothing_is_made(tmp_path: Path, file: str) -> None:
    other = os.path.join(os.path.dirname(file), f"3-{'0' * 32}{SUFFIX}")
    shutil.copy(file, other)
    with pytest.raises(SharedFilterChanged):
        Filter.open(str(tmp_path / "mail"), OWN, starter=other)
    assert not (tmp_path / "mail").exists()


def test_a_filter_with_folded_lessons_stays_on_its_starter(mine: Filter, file: str) -> None:
    taught(mine).compact(1e12)
    assert mine.is_replay()
    with pytest.raises(FoldedLesson):
        mine.rest_on_starter(file)


def test_where_no_link_can_be_made_there_is_one_copy_for_all(tmp_path: Path, file: str) -> None:
    elsewhere = Path("/dev/shm")
    if not os.access(elsewhere, os.W_OK) or elsewhere.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system to try it on")
    digest = starter_in(file).digest
    folder = elsewhere / f"deciban-{os.getpid()}"
    folder.mkdir()
    try:
        for name in ("ann", "bob"):
            (folder / name).mkdir()
            keep(file, digest, str(folder / name / "mail"))
        first, second = (folder / name / f"mail.foundation-{digest}" for name in ("ann", "bob"))
        assert first.read_bytes() == Path(file).read_bytes()
        assert first.samefile(second)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize(("earlier", "now"), LAID_OUT_ANEW.items())
def test_a_filter_on_a_starter_that_was_laid_out_anew_goes_on_with_the_same_verdicts(
    tmp_path: Path, earlier: str, now: str
) -> None:
    with Filter.open(str(tmp_path / "mail"), OWN, starter=newest_file()) as filter_:
        before = classify(filter_, mail("spam", 1).data)
        text = filter_.ledger.fact(SHARED)
        assert now in text
        with filter_.ledger.writing():
            filter_.ledger.set_fact(SHARED, text.replace(now, earlier))
    for kept in tmp_path.glob("mail.foundation-*"):
        kept.unlink()  # it is a link to the file in the package
        Path(str(kept).replace(now, earlier)).write_bytes(b"in a layout that nobody can read any more")
    with Filter.open(str(tmp_path / "mail")) as filter_:
        assert classify(filter_, mail("spam", 1).data).decibans == before.decibans


def test_the_newest_is_the_one_with_the_highest_version(tmp_path: Path) -> None:
    assert newest_file(str(tmp_path)) is None
    for name in (f"9-{'a' * 32}{SUFFIX}", f"10-{'b' * 32}{SUFFIX}", "README", f"x-1{SUFFIX}"):
        (tmp_path / name).touch()
    found = newest_file(str(tmp_path))
    assert found is not None
    assert os.path.basename(found).startswith("10-")


def test_the_starter_has_the_settings_with_which_it_would_be_made_again() -> None:
    # A setting that is new would change the bytes that the same corpora give.
    from tools.make_starter import SETTINGS

    newest = newest_file()
    assert newest is not None
    head = Path(newest).read_bytes().partition(b"\n")[0]
    assert json.loads(head)["settings"] == SETTINGS.text()


def test_the_package_comes_with_a_starter_that_is_whole_and_small() -> None:
    from zlib import compress

    names = [name for name in os.listdir(FOLDER) if name.endswith(SUFFIX)]
    assert names
    for name in names:
        starter = starter_in(os.path.join(FOLDER, name))
        assert set(starter.labels) == set(LABELS)
    assert sum(len(compress(Path(FOLDER, name).read_bytes())) for name in names) < 1_000_000
