r"""Lessons in their places, as a replay needs them; made of the rows of a ledger, and on the way into it.

A replay of 6,000 lessons makes 6,000 of them and does little else with Python's lock. So what is done for each is
compiled, and the texts that only the check needs come from the ledger as one.

>>> from deciban.ledger.trail import START, keyed
>>> from deciban.committee._lesson_code import Features
>>> code = Features.decode(bytes(2)).encode()
>>> from deciban.ledger.lesson import check_of
>>> texts = "", "inbox@0", "", "", "", "", ""
>>> checked = check_of(code, b"digest", "ham", 7, *texts, "incoming", 1.0)
>>> row = 1, START, code, checked, b"digest", None, "ham", "incoming", 1.0, 7, "\0".join(texts).encode()
>>> placed = placed_in(row, 1, START, keyed(b"id"))
>>> placed.position, placed.label, placed.step
(1, 'ham', b'digest 2355505795 ham')
>>> placed_in((*row[:8], 0.5, *row[9:]), 1, START, keyed(b"id")) is None
True
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t

from deciban._crc32 cimport crc32_of
from deciban.committee._lesson_code cimport Features

from deciban.ledger.trail import follow, link

cdef enum:
    # Where the columns of `PLACED` stand (sqlite_ledger.py).
    POSITION = 0
    TRAIL = 1
    CODE = 2
    CHECKED = 3
    DIGEST = 4
    WRITTEN = 5
    LABEL = 6
    ORIGIN = 7
    SHARE = 8
    TAUGHT = 9
    TEXT = 10


cdef inline uint32_t check_of_bytes(uint32_t check, bytes data) noexcept:
    return crc32_of(check, <const unsigned char*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


cdef uint32_t check_of_lesson(bytes code, bytes digest, str label, taught, bytes text, str origin, share):
    """The check of a lesson (`check_of` in lesson.py); ``text`` is the fields from `by` to `names`."""
    cdef bytes before = f"{label}\0{taught}\0".encode("utf-8", "surrogatepass")
    cdef bytes behind = b"\0incoming\0001.0"
    cdef uint32_t check
    if origin != "incoming" or share != 1 or type(share) is not float:
        behind = f"\0{origin}\0{share}".encode("utf-8", "surrogatepass")
    check = check_of_bytes(check_of_bytes(0, digest), before)
    return check_of_bytes(check_of_bytes(check_of_bytes(check, text), behind), code)


cdef class Placed:
    """A lesson in its place."""

    def __init__(self, position, bytes trail, bytes step, str label, Features features, str origin, share):
        self.position = position
        self.trail = trail
        self.step = step
        self.label = label
        self._features = features
        self.origin = origin
        self.share = share

    @property
    def features(self):
        """Its features; of a stored lesson they are decoded now."""
        if self._features is None:
            self._features = Features.decode(self._code)
        return self._features

    @property
    def features_or_code(self):
        """Its features, or the code of them while nobody has asked for more."""
        return self._code if self._features is None else self._features

    def stored(self):
        """The same lesson with the code of its features only, a third of the memory."""
        cdef Placed lesson = Placed(self.position, self.trail, self.step, self.label, None, self.origin, self.share)
        lesson._code = (<Features>self.features).encode()
        return lesson

    def __eq__(self, other):
        return self._fields() == (<Placed>other)._fields() if isinstance(other, Placed) else NotImplemented

    def __hash__(self):
        return hash(self._fields())

    def __repr__(self):
        return f"Placed{self._fields()!r}"

    cdef tuple _fields(self):
        return self.position, self.trail, self.step, self.label, self.features, self.origin, self.share

    def at(self, position, bytes trail):
        """The same lesson in another place."""
        cdef Placed lesson = Placed(position, trail, self.step, self.label, self._features, self.origin, self.share)
        lesson._code = self._code
        return lesson


def most_features(lessons not None):
    """How many features lessons have, or can have by the length of their codes."""
    cdef Py_ssize_t most = 0
    cdef Placed lesson
    for lesson in lessons:
        most += Features.most_in(lesson._code) if lesson._features is None else len(lesson._features)
    return most


def placed_in(tuple row not None, position, bytes trail not None, ledger not None):
    """The lesson of a row of `PLACED`, in the place behind a trail; None if it is not as it was written."""
    cdef bytes code, digest, text, step
    cdef str label, origin
    try:
        code, digest, text, origin = row[CODE], row[DIGEST], row[TEXT], row[ORIGIN]
        label = row[LABEL] if row[WRITTEN] is None else row[WRITTEN]
        if code is None or digest is None or text is None or origin is None or label is None:
            return None
        if check_of_lesson(code, digest, label, row[TAUGHT], text, origin, row[SHARE]) != row[CHECKED]:
            return None
        step = link(digest, label, row[CHECKED])
    except (TypeError, AttributeError):  # of another type than was written
        return None
    cdef Placed lesson = Placed.__new__(Placed)
    lesson.position = position
    lesson.trail = follow(ledger, trail, step)
    lesson.step = step
    lesson.label = row[LABEL]
    lesson._code = code
    lesson.origin = row[ORIGIN]
    lesson.share = row[SHARE]
    return lesson


def placed_in_turn(list rows not None, bytes trail not None, ledger not None):
    """The lessons of rows that follow each other behind a trail, up to the first that does not or is not as it was written."""
    cdef list lessons = []
    cdef Placed lesson
    cdef tuple row
    for row in rows:
        lesson = placed_in(row, row[POSITION], trail, ledger)
        if lesson is None or lesson.trail != row[TRAIL]:
            break
        trail = lesson.trail
        lessons.append(lesson)
    return lessons


def written(
    lesson, taught, number, label, str spelling not None, position, bytes trail not None, ledger not None
):
    """The row of a new lesson, in the order of `COLUMNS`, and the lesson in its place behind a trail."""
    cdef Features features = lesson.features
    cdef bytes code = features.encode(), digest = lesson.digest, step
    cdef tuple texts = (
        lesson.by, lesson.source, lesson.sender, lesson.subject, lesson.date, lesson.message_id, lesson.names
    )
    share = float(lesson.share)
    checked = check_of_lesson(
        code, digest, spelling, taught, "\0".join(texts).encode("utf-8", "surrogatepass"), lesson.origin, share
    )
    step = link(digest, spelling, checked)
    return (
        (number, bytearray(digest), label, taught, *texts, lesson.origin, share, checked, code),   # see `blob` in sqlite_file.py
        Placed(position, follow(ledger, trail, step), step, spelling, features, lesson.origin, lesson.share),
    )
