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

    /* Write a rest into a free place. The byte behind one of 3 bytes becomes 0: no entry may stand there yet. */
    static inline void deciban_write_rest(unsigned char* bucket, uint32_t place, int places, uint32_t rest)
    {
        if (places == DECIBAN_WIDE_PLACES) {
            memcpy(bucket + 2 * DECIBAN_WIDE_PLACES + 4 * place, &rest, sizeof(rest));
            return;
        }
    #if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
        rest <<= 8;
    #endif
        memcpy(bucket + 2 * DECIBAN_NARROW_PLACES + 3 * place, &rest, sizeof(rest));
    }

    /* The rest of the first entry with the tag of a key; 0 if there is none. */
    static inline uint32_t deciban_rest_of(const unsigned char* bucket, uint32_t key, int places)
    {
        return deciban_rest_at(bucket, (uint32_t)__builtin_ctz(deciban_places_of(bucket, key) | 1u << places), places);
    }

    /* A number of so many bytes, which stands at a place of some words of 8 bytes: what it is of the word where it begins, and
       of the next one. */
    static inline uint64_t deciban_in_word(uint64_t place, int size, uint64_t number)
    {
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return number << 8 * (place & 7);
    #else
        const int behind = 8 - (int)(place & 7) - size;
        return behind >= 0 ? number << 8 * behind : number >> -8 * behind;
    #endif
    }
    static inline uint64_t deciban_in_next_word(uint64_t place, int size, uint64_t number)
    {
        const int over = (int)(place & 7) + size - 8;
        if (over <= 0) return 0;
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return number >> 8 * (size - over);
    #else
        return number << 8 * (8 - over);
    #endif
    }
    """
    uint32_t places_of_tag "deciban_places_of"(const unsigned char*, uint32_t) nogil
    uint32_t rest_at "deciban_rest_at"(const unsigned char*, uint32_t, int) nogil
    void write_rest "deciban_write_rest"(unsigned char*, uint32_t, int, uint32_t) nogil
    uint32_t rest_of "deciban_rest_of"(const unsigned char*, uint32_t, int) nogil
    uint64_t in_word "deciban_in_word"(uint64_t, int, uint64_t) nogil
    uint64_t in_next_word "deciban_in_next_word"(uint64_t, int, uint64_t) nogil
    int __builtin_ctz(unsigned int) nogil

cdef enum:
    BUCKET = 64
    BUCKET_BITS = 6
    NARROW_PLACES = 12
    WIDE_PLACES = 10
    TAG_BITS = 16
    TAG_BYTES = 2
    COUNT_AT = BUCKET - 1


cdef inline int rest_bytes(int places) noexcept nogil:
    return 3 if places == NARROW_PLACES else 4


cdef inline uint32_t count_in(const unsigned char* bucket) noexcept nogil:
    """How many entries a bucket has."""
    return bucket[COUNT_AT]


cdef inline uint32_t key_part(uint32_t key, int number_bits) noexcept nogil:
    """What the rest of an entry has of its key, which stands before the number of the row."""
    return key >> TAG_BITS << number_bits


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


cdef inline uint64_t put(
    unsigned char* bucket, uint64_t place, int size, uint64_t before, uint64_t number, uint64_t first
) noexcept nogil:
    """Write a number of so many bytes where another stands; what that adds to the check of the block, in which the bucket
    begins with the word of this number.

    Words are read and written whole: whoever reads one whose parts were just written has to wait.
    """
    cdef uint64_t word, at = place >> 3
    cdef uint64_t more = in_word(place, size, number) - in_word(place, size, before)
    cdef uint64_t more_behind = in_next_word(place, size, number) - in_next_word(place, size, before)
    memcpy(&word, bucket + 8 * at, 8)
    word += more
    memcpy(bucket + 8 * at, &word, 8)
    if more_behind == 0:
        return more * factor_of(first + at)
    memcpy(&word, bucket + 8 * at + 8, 8)
    word += more_behind
    memcpy(bucket + 8 * at + 8, &word, 8)
    return more * factor_of(first + at) + more_behind * factor_of(first + at + 1)


cdef inline uint64_t put_rest(
    unsigned char* bucket, uint64_t place, int places, uint32_t before, uint32_t rest, uint64_t first
) noexcept nogil:
    cdef int size = rest_bytes(places)
    return put(bucket, TAG_BYTES * places + size * place, size, before, rest, first)


cdef inline uint64_t put_entry(
    unsigned char* bucket, uint32_t key, uint32_t number, int number_bits, int places, uint64_t first
) noexcept nogil:
    """Write an entry into the first free place of a bucket; `number` is counted from 1. What that adds to the check."""
    cdef uint64_t count = count_in(bucket)
    return (
        put(bucket, TAG_BYTES * count, TAG_BYTES, 0, <uint16_t>key, first)
        + put_rest(bucket, count, places, 0, key_part(key, number_bits) | number, first)
        + put(bucket, COUNT_AT, 1, count, count + 1, first)
    )


cdef inline void append_entry(
    unsigned char* bucket, uint32_t count, uint32_t key, uint32_t number, int number_bits, int places
) noexcept nogil:
    """The same for a bucket with so many entries, without the check, for who makes a whole index."""
    cdef uint16_t tag = <uint16_t>key
    memcpy(bucket + TAG_BYTES * count, &tag, TAG_BYTES)
    write_rest(bucket, count, places, key_part(key, number_bits) | number)
    bucket[COUNT_AT] = <unsigned char>(count + 1)
