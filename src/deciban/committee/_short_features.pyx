"""From messages to their short features, both views in one call, without Python's lock and without the long hashes.

`deciban.text` gathers 64-bit hashes as it walks through a message, repetitions included. A lesson keeps the top
23 bits of each (_lesson_code.pyx), so these are what is sorted here, in half the memory: two passes of a radix
sort, by the second and then by the first byte of the 23 bits, leave few out of order, and insertion puts those
right. An attacker can search words that share their top 16 bits, so moves are counted, and past 16 to a feature
the other 7 bits are sorted by a pass too: linear for any input.

The names of a lesson are drawn in the same walk: the walk notes a name when its lot is among the lowest so far,
which happens some 80 times in a message (_harvest.pyx).

>>> from deciban.text import read
>>> features_of(read(b"Subject: free\\n\\nmoney"), ())
<Features: 22 words, 13 letters>
>>> ((_, names),) = named_features([read(b"Subject: free\\n\\nmoney")], [()], [1], 64, 60)
>>> names.split(b"\\n").count(b"money")
1
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcpy, memset

from deciban.committee._lesson_code cimport SHIFT, SHORT_BITS, Features, make_room, write_code
from deciban.text._content cimport Content
from deciban.text._growth cimport grown
from deciban.text._harvest cimport Harvest, Hashes, Sighting, free_harvest, lot
from deciban.text._harvest cimport make_room as make_room_for_hashes
from deciban.text._letters cimport gather_letters
from deciban.text._reader cimport Message
from deciban.text._views cimport default_budgets, gather_outside_facts
from deciban.text._words cimport gather_words

from deciban.text.limits import Limits

cdef enum:
    MOST_MOVES = 16          # to a feature, on average, before insertion is given up
    MOST_DRAWN = 64
    MOST_IDLE = 1 << 16      # features whose memory may wait for the next message
    FIRST = SHORT_BITS - 8   # where the first byte of a short feature begins
    SECOND = SHORT_BITS - 16
    LAST = 0                 # fewer bits than a byte are left

ctypedef struct Shorts:
    uint32_t* data
    Py_ssize_t room

# A message whose features are being gathered.
ctypedef struct Gathering:
    Harvest harvest
    uint64_t[MOST_DRAWN] lowest
    const Content* content
    void* features              # a Features, which somebody else holds
    unsigned char* code
    Py_ssize_t size             # of the code

# Memory of the last message, kept for the next. Only touched with Python's lock held; whoever takes it owns it.
cdef Hashes idle_hashes
cdef Shorts idle_shorts


def features_of(message, facts, limits=Limits(), bint results=True):
    """What the filter learns from a message."""
    return features_of_many([message], [facts], limits, results)[0]


def features_of_many(list messages not None, list facts not None, limits=Limits(), bint results=True):
    """The same for several messages, in one stretch without Python's lock."""
    cdef Py_ssize_t size = len(messages), i
    cdef Gathering* gatherings = <Gathering*>calloc(size + 1, sizeof(Gathering))
    cdef list made = []
    if gatherings == NULL:
        raise MemoryError
    try:
        for i in range(size):
            gatherings[i].harvest.skips_results = not results
            made.append(begin(&gatherings[i], messages[i], facts[i], limits))
        gather_all(gatherings, size)
        return made
    finally:
        for i in range(size):
            free_harvest(&gatherings[i].harvest)
        free(gatherings)


def named_features(
    list messages not None, list facts not None, list seeds not None, int count, int longest, limits=Limits(),
    bint results=True,
):
    """Features with their code, and the names of so many words, drawn by lot and one a line: a pair for each message.

    Which words are drawn, only the seed and the words decide. Names that are longer or have line ends are
    left out. All messages are walked through in one stretch without Python's lock.
    """
    cdef Py_ssize_t size = len(messages), i
    cdef Gathering* gatherings = <Gathering*>calloc(size + 1, sizeof(Gathering))
    cdef list made = []
    if gatherings == NULL:
        raise MemoryError
    try:
        if not 0 < count <= MOST_DRAWN:
            raise ValueError(f"1 to {MOST_DRAWN} names can be drawn, got {count} instead")
        for i in range(size):
            gatherings[i].harvest.skips_results = not results
            gatherings[i].harvest.tracing = True
            gatherings[i].harvest.wanted = count
            gatherings[i].harvest.lowest = gatherings[i].lowest
            gatherings[i].harvest.seed = seeds[i]
            made.append(begin(&gatherings[i], messages[i], facts[i], limits))
        gather_all(gatherings, size)
        return [
            (made[i], b"\n".join(drawn_names(&gatherings[i].harvest, longest))) for i in range(size)
        ]
    finally:
        for i in range(size):
            free_harvest(&gatherings[i].harvest)
            free(gatherings[i].code)
        free(gatherings)


cdef Features begin(Gathering* gathering, Message message, facts, limits):
    """What will have the features of a message; facts known from outside are gathered first of all."""
    if message is None:
        raise TypeError("features are taken from a message, got None instead")
    cdef Features features = Features.__new__(Features)
    gathering.content = &message.content
    gathering.features = <void*>features
    gathering.harvest.limit = limits.features
    gather_outside_facts(&gathering.harvest, facts)
    return features


cdef int gather_all(Gathering* gatherings, Py_ssize_t count) except -1:
    """Fill in features; what was noted of names stays in the harvests. Who wants names wants the code as well."""
    cdef Hashes hashes = idle_hashes
    cdef Shorts spare = idle_shorts
    cdef Features features
    cdef Py_ssize_t i
    memset(&idle_shorts, 0, sizeof(Shorts))
    memset(&idle_hashes, 0, sizeof(Hashes))
    try:
        with nogil:
            for i in range(count):
                gather_one(&gatherings[i], <Features>gatherings[i].features, &hashes, &spare)
        for i in range(count):
            features = <Features>gatherings[i].features
            if gatherings[i].code != NULL:
                features.code = PyBytes_FromStringAndSize(<const char*>gatherings[i].code, gatherings[i].size)
            make_room(features, features.words + features.letters)  # exactly: it will not grow any more
        return 0
    finally:
        give_back(&hashes, &spare)


cdef int gather_one(Gathering* gathering, Features features, Hashes* hashes, Shorts* spare) except -1 nogil:
    """The features of one message, with the memory of the one before."""
    cdef Harvest* harvest = &gathering.harvest
    cdef bint encoding = harvest.tracing
    if harvest.hashes.data == NULL:     # nothing was gathered from outside
        harvest.hashes = hashes[0]
        harvest.hashes.size = 0
        memset(hashes, 0, sizeof(Hashes))
    gather_words(gathering.content, harvest)
    features.words = add_view(features, 0, &harvest.hashes, spare)
    harvest.full = harvest.tracing = False
    gather_letters(gathering.content, harvest, default_budgets())
    features.letters = add_view(features, features.words, &harvest.hashes, spare)
    if encoding:
        gathering.size = write_code(features, &gathering.code)
    if hashes.data == NULL:
        hashes[0] = harvest.hashes
        memset(&harvest.hashes, 0, sizeof(Hashes))
    return 0


cdef void give_back(Hashes* hashes, Shorts* spare) noexcept:
    """Keeps memory for the next message, unless there is some already or it is unusually much."""
    if idle_hashes.data == NULL and hashes.room <= MOST_IDLE:
        memcpy(&idle_hashes, hashes, sizeof(Hashes))
    else:
        free(hashes.data)
    if idle_shorts.data == NULL and spare.room <= MOST_IDLE:
        memcpy(&idle_shorts, spare, sizeof(Shorts))
    else:
        free(spare.data)
    memset(hashes, 0, sizeof(Hashes))


cdef list drawn_names(const Harvest* harvest, Py_ssize_t longest):
    """The names of the words with the lowest lots, sorted; some that were noted early have lost since."""
    cdef Py_ssize_t i, length
    cdef Sighting row
    cdef const char* name
    cdef list names = []
    for i in range(harvest.sightings.count):
        row = harvest.sightings.rows[i]
        name = <const char*>harvest.names.data + row.name_start
        length = row.name_end - row.name_start
        if length > longest or lot(row.hash, harvest.seed) > harvest.lowest[harvest.drawn - 1]:
            continue
        if memchr(name, c"\n", length) == NULL:
            names.append(PyBytes_FromStringAndSize(name, length))
    names.sort()
    return names


cdef Py_ssize_t add_view(Features features, Py_ssize_t start, Hashes* hashes, Shorts* spare) except -1 nogil:
    """The set of what was gathered, behind the features that are there; how many. Nothing is gathered then."""
    cdef Py_ssize_t count = hashes.size
    make_room(features, start + count)
    if spare.room < count:
        spare.data = <uint32_t*>grown(spare.data, &spare.room, count, 256, sizeof(uint32_t))
    hashes.size = 0
    return sorted_set(hashes.data, features.data + start, spare.data, count)


cdef Py_ssize_t sorted_set(
    const uint64_t* hashes, uint32_t* target, uint32_t* spare, Py_ssize_t count
) noexcept nogil:
    """The short features of some hashes, sorted, each once; how many there are."""
    cdef Py_ssize_t i, kept = 1, moves_left = MOST_MOVES * count
    cdef uint32_t feature, last
    if count == 0:
        return 0
    sort_by_top_bytes(hashes, target, spare, count)
    # One walk puts right what is out of order, which is seldom, and drops repetitions: each is written, and kept
    # only if it differs from the one before, because a branch on that could not be predicted.
    last = target[0]
    for i in range(1, count):
        feature = target[i]
        if feature < last:
            moves_left -= insert(target, &kept, feature)
            if moves_left < 0:
                return sorted_by_all_bits(hashes, target, spare, count)
            continue
        target[kept] = feature
        kept += feature != last
        last = feature
    return kept


cdef inline Py_ssize_t insert(uint32_t* target, Py_ssize_t* size, uint32_t feature) noexcept nogil:
    """Puts a feature into a sorted set that has room for it, unless it is there already; how far it had to go."""
    cdef Py_ssize_t place = size[0], i
    while place > 0 and target[place - 1] > feature:
        place -= 1
    if place == 0 or target[place - 1] != feature:
        for i in range(size[0], place, -1):
            target[i] = target[i - 1]
        target[place] = feature
        size[0] += 1
    return size[0] - place


cdef inline void counts_to_places(uint32_t* counts) noexcept nogil:
    """How many features have each byte becomes where the first of them goes."""
    cdef int i
    cdef uint32_t count, total = 0
    for i in range(256):
        count = counts[i]
        counts[i] = total
        total += count


cdef inline void scatter(
    const uint32_t* source, uint32_t* target, Py_ssize_t count, uint32_t* places, int shift
) noexcept nogil:
    """Copies features to the places of one of their bytes, equal ones in their order."""
    cdef Py_ssize_t i
    cdef uint32_t place, byte
    for i in range(count):
        byte = source[i] >> shift & 0xFF
        place = places[byte]
        places[byte] = place + 1
        target[place] = source[i]


cdef void sort_by_top_bytes(
    const uint64_t* hashes, uint32_t* target, uint32_t* spare, Py_ssize_t count
) noexcept nogil:
    """The short features of hashes, sorted by their first two bytes, which are counted in one walk."""
    cdef uint32_t[256] first, second
    cdef Py_ssize_t i
    memset(first, 0, sizeof(first))
    memset(second, 0, sizeof(second))
    for i in range(count):
        first[hashes[i] >> (SHIFT + FIRST)] += 1
        second[hashes[i] >> (SHIFT + SECOND) & 0xFF] += 1
        target[i] = <uint32_t>(hashes[i] >> SHIFT)
    counts_to_places(first)
    counts_to_places(second)
    scatter(target, spare, count, second, SECOND)
    scatter(spare, target, count, first, FIRST)


cdef void sort_by_byte(const uint32_t* source, uint32_t* target, Py_ssize_t count, int shift) noexcept nogil:
    """Copies features in the order of one of their bytes."""
    cdef uint32_t[256] places
    cdef Py_ssize_t i
    memset(places, 0, sizeof(places))
    for i in range(count):
        places[source[i] >> shift & 0xFF] += 1
    counts_to_places(places)
    scatter(source, target, count, places, shift)


cdef Py_ssize_t sorted_by_all_bits(
    const uint64_t* hashes, uint32_t* target, uint32_t* spare, Py_ssize_t count
) noexcept nogil:
    """The same set, by three passes, last bits first; how many there are."""
    cdef Py_ssize_t i, kept = 1
    for i in range(count):
        spare[i] = <uint32_t>(hashes[i] >> SHIFT)
    sort_by_byte(spare, target, count, LAST)
    sort_by_byte(target, spare, count, SECOND)
    sort_by_byte(spare, target, count, FIRST)
    for i in range(1, count):
        target[kept] = target[i]
        kept += target[i] != target[kept - 1]
    return kept


def short_set(hashes):
    """The sorted set of the short features of some hashes, as a view is made; for tests.

    >>> short_set([3 << 41, 2**64 - 1, 1 << 41, (3 << 41) + 1])
    [1, 3, 8388607]
    """
    cdef Features features = Features.__new__(Features)
    cdef Hashes gathered
    cdef Shorts spare
    cdef Py_ssize_t i, count
    memset(&gathered, 0, sizeof(Hashes))
    memset(&spare, 0, sizeof(Shorts))
    try:
        for hash in hashes:
            make_room_for_hashes(&gathered, 1)
            gathered.data[gathered.size] = hash
            gathered.size += 1
        count = add_view(features, 0, &gathered, &spare)
        return [features.data[i] for i in range(count)]
    finally:
        free(gathered.data)
        free(spare.data)
