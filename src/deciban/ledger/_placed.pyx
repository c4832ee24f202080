r"""Lessons in their places, as a replay needs them; made of the rows of a ledger, and on the way into it.

A replay of 6,000 lessons makes 6,000 of them and does little else with Python's lock. So what is done for each is
compiled, and the fields that only the check needs come from the ledger as one text.

>>> from deciban.ledger.trail import START
>>> from deciban.committee._lesson_code import Features
>>> code = Features.decode(bytes(2)).encode()
>>> from deciban.ledger.lesson import check_of
>>> texts = "", "inbox@0", "", "", "", "", "", "incoming"
>>> checked = check_of(code, b"digest", "ham", 7, *texts, 1.0)
>>> row = 1, START, code, checked, b"digest", "ham", "ham", "incoming", 1.0, "\0".join(("ham", "7", *texts)).encode()
>>> placed = placed_in(row, 1, START, b"id")
>>> placed.position, placed.label, placed.step
(1, 'ham', b'digest 2355505795 ham')
>>> placed_in((*row[:8], 0.5, row[9]), 1, START, b"id") is None
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
    TEXT = 9


cdef inline uint32_t check_of_bytes(uint32_t check, bytes data) noexcept:
    return crc32_of(check, <const unsigned char*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


cdef uint32_t check_of_lesson(bytes code, bytes digest, bytes text, share):
    """The check of a lesson (`check_of` in lesson.py), all of whose fields but the last are one text."""
    cdef bytes last = b"\0001.0" if share == 1 and type(share) is float else b"\0" + str(share).encode()
    return check_of_bytes(check_of_bytes(check_of_bytes(check_of_bytes(0, digest), text), last), code)


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

    @property
    def most_features(self):
        """How many features it has, or can have by the length of their code."""
        return Features.most_in(self._code) if self._features is None else len(self._features)

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


def placed_in(tuple row not None, position, bytes trail not None, bytes identity not None):
    """The lesson of a row of `PLACED`, in the place behind a trail; None if it is not as it was written."""
    cdef bytes code, digest, text, step
    try:
        code, digest, text = row[CODE], row[DIGEST], row[TEXT]
        if code is None or digest is None or text is None:
            return None
        if check_of_lesson(code, digest, text, row[SHARE]) != row[CHECKED]:
            return None
        step = link(digest, row[WRITTEN], row[CHECKED])
    except (TypeError, AttributeError):  # of another type than was written
        return None
    cdef Placed lesson = Placed.__new__(Placed)
    lesson.position = position
    lesson.trail = follow(identity, trail, step)
    lesson.step = step
    lesson.label = row[LABEL]
    lesson._code = code
    lesson.origin = row[ORIGIN]
    lesson.share = row[SHARE]
    return lesson


def placed_in_turn(list rows not None, bytes trail not None, bytes identity not None):
    """The lessons of rows that follow each other behind a trail, up to the first that does not or is not as it was written."""
    cdef list lessons = []
    cdef Placed lesson
    cdef tuple row
    for row in rows:
        lesson = placed_in(row, row[POSITION], trail, identity)
        if lesson is None or lesson.trail != row[TRAIL]:
            break
        trail = lesson.trail
        lessons.append(lesson)
    return lessons


def written(
    lesson, taught, number, label, str spelling not None, position, bytes trail not None, bytes identity not None
):
    """The row of a new lesson, in the order of `COLUMNS`, and the lesson in its place behind a trail."""
    cdef Features features = lesson.features
    cdef bytes code = features.encode(), digest = lesson.digest, step
    cdef tuple texts = (
        lesson.by, lesson.source, lesson.sender, lesson.subject, lesson.date, lesson.message_id, lesson.names,
        lesson.origin,
    )
    share = float(lesson.share)
    checked = check_of_lesson(
        code, digest, "\0".join((spelling, str(taught), *texts)).encode("utf-8", "surrogatepass"), share
    )
    step = link(digest, spelling, checked)
    return (
        (number, bytearray(digest), label, taught, *texts, share, checked, code),   # see `blob` in sqlite_file.py
        Placed(position, follow(identity, trail, step), step, spelling, features, lesson.origin, lesson.share),
    )
