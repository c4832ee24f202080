from libc.stdint cimport uint32_t

cdef enum:
    SHORT_BITS = 23
    SHIFT = 64 - SHORT_BITS


cdef class Features:
    # Words first, then letters: each view in increasing order without repetition.
    cdef uint32_t* data
    cdef Py_ssize_t words
    cdef Py_ssize_t letters
    cdef bytes code     # once it was asked for
    cdef bytes _encoded(self)


cdef int read_code(const unsigned char* code, Py_ssize_t size, Features features, Py_ssize_t* room) except -1 nogil
cdef Py_ssize_t write_code(Features features, unsigned char** code) except -1 nogil
cdef int make_room(Features features, Py_ssize_t count) except -1 nogil
