"""Transfer encodings: see _transfer.pyx."""

from libc.stdint cimport int64_t

from deciban.text._content cimport Buffer, Content

cdef int64_t decode_base64(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Buffer* target, Py_ssize_t keep
) except -1 nogil
cdef int64_t decode_quoted(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end,
    Buffer* target, Py_ssize_t keep, bint word
) except -1 nogil
cdef int64_t decode_uu(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end, Buffer* target, Py_ssize_t keep
) except -1 nogil
cdef bint is_base64(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil
