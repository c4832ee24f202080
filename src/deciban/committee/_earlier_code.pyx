"""The code in which versions before the sparse tables kept a state: which units of 16 bytes are not zero, and those.

    one bit a unit      whether it is there; bits fill each byte from the lowest; filled up to a multiple of 16 bytes
    the units           those that are there, in their order

Lessons that were folded then exist only in this code (see filter/earlier_state.py).

>>> state = bytearray(64)
>>> decode(bytes.fromhex("02000000000000000000000000000000776f7264000000000000000000000000"), state)
>>> state[16:20]
bytearray(b'word')
"""

from libc.string cimport memcpy

from deciban.errors import DamagedSnapshot

cdef enum:
    UNIT = 16


cdef Py_ssize_t map_bytes(Py_ssize_t units) noexcept nogil:
    return (units + 8 * UNIT - 1) // (8 * UNIT) * UNIT


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
