"""Header fields, encoded words and parameters: see _headers.pyx."""

from deciban.text._content cimport Buffer, Content, Span

ctypedef struct Scratch:
    # Buffers that are used again and again while one message is read.
    Buffer decoded      # after the transfer decoding
    Buffer unicode      # HTML source as UTF-8
    Buffer words        # bytes of adjacent encoded words


cdef Py_ssize_t read_headers(
    Content* content, Scratch* scratch, Py_ssize_t start, int part, Py_ssize_t most, Py_ssize_t longest
) except -1 nogil
cdef int media_type_of(Content* content, Span value, Span* found) except -1 nogil
cdef int parameter_of(
    Content* content, Scratch* scratch, Span value, const char* name, Span* found
) except -1 nogil
