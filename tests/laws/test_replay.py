"""Law 5: after any history of learn, relearn, forget, crash and reopen, the state is that of a fresh replay.

The other side is a filter that never crashed and was taught only what is left, in that order: both states and
all exams must agree bit for bit. And of what was forgotten, no byte may be left in any file.
"""

import os
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.errors import FoldedLesson
from deciban.filter import Filter, Settings
from deciban.filter.checkpoints import MOST
from deciban.filter.mail import lessons_from
from deciban.filter.snapshot import CHECK_BYTES, HEAD, PAGE
from deciban.ledger import Selection
from deciban.text import read
from tests.effort import effort
from tests.filter.mails import WORDS, a_starter, classify, forget, mail, teach

SETTINGS = Settings(bits=8, salt=5, margin_grows_from=3, margin_grows_to=20)
LABELS = sorted(WORDS)
# In memory where there is such a place: waiting for the disk thousands of times tests nothing here.
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Few messages, so that histories come back to them.
MESSAGES = st.builds(mail, st.sampled_from(LABELS), st.integers(0, 5))
STEPS = st.one_of(
    st.tuples(st.just("learn"), st.sampled_from(LABELS), st.lists(MESSAGES, min_size=1, max_size=4)),
    st.tuples(st.just("forget"), MESSAGES),
    st.tuples(st.just("forget label"), st.sampled_from(LABELS)),
    st.tuples(st.just("reopen")),
    st.tuples(st.just("leave")),
    st.tuples(st.just("end with an error")),
    st.tuples(st.just("lose the snapshot")),
    st.tuples(st.just("crash while changing"), st.integers(PAGE, PAGE + 8192)),
    st.tuples(st.just("go back to an older snapshot")),
    st.tuples(st.just("damage a checkpoint"), st.integers(0, 4096)),
    st.tuples(st.just("lose the checkpoints")),
)


FOOTINGS = ("on nothing", "on a starter")


@pytest.fixture(scope="module")
def starters() -> Iterator[dict[str, str | None]]:
    """What new filters rest on."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        yield {"on nothing": None, "on a starter": a_starter(folder)}


def opened(path: str, starter: str | None) -> Filter:
    """A filter that saves a checkpoint every few lessons."""
    filter_ = Filter.open(path, SETTINGS, starter=starter)
    filter_.checkpoints.nearest = 2
    return filter_


class History:
    """A filter with a history, and what should be left of it."""

    def __init__(self, path: str, starter: str | None) -> None:
        self.path = path
        self.starter = starter
        self.filter = opened(path, starter)
        self.left: dict[bytes, tuple[str, bytes]] = {}
        self.older = b""

    def take(self, step: tuple) -> None:
        match step:
            case "learn", label, messages:
                teach(self.filter, label, messages)
                for message in messages:
                    self._expect(label, message.data)
            case "learn and let wait", label, messages:
                self.filter.learn(lessons_from(messages, label, self.filter.preferences))
                for message in messages:
                    self._expect(label, message.data)
            case ("leave",):
                self.filter.leave()
                self.filter.close()
                self.filter = opened(self.path, self.starter)
            case ("end with an error",):
                self.filter.__exit__(ValueError, ValueError(), None)
                self.filter = opened(self.path, self.starter)
            case "forget", message:
                forget(self.filter, message.data)
                self.left.pop(read(message.data).digest, None)
            case "forget label", label:
                self.filter.forget(Selection(label=label))
                self.left = {key: kept for key, kept in self.left.items() if kept[0] != label}
            case _:
                self._break(*step)

    def _expect(self, label: str, data: bytes) -> None:
        digest = read(data).digest
        if self.left.get(digest, ("",))[0] != label:
            self.left.pop(digest, None)
            self.left[digest] = label, data

    def _break(self, what: str, place: int = 0) -> None:
        """Leave the files as a process may leave them that ends in the middle, and begin again."""
        self.filter.state()
        if what == "crash while changing":
            assert place >= PAGE
        files = list(self.filter.checkpoints.files())
        self.filter.close()
        snapshot = self.path + ".snapshot"
        with open(snapshot, "r+b") as file:
            whole = file.read()
            if what == "crash while changing":
                file.seek(HEAD.size)
                file.write(bytes(CHECK_BYTES))  # as it is while somebody teaches
                file.seek(min(place, len(whole) - 1))
                file.write(b"\xff")
            elif what == "go back to an older snapshot" and self.older:
                file.truncate(0)
                file.seek(0)
                file.write(self.older)
        if what == "lose the snapshot":
            os.unlink(snapshot)
        for checkpoint in files:
            if what == "lose the checkpoints":
                os.unlink(checkpoint)
            elif what == "damage a checkpoint":
                with open(checkpoint, "r+b") as file:
                    file.seek(min(place, os.path.getsize(checkpoint) - 1))
                    file.write(b"\xa5")
        if what in ("lose the checkpoints", "damage a checkpoint"):
            os.unlink(snapshot)
        self.older = whole
        self.filter = opened(self.path, self.starter)


@pytest.mark.parametrize("footing", FOOTINGS)
@settings(max_examples=effort(40, 1000))
@given(st.lists(STEPS, max_size=25))
def test_any_history_equals_a_replay_of_what_is_left(
    starters: dict[str, str | None], footing: str, steps: list[tuple]
) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        history = History(os.path.join(folder, "mail"), starters[footing])
        for step in steps:
            history.take(step)
        with history.filter as lived, opened(os.path.join(folder, "fresh"), history.starter) as fresh:
            for label, data in history.left.values():
                teach(fresh, label, [mail("spam", 0).replaced(id="x", data=data)])
            assert [lesson.digest for lesson in lived.lessons()] == list(history.left)
            assert lived.state() == fresh.state()
            assert list(lived.exams()) == list(fresh.exams())
            assert lived.is_replay()
            assert len(list(lived.checkpoints.files())) <= MOST


BULKS = st.builds(
    lambda how, label, name, first, count: (
        how,
        label,
        [mail(name, number) for number in range(first, first + count)],
    ),
    st.sampled_from(["learn", "learn and let wait"]),
    st.sampled_from(LABELS[:3]),
    st.sampled_from(LABELS[:3]),
    st.integers(0, 60),
    st.integers(18, 45),
)


@pytest.mark.parametrize("footing", FOOTINGS)
@settings(max_examples=effort(40, 1000))
@given(st.lists(st.one_of(STEPS, BULKS), max_size=12))
def test_any_history_with_bulks_equals_single_lessons_in_their_order(
    starters: dict[str, str | None], footing: str, steps: list[tuple]
) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        history = History(os.path.join(folder, "mail"), starters[footing])
        for step in steps:
            history.take(step)
        with history.filter as lived, opened(os.path.join(folder, "fresh"), history.starter) as fresh:
            lived.state()  # what was postponed is put in order now
            for lesson in lived.lessons():
                label, data = history.left.pop(lesson.digest)
                assert label == lesson.label
                teach(fresh, label, [mail("spam", 0).replaced(id="x", data=data)])
            assert not history.left
            assert lived.state() == fresh.state()
            assert list(lived.exams()) == list(fresh.exams())
            assert lived.is_replay()


class FoldedHistory(History):
    """A history in which old lessons are folded now and then."""

    def __init__(self, path: str, starter: str | None) -> None:
        super().__init__(path, starter)
        self.folded: dict[bytes, str] = {}

    def take(self, step: tuple) -> None:
        match step:
            case "fold", count:
                old = list(self.left)[:count]
                times = [lesson.taught for lesson in self.filter.lessons()]
                assert self.filter.compact((times[len(old) - 1] + 1.5) / 1e6 if old else 0.0) == len(old)
                self.folded |= {digest: self.left.pop(digest)[0] for digest in old}
            case "forget", message if self._is_only_folded(message.data):
                with pytest.raises(FoldedLesson):
                    forget(self.filter, message.data)
            case _:
                super().take(step)

    def _is_only_folded(self, data: bytes) -> bool:
        digest = read(data).digest
        return digest in self.folded and digest not in self.left

    def _expect(self, label: str, data: bytes) -> None:
        digest = read(data).digest
        if self.folded.get(digest) == label:
            self.left.pop(digest, None)
        else:
            super()._expect(label, data)


@pytest.mark.parametrize("footing", FOOTINGS)
@settings(max_examples=effort(40, 1000))
@given(st.lists(st.one_of(STEPS, st.tuples(st.just("fold"), st.integers(0, 5))), max_size=25))
def test_any_history_with_folded_lessons_is_a_replay_on_what_they_became(
    starters: dict[str, str | None], footing: str, steps: list[tuple]
) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        history = FoldedHistory(os.path.join(folder, "mail"), starters[footing])
        for step in steps:
            history.take(step)
        with history.filter as lived:
            assert [lesson.digest for lesson in lived.lessons()] == list(history.left)
            for digest, label in history.folded.items():
                assert lived.ledger.folded_labels_of([digest]) == {digest: label}
            assert lived.is_replay()


@pytest.mark.parametrize("footing", FOOTINGS)
@settings(max_examples=effort(15, 300))
@given(st.lists(MESSAGES, min_size=1, max_size=8, unique_by=lambda message: message.id), st.integers(0, 7))
def test_nothing_of_a_forgotten_message_is_left_in_the_files(
    starters: dict[str, str | None], footing: str, messages: list, chosen: int
) -> None:
    starter = starters[footing]
    forgotten = messages[chosen % len(messages)]
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        path = os.path.join(folder, "mail")
        with opened(path, starter) as filter_:
            for message in messages:
                teach(filter_, "spam" if message.id.startswith("spam") else "ham", [message], by="ann")
            (lesson,) = filter_.lessons(Selection(source=forgotten.id))
            classify(filter_, forgotten.data)
            traces = [
                lesson.digest,
                lesson.features.encode(),
                lesson.sender.encode(),
                lesson.subject.encode(),
                lesson.subject.split()[-1].encode(),
                lesson.message_id.encode(),
                lesson.date.encode(),
            ]
            assert traces_in(folder, traces) == traces
            forget(filter_, forgotten.data)
            # While it is open, with the log and the shared memory still there, and after.
            others = {message.data for message in messages if message is not forgotten}
            own = [trace for trace in traces if not any(trace in data for data in others)]
            assert len(own) >= 6
            assert traces_in(folder, own) == []
            state = filter_.state()
        assert traces_in(folder, own) == []
        with opened(os.path.join(folder, "fresh"), starter) as fresh:
            for message in messages:
                if message is not forgotten:
                    teach(fresh, "spam" if message.id.startswith("spam") else "ham", [message])
            assert fresh.state() == state


def traces_in(folder: str, traces: list[bytes]) -> list[bytes]:
    """Those of the traces that are somewhere in the files of a folder."""
    contents = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            contents.append(file.read())
    return [trace for trace in traces if any(trace in content for content in contents)]
