# The numbers of a committee (see _committee_buffer.pyx).

from libc.stdint cimport uint64_t

from deciban.committee._row_table cimport RowTable, TableHead

cdef enum:
    WITNESSES = 4       # counts and weights over words, then over letters

cdef struct Head:
    char[8] magic
    uint64_t format         # of this layout and of the features
    uint64_t settings       # hash of their text
    TableHead table
    uint64_t foundation     # the seal of what this is a layer over, or 0
    uint64_t labels
    uint64_t lessons
    uint64_t check          # of the header, but for this, and of the labels
    uint64_t judged         # lessons since there were two labels
    uint64_t run            # the label of the last lesson …
    double trust            # … and how far the judge trusts it
    double[4] squares       # sums over lessons: mean square difference between two labels
    double[4] weights
    double[4] slopes        # sums over lessons: squared slopes of the judge's loss along its weights
    double confidence       # sum over exams: the winner's total above the runner-up's
    double sure             # exams with SURE times the mean of it, or more, …
    double contradicted     # … and those of them whose lesson had another label than the winner

cdef struct LabelRecord:
    char[64] name           # UTF-8, filled up with NUL
    double bias
    double slopes           # sum over lessons: squared slope along the bias
    uint64_t lessons
    double[2] taught        # lessons that the counts of each view were taught
    double trusted          # sum of the judge's trust in the lessons that it was taught


cdef Py_ssize_t label_bytes(settings) except -1
cdef Py_ssize_t table_at(const TableHead* table, Py_ssize_t label) noexcept nogil


cdef class CommitteeBuffer:
    cdef object __weakref__
    cdef Py_buffer buffer
    cdef bint holding
    cdef readonly Py_ssize_t capacity
    cdef readonly object settings
    cdef Head* header
    cdef LabelRecord* records
    cdef Py_ssize_t label           # the bytes of a label: its record, and two of the following
    cdef double* exposures          # (labels, views): features that were taught to the counts; NULL without `complement`
    cdef uint64_t* checks
    cdef RowTable table
    cdef readonly CommitteeBuffer foundation

    cdef int _check(self, settings) except -1
    cdef int _take_table(self, uint64_t salt) except -1
    cdef Py_ssize_t _length(self) except -1
    cdef int _take_head(self, CommitteeBuffer other) except -1
    cdef Py_ssize_t _room_to_share(self) noexcept nogil
    cdef bint _has_rows_for(self, uint64_t features) noexcept nogil
    cdef int _check_table(self) except -1
    cdef CommitteeBuffer _whole(self)
    cdef CommitteeBuffer _taken(self, CommitteeBuffer other)
    cdef bytes _code(self)
    cdef int _must_hold(self) except -1
    cdef uint64_t _head_check(self) noexcept nogil
    cdef uint64_t _names_check(self) noexcept nogil
    cdef str _name(self, Py_ssize_t number)
    cdef Py_ssize_t _number(self, str label) except -2
    cdef Py_ssize_t _known(self, str label) except -1
    cdef Py_ssize_t _considered(self) noexcept nogil
    cdef Py_ssize_t _add_label(self, str label) except -1
