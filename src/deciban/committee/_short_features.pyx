"""From messages to their short features, both views in one call, without Python's lock and without the long hashes.

`deciban.text` gathers 64-bit hashes as it walks through a message, repetitions included. A lesson keeps the top
23 bits of each (_lesson_code.pyx), so these are what is sorted here, in half the memory: two passes of a radix
sort, by the second and then by the first byte of the 23 bits, leave few out of order, and insertion puts those
right. An attacker can search words that share their top 16 bits, so moves are counted, and past 16 to a feature
the other 7 bits are sorted by a pass too: linear for any input.

The names of a lesson are drawn in the same walk: the walk notes a name when its lot is among the lowest so far
(_harvest.pyx), which would happen some 70 times in a message. The length of a text tells roughly how many words
it has, and so how low a lot must be to win: with that as a bar from the beginning it happens some 30 times.

>>> from deciban.text import read
>>> features_of(read(b"Subject: free\\n\\nmoney"), ())
<Features: 22 words, 13 letters>
>>> ((_, names),) = named_features([read(b"Subject: free\\n\\nmoney")], [()], [1], 64, 60)
>>> names.split(b"\\n").count(b"money")
1
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcpy, memset

from deciban.committee._lesson_code cimport SHIFT, SHORT_BITS, Features, make_room, packed, room_for_code, write_code
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
    # A message has about so many different words, and one more for so many bytes of a text that is not very long: nine in
    # ten of SpamAssassin have .76 to 1.7 times as many. Of each 300, the second walk is for one.
    LIKELY_WORDS = 100
    BYTES_A_WORD = 4
    LONG_TEXT = 20000
    MORE_THAN_WANTED = 2     # names that are likely to be below the bar, for each that is wanted
    MOST_IDLE = 1 << 16      # features whose memory may wait for the next stretch
    MOST_IDLE_CODE = 1 << 20 # bytes of codes
    FIRST = SHORT_BITS - 8   # where the first byte of a short feature begins
    SECOND = SHORT_BITS - 16
    LAST = 0                 # fewer bits than a byte are left

ctypedef struct Shorts:
    uint32_t* data
    Py_ssize_t room

ctypedef struct Codes:
    unsigned char* data
    Py_ssize_t size
    Py_ssize_t room

# Memory that each message of a stretch uses after the one before, and the codes of all of them.
ctypedef struct Memory:
    Hashes hashes
    Shorts shorts               # the features of a message, which are copied from here or become a code
    Shorts spare                # to sort them
    Codes codes

# A message whose features are being gathered.
ctypedef struct Gathering:
    Harvest harvest
    uint64_t[MOST_DRAWN] lowest
    const Content* content
    void* features              # a Features to be filled in, which somebody else holds; NULL where the code is enough
    Py_ssize_t words
    Py_ssize_t letters
    Py_ssize_t start            # of the code
    Py_ssize_t size

# Memory of the last stretch, kept for the next. Only touched with Python's lock held; whoever takes it owns it.
cdef Memory idle


def features_of(message, facts, limits=Limits(), bint results=True):
    """What the filter learns from a message."""
    return features_of_many([message], [facts], limits, results)[0]


def features_of_many(list messages not None, list facts not None, limits=Limits(), bint results=True):
    """The same for several messages, in one stretch without Python's lock."""
    cdef Py_ssize_t size = len(messages), i
    cdef list made = [Features.__new__(Features) for i in range(size)]
    cdef Gathering* gatherings = <Gathering*>calloc(size + 1, sizeof(Gathering))
    cdef Memory memory = taken_memory()
    try:
        if gatherings == NULL:
            raise MemoryError
        for i in range(size):
            gatherings[i].features = <void*>made[i]
            begin(&gatherings[i], messages[i], facts[i], limits, results)
        gather_all(gatherings, size, &memory)
        return made
    finally:
        end_all(gatherings, size)
        give_back(&memory)


def named_features(
    list messages not None, list facts not None, list seeds not None, int count, int longest, limits=Limits(),
    bint results=True,
):
    """Features by their code, and the names of so many words, drawn by lot and one a line: a pair for each message.

    Which words are drawn, only the seed and the words decide. Names that are longer or have line ends are
    left out. All messages are walked through in one stretch without Python's lock. Lessons wait for each other
    before they are written, so their features take no more memory than their code.
    """
    cdef Py_ssize_t size = len(messages), i
    cdef Gathering* gatherings = <Gathering*>calloc(size + 1, sizeof(Gathering))
    cdef Memory memory = taken_memory()
    cdef Gathering* one
    cdef list found = []
    try:
        if gatherings == NULL:
            raise MemoryError
        if not 0 < count <= MOST_DRAWN:
            raise ValueError(f"1 to {MOST_DRAWN} names can be drawn, got {count} instead")
        for i in range(size):
            one = &gatherings[i]
            one.harvest.tracing = True
            one.harvest.wanted = count
            one.harvest.lowest = one.lowest
            one.harvest.bar = UINT64_MAX
            one.harvest.seed = seeds[i]
            begin(one, messages[i], facts[i], limits, results)
        gather_all(gatherings, size, &memory)
        for i in range(size):
            one = &gatherings[i]
            code = PyBytes_FromStringAndSize(<const char*>memory.codes.data + one.start, one.size)
            found.append((packed(code, one.words, one.letters), b"\n".join(drawn_names(&one.harvest, longest))))
        return found
    finally:
        end_all(gatherings, size)
        give_back(&memory)


cdef int begin(Gathering* gathering, Message message, facts, limits, bint results) except -1:
    """Make ready for a message; facts known from outside are gathered first of all."""
    if message is None:
        raise TypeError("features are taken from a message, got None instead")
    gathering.content = &message.content
    gathering.harvest.limit = limits.features
    gathering.harvest.skips_results = not results
    gather_outside_facts(&gathering.harvest, facts)
    return 0


cdef void end_all(Gathering* gatherings, Py_ssize_t count) noexcept:
    cdef Py_ssize_t i
    if gatherings != NULL:
        for i in range(count):
            free_harvest(&gatherings[i].harvest)
        free(gatherings)


cdef int gather_all(Gathering* gatherings, Py_ssize_t count, Memory* memory) except -1:
    """Fill in features or write their codes; what was noted of names stays in the harvests."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(count):
            gather_one(&gatherings[i], memory)
    return 0


cdef int gather_one(Gathering* gathering, Memory* memory) except -1 nogil:
    """The features of one message."""
    cdef Harvest* harvest = &gathering.harvest
    cdef Py_ssize_t words, letters
    if harvest.hashes.data == NULL:     # nothing was gathered from outside
        harvest.hashes = memory.hashes
        harvest.hashes.size = 0
        memset(&memory.hashes, 0, sizeof(Hashes))
    if harvest.wanted:
        draw_words(gathering.content, harvest)
    else:
        gather_words(gathering.content, harvest)
    words = add_view(&harvest.hashes, 0, memory)
    harvest.full = harvest.tracing = False
    gather_letters(gathering.content, harvest, default_budgets())
    letters = add_view(&harvest.hashes, words, memory)
    if gathering.features != NULL:
        fill(<Features>gathering.features, memory.shorts.data, words, letters)
    else:
        gathering.words = words
        gathering.letters = letters
        add_code(gathering, memory)
    if memory.hashes.data == NULL:
        memory.hashes = harvest.hashes
        memset(&harvest.hashes, 0, sizeof(Hashes))
    return 0


cdef int draw_words(const Content* content, Harvest* harvest) except -1 nogil:
    """Gather words and draw their names, of which few have a lot that is low enough."""
    cdef Py_ssize_t before = harvest.hashes.size
    cdef Py_ssize_t likely = LIKELY_WORDS + min(content.text.size, <Py_ssize_t>LONG_TEXT) // BYTES_A_WORD
    cdef uint64_t bar = UINT64_MAX
    if likely > MORE_THAN_WANTED * harvest.wanted:
        bar = UINT64_MAX // likely * (MORE_THAN_WANTED * harvest.wanted)
    harvest.bar = min(harvest.bar, bar)
    gather_words(content, harvest)
    if harvest.drawn == harvest.wanted and harvest.lowest[harvest.wanted - 1] <= bar or bar == UINT64_MAX:
        return 0
    # There are few words, or none had luck: higher lots win, too.
    harvest.bar = harvest.lowest[harvest.wanted - 1] if harvest.drawn == harvest.wanted else UINT64_MAX
    harvest.hashes.size = before
    harvest.full = False
    gather_words(content, harvest)
    return 0


cdef int fill(Features features, const uint32_t* shorts, Py_ssize_t words, Py_ssize_t letters) except -1 nogil:
    make_room(features, words + letters)
    memcpy(features.data, shorts, (words + letters) * sizeof(uint32_t))
    features.words = words
    features.letters = letters
    return 0


cdef int add_code(Gathering* gathering, Memory* memory) except -1 nogil:
    """Write the code of a message behind those of the others."""
    cdef Codes* codes = &memory.codes
    cdef Py_ssize_t wanted = codes.size + room_for_code(gathering.words + gathering.letters)
    if codes.room < wanted:
        codes.data = <unsigned char*>grown(codes.data, &codes.room, wanted, 0, 1)
    gathering.start = codes.size
    gathering.size = write_code(memory.shorts.data, gathering.words, gathering.letters, codes.data + codes.size)
    codes.size += gathering.size
    return 0


cdef Memory taken_memory() noexcept:
    """The memory of the last stretch; none, if another thread has it now."""
    cdef Memory memory = idle
    memset(&idle, 0, sizeof(Memory))
    return memory


cdef void give_back(Memory* memory) noexcept:
    """Keep memory for the next stretch, unless there is some already or it is unusually much."""
    memory.codes.size = 0
    if (
        idle.hashes.data == NULL and idle.shorts.data == NULL and idle.spare.data == NULL and idle.codes.data == NULL
        and max(memory.hashes.room, memory.shorts.room, memory.spare.room) <= MOST_IDLE
        and memory.codes.room <= MOST_IDLE_CODE
    ):
        memcpy(&idle, memory, sizeof(Memory))
        return
    free(memory.hashes.data)
    free(memory.shorts.data)
    free(memory.spare.data)
    free(memory.codes.data)


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


cdef Py_ssize_t add_view(Hashes* hashes, Py_ssize_t start, Memory* memory) except -1 nogil:
    """The set of what was gathered, behind the features that are there; how many. Nothing is gathered then."""
    cdef Py_ssize_t count = hashes.size
    have_room(&memory.shorts, start + count)
    have_room(&memory.spare, count)
    hashes.size = 0
    return sorted_set(hashes.data, memory.shorts.data + start, memory.spare.data, count)


cdef int have_room(Shorts* shorts, Py_ssize_t wanted) except -1 nogil:
    if shorts.room < wanted:
        shorts.data = <uint32_t*>grown(shorts.data, &shorts.room, wanted, 256, sizeof(uint32_t))
    return 0


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
    cdef Hashes gathered
    cdef Memory memory
    cdef Py_ssize_t i, count
    memset(&gathered, 0, sizeof(Hashes))
    memset(&memory, 0, sizeof(Memory))
    try:
        for hash in hashes:
            make_room_for_hashes(&gathered, 1)
            gathered.data[gathered.size] = hash
            gathered.size += 1
        count = add_view(&gathered, 0, &memory)
        return [memory.shorts.data[i] for i in range(count)]
    finally:
        free(gathered.data)
        free(memory.shorts.data)
        free(memory.spare.data)
