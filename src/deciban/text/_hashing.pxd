# The stable feature hash, inlined into every module that makes features (see _hashing.pyx).

from libc.stdint cimport uint32_t, uint64_t

# The version of everything that decides which features a message has: hash, tokeniser, tables and views.
# A filter refuses to mix lessons of two versions, so a change of any feature needs a new number here.
cdef enum:
    FORMAT_VERSION = 1


cdef inline uint64_t hash_begin() noexcept nogil:
    """The FNV-1a state before the first byte."""
    return <uint64_t>0xCBF29CE484222325u


cdef inline uint64_t hash_byte(uint64_t state, unsigned char byte) noexcept nogil:
    """The FNV-1a state after one more byte."""
    return (state ^ byte) * <uint64_t>0x100000001B3u


cdef inline uint64_t hash_bytes(uint64_t state, const unsigned char* start, Py_ssize_t length) noexcept nogil:
    """The FNV-1a state after ``length`` more bytes, which the caller must own."""
    cdef Py_ssize_t i
    for i in range(length):
        state = (state ^ start[i]) * <uint64_t>0x100000001B3u
    return state


cdef inline uint64_t hash_end(uint64_t state) noexcept nogil:
    """The finaliser of splitmix64: FNV-1a alone leaves its high bits poorly mixed, and sets sort by them."""
    state = (state ^ (state >> 30)) * <uint64_t>0xBF58476D1CE4E5B9u
    state = (state ^ (state >> 27)) * <uint64_t>0x94D049BB133111EBu
    return state ^ (state >> 31)


cdef inline uint64_t hash_gram(uint64_t view, uint32_t gram) noexcept nogil:
    """The hash of a 4-gram: its bytes, first byte highest, mixed into the FNV-1a state of the view's tag."""
    return hash_end(view ^ gram)
