"""Saving what is whole of a damaged ledger: every lesson whose own check is right, into a new ledger.

Lessons are looked for in the bytes of the file and of its log (sqlite_pages.py), so it does not matter which
other bytes are damaged: a head, an index, a page that others refer to. A lesson has a check of everything
that it is, its label too; facts, folded lessons and their state have checks of their own. Facts that are lost
begin anew. Lessons stay in their order as far as the trail still tells it; the others follow, in the order in
which they were taught.
"""

from __future__ import annotations

from contextlib import suppress

from deciban.committee._lesson_code import Features
from deciban.committee.label import label_of
from deciban.committee.settings import Settings
from deciban.errors import BadLabel, BadSetting, DamagedLedger
from deciban.ledger import facts
from deciban.ledger.lesson import DIGEST_BYTES, INCOMING, Lesson, check_of, is_possible
from deciban.ledger.packed import MOST_MAIL_BYTES, unpacked
from deciban.ledger.records import Saved
from deciban.ledger.sqlite_file import ID_BYTES, fact_check
from deciban.ledger.sqlite_labels import folded_check
from deciban.ledger.sqlite_pages import SqlitePages, page_sizes
from deciban.ledger.trail import TRAIL_BYTES, digest_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap
    from typing import Any

    from deciban.ledger.sqlite_ledger import SqliteLedger

# What every lesson and every folded one begins with: no value for its number, then its digest.
BEGINNING = bytes([0, 12 + 2 * DIGEST_BYTES])
FOLDED_COLUMNS = 10
KEPT_FACTS = (facts.PREFERENCES, facts.SHARED, facts.MIXING_DUE)
# The most that a state has room for (_committee_buffer.pyx).
MOST_LABELS = 4096
LAST = 1 << 62
BATCH = 256


class SqliteSalvage:
    """What is whole in the bytes of a ledger."""

    def __init__(self, data: bytes | mmap, log: bytes, page_size: int, names: tuple[str, ...] = ()) -> None:
        """``names`` are those that labels may have: the check of a lesson tells which one it is."""
        self._pages = SqlitePages(data, log, page_size)
        self._facts: dict[str, Any] = dict(self._found_facts())
        self._positions: dict[int, int] = {}
        self._mails: dict[bytes, tuple[int, bytes]] = {}
        self._names: dict[int, str] = {}
        self._look_at_rows()
        found = [*self._names.values(), *names, *self._found_names(), "spam", "ham"]
        self._candidates = list(dict.fromkeys(found))
        self._lessons: dict[bytes, _Place] = {}
        self._folded: dict[bytes, tuple[int, list[Any]]] = {}
        self._torn: set[bytes] = set()
        self._look_for_lessons()
        if self._torn:  # perhaps only the names of their labels are lost
            self._candidates += self._indexed_names()
            self._look_for_lessons()

    @classmethod
    def of_file(cls, path: str, log: bytes, names: tuple[str, ...] = ()) -> SqliteSalvage:
        """What is whole in a file; if it does not say how long its pages are, the most that is found."""
        data = _bytes_of(path)
        found = [cls(data, log, size, names) for size in page_sizes(data)]
        return max(found, key=lambda salvage: len(salvage._lessons) + len(salvage._folded))

    def _look_for_lessons(self) -> None:
        for page, place in self._pages.found(BEGINNING):
            self._look_at_digest(page, place - 1)

    @property
    def settings(self) -> Settings | None:
        """The settings, if they are whole."""
        with suppress(BadSetting):
            if facts.SETTINGS in self._facts:
                return Settings.from_text(self._facts[facts.SETTINGS])
        return None

    def write_into(self, ledger: SqliteLedger) -> Saved:
        """Write all of it into a new ledger."""
        places = sorted(self._lessons.values(), key=lambda place: (place.position, place.taught))
        mails = 0
        with ledger.writing():
            if len(self._facts.get(facts.ID, b"")) == ID_BYTES:
                ledger.set_fact(facts.ID, self._facts[facts.ID])
            folded = self._write_folded(ledger)
            for start in range(0, len(places), BATCH):
                lessons = [self._lesson_at(place) for place in places[start : start + BATCH]]
                ledger.append((lesson, lesson.taught) for lesson in lessons)
                mails += sum(self._write_mail(ledger, lesson.digest) for lesson in lessons)
            for key in KEPT_FACTS:
                ledger.set_fact(key, self._facts.get(key))
        lost = max(len(self._torn - self._lessons.keys()), len(self._positions) - len(places))
        missing = tuple(key for key in (facts.ID, facts.SETTINGS) if key not in self._facts)
        return Saved(len(places), lost, folded, mails, missing)

    # Facts

    def _found_facts(self) -> Iterator[tuple[str, Any]]:
        for key, kind in facts.TYPES.items():
            for values in self._keyed(key, in_index=True):
                if len(values) == 3 and type(values[1]) is kind and fact_check(key, values[1]) == values[2]:
                    yield key, values[1]

    def _keyed(self, key: str, in_index: bool = False) -> Iterator[list[Any]]:
        """Records whose first value is a text."""
        for page, place in self._pages.found(key.encode()):
            for head in range(3, 8):
                values = self._pages.record(page, place - head, in_index)
                if values and values[0] == key:
                    yield values

    # What pages of tables list: order, kept mail and the names of labels, which have no checks of their own

    def _look_at_rows(self) -> None:
        for number, values in self._pages.rows():
            kinds = [type(value) for value in values]
            one, two, *more = (*values, None)
            if kinds == [type(None), int, bytes] and len(values[2]) == TRAIL_BYTES:  # type: ignore[arg-type]
                self._positions[two] = number  # type: ignore[index]
            elif kinds == [bytes, int, bytes]:
                self._mails[one] = two, more[0]  # type: ignore[index, assignment]
            elif kinds == [type(None), str]:
                self._names[number] = str(two)

    def _found_names(self) -> list[str]:
        """Whatever may be the name of a label: the check of a lesson tells which one it is."""
        found = []
        for head in (3, 4):
            for page, place in self._pages.found(bytes([head, 0])):
                values = self._pages.record(page, place)
                if values and len(values) == 2 and isinstance(values[1], str):
                    with suppress(BadLabel):
                        found.append(label_of(values[1]))
        return found

    def _indexed_names(self) -> list[str]:
        """The same from the index of labels, whose records are a name and a number."""
        found = []
        for type_ in range(15, 128, 2):
            for number in (1, 8, 9):
                for page, place in self._pages.found(bytes([3, type_, number])):
                    values = self._pages.record(page, place)
                    if values:
                        with suppress(BadLabel):
                            found.append(label_of(str(values[0])))
        return list(dict.fromkeys(found))

    def _write_mail(self, ledger: SqliteLedger, digest: bytes) -> bool:
        if digest not in self._mails or unpacked(self._mails[digest][1], MOST_MAIL_BYTES) is None:
            return False
        ledger.keep_mail(digest, *self._mails[digest])
        return True

    # Lessons

    def _look_at_digest(self, page: int, start: int) -> None:
        """See whether a lesson or a folded one begins here."""
        values = self._pages.record(page, start)
        if values is None:
            return
        number = self._pages.row_id(page, start) or 0
        if len(values) == FOLDED_COLUMNS:
            self._take_folded(number, values)
            return
        fields = _fields_of(values)
        if fields is None:
            return
        digest, taught = fields[2], fields[4]
        name = self._name_of(fields)
        if name is None:
            self._torn.add(digest)
        elif digest not in self._lessons or self._lessons[digest].taught <= taught:
            position = self._positions.get(number, LAST)
            self._lessons[digest] = _Place(page, start, name, position, taught)

    def _name_of(self, fields: list[Any]) -> str | None:
        """The name of the label for which the check of a lesson is right; None if there is none."""
        code, checked, digest, label, taught, *rest = fields
        for name in dict.fromkeys([self._names.get(label, "spam"), *self._candidates]):
            with suppress(TypeError, AttributeError, ValueError):
                if check_of(code, digest, name, taught, *rest) == checked:
                    return name if _lesson(fields, name) is not None else None
        return None

    def _lesson_at(self, place: _Place) -> Lesson:
        lesson = _lesson(_fields_of(self._pages.record(place.page, place.start) or []) or [], place.name)
        assert lesson is not None
        return lesson

    # Folded lessons

    def _take_folded(self, number: int, values: list[Any]) -> None:
        _, digest, label, taught, best, truth, spam, origin, share, checked = values
        fields = [digest, label, taught, best, _real(truth), _real(spam), origin, _real(share)]
        if folded_check(*fields) == checked:
            self._folded[digest] = number, [checked, *fields]

    def _write_folded(self, ledger: SqliteLedger) -> int:
        """Write what is left of folded lessons, if the state that they became is whole; how many."""
        digest = self._facts.get(facts.FOUNDATION_DIGEST)
        state = next((found[1] for found in self._keyed("state") if _is_state(found, digest)), None)
        capacity = self._facts.get(facts.FOUNDATION_CAPACITY, 0)
        if state is None or not 2 <= capacity <= MOST_LABELS or self.settings is None:
            return 0
        rows = [row for _, row in sorted(self._folded.values(), key=lambda found: found[0])]
        rows = [row for row in rows if row[2] in self._names]
        numbers = {label for row in rows for label in (row[2], row[4]) if label in self._names}
        founded = {"state": state}
        for found in self._keyed("names"):
            if len(found) == 2 and isinstance(found[1], bytes):
                founded["names"] = found[1]
        ledger.write_folded({number: self._names[number] for number in numbers}, rows, founded)
        ledger.set_fact(facts.FOUNDATION_CAPACITY, capacity)
        ledger.set_fact(facts.FOUNDATION_DIGEST, digest_of(state))
        return len(rows)


class _Place(Value):
    """Where a lesson is that is whole."""

    page: int
    start: int
    name: str
    """Of its label."""
    position: int
    taught: int


def _fields_of(values: list[Any]) -> list[Any] | None:
    """Code, check, digest, label, time and the other fields of a lesson, as its check covers them."""
    if len(values) == 13:  # of the format before, which knew no origin
        *fields, checked, code = values[1:]
    elif len(values) == 15 and isinstance(values[11], str):
        *fields, share, checked, code = values[1:]
        fields.append(_real(share))
    elif len(values) == 15:  # of a ledger that was taken over from it
        *fields, checked, code, origin, share = values[1:]
        fields += [origin, _real(share)]
    else:
        return None
    return [code, checked, *fields]


def _lesson(fields: list[Any], name: str) -> Lesson | None:
    """The lesson of fields whose check is right; None if it cannot be one."""
    code, _, digest, _, taught, *rest = fields
    origin, share = rest[7:] or (INCOMING, 1.0)
    try:
        features = Features.decode(code)
        lesson = Lesson(digest, name, taught, *rest[:7], features, origin, share)  # type: ignore[call-arg]
    except (DamagedLedger, BadSetting):
        return None
    return lesson if is_possible(lesson) else None


def _real(value: object) -> object:
    """A number of a column of real ones: whole ones are kept in fewer bytes."""
    return float(value) if isinstance(value, int) else value


def _is_state(values: list[Any], digest: bytes | None) -> bool:
    return len(values) == 2 and isinstance(values[1], bytes) and digest_of(values[1]) == digest


def _bytes_of(path: str) -> bytes | mmap:
    """The bytes of a file; none if it is empty."""
    from mmap import ACCESS_READ, mmap

    try:
        with open(path, "rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except ValueError:
        return b""
    except OSError as error:  # nothing would be found in it, and that would be put in its place
        raise DamagedLedger(f"{path} cannot be read: {error.strerror}. Nothing was changed.") from None
