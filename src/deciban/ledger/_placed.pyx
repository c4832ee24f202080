"""Lessons in their places, as a replay needs them; made of the rows of a ledger, and on the way into it.

A replay of 6,000 lessons makes 6,000 of them and does little else with Python's lock. So what is done for each is
compiled: 11 µs for a row as it was, of which its features take 7.

>>> from deciban.ledger.trail import START
>>> from deciban.committee._lesson_code import Features
>>> code = Features.decode(bytes(2)).encode()
>>> from deciban.ledger.lesson import check_of
>>> texts = "", "inbox@0", "", "", "", "", "", "incoming", 1.0
>>> checked = check_of(code, b"digest", "ham", 7, *texts)
>>> placed = placed_in((1, START, code, "ham", checked, b"digest", "ham", 7, *texts), 1, START, b"id")
>>> placed.position, placed.label, placed.step
(1, 'ham', b'digest 2355505795 ham')
>>> placed_in((1, START, code, "ham", checked, b"digest", "ham", 8, *texts), 1, START, b"id") is None
True
"""

from deciban.committee._lesson_code cimport Features

from deciban.ledger.lesson import check_of_text
from deciban.ledger.trail import follow, link

cdef enum:
    # Where the columns of `READ` stand (sqlite_ledger.py).
    CODE = 2
    WRITTEN = 3
    CHECKED = 4
    DIGEST = 5
    LABEL = 6
    TAUGHT = 7
    FIELDS = 8
    ORIGIN = 15
    SHARE = 16


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
        return Placed(position, trail, self.step, self.label, self.features, self.origin, self.share)


def placed_in(tuple row not None, position, bytes trail not None, bytes identity not None):
    """The lesson of a row of `READ`, in the place behind a trail; None if it is not as it was written."""
    cdef list texts = []
    cdef Py_ssize_t column
    cdef bytes code, step
    try:
        code = row[CODE]
        texts.append(row[WRITTEN])
        texts.append(str(row[TAUGHT]))
        for column in range(FIELDS, SHARE + 1):
            field = row[column]
            texts.append(field if type(field) is str else str(field))
        if check_of_text(code, row[DIGEST], "\0".join(texts)) != row[CHECKED]:
            return None
    except (TypeError, AttributeError):  # of another type than was written
        return None
    step = link(row[DIGEST], row[WRITTEN], row[CHECKED])
    return Placed(
        position, follow(identity, trail, step), step, row[LABEL], Features.decode(code), row[ORIGIN], row[SHARE]
    )


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
    checked = check_of_text(code, digest, "\0".join((spelling, str(taught), *texts, str(share))))
    step = link(digest, spelling, checked)
    return (
        (number, bytearray(digest), label, taught, *texts, share, checked, code),   # see `blob` in sqlite_file.py
        Placed(position, follow(identity, trail, step), step, spelling, features, lesson.origin, lesson.share),
    )
