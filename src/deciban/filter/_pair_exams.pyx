"""The records of exams where there are two labels, as nearly all filters have them: compiled, one for each lesson.

A record (exams.py) is 40 bytes. In Python it took 4 µs to make one, of the 60 that a lesson takes to be learned.

>>> from deciban.committee._lesson_code import Features
>>> from deciban.ledger._placed import Placed
>>> lesson = Placed(7, b"", b"", "ham", Features.decode(bytes(2)), "incoming", 1.0)
>>> record = pair_records([lesson], [(1.0, -1.0)], {"spam": 0, "ham": 1}, "spam")
>>> from deciban.filter.exams import FIELDS
>>> len(record), FIELDS.unpack(record[:36])
(40, (7, -2.0, 2.0, 1.0, 0, 1, 0))
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport NAN
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from deciban._crc32 cimport crc32_of
from deciban.ledger._placed cimport Placed

from deciban.ledger.lesson import ORIGINS

cdef enum:
    # Position, truth, spam, share, the label that won, the true one, origin and room; then the check.
    CHECKED = 36
    RECORD = 40


cdef inline void put(unsigned char* place, uint64_t number, int size) noexcept nogil:
    """Write a number, lowest byte first on any machine."""
    cdef int i
    for i in range(size):
        place[i] = <unsigned char>(number >> 8 * i)


cdef inline uint64_t bits_of(double number) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &number, 8)
    return bits


cdef inline uint32_t short_bits_of(float number) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &number, 4)
    return bits


def pair_records(list lessons not None, list exams not None, dict numbers not None, str spam not None):
    """The records of lessons by their exams: the totals of both labels, whose numbers are given."""
    cdef Py_ssize_t i
    cdef int number, heeded = numbers.get(spam, -1)
    cdef double first, second
    cdef double[2] odds
    cdef Placed lesson
    cdef bytes records = PyBytes_FromStringAndSize(NULL, len(exams) * RECORD)
    cdef unsigned char* record = <unsigned char*>PyBytes_AS_STRING(records)
    memset(record, 0, len(exams) * RECORD)
    for i in range(len(exams)):
        lesson = lessons[i]
        number = numbers[lesson.label]
        first, second = exams[i]
        odds[0] = first - second
        odds[1] = second - first
        put(record, lesson.position, 8)
        put(record + 8, bits_of(odds[number & 1]), 8)
        put(record + 16, bits_of(NAN if heeded < 0 else odds[heeded & 1]), 8)
        put(record + 24, short_bits_of(<float>(<double>lesson.share)), 4)
        put(record + 28, second > first, 2)
        put(record + 30, number, 2)
        put(record + 32, <int>ORIGINS.index(lesson.origin), 1)
        put(record + CHECKED, crc32_of(0, record, CHECKED), 4)
        record += RECORD
    return records
