from libc.stdint cimport uint32_t

cdef enum:
    SHORT_BITS = 23
    SHIFT = 64 - SHORT_BITS


cdef class Features:
    # Words first, then letters: each view in increasing order without repetition. NULL while only the code is there.
    cdef uint32_t* data
    cdef Py_ssize_t words
    cdef Py_ssize_t letters
    cdef bytes code     # once it was asked for, or from the beginning
    cdef bytes _encoded(self)


cdef int read_code(const unsigned char* code, Py_ssize_t size, Features features, Py_ssize_t* room) except -1 nogil
cdef Features packed(bytes code, Py_ssize_t words, Py_ssize_t letters)
cdef int unpack(Features features) except -1
cdef Py_ssize_t room_for_code(Py_ssize_t count) noexcept nogil
cdef Py_ssize_t write_code(
    const uint32_t* features, Py_ssize_t words, Py_ssize_t letters, unsigned char* code
) except -1 nogil
cdef int make_room(Features features, Py_ssize_t count) except -1 nogil
