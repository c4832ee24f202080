"""The C side of `Message`: see _content.pxd for what `content` holds and how to walk through it."""

from deciban.text._content cimport Content


cdef class Message:
    cdef Content content
    cdef bytes _digest
    cdef readonly bytes source


cpdef Message read(data, limits=*)
