"""The view `letters` in C: overlapping runs of four bytes of the headers and of the text. See letters.py.

Headers and text have a budget each. In the headers a few rules keep noise from eating it: a field counts
with its first bytes only, signatures with fewer still, and within a field a long run of letters and digits
without a break (a key, a digest, an id) counts with its first bytes only. 4-grams never span a gap that
these rules leave.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from deciban.text._content cimport (
    HEADER_AUTHENTICATION, HEADER_DATE, HEADER_DKIM_SIGNATURE, HEADER_EXTENSION, Buffer, Content, Header, header_at,
    part_at,
)
from deciban.text._harvest cimport WHERE_CANONICAL, WHERE_TEXT, Harvest, Tag, add_hash, make_room, note_sighting, tag_of
from deciban.text._hashing cimport hash_gram
from deciban.text._tokens cimport blob_bytes

cdef enum:
    GRAM = 4
    RECENT_SLOTS = 4096
    RECENT_SHIFT = 52        # 64 - log2(RECENT_SLOTS)
    FIELD_BYTES = 400        # of one header field
    SIGNATURE_BYTES = 64     # of a field that is a signature or a trace
    BLOB = 24                # a run of so many letters and digits is a key, a digest or an id ...
    BLOB_BYTES = 8           # ... and its first bytes say enough


ctypedef struct Recent:
    uint32_t[RECENT_SLOTS] grams   # the last 4-gram seen whose hash begins with the slot's number
    Py_ssize_t left                # 4-grams that may still be looked at, repetitions counted


cdef void forget_recent(Recent* recent, const Tag* tag) noexcept nogil:
    """Every slot holds a 4-gram that does not belong there, so nothing was seen yet."""
    cdef Py_ssize_t own_slot = hash_gram(tag.state, 0) >> RECENT_SHIFT
    cdef uint32_t stranger = 1
    memset(recent.grams, 0, sizeof(recent.grams))
    while <Py_ssize_t>(hash_gram(tag.state, stranger) >> RECENT_SHIFT) == own_slot:
        stranger += 1
    recent.grams[own_slot] = stranger


cdef int gather_grams(
    Harvest* harvest, const Tag* tag, Recent* recent, const Buffer* buffer, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """Every 4-gram of [start, end) of a buffer."""
    cdef Py_ssize_t at
    cdef uint32_t gram = 0
    cdef uint64_t hash
    cdef uint64_t* target
    start = max(start, 0)
    end = min(end, buffer.size)
    if end - start < GRAM:
        return 0
    end = min(end, start + GRAM - 1 + recent.left)
    recent.left -= end - start - GRAM + 1
    for at in range(start, start + GRAM - 1):
        gram = gram << 8 | buffer.data[at]
    if harvest.tracing:
        for at in range(start + GRAM - 1, end):
            gram = gram << 8 | buffer.data[at]
            hash = hash_gram(tag.state, gram)
            add_hash(harvest, hash)
            note_sighting(harvest, hash, tag, buffer.data + at - GRAM + 1, GRAM, NULL, 0, at - GRAM + 1, at + 1)
        return 0
    # The same without a look at limit, room and tracing for every byte. What was seen recently is written but
    # not kept, without a branch, because none could be predicted: less to sort.
    make_room(&harvest.hashes, end - start)
    target = harvest.hashes.data + harvest.hashes.size
    for at in range(start + GRAM - 1, end):
        gram = gram << 8 | buffer.data[at]
        hash = hash_gram(tag.state, gram)
        target[0] = hash
        target += recent.grams[hash >> RECENT_SHIFT] != gram
        recent.grams[hash >> RECENT_SHIFT] = gram
    harvest.hashes.size = target - harvest.hashes.data
    return 0


cdef Py_ssize_t gather_field(
    Harvest* harvest, const Tag* tag, Recent* recent, const Buffer* canonical, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """The 4-grams of a header field without the rests of its blobs; how many bytes it used."""
    cdef Py_ssize_t at = start, run_start, kept = start, used = 0
    while at < end:
        if not blob_bytes[canonical.data[at]]:
            at += 1
            continue
        run_start = at
        while at < end and blob_bytes[canonical.data[at]]:
            at += 1
        if at - run_start >= BLOB:
            gather_grams(harvest, tag, recent, canonical, kept, run_start + BLOB_BYTES)
            used += run_start + BLOB_BYTES - kept
            kept = at
    gather_grams(harvest, tag, recent, canonical, kept, end)
    return used + end - kept


cdef Py_ssize_t share_of(const Header* header) noexcept nogil:
    """How many bytes of a field are worth looking at."""
    if header.kind == HEADER_DKIM_SIGNATURE or header.kind == HEADER_AUTHENTICATION:
        return SIGNATURE_BYTES
    return FIELD_BYTES


cdef int gather_letters(const Content* content, Harvest* harvest, Budgets budgets) except -1 nogil:
    """All features of the view."""
    cdef Tag tag = tag_of(b"letters:", 8)
    cdef const Buffer* canonical = &content.canonical
    cdef Py_ssize_t i, left = budgets.headers, start, end
    cdef Header header
    cdef Recent recent
    forget_recent(&recent, &tag)
    recent.left = max(harvest.limit, 0)
    make_room(&harvest.hashes, budgets.headers + budgets.text + budgets.body)
    harvest.where = WHERE_CANONICAL
    harvest.number = 0
    for i in range(content.headers.count):
        header = header_at(content, i)
        if left <= 0 or header.part != 0:
            break
        if harvest.skips_results and header.kind == HEADER_AUTHENTICATION:
            continue
        # The line end before a name tells "To:" from "Reply-To:".
        start = max(header.raw.start - 1, 0)
        end = min(header.raw.end, start + min(share_of(&header), left), canonical.size)
        left -= gather_field(harvest, &tag, &recent, canonical, start, end)
    start = max(part_at(content, 0).body.start, 0)
    gather_grams(harvest, &tag, &recent, canonical, start, min(start + budgets.body, canonical.size))
    harvest.where = WHERE_TEXT
    gather_grams(harvest, &tag, &recent, &content.text, 0, budgets.text)
    return 0
