"""One step of softmax regression, for the committee and for `Softmax`: the gradient, and AdaGrad's step along it."""

from libc.math cimport sqrt

from deciban._exponentials cimport exp_of


cdef inline double descend(
    const double* scores, double* gradient, Py_ssize_t truth, Py_ssize_t labels
) noexcept nogil:
    """The gradient of the log-loss: p for the other labels, minus their sum for the true one; that sum.

    Scores and gradient may be the same memory.
    """
    cdef Py_ssize_t number
    cdef double most = scores[0], total = 0, others = 0
    for number in range(labels):
        most = max(most, scores[number])
    for number in range(labels):
        gradient[number] = exp_of(scores[number] - most)
        total += gradient[number]
    for number in range(labels):
        gradient[number] /= total
        if number != truth:
            others += gradient[number]
    gradient[truth] = -others
    return others


cdef inline double adagrad_step(float* squares, double square, double rate, double damping) noexcept nogil:
    """Add a squared gradient to the sum of them; the rate, divided by the root of that sum and the damping."""
    squares[0] = <float>(squares[0] + square)
    return rate / sqrt(squares[0] + damping)
