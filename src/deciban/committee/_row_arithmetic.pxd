"""What is made of rows, two labels at a time: how they are heard and taught.

Whether a feature was seen and is kept cannot be predicted, so nothing branches on it: each is written down, and the next
one over it unless it was. Of many labels, the shares of 16 features at a time are then multiplied, for two labels at a time,
so that the products stay in registers. Rows have room for an even number of labels, and what they have for one that is not there is 0.

Two labels are the two halves of a vector, which GCC and Clang know on any processor; only how whole numbers and floats get
into one is written for SSE2, which every x86-64 has. A row is asked for some rows ahead: what was asked for when the rows
were looked up, 2,400 lines of the cache, has left its first level again.

Sums over labels and products over features are made one by one in their order: the bits are those of the plain formulas.
"""

from libc.stdint cimport uint16_t, uint64_t

cdef extern from *:
    """
    #include <math.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    typedef double deciban_two __attribute__((vector_size(16), aligned(8), may_alias));
    typedef int64_t deciban_two_bits __attribute__((vector_size(16)));
    typedef struct { const uint16_t* counts; double seen, ratios; } deciban_counted_row;

    #ifdef __SSE2__
    #include <emmintrin.h>
    static inline deciban_two deciban_two_counts(const uint16_t* counts)
    {
        int32_t both;
        memcpy(&both, counts, sizeof(both));
        return _mm_cvtepi32_pd(_mm_unpacklo_epi16(_mm_cvtsi32_si128(both), _mm_setzero_si128()));
    }
    static inline deciban_two deciban_two_weights(const float* weights)
    {
        return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)weights)));
    }
    static inline void deciban_put_weights(float* weights, deciban_two both)
    {
        _mm_storel_epi64((__m128i*)weights, _mm_castps_si128(_mm_cvtpd_ps(both)));
    }
    #else
    static inline deciban_two deciban_two_counts(const uint16_t* counts)
    {
        return (deciban_two){counts[0], counts[1]};
    }
    static inline deciban_two deciban_two_weights(const float* weights)
    {
        return (deciban_two){weights[0], weights[1]};
    }
    static inline void deciban_put_weights(float* weights, deciban_two both)
    {
        weights[0] = (float)both[0];
        weights[1] = (float)both[1];
    }
    #endif

    static inline deciban_two deciban_where(deciban_two_bits mask, deciban_two yes, deciban_two no)
    {
        return (deciban_two)((mask & (deciban_two_bits)yes) | (~mask & (deciban_two_bits)no));
    }

    /* Ask for a row that comes some rows behind the i-th of so many; its counts may lie in the line behind its first.
       Learning the SpamAssassin corpus takes .9 of the time with it and scoring .83; 6 and 32 rows ahead gain less. */
    static inline void deciban_ask_for_row(unsigned char** rows, ptrdiff_t i, ptrdiff_t count, ptrdiff_t size)
    {
        const ptrdiff_t ahead = i + 16 < count ? i + 16 : count - 1, line = 64;
        __builtin_prefetch(rows[ahead], 1, 3);
        if (size > line) __builtin_prefetch(rows[ahead] + line, 1, 3);
    }

    /* A row of a table with room for two labels, which nearly all filters have. */
    typedef struct { float squares, weights[2]; uint16_t counts[2]; } __attribute__((may_alias)) deciban_pair_row;

    /* Add up the weights of such rows, and write down the shares of those that are kept; how many are. */
    static inline ptrdiff_t deciban_hear_pairs(
        unsigned char** rows, ptrdiff_t count, const double* inverse, double strength, double band, double* weighed,
        double* shares)
    {
        const deciban_two inverses = *(const deciban_two*)inverse;
        const double half = strength / 2, least = band + 1.0 / 2;
        deciban_two sums = {0, 0};
        ptrdiff_t kept = 0;
        for (ptrdiff_t i = 0; i < count; i++) {
            const deciban_pair_row* row = (const deciban_pair_row*)rows[i];
            deciban_ask_for_row(rows, i, count, sizeof(deciban_pair_row));
            const deciban_two counts = deciban_two_counts(row->counts), ratio = counts * inverses;
            const double seen = counts[0] + counts[1], ratios = ratio[0] + ratio[1];
            /* Infinite if the feature was never seen; then nothing of this is kept. */
            const double factor = 1 / (ratios * (strength + seen));
            const deciban_two share = (half * ratios + seen * ratio) * factor;
            sums += deciban_two_weights(row->weights);
            *(deciban_two*)(shares + 2 * kept) = share;
            kept += (ratios > 0) & ((share[0] >= least) | (share[1] >= least));
        }
        *(deciban_two*)weighed = sums;
        return kept;
    }

    /* The word of 8 bytes of which these are the first 4 in memory and the last 4, and the other way round. */
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define DECIBAN_FIRST 0
    #else
    #define DECIBAN_FIRST 32
    #endif
    static inline uint64_t deciban_word(uint32_t first, uint32_t last)
    {
        return (uint64_t)first << DECIBAN_FIRST | (uint64_t)last << (32 - DECIBAN_FIRST);
    }
    static inline uint32_t deciban_first(uint64_t word) { return (uint32_t)(word >> DECIBAN_FIRST); }
    static inline uint32_t deciban_last(uint64_t word) { return (uint32_t)(word >> (32 - DECIBAN_FIRST)); }
    static inline float deciban_float(uint32_t bits)
    {
        float number;
        memcpy(&number, &bits, sizeof(number));
        return number;
    }
    static inline uint32_t deciban_bits(float number)
    {
        uint32_t bits;
        memcpy(&bits, &number, sizeof(bits));
        return bits;
    }

    /* Count a label of such rows, unless it is -1, and take one step of the weights along the gradient, unless the rate is 0.
       `checks` of blocks of so many bits from `start` on are kept up, unless it is NULL: each word counts for them times an odd
       number of its own, of which `odd` is that of the first word (`factor_of` in _row_table.pxd).
       A row is read and written as two words. Written as floats and counts, and read as words right after, each row
       waited for itself, a third of the time. */
    static inline void deciban_teach_pairs(
        unsigned char** rows, ptrdiff_t count, ptrdiff_t counted, const double* gradient, double square, double rate,
        double damping, const unsigned char* start, uint64_t* checks, int block_bits, uint64_t odd)
    {
        const deciban_two slope = *(const deciban_two*)gradient;
        const int shift = counted < 0 ? 0 : DECIBAN_FIRST ? 16 - 16 * (int)counted : 16 * (int)counted;
        const uint32_t one = counted >= 0;
        for (ptrdiff_t i = 0; i < count; i++) {
            uint64_t words[2];
            deciban_ask_for_row(rows, i, count, sizeof(deciban_pair_row));
            memcpy(words, rows[i], sizeof(words));
            const uint64_t before[2] = {words[0], words[1]};
            uint32_t counts = deciban_last(words[1]);
            counts += (one & ((counts >> shift & UINT16_MAX) != UINT16_MAX)) << shift;
            uint32_t squares = deciban_first(words[0]), own = deciban_last(words[0]), other = deciban_first(words[1]);
            if (rate != 0) {
                const float sum = (float)(deciban_float(squares) + square);
                const double step = rate / sqrt(sum + damping);
                squares = deciban_bits(sum);
                own = deciban_bits((float)(deciban_float(own) - step * slope[0]));
                other = deciban_bits((float)(deciban_float(other) - step * slope[1]));
            }
            words[0] = deciban_word(squares, own);
            words[1] = deciban_word(other, counts);
            memcpy(rows[i], words, sizeof(words));
            if (checks != NULL) {
                const uint64_t place = (uint64_t)(rows[i] - start);
                const uint64_t factor = ((place & (((uint64_t)1 << block_bits) - 1)) >> 2 | 1) * odd;
                checks[place >> block_bits] += (words[0] - before[0]) * factor + (words[1] - before[1]) * (factor + 2 * odd);
            }
        }
    }

    /* Add the weights of a row to `weighed`, and write down its counts and the largest ratio. */
    static inline void deciban_hear_row(
        const unsigned char* row, ptrdiff_t capacity, ptrdiff_t lanes, const double* inverse, double* weighed,
        deciban_counted_row* counted, double* largest)
    {
        const float* weights = (const float*)row + 1;
        const uint16_t* counts = (const uint16_t*)(weights + capacity);
        deciban_two seen = {0, 0}, most = {0, 0};
        double ratios = 0;
        for (ptrdiff_t label = 0; label < lanes; label += 2) {
            const deciban_two own = deciban_two_counts(counts + label);
            const deciban_two ratio = own * *(const deciban_two*)(inverse + label);
            *(deciban_two*)(weighed + label) += deciban_two_weights(weights + label);
            seen += own;
            most = deciban_where((deciban_two_bits)(ratio > most), ratio, most);
            ratios += ratio[0];
            ratios += ratio[1];
        }
        counted->counts = counts;
        counted->seen = seen[0] + seen[1];
        counted->ratios = ratios;
        *largest = most[1] > most[0] ? most[1] : most[0];
    }

    /* The products of the shares of some rows, for two labels from `label` on. */
    static inline void deciban_multiply_shares(
        const deciban_counted_row* rows, const double* prior, const double* factor, ptrdiff_t count, ptrdiff_t label,
        const double* inverse, double* product)
    {
        const deciban_two inverses = *(const deciban_two*)(inverse + label);
        deciban_two shares = {1, 1};
        for (ptrdiff_t i = 0; i < count; i++) {
            const deciban_two ratio = deciban_two_counts(rows[i].counts + label) * inverses;
            shares *= (prior[i] + rows[i].seen * ratio) * factor[i];
        }
        *(deciban_two*)(product + label) = shares;
    }

    /* The products of what other labels have of some rows, for two labels from `label` on; 1 for what a label has not. */
    static inline void deciban_multiply_complements(
        const deciban_counted_row* rows, const double* factor, ptrdiff_t count, ptrdiff_t label, double prior, double* product)
    {
        const deciban_two zero = {0, 0}, one = {1, 1};
        deciban_two shares = {1, 1};
        for (ptrdiff_t i = 0; i < count; i++) {
            const deciban_two own = deciban_two_counts(rows[i].counts + label);
            shares *= deciban_where((deciban_two_bits)(own > zero), (prior + (rows[i].seen - own)) * factor[i], one);
        }
        *(deciban_two*)(product + label) = shares;
    }

    /* One step of the weights along the gradient, which is 0 for labels that there are not. */
    static inline void deciban_step(float* weights, ptrdiff_t lanes, const double* gradient, double step)
    {
        for (ptrdiff_t label = 0; label < lanes; label += 2)
            deciban_put_weights(
                weights + label, deciban_two_weights(weights + label) - step * *(const deciban_two*)(gradient + label));
    }
    """
    # A feature that was counted: where its counts are, how often in all, and the sum of the ratios c_l / D_l.
    ctypedef struct CountedRow "deciban_counted_row":
        const uint16_t* counts
        double seen
        double ratios

    Py_ssize_t hear_pairs "deciban_hear_pairs"(
        unsigned char**, Py_ssize_t, const double*, double, double, double*, double*
    ) nogil
    void teach_pairs "deciban_teach_pairs"(
        unsigned char**, Py_ssize_t, Py_ssize_t, const double*, double, double, double, const unsigned char*, uint64_t*, int,
        uint64_t,
    ) nogil
    void hear_row "deciban_hear_row"(
        const unsigned char*, Py_ssize_t, Py_ssize_t, const double*, double*, CountedRow*, double*
    ) nogil
    void multiply_lanes "deciban_multiply_shares"(
        const CountedRow*, const double*, const double*, Py_ssize_t, Py_ssize_t, const double*, double*
    ) nogil
    void multiply_complement_lanes "deciban_multiply_complements"(
        const CountedRow*, const double*, Py_ssize_t, Py_ssize_t, double, double*
    ) nogil
    void step_lanes "deciban_step"(float*, Py_ssize_t, const double*, double) nogil
    void ask_for_row "deciban_ask_for_row"(unsigned char**, Py_ssize_t, Py_ssize_t, Py_ssize_t) nogil

cdef enum:
    LANES = 2
    # Shares multiplied before their logarithm is taken. The least share is above 1e-13, so 16 cannot underflow.
    SHARES_A_LOGARITHM = 16


cdef inline Py_ssize_t whole_lanes(Py_ssize_t labels) noexcept nogil:
    """So many labels, up to an even number."""
    return (labels + LANES - 1) // LANES * LANES
