from libc.stdint cimport uint32_t


cdef uint32_t crc32_of(uint32_t check, const unsigned char* data, Py_ssize_t size) noexcept nogil
