"""The inner loops of an exact search: who is on the shortlist, how far is each exactly, which are nearest.

A matrix product (in single precision, where rows are dense) gives `offset[j] - 2 * product[i, j]`, which ranks the rows j for a query i
up to an error that is known. So whatever lies within `margin` (twice that error) of the k-th smallest value may
be among the k nearest, and nothing else can be: that is the shortlist. Its exact distances, summed in double
precision in a fixed order, decide; equal distances go to the row that was learned first.

On 60,000 rows numpy's argpartition takes 200 µs a query. One pass that compares blocks of 64 values with the
limit has less to do: after the first thousand rows hardly a block has a value below it.
"""

ctypedef fused real:
    float
    double

cdef enum:
    BLOCK = 64


cdef inline bint comes_before(double distance, long long row, double other, long long other_row) noexcept nogil:
    return distance < other or (distance == other and row < other_row)


cdef void sink(double* distances, long long* rows, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Restore the heap (largest first) below a place whose entry was replaced."""
    cdef Py_ssize_t child
    cdef double distance = distances[place]
    cdef long long row = rows[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and comes_before(distances[child], rows[child], distances[child + 1], rows[child + 1]):
            child += 1
        if not comes_before(distance, row, distances[child], rows[child]):
            break
        distances[place] = distances[child]
        rows[place] = rows[child]
        place = child
    distances[place] = distance
    rows[place] = row


cdef inline void offer(double* distances, long long* rows, Py_ssize_t size, double distance, long long row) noexcept nogil:
    """Take a row in place of the farthest of the heap, if it is nearer."""
    if comes_before(distance, row, distances[0], rows[0]):
        distances[0] = distance
        rows[0] = row
        sink(distances, rows, 0, size)


def sort_nearest_first(double[:, ::1] distances, long long[:, ::1] rows):
    """Turn the heap of each query into a list, nearest first."""
    cdef Py_ssize_t query, last, size = distances.shape[1]
    cdef double distance
    cdef long long row
    if rows.shape[0] != distances.shape[0] or rows.shape[1] != size:
        raise ValueError("distances and rows differ in shape")
    if size == 0:
        return
    with nogil:
        for query in range(distances.shape[0]):
            for last in range(size - 1, 0, -1):
                distance = distances[query, last]
                row = rows[query, last]
                distances[query, last] = distances[query, 0]
                rows[query, last] = rows[query, 0]
                distances[query, 0] = distance
                rows[query, 0] = row
                sink(&distances[query, 0], &rows[query, 0], 0, last)


def keep_nearest(const double[:, ::1] found, long long start, double[:, ::1] distances, long long[:, ::1] rows):
    """Offer the distances of a block of rows, the first of which is row `start`, to the heap of each query."""
    cdef Py_ssize_t query, column, size = distances.shape[1]
    if rows.shape[0] != distances.shape[0] or rows.shape[1] != size or found.shape[0] != distances.shape[0]:
        raise ValueError("found, distances and rows differ in shape")
    if size == 0:
        return
    with nogil:
        for query in range(found.shape[0]):
            for column in range(found.shape[1]):
                offer(&distances[query, 0], &rows[query, 0], size, found[query, column], start + column)


cdef Py_ssize_t still_possible(real* values, long long* rows, Py_ssize_t size, real limit) noexcept nogil:
    """Drop what has fallen behind the limit, keeping the order; how many are left."""
    cdef Py_ssize_t entry, kept = 0
    for entry in range(size):
        if values[entry] <= limit:
            values[kept] = values[entry]
            rows[kept] = rows[entry]
            kept += 1
    return kept


cdef inline Py_ssize_t below(const real* products, const real* offsets, Py_ssize_t size, real limit) noexcept nogil:
    """How many values of a block are within the limit; without a branch, so that it is vectorised."""
    cdef Py_ssize_t place
    cdef int count = 0
    for place in range(size):
        count += (offsets[place] - 2 * products[place]) <= limit
    return count


cdef void sink_value(real* heap, Py_ssize_t size, real value) noexcept nogil:
    """Replace the largest value of a heap by a smaller one."""
    cdef Py_ssize_t place = 0, child
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


def shortlist(
    const real[:, ::1] products,
    const real[::1] offsets,
    const real[::1] margins,
    long long start,
    real[:, ::1] smallest,
    real[:, ::1] values,
    long long[:, ::1] rows,
    long long[::1] sizes,
):
    """Put the rows of a block that may be among the nearest on the shortlist of each query.

    `smallest` is a heap of the k smallest values so far; `values`, `rows` and `sizes` are the shortlists. A size
    of -1 says that a shortlist was too short for all that are possible, so that query needs another way.
    """
    cdef Py_ssize_t query, block, width, column, k = smallest.shape[1], room = values.shape[1], size
    cdef Py_ssize_t queries = products.shape[0]
    cdef real value, limit
    if offsets.shape[0] != products.shape[1] or rows.shape[1] != room or k == 0 or room == 0:
        raise ValueError("products, offsets and shortlists differ in shape")
    if min(margins.shape[0], smallest.shape[0], values.shape[0], rows.shape[0], sizes.shape[0]) != queries:
        raise ValueError("products and shortlists differ in their number of queries")
    with nogil:
        for query in range(queries):
            size = sizes[query]
            limit = smallest[query, 0] + margins[query]
            block = 0
            while block < products.shape[1] and size >= 0:
                width = min(<Py_ssize_t>BLOCK, products.shape[1] - block)
                if below(&products[query, block], &offsets[block], width, limit):
                    for column in range(block, block + width):
                        value = offsets[column] - 2 * products[query, column]
                        if not value <= limit:
                            continue
                        if value < smallest[query, 0]:
                            sink_value(&smallest[query, 0], k, value)
                            limit = smallest[query, 0] + margins[query]
                        if size == room:
                            size = still_possible(&values[query, 0], &rows[query, 0], size, limit)
                            if size == room:
                                size = -1
                                break
                        values[query, size] = value
                        rows[query, size] = start + column
                        size += 1
                block += width
            sizes[query] = size


def settle(
    real[:, ::1] values, long long[:, ::1] rows, long long[::1] sizes, const real[::1] limits
):
    """Drop from each shortlist what the rows that came later have made impossible."""
    cdef Py_ssize_t query
    if min(values.shape[0], rows.shape[0], limits.shape[0]) != sizes.shape[0] or values.shape[1] != rows.shape[1]:
        raise ValueError("shortlists and limits differ in shape")
    if values.shape[1] == 0:
        return
    with nogil:
        for query in range(sizes.shape[0]):
            if 0 < sizes[query] <= values.shape[1]:
                sizes[query] = still_possible(&values[query, 0], &rows[query, 0], sizes[query], limits[query])


cdef double squared_distance(
    const real* query, const real* row, Py_ssize_t width, double query_scale, double row_scale
) noexcept nogil:
    """Σ (query_scale · query − row_scale · row)², in four sums so that the processor adds them side by side."""
    cdef double first = 0, second = 0, third = 0, fourth = 0, a, b, c, d
    cdef Py_ssize_t place = 0
    while place + 4 <= width:
        a = query_scale * query[place] - row_scale * row[place]
        b = query_scale * query[place + 1] - row_scale * row[place + 1]
        c = query_scale * query[place + 2] - row_scale * row[place + 2]
        d = query_scale * query[place + 3] - row_scale * row[place + 3]
        first += a * a
        second += b * b
        third += c * c
        fourth += d * d
        place += 4
    while place < width:
        a = query_scale * query[place] - row_scale * row[place]
        first += a * a
        place += 1
    return (first + third) + (second + fourth)


def rank_shortlists(
    const real[:, ::1] queries,
    const real[:, ::1] known,
    const double[::1] query_scales,
    const double[::1] row_scales,
    const long long[:, ::1] shortlists,
    const long long[::1] sizes,
    double[:, ::1] distances,
    long long[:, ::1] rows,
):
    """The nearest of each shortlist by exact squared distance between scaled vectors, nearest first.

    A scale of 0 stands for a vector without a direction; it counts as at right angles to every other, √2 away.
    """
    cdef Py_ssize_t query, entry, width = queries.shape[1], k = distances.shape[1]
    cdef long long row
    cdef double squared
    if known.shape[1] != width or row_scales.shape[0] != known.shape[0] or rows.shape[1] != k:
        raise ValueError("queries, rows and scales differ in shape")
    if min(shortlists.shape[0], sizes.shape[0], distances.shape[0], rows.shape[0]) != queries.shape[0]:
        raise ValueError("queries and shortlists differ in number")
    if query_scales.shape[0] != queries.shape[0]:
        raise ValueError("queries and scales differ in number")
    if k == 0 or width == 0:
        return
    for query in range(queries.shape[0]):
        for entry in range(sizes[query]):
            row = shortlists[query, entry]
            if not 0 <= row < known.shape[0]:
                raise ValueError(f"there is no row {row}")
            if query_scales[query] == 0 or row_scales[row] == 0:
                squared = 2
            else:
                squared = squared_distance(
                    &queries[query, 0], &known[row, 0], width, query_scales[query], row_scales[row]
                )
            offer(&distances[query, 0], &rows[query, 0], k, squared, row)
    sort_nearest_first(distances, rows)
