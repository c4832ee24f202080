# What a view gathers from a message, in C: hashes, and on request their names and places (see _harvest.pyx).

from libc.stdint cimport int32_t, uint8_t, uint64_t

from deciban.text._content cimport Buffer
from deciban.text._hashing cimport hash_begin, hash_bytes, hash_end

ctypedef struct Hashes:
    uint64_t* data
    Py_ssize_t size
    Py_ssize_t room

# What the places of traced features are places of.
cdef enum Where:
    WHERE_MESSAGE = 0   # the message as a whole: facts
    WHERE_HEADER        # the decoded value of a header field
    WHERE_TEXT          # Message.text as UTF-8
    WHERE_HIDDEN        # Message.hidden as UTF-8
    WHERE_LINK          # the target of a link
    WHERE_MARKUP        # the list of start tags
    WHERE_PART          # a part of the message: its type, encoding, file name
    WHERE_CANONICAL     # the canonical form

ctypedef struct Sighting:
    uint64_t hash
    Py_ssize_t name_start   # in Harvest.names
    Py_ssize_t name_end
    Py_ssize_t start        # in what ``where`` says
    Py_ssize_t end
    int32_t where
    int32_t number          # of the header, link or part

ctypedef struct Sightings:
    Sighting* rows
    Py_ssize_t count
    Py_ssize_t room

ctypedef struct Harvest:
    Hashes hashes
    Py_ssize_t limit        # hashes gathered at most, repetitions counted
    bint full               # some were left out
    bint tracing
    bint skips_results      # leave out what servers wrote about the sender: HEADER_AUTHENTICATION
    int wanted              # if above 0, trace only this many features: those with the lowest lots so far
    uint64_t bar            # ... and below this
    int drawn               # how many lots are in ``lowest``
    uint64_t* lowest        # in increasing order, with room for ``wanted``
    uint64_t seed           # of the lots
    int32_t where           # what is being walked through now
    int32_t number
    Py_ssize_t origin       # where the stretch that is being walked through begins in it
    Sightings sightings
    Buffer names

# The beginning of a name, hashed once for all the features that share it.
ctypedef struct Tag:
    const uint8_t* name
    Py_ssize_t length
    uint64_t state

cdef int make_room(Hashes* hashes, Py_ssize_t more) except -1 nogil
cdef int sort_hashes(Hashes* hashes, Hashes* spare) except -1 nogil
cdef int sort_unique(Hashes* hashes, Hashes* spare) except -1 nogil
cdef int note_sighting(
    Harvest* harvest, uint64_t hash, const Tag* tag, const uint8_t* name, Py_ssize_t length,
    const uint8_t* more, Py_ssize_t more_length, Py_ssize_t start, Py_ssize_t end,
) except -1 nogil
cdef void free_harvest(Harvest* harvest) noexcept nogil


cdef inline Tag tag_of(const char* name, Py_ssize_t length) noexcept nogil:
    """A tag whose name outlives it."""
    cdef Tag tag
    tag.name = <const uint8_t*>name
    tag.length = length
    tag.state = hash_bytes(hash_begin(), tag.name, length)
    return tag


cdef inline uint64_t lot(uint64_t hash, uint64_t seed) noexcept nogil:
    """The number that a feature draws under a seed; the lowest win."""
    return hash_end(hash ^ seed)


cdef inline int add_hash(Harvest* harvest, uint64_t hash) except -1 nogil:
    """One more hash; 0 and nothing added if the limit was reached."""
    if harvest.hashes.size >= harvest.limit:
        harvest.full = True
        return 0
    if harvest.hashes.size == harvest.hashes.room:
        make_room(&harvest.hashes, 1)
    harvest.hashes.data[harvest.hashes.size] = hash
    harvest.hashes.size += 1
    return 1


cdef inline bint is_traced(const Harvest* harvest, uint64_t hash) noexcept nogil:
    """Whether the name and place of a feature are asked for. Of names by lot few win, so this is not a call."""
    return harvest.tracing and (not harvest.wanted or lot(hash, harvest.seed) <= harvest.bar)


cdef inline int add_feature(
    Harvest* harvest, const Tag* tag, const uint8_t* name, Py_ssize_t length, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """The feature called tag + name, seen in [start, end)."""
    cdef uint64_t hash = hash_end(hash_bytes(tag.state, name, length))
    if add_hash(harvest, hash) and is_traced(harvest, hash):
        note_sighting(harvest, hash, tag, name, length, NULL, 0, start, end)
    return 0
