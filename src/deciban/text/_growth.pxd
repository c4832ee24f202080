"""Memory that grows as things are added to it, for every table and buffer of the reader.

    if links.count == links.room:
        links.rows = <Link*> grown(links.rows, &links.room, links.count + 1, 16, sizeof(Link))
"""

from libc.stdlib cimport realloc


cdef inline void* grown(
    void* data, Py_ssize_t* room, Py_ssize_t wanted, Py_ssize_t spare, size_t item
) except NULL nogil:
    """The same memory with room for ``wanted`` items and some to spare; doubling keeps a series of additions linear."""
    cdef Py_ssize_t more = max(2 * room[0], wanted + spare)
    cdef void* moved = realloc(data, more * item)
    if moved == NULL:
        with gil:
            raise MemoryError
    room[0] = more
    return moved
