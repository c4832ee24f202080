"""A buffer that is mostly zeros, in fewer bytes: which of its units of 16 bytes are not zero, and those.

A row of two labels is one unit, and most rows of a state are empty: three states of 67 MB each, of filters with up to
6,000 lessons of mail, took 26 MB together.

    one bit a unit      whether it is there; bits fill each byte from the lowest; filled up to a multiple of 16 bytes
    the units           those that are there, in their order

>>> state = bytearray(64)
>>> state[16:20] = b"word"
>>> code = encode(state)
>>> code.hex()
'02000000000000000000000000000000776f7264000000000000000000000000'
>>> again = bytearray(64)
>>> decode(code, again)
>>> again == state
True
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from deciban.errors import DamagedSnapshot

cdef enum:
    UNIT = 16


cdef Py_ssize_t map_bytes(Py_ssize_t units) noexcept nogil:
    return (units + 8 * UNIT - 1) // (8 * UNIT) * UNIT


cdef inline bint is_there(const unsigned char* unit) noexcept nogil:
    cdef uint64_t[2] words
    memcpy(words, unit, UNIT)
    return (words[0] | words[1]) != 0


def encode(const unsigned char[::1] data):
    """The code of a buffer, whose length must be a multiple of 16."""
    if data.shape[0] % UNIT or not data.shape[0]:
        raise ValueError("the length must be a multiple of 16, and not 0")
    cdef Py_ssize_t units = data.shape[0] // UNIT, i, count = 0
    cdef const unsigned char* unit = &data[0]
    with nogil:
        for i in range(units):
            count += is_there(unit + i * UNIT)
    code = PyBytes_FromStringAndSize(NULL, map_bytes(units) + count * UNIT)
    cdef unsigned char* there = <unsigned char*>PyBytes_AS_STRING(code)
    cdef unsigned char* end = there + map_bytes(units)
    cdef unsigned char* last = end + count * UNIT
    with nogil:
        memset(there, 0, map_bytes(units))
        for i in range(units):
            # The second test costs nothing, and a buffer that somebody changes meanwhile cannot overrun the code.
            if is_there(unit + i * UNIT) and end < last:
                there[i >> 3] |= 1 << (i & 7)
                memcpy(end, unit + i * UNIT, UNIT)
                end += UNIT
    return code


def decode(const unsigned char[::1] code, unsigned char[::1] data):
    """Fill in a buffer of zeros, of the length that was encoded."""
    if data.shape[0] % UNIT or not data.shape[0]:
        raise ValueError("the length must be a multiple of 16, and not 0")
    cdef Py_ssize_t units = data.shape[0] // UNIT, i
    cdef bint whole = True
    if code.shape[0] < map_bytes(units):
        raise DamagedSnapshot("A saved state is cut short. Remove it: it is made again from the ledger.")
    cdef const unsigned char* there = &code[0]
    cdef const unsigned char* unit = there + map_bytes(units)
    cdef const unsigned char* end = there + code.shape[0]
    cdef unsigned char* target = &data[0]
    with nogil:
        for i in range(units):
            if there[i >> 3] >> (i & 7) & 1:
                if end - unit < UNIT:
                    whole = False
                    break
                memcpy(target + i * UNIT, unit, UNIT)
                unit += UNIT
    if not whole or unit != end:
        raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
