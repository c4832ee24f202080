from libc.stdint cimport uint64_t

from deciban.text._harvest cimport Hashes
from deciban.text._reader cimport Message


cdef class FeatureSet:
    cdef Hashes hashes
    cdef Py_ssize_t[1] shape
    cdef Py_ssize_t[1] strides
