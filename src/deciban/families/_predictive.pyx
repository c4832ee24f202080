"""Logarithms without taking one of each value, and the two predictive distributions that need most of them.

Pólya's urn adds log a + log(a + 1) + … + log(a + x − 1) for a word that comes x times: looked up where x is
small, or one logarithm of a product. Student's t adds log(1 + q) for every feature; where all of a label's
features have the same degrees of freedom that is one logarithm of a product again, taken whenever the product
grows large.
"""

from libc.math cimport lgamma, log
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define fetch(place) __builtin_prefetch(place)
    #else
    #define fetch(place)
    #endif
    """
    void fetch(const void* place) nogil

cdef unsigned long long SCATTER = 0x9E3779B97F4A7C15  # 2⁶⁴ divided by the golden ratio, odd
cdef enum:
    PLACE_BITS = 10
    PLACES = 1 << PLACE_BITS
    TOGETHER = 64  # words are looked up together: memory is asked for all of them before the first is read

cdef double LARGE = 1e250  # a product of counts stops growing here; one more factor does not make it infinite
cdef double SOME = 1e100  # … and each of two products here, so that the product of both is finite too
cdef double MOST_STEPS = 32  # above so many steps two gamma functions are faster than a product

ctypedef fused index:
    int
    long long

ctypedef fused number:
    long long
    double


def take_logs(const double[::1] values, double[::1] logs):
    """The logarithm of each number, 0 of those that are not above zero.

    Shares of counts come again and again. Each logarithm is kept in a place that its number chooses, until
    another number chooses the same: the logarithms of 5 million shares take 38 ms instead of 94.
    """
    cdef double number[PLACES]
    cdef double kept[PLACES]
    cdef Py_ssize_t entry, place
    cdef unsigned long long bits
    cdef double value
    if values.shape[0] != logs.shape[0]:
        raise ValueError("there is room for as many logarithms as numbers")
    memset(number, 0, sizeof(number))
    memset(kept, 0, sizeof(kept))
    with nogil:
        for entry in range(values.shape[0]):
            value = values[entry]
            memcpy(&bits, &value, sizeof(value))
            place = (bits * SCATTER) >> (64 - PLACE_BITS)
            if number[place] != value:
                number[place] = value
                kept[place] = log(value) if value > 0 else 0
            logs[entry] = kept[place]


cdef struct Urn:
    # What each label holds of each feature, and what a feature adds that comes once, twice, …
    Py_ssize_t features, labels
    Py_ssize_t insides, counts
    const int* which  # (features, labels): the number of its inside; NULL if each cell has its own, in this order
    const double* inside  # (insides)
    const double* known  # (counts, insides)


def take_log_odds(const number[:, ::1] part, const double[:, ::1] whole, double[:, ::1] odds, double[:, ::1] absent):
    """log θ/(1 − θ) and log(1 − θ) of the shares θ = part/whole; log 0 counts as 0. Whether any θ is 0 or 1.

    The whole may be one number for each label. Counts come again and again, so logarithms are kept as in
    `take_logs`.
    """
    cdef double kept[PLACES][4]
    cdef Py_ssize_t label, cell, place, step = whole.shape[1] > 1
    cdef unsigned long long bits
    cdef double count, of, share
    cdef bint edge = False
    if odds.shape[0] != part.shape[0] or odds.shape[1] != part.shape[1] or not 1 <= whole.shape[1]:
        raise ValueError("there is room for the odds of each share")
    if absent.shape[0] != part.shape[0] or absent.shape[1] != part.shape[1] or whole.shape[0] != part.shape[0]:
        raise ValueError("there is room for the logarithm of each rest")
    memset(kept, 0xFF, sizeof(kept))  # NaN, which no share is
    with nogil:
        for label in range(part.shape[0]):
            for cell in range(part.shape[1]):
                count, of = part[label, cell], whole[label, cell * step]
                memcpy(&bits, &count, sizeof(count))
                place = (bits * SCATTER) >> (64 - PLACE_BITS)
                if kept[place][0] != count or kept[place][1] != of:
                    kept[place][0], kept[place][1] = count, of
                    share = count / of
                    edge = edge or not 0 < share < 1
                    kept[place][3] = log(1 - share) if share < 1 else 0
                    kept[place][2] = (log(share) if share > 0 else 0) - kept[place][3]
                odds[label, cell], absent[label, cell] = kept[place][2], kept[place][3]
    return edge


def add_rises(
    const index[::1] starts,
    const index[::1] columns,
    const double[::1] counts,
    const int[:, ::1] which,
    const double[::1] insides,
    const double[:, ::1] known,
    double[::1] lengths,
    double[:, ::1] total,
):
    """Add the log-rise of each count (CSR) under each label, and the counts of each row to its length.

    The urn of a label holds `insides[which]` of each feature; `which` is (features, labels), or None where every
    cell has a number of its own, in this order. What is added for counts of 1, 2, … is `known` (counts, insides).
    A missing count (NaN) adds nothing.
    """
    cdef Urn urn
    cdef Py_ssize_t row, begin, end, last, labels = total.shape[1]
    cdef double length
    if known.shape[1] != insides.shape[0] or not known.size or not labels:
        raise ValueError("there is something in the urn, and what it adds is known")
    urn.labels, urn.insides, urn.counts = labels, known.shape[1], known.shape[0]
    urn.features = which.shape[0] if which is not None else urn.insides // labels
    urn.which = &which[0, 0] if which is not None else NULL
    urn.inside, urn.known = &insides[0], &known[0, 0]
    if (which.shape[1] != labels) if which is not None else (urn.insides % labels):
        raise ValueError("an urn and the totals have the same labels")
    for row in range(starts.shape[0] - 1):
        end, last = starts[row], starts[row + 1]
        if not 0 <= end <= last <= min(columns.shape[0], counts.shape[0]):
            raise IndexError(f"row {row} has the entries {end} to {last} of {columns.shape[0]}")
        while end < last:
            begin, end = end, min(end + TOGETHER, last)
            length = add_words(&columns[begin], &counts[begin], end - begin, &urn, &total[row, 0])
            if length < 0:
                raise IndexError(f"row {row} has columns beyond {urn.features}")
            lengths[row] += length


cdef double add_words(
    const index* columns, const double* counts, Py_ssize_t words, const Urn* urn, double* total
) noexcept nogil:
    """Add what a few words of a row say under each label; their number, or −1 if there is no such column."""
    cdef const double* told[TOGETHER]  # what words add that come as often
    cdef size_t place[TOGETHER]  # the first cell of each word
    cdef size_t word, column, count, size = 0, whole = 0, labels = urn.labels
    cdef double length = 0
    for word in range(<size_t>words):
        column, count = <size_t>columns[word], <size_t><Py_ssize_t>counts[word]
        if column >= <size_t>urn.features:
            return -1
        if count - 1 < <size_t>urn.counts and <double><Py_ssize_t>count == counts[word]:
            told[size] = urn.known + (count - 1) * urn.insides
            place[size] = column * labels
            if urn.which == NULL:
                fetch(told[size] + place[size])
            else:
                fetch(urn.which + place[size])
            whole += count
            size += 1
        elif counts[word] > 0:
            length += counts[word]
            add_rare(column, counts[word], urn, total)
    if urn.which == NULL:
        add_own(told, place, size, labels, total)
    else:
        add_shared(told, place, size, urn.which, labels, total)
    return length + <Py_ssize_t>whole


cdef void add_own(
    const double** told, const size_t* place, size_t size, size_t labels, double* total
) noexcept nogil:
    """Add what words say whose cells have numbers of their own; sums stay in registers."""
    cdef size_t word, label
    cdef const double* rise
    cdef double first, second, third, fourth
    for label in range(0, labels & ~<size_t>3, 4):
        first = second = third = fourth = 0
        for word in range(size):
            rise = told[word] + place[word] + label
            first += rise[0]
            second += rise[1]
            third += rise[2]
            fourth += rise[3]
        total[label] += first
        total[label + 1] += second
        total[label + 2] += third
        total[label + 3] += fourth
    for label in range(labels & ~<size_t>3, labels):  # four sums at once here, too: one waits for itself
        first = second = third = fourth = 0
        for word in range(0, size & ~<size_t>3, 4):
            first += told[word][place[word] + label]
            second += told[word + 1][place[word + 1] + label]
            third += told[word + 2][place[word + 2] + label]
            fourth += told[word + 3][place[word + 3] + label]
        for word in range(size & ~<size_t>3, size):
            first += told[word][place[word] + label]
        total[label] += (first + second) + (third + fourth)


cdef void add_shared(
    const double** told, const size_t* place, size_t size, const int* which, size_t labels, double* total
) noexcept nogil:
    """Add what words say whose cells share numbers; sums of four labels stay in registers."""
    cdef size_t word, label
    cdef const int* inside
    cdef const double* rise
    cdef double first, second, third, fourth
    for label in range(0, labels & ~<size_t>3, 4):
        first = second = third = fourth = 0
        for word in range(size):
            inside, rise = which + place[word] + label, told[word]
            first += rise[inside[0]]
            second += rise[inside[1]]
            third += rise[inside[2]]
            fourth += rise[inside[3]]
        total[label] += first
        total[label + 1] += second
        total[label + 2] += third
        total[label + 3] += fourth
    for label in range(labels & ~<size_t>3, labels):
        first = 0
        for word in range(size):
            first += told[word][which[place[word] + label]]
        total[label] += first


cdef void add_rare(size_t column, double count, const Urn* urn, double* total) noexcept nogil:
    """Add what a word says that comes in a fraction, or more often than is known."""
    cdef size_t label, place = column * urn.labels
    for label in range(<size_t>urn.labels):
        total[label] += log_rise(urn.inside[place + label if urn.which == NULL else urn.which[place + label]], count)


cdef double log_rise(double inside, double count) noexcept nogil:
    """log of inside · (inside + 1) · …, count steps; nothing where the urn holds none."""
    cdef double product = inside, sum = 0, step = 1
    if inside <= 0 or not count > 0:
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
