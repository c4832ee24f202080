"""A small table from names to numbers, filled once and then only asked: field names, HTML tags, entities.

A name is known by its FNV-1a hash in a table with open addressing. Two names with one hash would be taken
for each other: among the few hundred entered ones that does not happen, and a mail that makes up such a
name gains nothing but to be read as if it had written the real one.
"""

from libc.stdint cimport int32_t, uint64_t

from deciban.text._content cimport Buffer, buffer_of, byte_at, lower

cdef enum:
    NAME_SLOTS = 1024
    NO_NAME = -1000


ctypedef struct NameSlot:
    uint64_t hash       # 0: free
    int32_t number


ctypedef struct Names:
    NameSlot[NAME_SLOTS] slots


cdef inline uint64_t name_hash(
    const Buffer* source, Py_ssize_t start, Py_ssize_t end, bint any_case
) noexcept nogil:
    """FNV-1a of the name, lower-cased if case does not matter; never 0."""
    cdef uint64_t value = <uint64_t> 0xCBF29CE484222325ULL
    cdef Py_ssize_t place
    cdef int byte
    for place in range(start, end):
        byte = byte_at(source, place)
        value = (value ^ <uint64_t> (lower(byte) if any_case else byte)) * <uint64_t> 0x100000001B3ULL
    return value | 1


cdef inline int number_of(const Names* names, uint64_t name) noexcept nogil:
    """The number of the name with this hash, or NO_NAME."""
    cdef Py_ssize_t slot = name % NAME_SLOTS
    while names.slots[slot].hash != 0:
        if names.slots[slot].hash == name:
            return names.slots[slot].number
        slot = (slot + 1) % NAME_SLOTS
    return NO_NAME


cdef inline int enter_name(Names* names, bytes name, int number) except -1:
    """One more name; a table is never more than half full, so there is always a free slot."""
    cdef Buffer view = buffer_of(name)
    cdef uint64_t hashed = name_hash(&view, 0, view.size, False)
    cdef Py_ssize_t slot = hashed % NAME_SLOTS
    while names.slots[slot].hash != 0:
        slot = (slot + 1) % NAME_SLOTS
    names.slots[slot].hash = hashed
    names.slots[slot].number = number
    return 0
