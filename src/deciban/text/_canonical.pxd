"""From any bytes to the canonical form: see _canonical.pyx."""

from deciban.text._content cimport Buffer, Content

cdef int canonicalise(Content* content, const Buffer* source, Py_ssize_t limit) except -1 nogil
