"""exp and log with the same bits on every processor and under every C library.

What a filter has learned, and every exam that its ledger keeps, must have the same bits wherever it is replayed. The C
library's exp and log differ in their last digit between libraries, versions, and processors with and without fused
multiply-add. These take their steps in a fixed order, each rounded by itself (setup.py forbids to fuse them); a root
needs nothing of the kind, for IEEE 754 defines its every bit.

The method is that of textbooks (Muller, *Elementary Functions*, chapters 5 and 11; the rearrangement that keeps the
leading term exact is that of Sun's fdlibm): reduce the argument by powers of two to where the power series is short,
add the series up, scale back. The error stays below one unit in the last place (`tests/test_exponentials.py`).

>>> exp(2.0), log(10.0), log(0.0), exp(-1000.0)
(7.38905609893065, 2.302585092994046, -inf, 0.0)
"""

from deciban._exponentials cimport exp_of, log_of


def exp(double x):
    """e^x; infinite, not an error, where it is too large."""
    return exp_of(x)


def log(double x):
    """The natural logarithm; -inf of 0, and NaN of what is below."""
    return log_of(x)


def log_sum(totals):
    """log Σ exp of some numbers, added one after the other: Python's `sum` rounds by its version.

    >>> round(log_sum([0.0, 0.0]), 4)
    0.6931
    """
    cdef double most = max(totals), powers = 0, total
    for total in totals:
        powers += exp_of(total - most)
    return most + log_of(powers)
