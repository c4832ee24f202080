"""From bytes in some charset to UTF-8: see _charset.pyx."""

from deciban.text._content cimport Buffer, Content, Span

cdef int decode_text(
    Content* content, const Buffer* source, Py_ssize_t start, Py_ssize_t end,
    const Buffer* names, Span declared, Buffer* target, Span* codec
) except -1 nogil
cdef int append_western(Buffer* target, int byte) except -1 nogil
