"""Online softmax regression over sparse rows: the pass over the data, one AdaGrad step a row.

The labels of a feature lie side by side, so that one feature is one or two cache lines; its sum of squared gradients
is shared by all of them. What costs is waiting for these lines, so they are asked for some entries ahead. All indices
are checked before the first step.
"""

from libc.stdlib cimport free, malloc

from deciban._descent cimport adagrad_step, descend

cdef extern from *:
    """
    #ifdef __GNUC__
    #define fetch_early(address) __builtin_prefetch(address)
    #else
    #define fetch_early(address) ((void)(address))
    #endif
    """
    void fetch_early(const void* address) noexcept nogil

cdef enum:
    AHEAD = 8  # entries between asking for a feature's weights and reading them
    LINE = 16  # floats of a cache line


def take_steps(
    const int[::1] starts,
    const int[::1] columns,
    const float[::1] values,
    const int[::1] labels,
    const int[::1] order,
    float[:, ::1] weights,
    float[::1] squares,
    double rate,
    double rest,
    const float[::1] importance=None,
):
    """One step for each row (CSR: starts, columns, values) in this order; none where a row is surely right.

    A row's gradient is multiplied by its importance, if there is one for each.
    """
    cdef Py_ssize_t step, row, begin, size, number, count = weights.shape[1]
    cdef bint weighed = importance is not None
    if weighed and importance.shape[0] != labels.shape[0]:
        raise IndexError("rows and what they weigh differ in number")
    check(starts, columns, values, labels, order, weights, squares)
    if columns.shape[0] == 0 or count == 0:
        return
    cdef double* scores = <double*>malloc(count * sizeof(double))
    cdef float* gradient = <float*>malloc(count * sizeof(float))
    try:
        if scores == NULL or gradient == NULL:
            raise MemoryError
        with nogil:
            for step in range(order.shape[0]):
                row = order[step]
                begin, size = starts[row], starts[row + 1] - starts[row]
                if size == 0:
                    continue
                add_scores(&columns[begin], &values[begin], size, &weights[0, 0], count, gradient, scores)
                if descend(scores, scores, labels[row], count) >= rest:
                    if weighed:
                        for number in range(count):
                            scores[number] *= importance[row]
                    move(
                        &columns[begin], &values[begin], size, &weights[0, 0], count, &squares[0], scores, gradient, rate
                    )
    finally:
        free(scores)
        free(gradient)


cdef int check(
    const int[::1] starts, const int[::1] columns, const float[::1] values, const int[::1] labels,
    const int[::1] order, float[:, ::1] weights, float[::1] squares,
) except -1:
    """Every index that a step will use."""
    cdef Py_ssize_t place, rows = labels.shape[0]
    if starts.shape[0] != rows + 1 or values.shape[0] != columns.shape[0] or squares.shape[0] != weights.shape[0]:
        raise IndexError("rows, columns, values and weights differ in number")
    if starts[0] < 0 or starts[rows] > columns.shape[0]:
        raise IndexError(f"rows from {starts[0]} to {starts[rows]} of {columns.shape[0]} entries")
    for place in range(rows):
        if starts[place] > starts[place + 1]:
            raise IndexError(f"row {place} ends before it starts")
        if not 0 <= labels[place] < weights.shape[1]:
            raise IndexError(f"label {labels[place]} of {weights.shape[1]}")
    for place in range(order.shape[0]):
        if not 0 <= order[place] < rows:
            raise IndexError(f"row {order[place]} of {rows}")
    for place in range(columns.shape[0]):
        if not 0 <= columns[place] < weights.shape[0]:
            raise IndexError(f"column {columns[place]} of {weights.shape[0]}")
    return 0


cdef inline void ask_for(const float* row, Py_ssize_t count) noexcept nogil:
    """Have the weights of a feature on their way."""
    cdef Py_ssize_t number = 0
    while number < count:
        fetch_early(row + number)
        number += LINE
    fetch_early(row + count - 1)


cdef void add_scores(
    const int* columns, const float* values, Py_ssize_t size, const float* weights, Py_ssize_t count,
    float* sums, double* scores,
) noexcept nogil:
    """Score of each label: the sum of value times weight; `sums` is room for as many."""
    cdef Py_ssize_t entry, number
    cdef const float* row
    for number in range(count):
        sums[number] = 0
    for entry in range(size):
        if entry + AHEAD < size:
            ask_for(weights + columns[entry + AHEAD] * count, count)
        row = weights + columns[entry] * count
        for number in range(count):
            sums[number] += values[entry] * row[number]
    for number in range(count):
        scores[number] = sums[number]


cdef void move(
    const int* columns, const float* values, Py_ssize_t size, float* weights, Py_ssize_t count, float* squares,
    const double* slope, float* gradient, double rate,
) noexcept nogil:
    """One AdaGrad step: each feature's step is divided by the root of its summed squared gradients."""
    cdef Py_ssize_t entry, number
    cdef double square = 0
    cdef float* row
    cdef float step
    for number in range(count):
        gradient[number] = <float>slope[number]
        square += gradient[number] * gradient[number]
    for entry in range(size):
        if entry + AHEAD < size:
            fetch_early(squares + columns[entry + AHEAD])
            ask_for(weights + columns[entry + AHEAD] * count, count)
        row = weights + columns[entry] * count
        step = <float>adagrad_step(
            squares + columns[entry], <float>(values[entry] * values[entry] * square), rate * values[entry], 1e-12
        )
        for number in range(count):
            row[number] -= step * gradient[number]
