from libc.stdint cimport uint64_t

from deciban.text._harvest cimport Harvest, Hashes
from deciban.text._letters cimport Budgets
from deciban.text._reader cimport Message


cdef class FeatureSet:
    cdef Hashes hashes
    cdef Py_ssize_t[1] shape
    cdef Py_ssize_t[1] strides


cdef int gather_outside_facts(Harvest* harvest, facts) except -1
cdef Budgets default_budgets() noexcept nogil
