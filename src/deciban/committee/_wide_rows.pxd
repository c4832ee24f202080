"""Hearing and teaching rows with room for more than two labels.

Whether a feature was seen and is kept cannot be predicted, so nothing branches on it: each is written down, and the next
one over it unless it was. Then the shares of 16 features at a time are multiplied, for two labels at a time, so that the
products stay in registers. Rows have room for an even number of labels, and what they have for one that is not there is 0.

Sums over labels and products over features are made one by one in their order: the bits are those of the plain formulas.
"""

from libc.stdint cimport uint16_t

cdef enum:
    LANES = 2
    # Shares multiplied before their logarithm is taken. The least share is above 1e-13, so 16 cannot underflow.
    SHARES_A_LOGARITHM = 16


# A feature that was counted: where its counts are, how often in all, and the sum of the ratios c_l / D_l.
cdef struct CountedRow:
    const uint16_t* counts
    double seen
    double ratios


cdef inline Py_ssize_t whole_lanes(Py_ssize_t labels) noexcept nogil:
    """So many labels, up to an even number."""
    return (labels + LANES - 1) // LANES * LANES


cdef inline void hear_row(
    const unsigned char* row, Py_ssize_t capacity, Py_ssize_t lanes, const double* inverse, double* weighed,
    CountedRow* counted, double* largest,
) noexcept nogil:
    """Add the weights of a row to `weighed`, and write down its counts and the largest ratio."""
    cdef const float* weights = <const float*>row + 1
    cdef const uint16_t* counts = <const uint16_t*>(weights + capacity)
    cdef double[LANES] ratio
    cdef double[LANES] most
    cdef int[LANES] seen
    cdef double ratios = 0
    cdef Py_ssize_t start = 0
    cdef int lane
    for lane in range(LANES):
        seen[lane] = 0
        most[lane] = 0
    while start < lanes:
        for lane in range(LANES):
            weighed[start + lane] += weights[start + lane]
        for lane in range(LANES):
            seen[lane] += counts[start + lane]
        for lane in range(LANES):
            ratio[lane] = <int>counts[start + lane] * inverse[start + lane]
        for lane in range(LANES):
            most[lane] = ratio[lane] if ratio[lane] > most[lane] else most[lane]
        for lane in range(LANES):
            ratios += ratio[lane]
        start += LANES
    counted.counts = counts
    counted.seen = seen[0] + seen[1]
    counted.ratios = ratios
    largest[0] = most[1] if most[1] > most[0] else most[0]


cdef inline void multiply_lanes(
    const CountedRow* counted_rows, const double* prior, const double* factor, Py_ssize_t rows, Py_ssize_t start,
    const double* inverse, double* product,
) noexcept nogil:
    """The products of the shares of some rows, for two labels from `start` on."""
    cdef double[LANES] shares
    cdef double ratio
    cdef Py_ssize_t i
    cdef int lane
    for lane in range(LANES):
        shares[lane] = 1
    for i in range(rows):
        for lane in range(LANES):
            ratio = <int>counted_rows[i].counts[start + lane] * inverse[start + lane]
            shares[lane] *= (prior[i] + counted_rows[i].seen * ratio) * factor[i]
    for lane in range(LANES):
        product[start + lane] = shares[lane]


cdef inline void multiply_complement_lanes(
    const CountedRow* counted_rows, const double* factor, Py_ssize_t rows, Py_ssize_t start, double prior, double* product
) noexcept nogil:
    """The products of what other labels have of some rows, for two labels from `start` on; 1 for what a label has not."""
    cdef double[LANES] shares
    cdef double own, share
    cdef Py_ssize_t i
    cdef int lane
    for lane in range(LANES):
        shares[lane] = 1
    for i in range(rows):
        for lane in range(LANES):
            own = <int>counted_rows[i].counts[start + lane]
            share = (prior + (counted_rows[i].seen - own)) * factor[i]
            shares[lane] *= share if own > 0 else 1.0
    for lane in range(LANES):
        product[start + lane] = shares[lane]


cdef inline void step_lanes(float* weights, Py_ssize_t lanes, const double* gradient, double step) noexcept nogil:
    """Take one step along the gradient, which is 0 for labels that there are not."""
    cdef Py_ssize_t start = 0
    cdef int lane
    while start < lanes:
        for lane in range(LANES):
            weights[start + lane] = <float>(weights[start + lane] - step * gradient[start + lane])
        start += LANES
