from deciban.committee._lesson_code cimport Features


cdef class Placed:
    cdef readonly object position
    cdef readonly bytes trail       # up to this lesson
    cdef readonly bytes step        # what the lesson added to the trail
    cdef readonly str label
    cdef Features _features
    cdef bytes _code                # of its features, if it is stored
    cdef readonly str origin
    cdef readonly object share

    cdef tuple _fields(self)
