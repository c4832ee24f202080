"""Sums of sparse rows by label, in one pass over the entries.

scipy multiplies two sparse matrices in two passes, the first of which only counts entries; and a dense
one-hot matrix costs a pass a label. On 10 million entries and 5 labels: 61 ms and 52 ms, this 22 ms.
"""

ctypedef fused index:
    int
    long long

ctypedef fused number:
    double
    long long


def add_rows(
    const index[::1] starts,
    const index[::1] columns,
    const double[::1] values,
    const int[::1] share_starts,
    const int[::1] labels,
    const double[::1] shares,
    number[:, ::1] sums,
):
    """Add each row (CSR: starts, columns, values), times its share, to the sums of each of its labels (CSR, too).

    Sums of whole numbers may be kept as such.
    """
    cdef Py_ssize_t row, part, entry
    cdef int label
    cdef double share
    with nogil:
        for row in range(share_starts.shape[0] - 1):
            for part in range(share_starts[row], share_starts[row + 1]):
                label = labels[part]
                share = shares[part]
                for entry in range(starts[row], starts[row + 1]):
                    sums[label, columns[entry]] += <number>(share * values[entry])


def are_within(const number[::1] values, number limit):
    """Whether all numbers are smaller than a limit, either sign; NaN is not."""
    cdef Py_ssize_t i
    for i in range(values.shape[0]):
        if not -limit < values[i] < limit:
            return False
    return True


def are_whole(const double[::1] values, double limit):
    """Whether all numbers are whole and smaller than a limit, either sign."""
    cdef Py_ssize_t i
    cdef double value
    for i in range(values.shape[0]):
        value = values[i]
        if not -limit < value < limit or value != <double><long long>value:
            return False
    return True
