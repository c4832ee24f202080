"""A harvest: the hashes that a view gathers from one message, and the set that becomes of them.

Views append hashes as they walk through a message, repetitions included, because appending is the
cheapest thing one can do in the walk. At the end `sort_unique` makes the sorted set. Hashes are evenly
spread numbers, so a table that is indexed by a hash's top bits and kept in order within each run of
neighbours is both the set and the sorted array, with gaps. It has a slot for every hash, repetitions
counted, and is then about half full. An attacker can search words whose hashes share their top bits, which
makes runs long; so steps are counted, and past 16 to a hash the set is made by a radix sort, whose time
does not depend on the values: linear for any input.

Measured on the letters of SpamAssassin (4,800 hashes a message, 3,300 of them different): table 27 µs,
radix sort with 8 passes 92 µs, C's qsort 420 µs a message.

On request (`tracing`) a harvest also notes for every feature its name and the place where it was seen.
Both happen in one function, so a trace cannot disagree with the features.
"""

from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from deciban.text._content cimport Buffer, append_byte, reserve

cdef enum:
    SPILL = 64          # slots past the end of the table
    MOST_STEPS = 16     # to a hash, on average, before the table is given up

cdef uint64_t FREE = UINT64_MAX  # a free slot; a hash of this value makes the set by radix sort


cdef int make_room(Hashes* hashes, Py_ssize_t more) except -1 nogil:
    """Room for so many more hashes; doubling keeps a series of additions linear."""
    cdef Py_ssize_t wanted = hashes.size + more, room
    cdef uint64_t* moved
    if wanted <= hashes.room:
        return 0
    room = max(2 * hashes.room, wanted + 256)
    moved = <uint64_t*>realloc(hashes.data, room * sizeof(uint64_t))
    if moved == NULL:
        with gil:
            raise MemoryError
    hashes.data = moved
    hashes.room = room
    return 0


cdef int sort_unique(Hashes* hashes, Hashes* table) except -1 nogil:
    """Turns hashes into a sorted set in place; ``table`` is scratch memory that may be used again."""
    cdef Py_ssize_t count = hashes.size, slots = 16, last, steps_left = MOST_STEPS * count, i, place, kept = 0
    cdef int shift = 60
    cdef uint64_t hash, other
    if count < 2:
        return 0
    while slots < count:
        slots *= 2
        shift -= 1
    # A run may go on past the last slot, so nothing ever wraps around; far past it, something was crafted.
    last = slots + SPILL - 1
    table.size = 0
    make_room(table, slots + SPILL)
    memset(table.data, 0xFF, (slots + SPILL) * sizeof(uint64_t))
    for i in range(count):
        hash = hashes.data[i]
        place = hash >> shift
        # One test for "new" and "seen", which no processor can predict apart; most hashes end here.
        while not (table.data[place] == hash) | (table.data[place] == FREE):
            other = table.data[place]
            if other > hash:
                table.data[place] = hash
                hash = other
            place += 1
            steps_left -= 1
            if place > last or steps_left < 0:
                return sort_unique_by_digits(hashes, table)
        table.data[place] = hash
        if hash == FREE:
            return sort_unique_by_digits(hashes, table)
    # A hash more than there are would be written past the last one kept, so one slot of room is spare.
    make_room(hashes, 1)
    for place in range(slots + SPILL):
        hashes.data[kept] = table.data[place]
        kept += table.data[place] != FREE
    hashes.size = kept
    return 0


cdef int sort_unique_by_digits(Hashes* hashes, Hashes* spare) except -1 nogil:
    """The same by a radix sort: slower for honest hashes, the same for crafted ones."""
    cdef Py_ssize_t[256] ends
    cdef Py_ssize_t i, total, kept = 0, count = hashes.size
    cdef int shift, digit
    cdef uint64_t* source
    cdef uint64_t* target
    spare.size = 0
    make_room(spare, count)
    source, target = hashes.data, spare.data
    for shift in range(0, 64, 8):
        memset(ends, 0, sizeof(ends))
        for i in range(count):
            ends[source[i] >> shift & 0xFF] += 1
        total = 0
        for digit in range(256):
            total += ends[digit]
            ends[digit] = total - ends[digit]
        for i in range(count):
            digit = source[i] >> shift & 0xFF
            target[ends[digit]] = source[i]
            ends[digit] += 1
        source, target = target, source
    # After eight passes the sorted hashes are back where they came from.
    for i in range(count):
        if i == 0 or source[i] != source[i - 1]:
            hashes.data[kept] = source[i]
            kept += 1
    hashes.size = kept
    return 0


cdef int append_name(Buffer* names, const uint8_t* name, Py_ssize_t length) except -1 nogil:
    """Bytes of a feature's name, kept for a trace."""
    cdef Py_ssize_t i
    reserve(names, length)
    for i in range(length):
        append_byte(names, name[i])
    return 0


cdef int note_sighting(
    Harvest* harvest, uint64_t hash, const Tag* tag, const uint8_t* name, Py_ssize_t length,
    const uint8_t* more, Py_ssize_t more_length, Py_ssize_t start, Py_ssize_t end,
) except -1 nogil:
    """Keeps a feature's name, tag + name (+ a space + more), and its place."""
    cdef Sightings* sightings = &harvest.sightings
    cdef Sighting* moved
    cdef Sighting sighting
    if sightings.count == sightings.room:
        moved = <Sighting*>realloc(sightings.rows, (2 * sightings.room + 64) * sizeof(Sighting))
        if moved == NULL:
            with gil:
                raise MemoryError
        sightings.rows = moved
        sightings.room = 2 * sightings.room + 64
    sighting.hash = hash
    sighting.name_start = harvest.names.size
    append_name(&harvest.names, tag.name, tag.length)
    append_name(&harvest.names, name, length)
    if more_length:
        append_byte(&harvest.names, c" ")
        append_name(&harvest.names, more, more_length)
    sighting.name_end = harvest.names.size
    sighting.start = start
    sighting.end = end
    sighting.where = harvest.where
    sighting.number = harvest.number
    sightings.rows[sightings.count] = sighting
    sightings.count += 1
    return 0


cdef void free_harvest(Harvest* harvest) noexcept nogil:
    """Gives everything back that a harvest holds."""
    free(harvest.hashes.data)
    free(harvest.sightings.rows)
    free(harvest.names.data)
    memset(harvest, 0, sizeof(Harvest))


def sorted_set(values, by_digits=False):
    """The sorted set of some hashes, as the views make it; for tests.

    >>> sorted_set([3, 2**64 - 1, 1, 3])
    [1, 3, 18446744073709551615]
    """
    cdef Hashes hashes, spare
    cdef Py_ssize_t i
    memset(&hashes, 0, sizeof(hashes))
    memset(&spare, 0, sizeof(spare))
    try:
        for value in values:
            make_room(&hashes, 1)
            hashes.data[hashes.size] = value
            hashes.size += 1
        if by_digits:
            sort_unique_by_digits(&hashes, &spare)
        else:
            sort_unique(&hashes, &spare)
        return [hashes.data[i] for i in range(hashes.size)]
    finally:
        free(hashes.data)
        free(spare.data)
