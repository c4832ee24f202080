"""The two predictive distributions that take a logarithm of every value, without taking one of each.

Pólya's urn adds log a + log(a + 1) + … + log(a + x − 1) for a word that comes x times: the first is looked up,
the others are one logarithm of a product, kept for the next text that has the word so often. Student's t adds log(1 + q) for every feature; where all of a
label's features have the same degrees of freedom that is one logarithm of a product again, taken whenever the
product grows large.
"""

from libc.math cimport lgamma, log

cdef double LARGE = 1e250  # a product of counts stops growing here; one more factor does not make it infinite
cdef double SOME = 1e100  # … and each of two products here, so that the product of both is finite too
cdef double MOST_STEPS = 32  # above so many steps two gamma functions are faster than a product

ctypedef fused index:
    int
    long long


def add_rises(
    const index[::1] starts,
    const index[::1] columns,
    const double[::1] counts,
    const double[:, ::1] urn,
    const double[:, ::1] logs,
    double[:, :, ::1] further,
    Py_ssize_t[::1] others,
    double[::1] lengths,
    double[:, ::1] total,
):
    """Add the log-rise of each count (CSR) under each label, and the counts of each row to its length.

    The urn and its logarithms are (features, labels). First every word is taken to come once, without asking;
    then the `others` (room for the longest row) get what is further to add. For counts of 2, 3, … that is kept
    in `further` (counts, features, labels) when it is first needed; zeros say that nobody needed it yet, or are
    right. So this holds the GIL: no thread may read a row that another is writing.
    """
    cdef Py_ssize_t row, entry, label, place, column, which, size
    cdef Py_ssize_t labels = urn.shape[1], few = further.shape[0]
    cdef double count, length
    cdef const double* first
    cdef double* more
    cdef double* sums
    if logs.shape[0] != urn.shape[0] or logs.shape[1] != labels or total.shape[1] != labels or not labels:
        raise ValueError("an urn, its logarithms and the totals have the same labels")
    if further.shape[1] != urn.shape[0] or further.shape[2] != labels or not few:
        raise ValueError("an urn and what is further to add have the same features and labels")
    for row in range(starts.shape[0] - 1):
        sums = &total[row, 0]
        length = 0
        size = 0
        for entry in range(starts[row], starts[row + 1]):
            first = &logs[columns[entry], 0]
            count = counts[entry]
            length += count
            others[size] = entry
            size += count != 1
            for label in range(labels):
                sums[label] += first[label]
        lengths[row] += length
        for which in range(size):
            entry = others[which]
            count = counts[entry]
            column = columns[entry]
            place = <Py_ssize_t>count - 2
            if 0 <= place < few and count == place + 2:
                more = &further[place, column, 0]
                if more[0] == 0 and more[labels - 1] == 0:
                    for label in range(labels):
                        more[label] = log_rise(urn[column, label], count) - logs[column, label]
                for label in range(labels):
                    sums[label] += more[label]
            else:
                for label in range(labels):
                    sums[label] += log_rise(urn[column, label], count) - logs[column, label]


cdef double log_rise(double inside, double count) noexcept nogil:
    """log of inside · (inside + 1) · …, count steps; nothing where the urn holds none."""
    cdef double product = inside, sum = 0, step = 1
    if inside <= 0 or count <= 0:
        return 0
    if count > MOST_STEPS or count != <double><long>count:
        return lgamma(inside + count) - lgamma(inside)
    while step < count:
        product *= inside + step
        if product > LARGE:
            sum += log(product)
            product = 1
        step += 1
    return sum + log(product)


def add_falls(
    const double[:, ::1] values,
    const double[:, ::1] means,
    const double[:, ::1] widths,
    const double[::1] powers,
    double[:, ::1] total,
):
    """Subtract power · Σ log(1 + (x − mean)² · width) of each row and label; a missing value makes it NaN."""
    cdef Py_ssize_t row, label, feature, features = values.shape[1]
    cdef double even, odd, sum, left, right
    cdef const double* value
    cdef const double* mean
    cdef const double* width
    if means.shape[1] != features or widths.shape[1] != features or not features:
        raise ValueError("rows, means and widths have the same features")
    if widths.shape[0] != means.shape[0]:
        raise ValueError("means and widths have the same labels")
    with nogil:
        for row in range(values.shape[0]):
            value = &values[row, 0]
            for label in range(means.shape[0]):
                mean = &means[label, 0]
                width = &widths[label, 0]
                sum = 0
                even = odd = 1
                # Two products side by side: one multiplication need not wait for the other.
                for feature in range(0, features - 1, 2):
                    left = value[feature] - mean[feature]
                    right = value[feature + 1] - mean[feature + 1]
                    even *= 1 + left * left * width[feature]
                    odd *= 1 + right * right * width[feature + 1]
                    if even > SOME or odd > SOME:
                        sum += log(even) + log(odd)
                        even = odd = 1
                if features % 2:
                    left = value[features - 1] - mean[features - 1]
                    even *= 1 + left * left * width[features - 1]
                total[row, label] -= powers[label] * (sum + log(even * odd))
