"""From a message that was read to its two sets of features, and on request to where each was seen.

`extract` makes both views in one call without a Python object for any feature: Python sees the sorted hashes
as a buffer of unsigned 64-bit numbers. The filter keeps fewer bits of them (committee/_short_features.pyx).

>>> from deciban.text import read
>>> words, letters = extract(read(b"Subject: free\\n\\nmoney"), ())
>>> from deciban.text._hashing import feature_hash
>>> feature_hash("subject:free") in words, feature_hash("money") in words, len(letters)
(True, True, 13)
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from deciban.text._content cimport Content
from deciban.text._harvest cimport Harvest, Hashes, Sighting, free_harvest, sort_unique
from deciban.text._letters cimport Budgets, gather_letters
from deciban.text._reader cimport Message
from deciban.text._words cimport gather_outside_fact, gather_words

from deciban.text.limits import Limits

cdef enum:
    HEADER_BUDGET = 3000
    TEXT_BUDGET = 3000
    BODY_BUDGET = 0
    MOST_IDLE = 1 << 16      # hashes whose memory may wait for the next message

# By the numbers of the enum Where.
PLACES = ("message", "header", "text", "hidden", "link", "markup", "part", "canonical")


cdef class FeatureSet:
    """The features of one view of one message: hashes, each once, in increasing order.

    In C `hashes` is the owned array. In Python it is a sequence, and a read-only buffer of format Q:

    >>> from deciban.text import read
    >>> words, letters = extract(read(b"hi"), ())
    >>> memoryview(words).format, list(words) == sorted(set(words))
    ('Q', True)
    """

    def __dealloc__(self):
        free(self.hashes.data)

    def __len__(self):
        return self.hashes.size

    def __getitem__(self, Py_ssize_t place):
        if place < 0:
            place += self.hashes.size
        if place < 0 or place >= self.hashes.size:
            raise IndexError(f"there are {self.hashes.size} features, and none at {place}")
        return self.hashes.data[place]

    def __contains__(self, value):
        cdef uint64_t hash = value
        cdef Py_ssize_t low = 0, high = self.hashes.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.hashes.data[middle] < hash:
                low = middle + 1
            else:
                high = middle
        return low < self.hashes.size and self.hashes.data[low] == hash

    def __eq__(self, other):
        return isinstance(other, FeatureSet) and bytes(self) == bytes(other)

    def __hash__(self):
        return hash(bytes(self))

    def __bytes__(self):
        return PyBytes_FromStringAndSize(<char*>self.hashes.data, self.hashes.size * sizeof(uint64_t))

    def __repr__(self):
        return f"<FeatureSet of {self.hashes.size} features>"

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("features are read-only")
        self.shape[0] = self.hashes.size
        self.strides[0] = sizeof(uint64_t)
        buffer.buf = self.hashes.data
        buffer.obj = self
        buffer.len = self.hashes.size * sizeof(uint64_t)
        buffer.readonly = 1
        buffer.itemsize = sizeof(uint64_t)
        buffer.format = NULL
        if flags & PyBUF_FORMAT:
            buffer.format = b"Q"
        buffer.ndim = 1
        buffer.shape = self.shape
        buffer.strides = self.strides
        buffer.suboffsets = NULL
        buffer.internal = NULL

    def __releasebuffer__(self, Py_buffer* buffer):
        pass


# Memory of the last extraction, kept for the next: asking malloc for some 100 kB a message, and growing to it,
# was some 3% of reading and extracting (malloc 6.8% of a profile before, 4.0% after). Only touched with Python's lock held; whoever takes it owns it.
cdef Hashes idle_gathered
cdef Hashes idle_scratch


cdef Hashes take(Hashes* idle) noexcept:
    """Memory for hashes, from the last extraction if nobody else has it."""
    cdef Hashes taken = idle[0]
    memset(idle, 0, sizeof(Hashes))
    taken.size = 0
    return taken


cdef void give_back(Hashes* idle, Hashes* used) noexcept:
    """Keeps memory for the next extraction, unless there is some already or it is unusually much."""
    if idle.data == NULL and used.room <= MOST_IDLE:
        idle[0] = used[0]
    else:
        free(used.data)
    memset(used, 0, sizeof(Hashes))


cdef FeatureSet feature_set(Harvest* harvest, Hashes* scratch):
    """The set of what was harvested; the harvest is empty afterwards."""
    cdef FeatureSet features = FeatureSet.__new__(FeatureSet)
    cdef Py_ssize_t size
    with nogil:
        sort_unique(&harvest.hashes, scratch)
    size = harvest.hashes.size
    make_exact_room(&features.hashes, size)
    if size:
        memcpy(features.hashes.data, harvest.hashes.data, size * sizeof(uint64_t))
    features.hashes.size = size
    harvest.hashes.size = 0
    return features


cdef int make_exact_room(Hashes* hashes, Py_ssize_t room) except -1:
    """Memory for a set that will not grow."""
    hashes.data = <uint64_t*>malloc(max(room, 1) * sizeof(uint64_t))
    if hashes.data == NULL:
        raise MemoryError
    hashes.room = room
    return 0


cdef Budgets default_budgets() noexcept nogil:
    cdef Budgets budgets
    budgets.headers = HEADER_BUDGET
    budgets.text = TEXT_BUDGET
    budgets.body = BODY_BUDGET
    return budgets


cdef int gather_outside_facts(Harvest* harvest, facts) except -1:
    """Facts known from outside; first of all, so that no text can crowd them out."""
    for fact in facts:
        gather_outside_fact(harvest, fact.encode())
    return 0


cdef int harvest_words(Message message, Harvest* harvest, facts) except -1:
    gather_outside_facts(harvest, facts)
    with nogil:
        gather_words(&message.content, harvest)
    return 0


cdef int harvest_letters(Message message, Harvest* harvest) except -1:
    with nogil:
        gather_letters(&message.content, harvest, default_budgets())
    return 0


def extract(Message message not None, facts, limits=Limits(), bint results=True):
    """Both views of a message: (words, letters); without the fields that servers wrote about its sender, if asked."""
    cdef Harvest harvest
    cdef Hashes scratch = take(&idle_scratch)
    memset(&harvest, 0, sizeof(harvest))
    harvest.hashes = take(&idle_gathered)
    harvest.limit = limits.features
    harvest.skips_results = not results
    try:
        harvest_words(message, &harvest, facts)
        words = feature_set(&harvest, &scratch)
        harvest.full = False
        harvest_letters(message, &harvest)
        return words, feature_set(&harvest, &scratch)
    finally:
        give_back(&idle_gathered, &harvest.hashes)
        give_back(&idle_scratch, &scratch)
        free_harvest(&harvest)


cdef list sightings_of(const Harvest* harvest):
    """What a traced harvest saw, in the order of the walk."""
    cdef Py_ssize_t i
    cdef Sighting row
    found = []
    for i in range(harvest.sightings.count):
        row = harvest.sightings.rows[i]
        name = PyBytes_FromStringAndSize(
            <char*>harvest.names.data + row.name_start, row.name_end - row.name_start
        )
        found.append((row.hash, name, PLACES[row.where], row.number, row.start, row.end))
    return found


def sightings(Message message not None, str view, facts, limits=Limits(), bint results=True):
    """Each feature of the view `words` or `letters` each time it was seen: (hash, name, where, number, start, end)."""
    cdef Harvest harvest
    memset(&harvest, 0, sizeof(harvest))
    harvest.limit = limits.features
    harvest.skips_results = not results
    harvest.tracing = True
    try:
        if view == "words":
            harvest_words(message, &harvest, facts)
        else:
            harvest_letters(message, &harvest)
        return sightings_of(&harvest)
    finally:
        free_harvest(&harvest)
