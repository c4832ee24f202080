"""Online softmax regression over sparse rows: the pass over the data, one AdaGrad step a row.

The labels of a feature lie side by side, so that one feature is one or two cache lines; its sum of squared gradients
is shared by all of them. Indices are checked once a feature, where its row of weights is looked up.
"""

from libc.stdlib cimport free, malloc

from deciban._descent cimport adagrad_step, descend


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
):
    """One step for each row (CSR: starts, columns, values) in this order; none where a row is surely right."""
    cdef Py_ssize_t step, row, number, count = weights.shape[1]
    for row in range(labels.shape[0]):
        if not 0 <= labels[row] < count:
            raise IndexError(f"label {labels[row]} of {count}")
    cdef double* scores = <double*>malloc(max(count, 1) * sizeof(double))
    cdef float* gradient = <float*>malloc(max(count, 1) * sizeof(float))
    try:
        if scores == NULL or gradient == NULL:
            raise MemoryError
        for step in range(order.shape[0]):
            row = order[step]
            add_scores(columns[starts[row]:starts[row + 1]], values[starts[row]:starts[row + 1]], weights, scores)
            if descend(scores, scores, labels[row], count) >= rest:
                for number in range(count):
                    gradient[number] = <float>scores[number]
                move(
                    columns[starts[row]:starts[row + 1]], values[starts[row]:starts[row + 1]],
                    weights, squares, gradient, rate,
                )
    finally:
        free(scores)
        free(gradient)


cdef int add_scores(const int[::1] columns, const float[::1] values, float[:, ::1] weights, double* scores) except -1:
    """Score of each label: the sum of value times weight."""
    cdef Py_ssize_t entry, number, count = weights.shape[1]
    cdef float* row
    for number in range(count):
        scores[number] = 0
    for entry in range(columns.shape[0]):
        row = &weights[columns[entry], 0]
        for number in range(count):
            scores[number] += values[entry] * row[number]
    return 0


cdef int move(
    const int[::1] columns, const float[::1] values, float[:, ::1] weights, float[::1] squares,
    const float* gradient, double rate,
) except -1:
    """One AdaGrad step: each feature's step is divided by the root of its summed squared gradients."""
    cdef Py_ssize_t entry, number, count = weights.shape[1]
    cdef double square = 0
    cdef float* row
    cdef float step
    for number in range(count):
        square += gradient[number] * gradient[number]
    for entry in range(columns.shape[0]):
        row = &weights[columns[entry], 0]
        step = <float>adagrad_step(
            &squares[columns[entry]], <float>(values[entry] * values[entry] * square), rate * values[entry]
        )
        for number in range(count):
            row[number] -= step * gradient[number]
    return 0
