"""Which header fields are known by name: see _fields.pyx."""

from deciban.text._content cimport Buffer

# What field_kind answers for a field that a filter or a mail store adds: it is no part of the canonical form.
cdef enum:
    FIELD_ADDED = -1

cdef int field_kind(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil
cdef Py_ssize_t field_name_end(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil
