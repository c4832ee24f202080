from libc.stdint cimport uint32_t


cdef class Features:
    # Words first, then letters: each view in increasing order without repetition.
    cdef uint32_t* data
    cdef Py_ssize_t words
    cdef Py_ssize_t letters
