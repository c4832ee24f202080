"""HTML to text: see _html.pyx."""

from deciban.text._content cimport Buffer, Content

cdef int read_html(Content* content, const Buffer* source, int part, Py_ssize_t links) except -1 nogil
cdef bint looks_like_html(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil
