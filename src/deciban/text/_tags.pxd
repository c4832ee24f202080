"""The head of a message and the tags in it: see _tags.pyx."""

from deciban.text._content cimport Buffer, starts_with


cdef inline bint begins_tag(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether [start, end) begins like a tag: a field of ours, or one that programs sort spam by."""
    return starts_with(source, start, end, b"x-deciban") or starts_with(source, start, end, b"x-spam")


cdef Py_ssize_t from_line_end(const Buffer* source, Py_ssize_t start) noexcept nogil
cdef Py_ssize_t next_tag(const Buffer* source, Py_ssize_t start) noexcept nogil
cdef bint is_field(const Buffer* source, Py_ssize_t start) noexcept nogil
