"""A committee as other compiled code sees it: the panel hears and teaches two of them without Python's lock."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from deciban.committee._committee_buffer cimport CommitteeBuffer
from deciban.committee._lesson_code cimport Features
from deciban.committee._row_arithmetic cimport CountedRow

# A lesson that waits to be learned.
cdef struct Waiting:
    void* features          # or the code of them, if …
    Py_ssize_t size         # … it has so many bytes, and not 0
    Py_ssize_t label        # its number, or -1 if it is new


cdef class Bulk:
    cdef readonly list features     # or their codes; nobody may take away what is looked at without the lock
    cdef Features decoded           # those of a code, while the lesson is learned
    cdef Py_ssize_t room            # for how many there is room in it
    cdef Waiting* lessons
    cdef double* exams              # (lessons, labels)
    cdef Py_ssize_t count           # how many lessons wait
    cdef Py_ssize_t labels          # that an exam has totals for

    cdef int add(self, features, Py_ssize_t label) except -1
    cdef void* at(self, Py_ssize_t place) except NULL nogil
    cdef list found(self)


cdef class Committee(CommitteeBuffer):
    cdef tuple plain                # labels of which no two are spellings of one
    cdef double strength, band, neutral, complement, lead, rate, damping, rest, judge_rate, judge_bias, judge_run, judge_floor, margin, margin_grown, grows_from, grows_to
    # Room for one message: the rows of its features, and numbers for each label. Features that were never learned have no row, so
    # that the first rows of a view are those that are heard; those that are made when it is taught follow.
    cdef uint32_t* keys
    cdef unsigned char** rows
    cdef Py_ssize_t[2] heard_rows   # of each view
    cdef uint32_t* new_keys         # those that have no row, from the place of each view on
    cdef Py_ssize_t* missing        # which features have no row in the table of a layer, …
    cdef uint32_t* missing_keys
    cdef unsigned char** missing_rows   # … and where the foundation has them
    cdef unsigned char* widened     # rows of a foundation with room for fewer labels
    cdef unsigned char* nothing     # a row of zeros
    cdef double* shares         # (features that are kept, 2), if there is room for two labels; otherwise …
    cdef CountedRow* counted_rows    # … features that were ever counted, …
    cdef Py_ssize_t rows_counted     # … how many in the view that was heard last, …
    cdef uint32_t* keeping      # … and which of them are kept
    cdef Py_ssize_t rows_room
    cdef double* numbers
    cdef double* scores         # (witnesses, labels)
    cdef double* totals         # (labels)
    cdef double* product        # (labels)
    cdef double* inverse        # (labels): 1 / D_l
    cdef double* gradient       # (labels)
    cdef double* ratio          # (labels): c_l / D_l of one feature
    cdef Py_ssize_t[2] kept     # features that the counts of each view did not leave out
    cdef Py_ssize_t[2] known    # features that were ever counted, while complements are heard
    cdef Features scored        # what `scores` are about; None once they may not hold any more

    cdef void _let_go_of_room(self) noexcept
    cdef tuple _totals(self)
    cdef double _correction(self, Py_ssize_t number) noexcept nogil
    cdef int _make_room(self, Py_ssize_t count) except -1 nogil
    cdef int _make_more_room(self, Py_ssize_t count) except -1
    cdef int _make_room_below(self, Py_ssize_t count) except -1
    cdef int _find_rows(self, Features features) except -1 nogil
    cdef int _take_keys(self, Features features) except -1 nogil
    cdef int _find_every_row(self, Features features) except -1 nogil
    cdef int _look_below(self, Py_ssize_t count) except -1 nogil
    cdef Py_ssize_t _gather_known(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef void _hear(self, Features features, Py_ssize_t labels) noexcept nogil
    cdef double _scale(self, Py_ssize_t witness) noexcept nogil
    cdef void _hear_view(self, int view, unsigned char** rows, Py_ssize_t count, Py_ssize_t labels) noexcept nogil
    cdef Py_ssize_t _hear_rows(self, unsigned char** rows, Py_ssize_t count, Py_ssize_t labels, double* counted, double* weighed) noexcept nogil
    cdef void _add_wide_logarithms(self, Py_ssize_t kept, Py_ssize_t labels, double* counted) noexcept nogil
    cdef double _youth(self, Py_ssize_t labels) noexcept nogil
    cdef void _hear_complements(self, int view, Py_ssize_t labels, double* counted) noexcept nogil
    cdef double _by_complement(self, int view, Py_ssize_t labels) noexcept nogil
    cdef double _exposure(self, int view, Py_ssize_t labels) noexcept nogil
    cdef Py_ssize_t _hear_pairs(self, unsigned char** rows, Py_ssize_t count, double* counted, double* weighed) noexcept nogil
    cdef void _add_logarithms(self, Py_ssize_t kept, double* counted) noexcept nogil
    cdef void _invert_taught(self, int view, Py_ssize_t labels) noexcept nogil
    cdef void _take_logarithms(self, double* sums, Py_ssize_t labels) noexcept nogil
    cdef int _examine(self, Features features, double* exam, bint is_scored) except -1 nogil
    cdef int _teach_first(self, Features features, str label, const double* exam, Py_ssize_t known) except -1
    cdef int _teach(self, Features features, Py_ssize_t truth, const double* exam, Py_ssize_t known) except -1 nogil
    cdef uint64_t _rows_missing(self, Features features) noexcept nogil
    cdef double _doubt(self) noexcept nogil
    cdef double _believe(self, const double* exam, Py_ssize_t labels, Py_ssize_t truth) noexcept nogil
    cdef void _teach_judge(self, Py_ssize_t truth, Py_ssize_t labels, double belief) noexcept nogil
    cdef double _margin(self) noexcept nogil
    cdef int _teach_view(self, int view, Py_ssize_t first, Py_ssize_t count, Py_ssize_t truth, Py_ssize_t labels, double belief) except -1 nogil
    cdef double _begin_step(self, Py_ssize_t count, Py_ssize_t labels) noexcept nogil
    cdef int _teach_new_rows(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** room, Py_ssize_t counted, Py_ssize_t labels,
        double square,
    ) except -1 nogil
    cdef void _teach_rows(
        self, unsigned char** rows, Py_ssize_t count, Py_ssize_t counted, Py_ssize_t labels, double square
    ) noexcept nogil
    cdef int _hear_every_row(self, Features features) except -1
    cdef list _parts(self, int view, unsigned char** rows, Py_ssize_t count, Py_ssize_t first, Py_ssize_t second, Py_ssize_t labels, list factors)
    cdef double _complement_part(self, int view, const uint16_t* counts, Py_ssize_t first, Py_ssize_t second, Py_ssize_t labels) noexcept nogil
