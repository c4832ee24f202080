"""A bucket of the index of a sparse table (see _row_table.pyx): a line of the cache that says which rows some keys have.

    tags      of each entry the last 16 bits of its key
    rests     of each entry the first bits of its key, and behind them the number of its row, counted from 1
    count     how many entries there are, in the last byte

A narrow bucket has places for 12 entries, and rests of 3 bytes; a wide one, for tables of many rows, places for 10, and rests
of 4. Entries come one after the other; all else is 0. So a key that is not there has the rest 0, without a look at the count.

All tags are compared at once, and nothing branches on what is found. Now and then a tag is that of another key, 65,536 slots
away or more: its bucket was full, or the index is small. Then the first bits tell, and who asks looks once more (`place_in`).
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from deciban.committee._row_table cimport factor_of

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #define DECIBAN_NARROW_PLACES 12
    #define DECIBAN_WIDE_PLACES 10
    #define DECIBAN_TAG_BITS 16
    #define DECIBAN_COUNT_AT 63

    /* Which places have the tag of a key, a bit each; the bits from the number of places on say nothing. */
    #ifdef __SSE2__
    #include <emmintrin.h>
    static inline uint32_t deciban_places_of(const unsigned char* bucket, uint32_t key)
    {
        const __m128i* eights = (const __m128i*)bucket;
        const __m128i wanted = _mm_set1_epi16((short)key);
        const __m128i first = _mm_cmpeq_epi16(_mm_loadu_si128(eights), wanted);
        const __m128i next = _mm_cmpeq_epi16(_mm_loadu_si128(eights + 1), wanted);
        return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, next));
    }
    #else
    static inline uint32_t deciban_places_of(const unsigned char* bucket, uint32_t key)
    {
        uint32_t found = 0;
        uint16_t tag;
        for (int place = 0; place < DECIBAN_NARROW_PLACES; place++) {
            memcpy(&tag, bucket + 2 * place, sizeof(tag));
            found |= (uint32_t)(tag == (uint16_t)key) << place;
        }
        return found;
    }
    #endif

    /* The rest at a place; behind the last place it is 0. */
    static inline uint32_t deciban_rest_at(const unsigned char* bucket, uint32_t place, int places)
    {
        uint32_t rest;
        if (places == DECIBAN_WIDE_PLACES) {
            memcpy(&rest, bucket + 2 * DECIBAN_WIDE_PLACES + 4 * place, sizeof(rest));
            return rest & -(uint32_t)(place != DECIBAN_WIDE_PLACES);  /* there the count stands */
        }
        memcpy(&rest, bucket + 2 * DECIBAN_NARROW_PLACES + 3 * place, sizeof(rest));
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return rest & 0xFFFFFF;
    #else
        return rest >> 8;
    #endif
    }

    /* Write a rest to a place. */
    static inline void deciban_write_rest(unsigned char* bucket, uint32_t place, int places, uint32_t rest)
    {
        if (places == DECIBAN_WIDE_PLACES) {
            memcpy(bucket + 2 * DECIBAN_WIDE_PLACES + 4 * place, &rest, 4);
            return;
        }
    #if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
        rest <<= 8;
    #endif
        memcpy(bucket + 2 * DECIBAN_NARROW_PLACES + 3 * place, &rest, 3);
    }

    /* The rest of the first entry with the tag of a key; 0 if there is none. */
    static inline uint32_t deciban_rest_of(const unsigned char* bucket, uint32_t key, int places)
    {
        return deciban_rest_at(bucket, (uint32_t)__builtin_ctz(deciban_places_of(bucket, key) | 1u << places), places);
    }

    /* Write an entry into the first free place of a bucket, which has so many; `number` is counted from 1. */
    static inline void deciban_append_entry(
        unsigned char* bucket, uint32_t count, uint32_t key, uint32_t number, int number_bits, int places)
    {
        const uint16_t tag = (uint16_t)key;
        memcpy(bucket + 2 * count, &tag, sizeof(tag));
        deciban_write_rest(bucket, count, places, key >> DECIBAN_TAG_BITS << number_bits | number);
        bucket[DECIBAN_COUNT_AT] = (unsigned char)(count + 1);
    }

    /* What a number of so many bytes adds to the check of a block, over the factor of its first word (`factor_of`), where it
       stands at a place of a bucket that begins with the word `first`. It may begin in one word and end in the next. */
    static inline uint64_t deciban_check_of_number(uint64_t first, uint64_t place, int size, uint64_t number)
    {
        const uint64_t times = 2 * (first + (place >> 3)) + 1;
        const int before = (int)(place & 7);
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        (void)size;
        return (number << 8 * before) * times + (number >> 8 >> (56 - 8 * before)) * (times + 2);
    #else
        const int behind = 8 - before - size;
        if (behind >= 0) return (number << 8 * behind) * times;
        return (number >> -8 * behind) * times + (number << (64 + 8 * behind)) * (times + 2);
    #endif
    }
    static inline uint64_t deciban_check_of_rest(uint64_t first, uint32_t place, int places, uint32_t rest)
    {
        const int size = places == DECIBAN_NARROW_PLACES ? 3 : 4;
        return deciban_check_of_number(first, (uint64_t)(2 * places + size * (int)place), size, rest);
    }

    /* The same for an entry, without a look at the bucket: its words would have to be put together from what was just written. */
    static inline uint64_t deciban_check_of_entry(
        uint64_t first, uint32_t place, uint32_t key, uint32_t number, int number_bits, int places)
    {
        return deciban_check_of_number(first, 2 * place, 2, (uint16_t)key)
            + deciban_check_of_rest(first, place, places, key >> DECIBAN_TAG_BITS << number_bits | number)
            + deciban_check_of_number(first, DECIBAN_COUNT_AT, 1, 1);
    }
    """
    uint32_t places_of_tag "deciban_places_of"(const unsigned char*, uint32_t) nogil
    uint32_t rest_at "deciban_rest_at"(const unsigned char*, uint32_t, int) nogil
    void write_rest "deciban_write_rest"(unsigned char*, uint32_t, int, uint32_t) nogil
    uint32_t rest_of "deciban_rest_of"(const unsigned char*, uint32_t, int) nogil
    void append_entry "deciban_append_entry"(unsigned char*, uint32_t, uint32_t, uint32_t, int, int) nogil
    uint64_t check_of_rest "deciban_check_of_rest"(uint64_t, uint32_t, int, uint32_t) nogil
    uint64_t check_of_entry "deciban_check_of_entry"(uint64_t, uint32_t, uint32_t, uint32_t, int, int) nogil
    int __builtin_ctz(unsigned int) nogil

cdef enum:
    BUCKET = 64
    BUCKET_BITS = 6
    NARROW_PLACES = 12
    WIDE_PLACES = 10
    TAG_BITS = 16
    TAG_BYTES = 2
    COUNT_AT = BUCKET - 1


cdef inline uint32_t count_in(const unsigned char* bucket) noexcept nogil:
    """How many entries a bucket has."""
    return bucket[COUNT_AT]


cdef inline int place_in(const unsigned char* bucket, uint32_t key, int number_bits, int places) noexcept nogil:
    """Which entry of a bucket has a key; `places` if none has."""
    cdef uint32_t found = places_of_tag(bucket, key) & ((<uint32_t>1 << places) - 1)
    cdef int place
    while found:
        place = __builtin_ctz(found)
        # Free places look like entries of the key 0.
        if rest_at(bucket, place, places) >> number_bits == key >> TAG_BITS and <uint32_t>place < count_in(bucket):
            return place
        found &= found - 1
    return places


cdef inline uint32_t key_at(const unsigned char* bucket, uint32_t place, int number_bits, int places) noexcept nogil:
    cdef uint16_t tag
    memcpy(&tag, bucket + TAG_BYTES * place, TAG_BYTES)
    return rest_at(bucket, place, places) >> number_bits << TAG_BITS | tag


cdef inline uint32_t number_at(const unsigned char* bucket, uint32_t place, int number_bits, int places) noexcept nogil:
    """The number of the row of an entry, counted from 1."""
    return rest_at(bucket, place, places) & ((<uint32_t>1 << number_bits) - 1)


cdef inline uint64_t put_rest(
    unsigned char* bucket, uint32_t place, int places, uint32_t rest, uint64_t first
) noexcept nogil:
    """Write another rest to the place of an entry; what that adds to the check of its block."""
    cdef uint32_t before = rest_at(bucket, place, places)
    write_rest(bucket, place, places, rest)
    return factor_of(0) * (check_of_rest(first, place, places, rest) - check_of_rest(first, place, places, before))
