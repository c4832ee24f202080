"""The index of a sparse table (see _row_table.pyx), as far as it is asked and written for many keys at a time.

Nothing waits for memory here, and nothing branches on what is found, so what counts is the number of instructions for a key:

    homes      the bucket where the search for a key begins
    look up    in its home, the number of the row of each key, four keys at a time. Keys that are not there are listed: if
               their home is full, they may lie behind it
    gather     the rows of the keys that have one, in their order, and the other keys
    enter      an entry for each new key, as long as all of them have a free place in their homes
    entries    of a directory, in the order of its keys, of which a whole index is made

`python -m benchmarks states` compares it with a dense table, which needs no index; docs/experiments.md says what was tried.
"""

from libc.stdint cimport uint32_t, uint64_t

# The C code below uses that of the buckets.
from deciban.committee._bucket cimport append_entry, rest_of

cdef extern from *:
    """
    #include <stddef.h>

    /* So many keys ahead a bucket is asked for: 16 took 58 µs a score, 40 took 51, all at once 68. */
    #define DECIBAN_AHEAD 40
    /* And so many keys ahead the home of a new key: a lesson in a table of 200 takes 64 µs, and 68 without. */
    #define DECIBAN_AHEAD_OF_ENTERING 8
    #define DECIBAN_BLOCK_BITS 12
    #define DECIBAN_BUCKET_BITS 6

    /* The bucket where the search for a key begins: keys are spread evenly, so their order spreads them. */
    static inline uint32_t deciban_home_of(uint32_t key, int shift, uint32_t buckets)
    {
        return (uint32_t)((uint64_t)(key << shift) * buckets >> 32);
    }

    /* The same for some keys, in bytes. Without being told, GCC takes three multiplications for two of them. */
    static inline void deciban_find_homes(
        const uint32_t* keys, ptrdiff_t count, int shift, uint32_t buckets, uint32_t* homes)
    {
        ptrdiff_t i = 0;
    #ifdef __SSE2__
        const __m128i factor = _mm_set1_epi64x(buckets), upper = _mm_set1_epi64x((long long)0xFFFFFFFF00000000);
        for (; i + 4 <= count; i += 4) {
            const __m128i spread = _mm_sll_epi32(_mm_loadu_si128((const __m128i*)(keys + i)), _mm_cvtsi32_si128(shift));
            const __m128i even = _mm_srli_epi64(_mm_mul_epu32(spread, factor), 32);
            const __m128i odd = _mm_and_si128(_mm_mul_epu32(_mm_srli_epi64(spread, 32), factor), upper);
            _mm_storeu_si128((__m128i*)(homes + i), _mm_slli_epi32(_mm_or_si128(even, odd), DECIBAN_BUCKET_BITS));
        }
    #endif
        for (; i < count; i++) homes[i] = deciban_home_of(keys[i], shift, buckets) << DECIBAN_BUCKET_BITS;
    }

    /* The number of the row of a key, counted from 1, as far as an entry with this rest tells; 0 if there is none. The entry is
       that of another key if this is more than there are rows. */
    static inline uint32_t deciban_number_in(uint32_t rest, uint32_t key, int number_bits)
    {
        return rest ^ (key >> DECIBAN_TAG_BITS << number_bits & -(uint32_t)(rest != 0));
    }

    #ifdef __SSE2__
    /* The tag of one of four keys, which stand there twice each, in eight lanes. */
    #define DECIBAN_TAGS_OF(four, which) _mm_shuffle_epi32(four, 0x55 * (which))
    /* Which of four lanes a mask has, and how many. */
    static const uint32_t deciban_lanes[16][4] = {
        {0}, {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}, {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3},
        {0, 1, 2, 3}};
    static const unsigned char deciban_lane_counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

    /* The rest of the first entry with a tag. */
    static inline __attribute__((always_inline)) __m128i deciban_rest_with(
        const unsigned char* bucket, __m128i tags, const int places)
    {
        const __m128i* eights = (const __m128i*)bucket;
        const __m128i first = _mm_cmpeq_epi16(_mm_loadu_si128(eights), tags);
        const __m128i next = _mm_cmpeq_epi16(_mm_loadu_si128(eights + 1), tags);
        const uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, next)) | 1u << places;
        const uint32_t place = (uint32_t)__builtin_ctz(found);
        if (places == DECIBAN_WIDE_PLACES) return _mm_cvtsi32_si128((int)deciban_rest_at(bucket, place, places));
        uint32_t rest;
        memcpy(&rest, bucket + 2 * DECIBAN_NARROW_PLACES + 3 * place, sizeof(rest));
        return _mm_cvtsi32_si128((int)rest);
    }
    #endif

    /* The numbers of the rows of some keys, as far as their homes tell, counted from 1, or 0; how many have 0, and which.
       There must be homes for more keys than there are, and room for more that are absent.
       `is_other` becomes 1 if an entry was that of another key: then its number is more than there are rows. */
    static inline __attribute__((always_inline)) ptrdiff_t deciban_look_up_in(
        const unsigned char* index, const uint32_t* homes, const uint32_t* keys, ptrdiff_t count, const int places,
        int number_bits, uint32_t rows, uint32_t* numbers, uint32_t* absent, int* is_other)
    {
        ptrdiff_t i = 0, found = 0;
        int others = 0;
    #ifdef __SSE2__
        const __m128i none = _mm_setzero_si128(), most = _mm_set1_epi32((int)rows), shift = _mm_cvtsi32_si128(number_bits);
        const __m128i three_bytes = _mm_set1_epi32(0xFFFFFF), step = _mm_set1_epi32(4);
        __m128i larger = none, place = none;
        for (; i + 4 <= count; i += 4) {
            const __m128i four = _mm_loadu_si128((const __m128i*)(keys + i));
            const __m128i tags = _mm_shufflehi_epi16(_mm_shufflelo_epi16(four, 0xA0), 0xA0);
            for (int j = 0; j < 4; j++) __builtin_prefetch(index + homes[i + DECIBAN_AHEAD + j], 0, 3);
            const __m128i first = _mm_unpacklo_epi32(
                deciban_rest_with(index + homes[i], DECIBAN_TAGS_OF(tags, 0), places),
                deciban_rest_with(index + homes[i + 1], DECIBAN_TAGS_OF(tags, 1), places));
            const __m128i next = _mm_unpacklo_epi32(
                deciban_rest_with(index + homes[i + 2], DECIBAN_TAGS_OF(tags, 2), places),
                deciban_rest_with(index + homes[i + 3], DECIBAN_TAGS_OF(tags, 3), places));
            __m128i number = _mm_unpacklo_epi64(first, next);
            if (places == DECIBAN_NARROW_PLACES) number = _mm_and_si128(number, three_bytes);
            const __m128i is_absent = _mm_cmpeq_epi32(number, none);
            const __m128i part = _mm_sll_epi32(_mm_srli_epi32(four, DECIBAN_TAG_BITS), shift);
            number = _mm_xor_si128(number, _mm_andnot_si128(is_absent, part));
            larger = _mm_or_si128(larger, _mm_or_si128(number, _mm_sub_epi32(most, number)));
            _mm_storeu_si128((__m128i*)(numbers + i), number);
            const int mask = _mm_movemask_ps(_mm_castsi128_ps(is_absent));
            const __m128i lanes = _mm_loadu_si128((const __m128i*)deciban_lanes[mask]);
            _mm_storeu_si128((__m128i*)(absent + found), _mm_add_epi32(place, lanes));
            found += deciban_lane_counts[mask];
            place = _mm_add_epi32(place, step);
        }
        others = _mm_movemask_ps(_mm_castsi128_ps(larger)) != 0;
    #endif
        for (; i < count; i++) {
            __builtin_prefetch(index + homes[i + DECIBAN_AHEAD], 0, 3);
            numbers[i] = deciban_number_in(deciban_rest_of(index + homes[i], keys[i], places), keys[i], number_bits);
            others |= numbers[i] > rows;
            absent[found] = (uint32_t)i;
            found += numbers[i] == 0;
        }
        *is_other = others;
        return found;
    }

    /* The same, made for each number of places. */
    static ptrdiff_t deciban_look_up(
        const unsigned char* index, const uint32_t* homes, const uint32_t* keys, ptrdiff_t count, int places, int number_bits,
        uint32_t rows, uint32_t* numbers, uint32_t* absent, int* is_other)
    {
        if (places == DECIBAN_NARROW_PLACES)
            return deciban_look_up_in(
                index, homes, keys, count, DECIBAN_NARROW_PLACES, number_bits, rows, numbers, absent, is_other);
        return deciban_look_up_in(
            index, homes, keys, count, DECIBAN_WIDE_PLACES, number_bits, rows, numbers, absent, is_other);
    }

    /* The rows of keys that have one, in their order; how many. `before` is where a row 0 would be. Unless they are NULL, the
       keys that have one are written into `known`, which may be the keys themselves, and those that have none into `missing`. */
    static inline __attribute__((always_inline)) ptrdiff_t deciban_gather_into(
        const uint32_t* numbers, ptrdiff_t count, unsigned char* before, const ptrdiff_t size, unsigned char** rows,
        const uint32_t* keys, uint32_t* known, uint32_t* missing)
    {
        ptrdiff_t found = 0;
        for (ptrdiff_t i = 0; i < count; i++) {
            if (missing != NULL) missing[i - found] = keys[i];
            if (known != NULL) known[found] = keys[i];
            rows[found] = before + numbers[i] * size;
            __builtin_prefetch(rows[found], 1, 3);
            found += numbers[i] != 0;
        }
        return found;
    }

    /* The same, made for rows of two labels without known keys, as nearly all are gathered. */
    static ptrdiff_t deciban_gather(
        const uint32_t* numbers, ptrdiff_t count, unsigned char* before, ptrdiff_t size, unsigned char** rows,
        const uint32_t* keys, uint32_t* known, uint32_t* missing)
    {
        if (size != 16 || known != NULL)
            return deciban_gather_into(numbers, count, before, size, rows, keys, known, missing);
        if (missing != NULL) return deciban_gather_into(numbers, count, before, 16, rows, keys, NULL, missing);
        return deciban_gather_into(numbers, count, before, 16, rows, keys, NULL, NULL);
    }

    /* Key · 2^32 + number of each row that a directory has for these keys, in their order; how many there are. There must be
       room for one more than are found.
       Whether a key has a row cannot be predicted, so nothing branches on it. Of 64 keys at a time, those that have one are
       found by comparison; of what is left, each entry is written, and the next one over it unless it counts. */
    static ptrdiff_t deciban_entries_between(const uint32_t* directory, uint64_t first, uint64_t end, uint64_t* entries)
    {
        ptrdiff_t found = 0;
    #ifdef __SSE2__
        const __m128i none = _mm_setzero_si128();
        for (; first + 64 <= end; first += 64) {
            uint64_t absent = 0;
            for (int part = 0; part < 64; part += 16) {
                const __m128i* fours = (const __m128i*)(directory + first + part);
                const __m128i lower = _mm_packs_epi32(
                    _mm_cmpeq_epi32(_mm_loadu_si128(fours), none), _mm_cmpeq_epi32(_mm_loadu_si128(fours + 1), none));
                const __m128i upper = _mm_packs_epi32(
                    _mm_cmpeq_epi32(_mm_loadu_si128(fours + 2), none), _mm_cmpeq_epi32(_mm_loadu_si128(fours + 3), none));
                absent |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lower, upper)) << part;
            }
            for (uint64_t present = ~absent; present; present &= present - 1) {
                const uint64_t key = first + (uint64_t)__builtin_ctzll(present);
                entries[found++] = key << 32 | (uint32_t)(directory[key] - 1);
            }
        }
    #endif
        for (; first < end; first++) {
            entries[found] = first << 32 | (uint32_t)(directory[first] - 1);
            found += directory[first] != 0;
        }
        return found;
    }

    /* Write entries for keys that have none, for the rows from the number `next` on, and add them to the checks of their blocks,
       each of which counts its words an odd number of times `odd`. How many were written: it ends at the first key whose home
       lies in a block that was not `checked` yet, or is full, or has an entry with its tag, which may be its own. */
    static inline __attribute__((always_inline)) ptrdiff_t deciban_enter_in(
        unsigned char* index, const uint32_t* keys, ptrdiff_t count, int shift, uint32_t buckets, int number_bits,
        const int places, uint32_t next, const unsigned char* checked, uint64_t* checks, uint64_t odd)
    {
        for (ptrdiff_t i = 0; i < count; i++) {
            const ptrdiff_t ahead = i + DECIBAN_AHEAD_OF_ENTERING < count ? i + DECIBAN_AHEAD_OF_ENTERING : count - 1;
            __builtin_prefetch(index + ((size_t)deciban_home_of(keys[ahead], shift, buckets) << DECIBAN_BUCKET_BITS), 1, 3);
            const size_t home = (size_t)deciban_home_of(keys[i], shift, buckets) << DECIBAN_BUCKET_BITS;
            unsigned char* bucket = index + home;
            const uint32_t filled = bucket[DECIBAN_COUNT_AT];
            if (!checked[home >> DECIBAN_BLOCK_BITS] || filled >= (uint32_t)places
                || deciban_places_of(bucket, keys[i]) & ((1u << filled) - 1))
                return i;
            deciban_append_entry(bucket, filled, keys[i], next + (uint32_t)i, number_bits, places);
            const uint64_t first = (home & (((size_t)1 << DECIBAN_BLOCK_BITS) - 1)) >> 3;
            checks[home >> DECIBAN_BLOCK_BITS] +=
                odd * deciban_check_of_entry(first, filled, keys[i], next + (uint32_t)i, number_bits, places);
        }
        return count;
    }

    /* The same, made for each number of places. */
    static ptrdiff_t deciban_enter(
        unsigned char* index, const uint32_t* keys, ptrdiff_t count, int shift, uint32_t buckets, int number_bits, int places,
        uint32_t next, const unsigned char* checked, uint64_t* checks, uint64_t odd)
    {
        if (places == DECIBAN_NARROW_PLACES)
            return deciban_enter_in(
                index, keys, count, shift, buckets, number_bits, DECIBAN_NARROW_PLACES, next, checked, checks, odd);
        return deciban_enter_in(
            index, keys, count, shift, buckets, number_bits, DECIBAN_WIDE_PLACES, next, checked, checks, odd);
    }
    """
    uint32_t home_of "deciban_home_of"(uint32_t, int, uint32_t) nogil
    void find_homes "deciban_find_homes"(const uint32_t*, Py_ssize_t, int, uint32_t, uint32_t*) nogil
    uint32_t number_in "deciban_number_in"(uint32_t, uint32_t, int) nogil
    Py_ssize_t look_up "deciban_look_up"(
        const unsigned char*, const uint32_t*, const uint32_t*, Py_ssize_t, int, int, uint32_t, uint32_t*, uint32_t*, int*
    ) nogil
    Py_ssize_t gather_rows "deciban_gather"(
        const uint32_t*, Py_ssize_t, unsigned char*, Py_ssize_t, unsigned char**, const uint32_t*, uint32_t*, uint32_t*
    ) nogil
    Py_ssize_t entries_between "deciban_entries_between"(const uint32_t*, uint64_t, uint64_t, uint64_t*) nogil
    Py_ssize_t enter "deciban_enter"(
        unsigned char*, const uint32_t*, Py_ssize_t, int, uint32_t, int, int, uint32_t, const unsigned char*, uint64_t*, uint64_t
    ) nogil

cdef enum:
    AHEAD = 40  # DECIBAN_AHEAD
    MORE = 4    # Four keys are looked up at a time: so many homes more there must be, and so much more room for absent keys.
