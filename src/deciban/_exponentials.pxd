# exp and log with the same bits on every processor and under every C library (see _exponentials.pyx).

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    /* ln 2 in two parts: the first ends in 21 zero bits, so that k times it is exact for every exponent k. */
    #define DECIBAN_LN2_HIGH 0x1.62e42feep-1
    #define DECIBAN_LN2_LOW 0x1.a39ef35793c76p-33
    #define DECIBAN_INVERSE_LN2 0x1.71547652b82fep+0
    """
    const double LN2_HIGH "DECIBAN_LN2_HIGH"
    const double LN2_LOW "DECIBAN_LN2_LOW"
    const double INVERSE_LN2 "DECIBAN_INVERSE_LN2"


cdef inline double power_of_two(int64_t exponent) noexcept nogil:
    """2^exponent, for -1022 ... 1023."""
    cdef uint64_t bits = <uint64_t>(exponent + 1023) << 52
    cdef double power
    memcpy(&power, &bits, 8)
    return power


cdef inline double exp_of(double x) noexcept nogil:
    """e^x: with x = k ln 2 + r and |r| <= ln 2 / 2 it is 2^k e^r, and e^r its series up to r^13 / 13!."""
    if x != x:
        return x
    # Beyond these the result is 0 or infinite for sure, and k has at most 11 bits.
    x = max(min(x, 710.0), -746.0)
    cdef int64_t k = <int64_t>(x * INVERSE_LN2 + (0.5 if x >= 0 else -0.5))
    cdef double high = x - k * LN2_HIGH, low = k * LN2_LOW, r = high - low, square = r * r
    # The even and the odd terms from r^2 on: two short chains are faster than one long one.
    cdef double even = 1.0 / 2 + square * (1.0 / 24 + square * (1.0 / 720 + square * (
        1.0 / 40320 + square * (1.0 / 3628800 + square * (1.0 / 479001600)))))
    cdef double odd = 1.0 / 6 + square * (1.0 / 120 + square * (1.0 / 5040 + square * (
        1.0 / 362880 + square * (1.0 / 39916800 + square * (1 / 6227020800.0)))))
    # `low` is taken off last, where it loses nothing: r alone has lost its last digits.
    cdef double power = 1 + (high + (square * (even + r * odd) - low))
    # In two steps, neither of which leaves the exponents that there are; only the second can round.
    return power * power_of_two(k >> 1) * power_of_two(k - (k >> 1))


cdef inline double log_of(double x) noexcept nogil:
    """ln x: with x = 2^k (1 + f) and s = f / (2 + f) it is k ln 2 + 2 artanh s, and artanh its series up to s^21."""
    cdef uint64_t bits
    cdef int64_t k = 0
    cdef double f, s, square, fourth, series, half
    if not x > 0:
        # -inf for 0, and NaN for what has no logarithm.
        return x if x != x else (-1.0 if x == 0 else 0.0) / 0.0
    if x < power_of_two(-1022):
        x *= power_of_two(54)
        k = -54
    memcpy(&bits, &x, 8)
    if bits >> 52 == 0x7FF:
        return x
    # 1 + f lies between the root of 1/2 and that of 2: the bits above those of the root carry into the exponent.
    bits += <uint64_t>0x3FF0000000000000 - <uint64_t>0x3FE6A09E667F3BCD
    k += <int64_t>(bits >> 52) - 1023
    bits = (bits & <uint64_t>0x000FFFFFFFFFFFFF) + <uint64_t>0x3FE6A09E667F3BCD
    memcpy(&f, &bits, 8)
    f -= 1
    s = f / (2 + f)
    square = s * s
    fourth = square * square
    # Two chains again: 2 artanh s = 2 s + s * series.
    series = square * (2.0 / 3 + fourth * (2.0 / 7 + fourth * (2.0 / 11 + fourth * (2.0 / 15 + fourth * (2.0 / 19))))) + (
        fourth * (2.0 / 5 + fourth * (2.0 / 9 + fourth * (2.0 / 13 + fourth * (2.0 / 17 + fourth * (2.0 / 21))))))
    # 2 s = f - s f, and s f = f^2 / 2 - s f^2 / 2: so f itself, which is exact, stays the leading term.
    half = f * f / 2
    return k * LN2_HIGH - ((half - (s * (half + series) + k * LN2_LOW)) - f)
