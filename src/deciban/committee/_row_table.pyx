"""The table of a committee: one row of numbers for each slot that was ever learned, dense or sparse.

A feature has a slot in the table of its view: the first bits of a salted hash. A row is its AdaGrad sum, one weight a
label (float32) and one count a label (uint16, which stays at 65,535), filled up to a power of two. A row of two
labels takes 16 bytes, so that one feature is one cache miss.

A **dense** table has a row for each slot: 64 MB for two labels. That is much for a filter that has learned little: 20
lessons touch 26,000 rows, 200 touch 130,000. So a **sparse** table has rows only for slots that were learned, in
the order in which they were first learned, and an index that says where they are:

    index     buckets of 64 bytes, a line of the processor's cache, each with places for 12 entries, or 10 where
              there are many rows. An entry lies in the bucket that its key has among all keys, or behind it, where
              the next place is free; at most four fifths are in use
    rows      those in use, then room for more

Features that were always taught together have equal rows: of the 126,000 rows of 200 lessons only 27,000 differ. So a
small table that is poured into a file holds equal rows only once (`_share`). The rows that several features have come
first. Whoever teaches one of these features gives it a row of its own (`_part`), behind all others; what nobody has any
more stays until the table is poured again.

For much work in memory a sparse table has a **directory** beside it: the number of the row of each key, 4 bytes for each
of all keys (16 MB), so that a row is found by two looks at memory and no search. The index is filled in when the table is
poured into the one that is written. Whoever asks a table much that is in a file may have such a directory for himself. Rows that are often used lie close together, at the front.

The key of a row is twice its slot, and one more for letters. Both kinds have the same slots, so the same features
collide, and both give the same bits. A table that is full is poured into a larger one.

A bucket (_bucket.pxd) holds for each entry the last 16 bits of its key, and in 3 bytes (4 in the wide buckets of many rows)
the other bits and the number of the row. So an entry takes 5 bytes, and one look at a line compares 12 keys without a
branch. Entries of 8 bytes that were looked at one after the other took 1.6 times the room.

Index and rows are covered by checks, one number for each block of 4,096 bytes: the sum of its words of 64
bits, each times an odd number of its own, modulo 2^64. Any one word that changes changes it, and a lesson adds to
it what it changed. A block is checked when it is first used, so that damage is found before it is believed, and one
message costs no more than the blocks that it needs.

Packed, a table is one code for both kinds, the same for the same rows: how many rows there are, then the distance of
each key from the one before, in groups of 7 bits, then the rows in the order of their keys, without room for more
labels than there are. Rows of zeros are left out.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset
from posix.unistd cimport pread

from deciban.committee._bucket cimport (
    BUCKET, BUCKET_BITS, NARROW_PLACES, TAG_BITS, WIDE_PLACES, append_entry, check_of_entry, count_in, key_at,
    number_at, place_in, put_rest, rest_at, rest_of,
)
from deciban.committee._row_index cimport (
    AHEAD, MORE, enter, entries_between, find_homes, gather_rows, home_of, look_up, number_in,
)
from deciban.text._hashing cimport hash_end

from deciban.errors import DamagedSnapshot, SharedFilterChanged

cdef extern from *:
    """
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <time.h>
    static double deciban_seconds(void)
    {
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    }
    /* So many bytes, all of them 0, to be given back by munmap; NULL if there are none. On huge pages as long as each is
       there at once: a virtual machine may have to fetch one from its host, which takes 10 to 20 ms instead of .2. */
    static void* deciban_zeros(size_t size)
    {
        const size_t page = (size_t)1 << 21;
        char* start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return NULL;
    #ifdef MADV_HUGEPAGE
        char* first = (char*)(((size_t)start + page - 1) & ~(page - 1));
        if (madvise(start, size, MADV_HUGEPAGE) == 0)
            for (char* at = first; at + page <= start + size; at += page) {
                double before = deciban_seconds();
                *(volatile char*)at = 0;
                if (deciban_seconds() - before > 2e-3) {
                    madvise(start, size, MADV_NOHUGEPAGE);
                    break;
                }
            }
    #endif
        return start;
    }
    """
    void* deciban_zeros(size_t) nogil
    int munmap(void*, size_t) nogil
    void __builtin_prefetch(const void*, int, int) nogil

cdef enum:
    KEY_BITS = 32
    # An entry of a directory, which lies in more memory, is asked for earlier: a lesson of a replay takes 24 µs, and 28 with 40.
    LISTED_AHEAD = 160
    LINE = 64           # bytes of the cache
    BUCKETS_A_BLOCK = BLOCK // BUCKET
    SEARCHED_AT_ONCE = 1024 # keys in the index
    DIGIT_BITS = 11     # keys are sorted by so many bits at a time
    DIGITS = 1 << DIGIT_BITS
    MOST_SPARSE_BITS = 22   # so that 25 bits are left for the number of a row in a wide bucket, more than there are rows


cdef bint is_possible(const TableHead* head) noexcept nogil:
    """Whether there can be a table of these sizes."""
    cdef uint64_t capacity = head.capacity
    if not (2 <= capacity <= MOST_LABELS and capacity % 2 == 0 and 1 <= head.bits < KEY_BITS):
        return False
    if head.rows > head.room or head.room > <uint64_t>VIEWS << head.bits:
        return False
    if head.buckets == 0:
        return head.room == <uint64_t>VIEWS << head.bits and head.shared == 0
    # An index is never full, so that a search in it ends; and an entry has bits enough for any number of a row.
    return (
        head.bits <= MOST_SPARSE_BITS
        and head.buckets < <uint64_t>1 << (KEY_BITS - BUCKET_BITS)
        and head.room <= room_for_keys(head)
        and head.shared <= head.rows
        and (head.shared == 0 or head.room < <uint64_t>VIEWS << head.bits)
        and keys_in(head) <= room_for_keys(head)
    )


cdef uint64_t keys_in(const TableHead* head) noexcept nogil:
    """How many features have a row."""
    return <uint64_t>head.rows - head.shared + head.sharing


cdef bint may_share(const TableHead* head) noexcept nogil:
    """Whether there is room for more features than rows, beyond what is left where buckets are rounded up."""
    return head.buckets != 0 and room_for_keys(head) > <uint64_t>head.room + NARROW_PLACES


cdef uint64_t room_for_keys(const TableHead* head) noexcept nogil:
    """How many features may have a row: so many that four fifths of the index are in use."""
    return head.buckets * <uint64_t>places_of(head) * 4 // 5


cdef inline int key_bits_beside(const TableHead* head) noexcept nogil:
    """How many bits of a key stand before the number of its row: those before its tag."""
    return max(<int>head.bits + 1 - TAG_BITS, 0)


cdef inline int places_of(const TableHead* head) noexcept nogil:
    """How many places a bucket has: the more if 3 bytes are enough for the numbers of all rows."""
    return NARROW_PLACES if head.room < <uint64_t>1 << (24 - key_bits_beside(head)) else WIDE_PLACES


cdef inline int number_bits(const TableHead* head) noexcept nogil:
    """How many bits the number of a row has in an entry."""
    return (24 if places_of(head) == NARROW_PLACES else 32) - key_bits_beside(head)


cdef Py_ssize_t row_bytes(Py_ssize_t capacity) noexcept nogil:
    cdef Py_ssize_t size = 16
    while size < 4 + 6 * capacity:
        size *= 2
    return size


cdef inline unsigned char* row_or(unsigned char* row, uint32_t number, unsigned char* absent) noexcept nogil:
    """A row if its number, counted from 1, is not 0, else `absent`; that cannot be predicted, so nothing branches on it."""
    cdef size_t is_there = -<size_t>(number != 0)
    return <unsigned char*>(<size_t>row & is_there | <size_t>absent & ~is_there)


cdef inline uint64_t next_bucket(uint64_t at, uint64_t buckets) noexcept nogil:
    """The bucket behind another: behind the last one, the first."""
    return at + 1 if at + 1 < buckets else 0


cdef inline Py_ssize_t gap_size(uint64_t gap) noexcept nogil:
    """The bytes of the distance between two keys, 7 bits in each."""
    cdef Py_ssize_t size = 1
    while gap >= 128:
        gap >>= 7
        size += 1
    return size


cdef inline Py_ssize_t blocks_for(Py_ssize_t size) noexcept nogil:
    return (size + BLOCK - 1) >> BLOCK_BITS


cdef Py_ssize_t blocks_of(const TableHead* head) noexcept nogil:
    return blocks_for(BUCKET * head.buckets) + blocks_for(head.room * row_bytes(head.capacity))


cdef inline bint is_empty(const unsigned char* row, Py_ssize_t size) noexcept nogil:
    cdef uint64_t[2] words
    cdef Py_ssize_t place
    memcpy(words, row, 16)
    if size == 16 or words[0] | words[1]:
        return not words[0] | words[1]
    for place in range(16, size, 16):
        memcpy(words, row + place, 16)
        if words[0] | words[1]:
            return False
    return True


cdef int spread(
    float* row, Py_ssize_t capacity, const float* narrow, Py_ssize_t narrow_capacity, Py_ssize_t labels
) noexcept nogil:
    """Write the numbers of a row, of so many labels, into a row of zeros with room for another number of labels."""
    if capacity == 2 and narrow_capacity == 2 and labels == 2:  # which nearly all are: one instruction
        memcpy(row, narrow, 16)
        return 0
    memcpy(row, narrow, 4 * (1 + labels))
    memcpy(row + 1 + capacity, narrow + 1 + narrow_capacity, 2 * labels)
    return 0


cdef void begin_walk(Walk* walk, const uint32_t* directory, uint64_t end) noexcept nogil:
    walk.directory = directory
    walk.next = walk.at = 0
    walk.end = end
    walk.count = walk.i = 0
    walk.filled = 0


cdef inline bint has_entry(Walk* walk) noexcept nogil:
    """Whether there is one more entry; some are read from the directory at a time."""
    cdef uint64_t end
    while walk.i == walk.count:
        if walk.next == walk.end:
            return False
        end = min(walk.next + LISTED_AT_ONCE, walk.end)
        walk.count = entries_between(walk.directory, walk.next, end, walk.entries)
        walk.next, walk.i = end, 0
    return True


cdef bint sort_by_key(uint64_t* entries, Py_ssize_t count, int key_bits) noexcept nogil:
    """Sort entries by the last so many bits of their keys, digit by digit; False if there is no memory for it."""
    cdef Py_ssize_t[DIGITS] starts
    cdef Py_ssize_t i, start, size, passed = 0
    cdef uint64_t digit
    cdef uint64_t* source = entries
    cdef uint64_t* target = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
    cdef uint64_t* scratch = target
    if scratch == NULL:
        return False
    while passed < key_bits:
        memset(starts, 0, sizeof(starts))
        for i in range(count):
            starts[source[i] >> (KEY_BITS + passed) & (DIGITS - 1)] += 1
        start = 0
        for i in range(DIGITS):
            size = starts[i]
            starts[i] = start
            start += size
        for i in range(count):
            digit = source[i] >> (KEY_BITS + passed) & (DIGITS - 1)
            target[starts[digit]] = source[i]
            starts[digit] += 1
        source, target = target, source
        passed += DIGIT_BITS
    if source != entries:
        memcpy(entries, source, count * sizeof(uint64_t))
    free(scratch)
    return True


cdef Py_ssize_t group_rows(const unsigned char* rows, Py_ssize_t size, Py_ssize_t count, uint32_t* groups) noexcept nogil:
    """Which of some rows are equal: for each the number of its group; groups are counted from 0, as they come.

    How many groups there are; -1 if there is no memory for it. Rows are looked at one after the other: features of one
    lesson got theirs together, so that many are equal to the one before.
    """
    cdef uint64_t slots = 16, at, word, mixed
    cdef Py_ssize_t i, place, found = 0
    cdef const unsigned char* row = rows
    while slots < <uint64_t>(2 * count):
        slots *= 2
    # The first row of a group, counted from 1, where the numbers of the row lead.
    cdef uint32_t* firsts = <uint32_t*>calloc(slots, sizeof(uint32_t))
    if firsts == NULL:
        return -1
    for i in range(count):
        row = rows + i * size
        if i and memcmp(row, row - size, size) == 0:
            groups[i] = groups[i - 1]
            continue
        mixed = 0
        for place in range(0, size, 8):
            memcpy(&word, row + place, 8)
            mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15u
            mixed ^= mixed >> 32
        at = mixed & (slots - 1)
        while firsts[at] and memcmp(rows + <Py_ssize_t>(firsts[at] - 1) * size, row, size) != 0:
            at = (at + 1) & (slots - 1)
        if firsts[at]:
            groups[i] = groups[firsts[at] - 1]
        else:
            firsts[at] = <uint32_t>i + 1
            groups[i] = <uint32_t>found
            found += 1
    free(firsts)
    return found


cdef int refuse(bint is_foundation) except -1 with gil:
    if is_foundation:
        raise SharedFilterChanged(
            "The shared filter on which this one rests is damaged. Put a copy of it back, or pin another: "
            "deciban prefer --shared FILE (or none, to go on without it)."
        )
    raise DamagedSnapshot("The tables of this state are damaged. Remove the snapshot: it is made again.")


cdef int run_out() except -1 with gil:
    raise MemoryError


cdef class RowTable:
    """Rows in memory that somebody else owns."""

    def __dealloc__(self):
        free(self.checked)
        if self.directory != NULL:
            munmap(self.directory, (<size_t>VIEWS << self.bits) * sizeof(uint32_t))
        if self.listing != NULL:
            munmap(self.listing, (<size_t>VIEWS << self.bits) * sizeof(uint32_t))

    cdef int take(self, TableHead* head, uint64_t* checks, unsigned char* start, uint64_t salt) except -1:
        """Take over a table whose sizes are possible and whose bytes are all there."""
        cdef int view
        self.head = head
        self.checks = checks
        self.start = start
        self.capacity = head.capacity
        self.bits = head.bits
        self.shift = KEY_BITS - 1 - self.bits
        self.buckets = <uint32_t>head.buckets
        self.number_bits = number_bits(head)
        self.places = places_of(head)
        self.row = row_bytes(self.capacity)
        self.index = start if self.buckets else NULL
        self.rows = start + (blocks_for(BUCKET * self.buckets) << BLOCK_BITS)
        self.end = self.rows + head.room * self.row
        for view in range(VIEWS):
            self.salts[view] = hash_end(salt + 1 + view)
        self.checked = <unsigned char*>calloc(blocks_of(head), 1)
        if self.checked == NULL:
            raise MemoryError
        return 0

    cdef void keys_of(self, Features features, uint32_t* keys) noexcept nogil:
        cdef Py_ssize_t i
        cdef const uint32_t* data = features.data
        cdef int shift = 64 - self.bits
        for i in range(features.words):
            keys[i] = <uint32_t>(hash_end(self.salts[0] + data[i]) >> shift) << 1
        for i in range(features.words, features.words + features.letters):
            keys[i] = <uint32_t>(hash_end(self.salts[1] + data[i]) >> shift) << 1 | 1

    cdef uint32_t key_of(self, int view, uint32_t feature) noexcept nogil:
        return <uint32_t>(hash_end(self.salts[view] + feature) >> (64 - self.bits)) << 1 | <uint32_t>view

    # Finding rows

    cdef int find(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, unsigned char* absent
    ) except -1 nogil:
        """Where the row of each key is, or `absent` if there is none.

        Rows are asked for early, so that all of them are on their way at once.
        """
        if self.index == NULL:
            return self._find_dense(keys, count, rows)
        if self.directory != NULL:
            return self._find_listed(self.directory, keys, count, rows, absent)
        if self.listing != NULL and self.listed == self.head.rows:
            return self._find_listed(self.listing, keys, count, rows, absent)
        return self._find_sparse(keys, count, rows, absent)

    cdef int _find_dense(self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows) except -1 nogil:
        cdef Py_ssize_t i, place, row = self.row
        cdef unsigned char all_checked = 1
        cdef int bits = self.bits
        cdef const unsigned char* checked = self.checked
        for i in range(count):
            # A key is at most 2^(bits + 1) - 1, so the row lies inside of the table.
            place = ((keys[i] & 1) << bits | keys[i] >> 1) * row
            rows[i] = self.rows + place
            __builtin_prefetch(rows[i], 1, 3)
            all_checked &= checked[place >> BLOCK_BITS]
        if not all_checked:
            for i in range(count):
                self.check_row(rows[i])
        return 0

    cdef int _find_sparse(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, unsigned char* absent
    ) except -1 nogil:
        cdef uint32_t[SEARCHED_AT_ONCE] numbers
        cdef Py_ssize_t i, some, looked = 0, size = self.row
        cdef unsigned char* before = self.rows - size
        while looked < count:
            some = min(count - looked, <Py_ssize_t>SEARCHED_AT_ONCE)
            self._search(keys + looked, some, numbers)
            for i in range(some):
                rows[looked + i] = row_or(before + numbers[i] * size, numbers[i], absent)
                __builtin_prefetch(rows[looked + i], 1, 3)
            looked += some
        for i in range(count):
            if rows[i] != absent:
                self.check_row(rows[i])
        return 0

    cdef Py_ssize_t gather(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known, uint32_t* missing
    ) except -1 nogil:
        """The rows that there are for keys of a table with an index, in their order; how many.

        Their keys are written into `known`, which may be the keys themselves, and the keys that have no row into `missing`.
        Each may be NULL.
        """
        if self.directory != NULL:
            return self._gather_listed(self.directory, keys, count, rows, known, missing)
        if self.listing != NULL and self.listed == self.head.rows:
            return self._gather_listed(self.listing, keys, count, rows, known, missing)
        cdef Py_ssize_t i, some, looked = 0, found = 0
        while looked < count:
            some = min(count - looked, <Py_ssize_t>SEARCHED_AT_ONCE)
            found += self._gather_some(
                keys + looked, some, rows + found, NULL if known == NULL else known + found,
                NULL if missing == NULL else missing + looked - found,
            )
            looked += some
        if self.row > BLOCK:
            for i in range(found):
                self.check_row(rows[i])
        return found

    cdef Py_ssize_t _gather_some(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known, uint32_t* missing
    ) except -1 nogil:
        """The same for at most `SEARCHED_AT_ONCE` keys, with the check of the first block of each row."""
        cdef uint32_t[SEARCHED_AT_ONCE] numbers
        cdef Py_ssize_t i, found, size = self.row
        self._search(keys, count, numbers)
        found = gather_rows(numbers, count, self.rows - size, size, rows, keys, known, missing)
        if not self._are_checked(self.rows - self.start, self.head.rows * size):
            for i in range(found):
                if not self.checked[(rows[i] - self.start) >> BLOCK_BITS]:
                    self.check_row(rows[i])
        return found

    cdef int _search(self, const uint32_t* keys, Py_ssize_t count, uint32_t* numbers) except -1 nogil:
        """The numbers of the rows of at most `SEARCHED_AT_ONCE` keys, counted from 1, or 0 where there is none."""
        cdef uint32_t[SEARCHED_AT_ONCE + AHEAD + MORE] homes    # where in the index the search begins
        cdef uint32_t[SEARCHED_AT_ONCE + MORE] behind           # keys that are looked for in the bucket behind
        cdef Py_ssize_t i, absent, searched = 0, further = 0
        cdef uint64_t at
        cdef uint32_t one, number
        cdef int places = self.places, bits = self.number_bits, is_other = 0
        cdef const unsigned char* index = self.index
        cdef const unsigned char* bucket
        find_homes(keys, count, self.shift, self.buckets, homes)
        for i in range(count, count + AHEAD + MORE):
            homes[i] = homes[count - 1]
        for i in range(AHEAD):
            __builtin_prefetch(index + homes[i], 0, 3)
        if not self._are_checked(0, BUCKET * self.buckets):
            for i in range(count):
                self.check_block(homes[i] >> BLOCK_BITS)
        absent = look_up(index, homes, keys, count, places, bits, self.head.rows, numbers, behind, &is_other)
        if is_other:
            for i in range(count):
                if numbers[i] > self.head.rows:
                    numbers[i] = self._number_of(keys[i], homes[i] >> BUCKET_BITS)
        for i in range(absent):
            behind[searched] = behind[i]
            searched += count_in(index + homes[behind[i]]) == <uint32_t>places
        for i in range(searched):
            one = behind[i]
            at = next_bucket(homes[one] >> BUCKET_BITS, self.buckets)
            self.check_block(at >> (BLOCK_BITS - BUCKET_BITS))
            homes[one] = <uint32_t>at << BUCKET_BITS
            bucket = index + homes[one]
            number = number_in(rest_of(bucket, keys[one], places), keys[one], bits)
            numbers[one] = number
            behind[further] = one
            # Not in this one either, which is full; or its tag is that of another key.
            further += ((number == 0) & (count_in(bucket) == <uint32_t>places)) | (number > self.head.rows)
        for i in range(further):
            numbers[behind[i]] = self._number_of(keys[behind[i]], homes[behind[i]] >> BUCKET_BITS)
        return 0

    cdef int _number_of(self, uint32_t key, uint64_t at) except -1 nogil:
        """The number of the row of a key that is looked for from a bucket on, counted from 1; 0 if it has none."""
        cdef int place = self._search_on(key, &at)
        cdef uint32_t number = 0
        if place != self.places:
            number = number_at(self.index + (at << BUCKET_BITS), place, self.number_bits, self.places)
            if not 0 < number <= self.head.rows:
                refuse(self.is_foundation)
        return number

    cdef Py_ssize_t _gather_listed(
        self, const uint32_t* directory, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known,
        uint32_t* missing,
    ) noexcept nogil:
        # No block is checked: all were whole when the directory was made.
        # The counts of a long row lie in the line behind its first.
        cdef Py_ssize_t i, found = 0, size = self.row, behind = LINE if size > LINE else 0
        cdef unsigned char* before = self.rows - size
        cdef unsigned char* row
        cdef uint32_t number
        for i in range(min(count, LISTED_AHEAD)):
            __builtin_prefetch(directory + keys[i], 0, 3)
        for i in range(count):
            __builtin_prefetch(directory + keys[min(i + LISTED_AHEAD, count - 1)], 0, 3)
            number = directory[keys[i]]
            row = before + number * size
            __builtin_prefetch(row, 1, 3)
            __builtin_prefetch(row + behind, 1, 3)
            if missing != NULL:
                missing[i - found] = keys[i]
            if known != NULL:
                known[found] = keys[i]
            rows[found] = row
            found += number != 0
        return found

    cdef int _find_listed(
        self, const uint32_t* directory, const uint32_t* keys, Py_ssize_t count, unsigned char** rows,
        unsigned char* absent,
    ) except -1 nogil:
        # No block is checked: all were whole when the directory was made.
        # The counts of a long row lie in the line behind its first.
        cdef Py_ssize_t i, size = self.row, behind = LINE if size > LINE else 0
        cdef unsigned char* before = self.rows - size
        cdef unsigned char* row
        cdef uint32_t number
        for i in range(min(count, LISTED_AHEAD)):
            __builtin_prefetch(directory + keys[i], 0, 3)
        for i in range(count):
            if i + LISTED_AHEAD < count:
                __builtin_prefetch(directory + keys[i + LISTED_AHEAD], 0, 3)
            number = directory[keys[i]]
            row = before + number * size
            __builtin_prefetch(row, 1, 3)
            __builtin_prefetch(row + behind, 1, 3)
            rows[i] = row_or(row, number, absent)
        return 0

    cdef int _search_on(self, uint32_t key, uint64_t* at) except -1 nogil:
        """The place of a key behind a full bucket, and in which bucket; `places` if it is not there, and where it could be."""
        cdef uint64_t left = self.buckets
        cdef int place
        cdef const unsigned char* bucket
        while left:
            bucket = self.index + (at[0] << BUCKET_BITS)
            place = place_in(bucket, key, self.number_bits, self.places)
            if place != self.places or count_in(bucket) < <uint32_t>self.places:
                return place
            left -= 1
            at[0] = next_bucket(at[0], self.buckets)
            if at[0] % BUCKETS_A_BLOCK == 0:
                self.check_block(at[0] >> (BLOCK_BITS - BUCKET_BITS))
        return self.places

    cdef unsigned char* find_one(self, uint32_t key) except? NULL nogil:
        cdef unsigned char* row
        self.find(&key, 1, &row, NULL)
        return row

    # Rows of one's own

    cdef int claim(self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows) except -1 nogil:
        """Give rows of their own in this table, with the same numbers, to keys whose rows are elsewhere, or shared."""
        cdef Py_ssize_t i
        cdef uint64_t used
        cdef unsigned char* row
        cdef unsigned char* own = self.rows + self.head.shared * self.row
        for i in range(count):
            if self.rows <= rows[i] < own:
                rows[i] = self._part(keys[i])
            elif not own <= rows[i] < self.end:
                used = self.head.rows
                # Two features may fall into one slot: the second finds the row of the first.
                if not self.add(keys + i, 1, &row):
                    row = self.rows + used * self.row
                    self.fill(row, rows[i])
                rows[i] = row
        return 0

    cdef Py_ssize_t add(self, const uint32_t* keys, Py_ssize_t count, unsigned char** again) except -1 nogil:
        """Give rows of zeros, one behind the other, to keys that have none.

        A key that comes again, because two features fall into one slot, has its row by then: that is written into `again`.
        How many such rows there are.
        """
        cdef Py_ssize_t block, start, done = 0, known = 0
        cdef uint64_t used, first = self.head.rows
        if self.directory != NULL:
            return self._add_listed(keys, count, again)
        while done < count:
            # Most have a place where the search begins.
            used = enter(
                self.index, keys + done, min(count - done, <Py_ssize_t>(self.head.room - self.head.rows)), self.shift,
                self.buckets, self.number_bits, self.places, self.head.rows + 1, self.checked, self.checks, factor_of(0),
            )
            self.head.rows += used
            done += used
            if done < count:
                used = self.head.rows
                again[known] = self.own(keys[done])
                known += self.head.rows == used
                done += 1
        start = self.rows - self.start
        for block in range((start + first * self.row) >> BLOCK_BITS, blocks_for(start + self.head.rows * self.row)):
            self.check_block(block)
        return known

    @cython.final
    cdef unsigned char* _add_at(self, uint64_t at, uint32_t key) except NULL nogil:
        """A row of zeros for a key, with an entry in a bucket that is not full; its block has been checked."""
        cdef unsigned char* row = self.rows + self.head.rows * self.row
        cdef unsigned char* bucket = self.index + (at << BUCKET_BITS)
        cdef uint32_t place = count_in(bucket), number = self.head.rows + 1
        if self.head.rows >= self.head.room:
            refuse(self.is_foundation)
        append_entry(bucket, place, key, number, self.number_bits, self.places)
        self.checks[at >> (BLOCK_BITS - BUCKET_BITS)] += factor_of(0) * check_of_entry(
            at % BUCKETS_A_BLOCK * (BUCKET // 8), place, key, number, self.number_bits, self.places
        )
        self.head.rows = number
        self.check_row(row)
        return row

    cdef unsigned char* _part(self, uint32_t key) except NULL nogil:
        """A row of its own for a key that shares one, with the same numbers; that which it has if it was parted already."""
        cdef uint64_t at = home_of(key, self.shift, self.buckets)
        cdef uint32_t number, rest
        cdef unsigned char* row
        cdef unsigned char* bucket
        self.check_block(at >> (BLOCK_BITS - BUCKET_BITS))
        cdef int place = self._search_on(key, &at)
        bucket = self.index + (at << BUCKET_BITS)
        if place == self.places:
            refuse(self.is_foundation)
        rest = rest_at(bucket, place, self.places)
        number = number_at(bucket, place, self.number_bits, self.places)
        if not 0 < number <= self.head.rows:
            refuse(self.is_foundation)
        if number > self.head.shared:
            return self.rows + (number - 1) * self.row
        if self.head.rows >= self.head.room:
            refuse(self.is_foundation)
        self.checks[at >> (BLOCK_BITS - BUCKET_BITS)] += put_rest(
            bucket, place, self.places, rest - number + self.head.rows + 1, at % BUCKETS_A_BLOCK * (BUCKET // 8)
        )
        row = self.rows + self.head.rows * self.row
        self.head.rows += 1
        self.head.sharing -= 1
        self.check_row(row)
        self.fill(row, self.rows + (number - 1) * self.row)
        return row

    cdef Py_ssize_t _add_listed(self, const uint32_t* keys, Py_ssize_t count, unsigned char** again) except -1 nogil:
        cdef Py_ssize_t i, known = 0
        cdef uint64_t used = self.head.rows, number
        cdef uint32_t* directory = self.directory
        for i in range(count):
            number = directory[keys[i]]
            if number == 0:
                if self.head.rows >= self.head.room:
                    refuse(self.is_foundation)
                self.head.rows += 1
                directory[keys[i]] = <uint32_t>self.head.rows
            else:
                again[known] = self.rows + (number - 1) * self.row
                known += 1
        # Written before it is read: else its page is first that of zeros that all share, and the copy that is made when it
        # is written interrupts the other processor. That took 6% of a replay by two threads. The rows behind are not read.
        if self.head.rows > used:
            self.rows[used * self.row] = 0
        return known

    cdef int open_directory(self) except -1:
        """Find rows by a directory from now on; every block must be whole. The index is not kept up any more."""
        if self.head.shared:
            raise ValueError("a table with rows that are shared is taught by its index")
        if self.index != NULL and self.directory == NULL:
            self._list_into(&self.directory)
        return 0

    cdef int list_rows(self) except -1:
        """Find rows by a directory of one's own, for many questions to a table that others may teach.

        The index is kept up as before. Once a row was added, the directory is not looked at any more.
        """
        cdef Py_ssize_t block
        if self.index == NULL or self.directory != NULL or (self.listing != NULL and self.listed == self.head.rows):
            return 0
        for block in range(blocks_of(self.head)):
            self.check_block(block)
        self._list_into(&self.listing)
        self.listed = self.head.rows
        return 0

    cdef int _list_into(self, uint32_t** directory) except -1:
        """Write the number of the row of each key into a directory, which is made unless there is one."""
        cdef Py_ssize_t i, count = 0
        cdef uint64_t* entries = NULL
        if self.head.rows:  # the index of an empty table was never touched, and to look at it would take 7 ms
            entries = self._entries(&count)
        if directory[0] == NULL:
            directory[0] = <uint32_t*>deciban_zeros((<size_t>VIEWS << self.bits) * sizeof(uint32_t))
        if directory[0] == NULL:
            free(entries)
            raise MemoryError
        for i in range(count):
            directory[0][entries[i] >> KEY_BITS] = <uint32_t>(entries[i] & 0xFFFFFFFFu) + 1
        free(entries)
        return 0

    cdef unsigned char* own(self, uint32_t key) except NULL nogil:
        """The row of a key, made if there is none; its block has been checked."""
        cdef unsigned char* row
        cdef unsigned char* bucket
        cdef uint64_t at, number
        cdef int place
        if self.index == NULL:
            return self.find_one(key)
        at = home_of(key, self.shift, self.buckets)
        self.check_block(at >> (BLOCK_BITS - BUCKET_BITS))
        # One walk finds the row, or the place for it.
        place = self._search_on(key, &at)
        bucket = self.index + (at << BUCKET_BITS)
        if place == self.places:
            if count_in(bucket) >= <uint32_t>self.places:
                refuse(self.is_foundation)
            return self._add_at(at, key)
        number = number_at(bucket, place, self.number_bits, self.places)
        if not 0 < number <= self.head.rows:
            refuse(self.is_foundation)
        row = self.rows + (number - 1) * self.row
        self.check_row(row)
        return row

    # Checks

    @cython.final
    cdef int check_row(self, const unsigned char* row) except -1 nogil:
        cdef Py_ssize_t first = (row - self.start) >> BLOCK_BITS, block
        self.check_block(first)
        # With room for a thousand labels, a row is longer than a block.
        for block in range(1, self.row >> BLOCK_BITS):
            self.check_block(first + block)
        return 0

    @cython.final
    cdef int check_block(self, Py_ssize_t block) except -1 nogil:
        if not self.checked[block] and not self.is_whole(block):
            refuse(self.is_foundation)
        return 0

    cdef bint _are_checked(self, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
        """Whether all blocks of a stretch of the table have been checked.

        A byte is looked at for each block, of which a small table has a few hundred, instead of one for each feature.
        """
        return memchr(self.checked + (place >> BLOCK_BITS), 0, blocks_for(size)) == NULL

    cdef bint is_whole(self, Py_ssize_t block) noexcept nogil:
        """Whether a block has its check."""
        self.checked[block] = self.checks[block] == check_of(self.start + (block << BLOCK_BITS), WORDS_A_BLOCK, 0)
        return self.checked[block]

    @cython.final
    cdef bint has_checks(self) noexcept nogil:
        """Whether checks are kept up; with a directory they are made when the table is poured into another."""
        return self.directory == NULL

    @cython.final
    cdef void fill(self, unsigned char* row, const unsigned char* numbers) noexcept nogil:
        """Write numbers into a row of zeros."""
        cdef Py_ssize_t place = row - self.start, block
        if self.capacity == 2:  # which nearly all have: one instruction
            memcpy(row, numbers, 16)
        else:
            memcpy(row, numbers, self.row)
        if not self.has_checks():
            return
        if self.row < BLOCK:
            self.checks[place >> BLOCK_BITS] += check_of(row, self.row >> 3, (place & (BLOCK - 1)) >> 3)
            return
        for block in range(place >> BLOCK_BITS, (place + self.row) >> BLOCK_BITS):
            self.checks[block] = check_of(self.start + (block << BLOCK_BITS), WORDS_A_BLOCK, 0)

    cdef void fill_alike(self, uint64_t first, uint64_t end) noexcept nogil:
        """Write the numbers of a row into those behind it, which are zeros, up to the row `end`."""
        cdef uint64_t number
        cdef uint64_t[2] pair
        cdef unsigned char* row = self.rows + first * self.row
        if self.capacity > 2:
            for number in range(first + 1, end):
                self.fill(self.rows + number * self.row, row)
            return
        memcpy(pair, row, 16)
        for number in range(first + 1, end):
            row += 16
            memcpy(row, pair, 16)
        if self.has_checks():
            self._check_alike(pair, self.rows + (first + 1) * 16 - self.start, row + 16 - self.start)

    cdef void _check_alike(self, const uint64_t* pair, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
        """Add equal rows of two words, in places that were zeros, to the checks of their blocks: the factors of all of them in a
        block are a series, whose sum is known."""
        cdef uint64_t count, factors
        while place < end:
            count = (min(end, (place | (BLOCK - 1)) + 1) - place) >> 4
            # That of the first words; those of the second are one step of 2 more each.
            factors = count * (2 * <uint64_t>((place & (BLOCK - 1)) >> 3) + 1) + 2 * count * (count - 1)
            self.checks[place >> BLOCK_BITS] += factor_of(0) * (pair[0] * factors + pair[1] * (factors + 2 * count))
            place += 16 * <Py_ssize_t>count

    cdef void begin(self) noexcept nogil:
        """Take every block for whole: all bytes are 0, and so are the checks."""
        memset(self.checked, 1, blocks_of(self.head))

    cdef void renew_checks(self) noexcept nogil:
        """Make all checks again."""
        self._renew_checks_of(self.start, 0, blocks_for(BUCKET * self.buckets))
        self.renew_checks_of_rows(self.rows)

    cdef void renew_checks_of_rows(self, const unsigned char* rows) noexcept nogil:
        """Make those of the rows, which may lie elsewhere yet; rows that are not in use are all 0, and not looked at."""
        cdef Py_ssize_t first = blocks_for(BUCKET * self.buckets), used = blocks_for(self.head.rows * self.row)
        self._renew_checks_of(rows, first, used)
        memset(self.checks + first + used, 0, (blocks_of(self.head) - first - used) * sizeof(uint64_t))
        memset(self.checked, 1, blocks_of(self.head))

    cdef void _renew_checks_of(self, const unsigned char* memory, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        """Make the checks of so many blocks again, which lie there."""
        cdef Py_ssize_t block
        for block in range(count):
            self.checks[first + block] = check_of(memory + (block << BLOCK_BITS), WORDS_A_BLOCK, 0)

    # All rows

    cdef int pour(self, RowTable other, Py_ssize_t labels) except -1:
        """Put the rows of another table, with the same slots, in place of those of this one; checks are made later."""
        cdef Py_ssize_t block, i, count = 0
        cdef bint is_empty_yet = self.head.rows == 0
        cdef uint64_t* entries
        for block in range(blocks_of(other.head)):
            other.check_block(block)
        if self.can_list(other):
            with nogil:
                memcpy(self.rows, other.rows, other.head.rows * other.row)
                self.list_as_own(other)
            return 0
        entries = other._entries(&count)
        try:
            if may_share(self.head) and is_empty_yet and self.directory == NULL and other.index != NULL:
                self._share(other, entries, count, labels)
                return 0
            if self.head.shared:
                raise ValueError("a table with rows that are shared takes no others")
            if self.index != NULL and self.head.room < <uint64_t>VIEWS << self.bits:
                if self.head.rows + count > self.head.room:
                    raise ValueError("there is no room for so many rows")
            # In the order of keys, about: so the places in the index and the new rows follow each other, too.
            with nogil:
                for i in range(count):
                    if i + AHEAD < count:
                        __builtin_prefetch(other.rows + (entries[i + AHEAD] & 0xFFFFFFFFu) * other.row, 0, 3)
                    self._put(
                        <uint32_t>(entries[i] >> KEY_BITS), other.rows + (entries[i] & 0xFFFFFFFFu) * other.row,
                        other.capacity, labels, is_empty_yet,
                    )
        finally:
            free(entries)
        return 0

    cdef Py_ssize_t different(self) except -1:
        """How many rows of a sparse table differ."""
        cdef Py_ssize_t groups = -1
        cdef uint32_t* group = <uint32_t*>malloc((self.head.rows + 1) * sizeof(uint32_t))
        if group != NULL:
            with nogil:
                groups = group_rows(self.rows, self.row, self.head.rows, group)
        free(group)
        if groups < 0:
            raise MemoryError
        return groups

    cdef int _share(self, RowTable other, const uint64_t* entries, Py_ssize_t count, Py_ssize_t labels) except -1:
        """Take over the rows of another sparse table: equal ones once, and first those that several features have."""
        cdef Py_ssize_t i, rows = other.head.rows, groups = -1
        cdef bint has_room = False
        cdef uint32_t* group = <uint32_t*>malloc((rows + 1) * sizeof(uint32_t))
        cdef uint32_t* users = NULL
        with nogil:
            if group != NULL:
                groups = group_rows(other.rows, other.row, rows, group)
            if groups >= 0:
                users = <uint32_t*>calloc(2 * groups + 1, sizeof(uint32_t))
            if users != NULL:
                has_room = self._number_groups(entries, count, group, groups, users, users + groups)
            if has_room:
                self._copy_groups(other, labels, group, users, users + groups)
                for i in range(count):
                    self._enter(<uint32_t>(entries[i] >> KEY_BITS), users[groups + group[entries[i] & 0xFFFFFFFFu]])
        free(group)
        if users == NULL:
            raise MemoryError
        free(users)
        if not has_room:
            raise ValueError("there is no room for so many rows")
        return 0

    cdef bint _number_groups(
        self, const uint64_t* entries, Py_ssize_t count, const uint32_t* group, Py_ssize_t groups, uint32_t* users,
        uint32_t* numbers,
    ) noexcept nogil:
        """Count the features that have the rows of each group, and number those that somebody has; whether there is room."""
        cdef uint32_t shared = 0, single = 0, sharing = 0
        cdef Py_ssize_t i
        for i in range(count):
            users[group[entries[i] & 0xFFFFFFFFu]] += 1
        for i in range(groups):
            if users[i] > 1:
                numbers[i] = shared
                shared += 1
                sharing += users[i]
        for i in range(groups):
            if users[i] == 1:
                numbers[i] = shared + single
                single += 1
        if shared + single > self.head.room or <uint64_t>count > room_for_keys(self.head):
            return False
        self.head.rows, self.head.shared, self.head.sharing = shared + single, shared, sharing
        return True

    cdef void _copy_groups(
        self, RowTable other, Py_ssize_t labels, const uint32_t* group, const uint32_t* users, const uint32_t* numbers
    ) noexcept nogil:
        """Copy the first row of each group that somebody has to its place."""
        cdef uint32_t seen = 0
        cdef Py_ssize_t i
        for i in range(<Py_ssize_t>other.head.rows):
            if group[i] == seen:
                if users[seen]:
                    spread(
                        <float*>(self.rows + numbers[seen] * self.row), self.capacity, <float*>(other.rows + i * other.row),
                        other.capacity, labels,
                    )
                seen += 1

    cdef bint can_list(self, RowTable other) noexcept nogil:
        """Whether another table has a directory, and its rows could be those of this one, which is empty, as they are."""
        return (
            self.index != NULL and self.head.rows == 0 and other.directory != NULL
            and self.capacity == other.capacity and self.head.room >= other.head.rows and other.head.shared == 0
        )

    cdef void list_as_own(self, RowTable other) noexcept nogil:
        """Fill in index or directory for the rows of a table with a directory, in their order; without checks."""
        cdef Walk walk
        cdef uint64_t entry
        begin_walk(&walk, other.directory, <uint64_t>VIEWS << self.bits)
        if self.directory == NULL:
            self._fill_buckets(&walk, self.index, 0, self.buckets)
        while has_entry(&walk):  # behind the last bucket
            entry = walk.entries[walk.i]
            self._enter(<uint32_t>(entry >> KEY_BITS), entry & 0xFFFFFFFFu)
            walk.i += 1
        self.head.rows = other.head.rows

    cdef int list_in_pieces(self, RowTable other, write, Py_ssize_t place, Py_ssize_t most) except -1:
        """Fill in the index of a table that begins at a place of a file, make its checks, and hand it to ``write``.

        That is done in pieces of at most so many bytes, a number of whole blocks. All but the first lie in the same memory,
        one after the other: an index of 7 MB, of which the system has to find each page first, takes 2.4 ms more. The first
        piece is written last, because entries behind the last bucket go there.
        """
        cdef Walk walk
        cdef Py_ssize_t size = BUCKET * self.buckets, done, end, blocks
        cdef bytearray first = bytearray(min(most, blocks_for(size) << BLOCK_BITS)), piece = bytearray(len(first))
        cdef unsigned char* buckets
        begin_walk(&walk, other.directory, <uint64_t>VIEWS << self.bits)
        for done in range(0, size, most):
            end = min(done + most, size)
            blocks = blocks_for(end - done)
            buckets = first if done == 0 else piece
            with nogil:
                memset(buckets, 0, blocks << BLOCK_BITS)
                self._fill_buckets(&walk, buckets, done >> BUCKET_BITS, end >> BUCKET_BITS)
                self._renew_checks_of(buckets, done >> BLOCK_BITS, blocks)
            if done:
                write(place + done, memoryview(piece)[: end - done])
        end = min(most, size)
        if self._fill_from_the_first(&walk, first, end >> BUCKET_BITS):
            self._renew_checks_of(first, 0, blocks_for(end))
            write(place, memoryview(first)[:end])
        else:
            # The first piece has no room for so many: hashed keys never come to this.
            self.list_as_own(other)
            self._renew_checks_of(self.start, 0, blocks_for(size))
            write(place, memoryview(PyBytes_FromStringAndSize(<const char*>self.index, size)))
        self.head.rows = other.head.rows
        return 0

    cdef void _fill_buckets(self, Walk* walk, unsigned char* buckets, uint64_t first, uint64_t end) noexcept nogil:
        """Fill these buckets of an index, which lie there. Keys come in their order, so one is filled after the other."""
        cdef uint64_t home, at = walk.at, entry
        cdef uint32_t key, filled = walk.filled, places = self.places
        cdef Py_ssize_t i, count
        while at < end and has_entry(walk):
            i, count = walk.i, walk.count
            while i < count:
                entry = walk.entries[i]
                key = <uint32_t>(entry >> KEY_BITS)
                home = home_of(key, self.shift, self.buckets)
                if home > at:
                    at, filled = home, 0
                elif filled == places:
                    at, filled = at + 1, 0
                if at >= end:
                    break
                append_entry(
                    buckets + ((at - first) << BUCKET_BITS), filled, key, <uint32_t>entry + 1, self.number_bits, places
                )
                filled += 1
                i += 1
            walk.i = i
        walk.at, walk.filled = at, filled

    cdef bint _fill_from_the_first(self, Walk* walk, unsigned char* buckets, uint64_t end) noexcept nogil:
        """Put what is left behind the last bucket into the first ones; whether so many have room for it."""
        cdef uint64_t at = 0, entry
        while has_entry(walk):
            entry = walk.entries[walk.i]
            while count_in(buckets + (at << BUCKET_BITS)) == <uint32_t>self.places:
                at += 1
                if at == end:
                    return False
            append_entry(
                buckets + (at << BUCKET_BITS), count_in(buckets + (at << BUCKET_BITS)), <uint32_t>(entry >> KEY_BITS),
                <uint32_t>entry + 1, self.number_bits, self.places,
            )
            walk.i += 1
        return True

    cdef int _put(
        self, uint32_t key, unsigned char* source, Py_ssize_t capacity, Py_ssize_t labels, bint is_new
    ) except -1 nogil:
        cdef unsigned char* row
        if is_new:
            row = self._add(key)
        else:
            row = self.own(key)
            memset(row, 0, self.row)
            # Until all checks are made, each block counts as whole.
            self.checked[(row - self.start) >> BLOCK_BITS] = 1
        spread(<float*>row, self.capacity, <float*>source, capacity, labels)
        return 0

    cdef unsigned char* _add(self, uint32_t key) noexcept nogil:
        """A row of zeros for a key that has none, where there is room for it; without a check."""
        if self.index == NULL:
            return self.rows + ((key & 1) << self.bits | key >> 1) * self.row
        self._enter(key, self.head.rows)
        self.head.rows += 1
        return self.rows + (self.head.rows - 1) * self.row

    cdef void _enter(self, uint32_t key, uint64_t number) noexcept nogil:
        """Write into index or directory which row a new key has; without a check."""
        cdef uint64_t at
        cdef unsigned char* bucket
        if self.directory != NULL:
            self.directory[key] = <uint32_t>number + 1
            return
        at = home_of(key, self.shift, self.buckets)
        while count_in(self.index + (at << BUCKET_BITS)) == <uint32_t>self.places:
            at = next_bucket(at, self.buckets)
        bucket = self.index + (at << BUCKET_BITS)
        append_entry(bucket, count_in(bucket), key, <uint32_t>number + 1, self.number_bits, self.places)

    cdef bytes pack(self, Py_ssize_t labels, bytes before):
        """What is to stand before it, and the code of all rows, of so many labels."""
        cdef Py_ssize_t block, count = 0, i, size = 0, start = len(before), packed_row = 4 + 6 * labels
        cdef uint64_t* entries
        cdef unsigned char* place
        cdef uint64_t key = 0
        for block in range(blocks_of(self.head)):
            self.check_block(block)
        entries = self._sorted_entries(&count)
        try:
            for i in range(count):
                size += gap_size((entries[i] >> KEY_BITS) - key)
                key = entries[i] >> KEY_BITS
            # Made at once with what stands before it: to put them together took as long as to make it.
            code = PyBytes_FromStringAndSize(NULL, start + 8 + size + count * packed_row)
            place = <unsigned char*>PyBytes_AS_STRING(code)
            memcpy(place, <const char*>before, start)
            memcpy(place + start, &count, 8)
            with nogil:
                self._write_rows(entries, count, labels, place + start + 8, size)
        finally:
            free(entries)
        return code

    cdef void _write_rows(
        self, const uint64_t* entries, Py_ssize_t count, Py_ssize_t labels, unsigned char* gaps, Py_ssize_t size
    ) noexcept nogil:
        """Write the gaps between keys, so many bytes, and behind them the rows."""
        cdef unsigned char* rows = gaps + size
        cdef const unsigned char* row
        cdef uint64_t key = 0, gap
        cdef Py_ssize_t i
        for i in range(count):
            if i + AHEAD < count:
                __builtin_prefetch(self.rows + (entries[i + AHEAD] & 0xFFFFFFFFu) * self.row, 0, 3)
            gap = (entries[i] >> KEY_BITS) - key
            key = entries[i] >> KEY_BITS
            while gap >= 128:
                gaps[0] = <unsigned char>(gap & 127 | 128)
                gaps += 1
                gap >>= 7
            gaps[0] = <unsigned char>gap
            gaps += 1
            row = self.rows + (entries[i] & 0xFFFFFFFFu) * self.row
            if self.capacity == 2 and labels == 2:  # which nearly all are: one instruction
                memcpy(rows, row, 16)
            else:
                memcpy(rows, row, 4 + 4 * labels)
                memcpy(rows + 4 + 4 * labels, row + 4 + 4 * self.capacity, 2 * labels)
            rows += 4 + 6 * labels

    cdef Py_ssize_t filled(self) noexcept nogil:
        """How many features have a row; of a dense table, the rows that are not empty."""
        cdef Py_ssize_t number, count = 0
        if self.index != NULL:
            return keys_in(self.head)
        for number in range(<Py_ssize_t>VIEWS << self.bits):
            count += not is_empty(self.rows + number * self.row, self.row)
        return count

    cdef uint64_t* _entries(self, Py_ssize_t* count) except NULL:
        """Key · 2^32 + number of each row that is not empty, in the order of the table; to be freed."""
        cdef Py_ssize_t slot, view, number, found = 0, row = self.row
        cdef uint64_t at, used = self.head.rows
        cdef const unsigned char* bucket
        cdef uint64_t key
        cdef uint32_t place
        cdef bint is_whole = True
        # One more than there can be: each is written before it is known whether it counts, so that no branch is
        # guessed wrong. Of a dense table all rows could be there; pages that are not touched cost nothing.
        cdef uint64_t keys = keys_in(self.head)
        cdef uint64_t most = keys if self.index != NULL else <uint64_t>VIEWS << self.bits
        cdef uint64_t* entries = <uint64_t*>malloc((most + 1) * sizeof(uint64_t))
        if entries == NULL:
            raise MemoryError
        if self.index == NULL:
            for slot in range(<Py_ssize_t>1 << self.bits):
                for view in range(VIEWS):
                    number = view << self.bits | slot
                    entries[found] = <uint64_t>(slot << 1 | view) << KEY_BITS | <uint64_t>number
                    found += not is_empty(self.rows + number * row, row)
        elif self.directory != NULL:
            found = entries_between(self.directory, 0, <uint64_t>VIEWS << self.bits, entries)
        else:
            for at in range(self.buckets):
                bucket = self.index + (at << BUCKET_BITS)
                is_whole &= count_in(bucket) <= <uint32_t>self.places
                for place in range(count_in(bucket) if is_whole else 0):
                    number = number_at(bucket, place, self.number_bits, self.places)
                    if not 0 < <uint64_t>number <= used or <uint64_t>found >= keys:
                        is_whole = False
                        break
                    key = key_at(bucket, place, self.number_bits, self.places)
                    entries[found] = key << KEY_BITS | <uint64_t>(number - 1)
                    found += 1
        if not is_whole:
            free(entries)
            refuse(self.is_foundation)
        count[0] = found
        return entries

    cdef uint64_t* _sorted_entries(self, Py_ssize_t* count) except NULL:
        """The same in the order of keys, without empty rows of a sparse table."""
        cdef uint64_t* entries = self._entries(count)
        cdef Py_ssize_t i, found = 0
        cdef bint is_any_empty = False
        if self.index == NULL:
            return entries
        # Hardly ever one is empty. Seen in their own order, rows come from memory one after the other.
        for i in range(<Py_ssize_t>self.head.rows):
            is_any_empty |= is_empty(self.rows + i * self.row, self.row)
        if is_any_empty:
            for i in range(count[0]):
                entries[found] = entries[i]
                found += not is_empty(self.rows + (entries[i] & 0xFFFFFFFFu) * self.row, self.row)
            count[0] = found
        if self.directory == NULL and not sort_by_key(entries, count[0], self.bits + 1):
            free(entries)
            raise MemoryError
        return entries

    cdef Py_ssize_t unpack(self, const unsigned char* code, Py_ssize_t size, Py_ssize_t labels) except -1:
        """Put the rows of a code into an empty table with room for them; how many bytes of it were read."""
        cdef Py_ssize_t i, place = 8, packed_row = 4 + 6 * labels
        cdef uint64_t count, key = 0, gap, most = (<uint64_t>VIEWS << self.bits) - 1
        cdef int shift
        cdef const unsigned char* source
        cdef unsigned char* row
        if size < 8:
            refuse(self.is_foundation)
        memcpy(&count, code, 8)
        if count > self.head.room or count > <uint64_t>size // (1 + packed_row):
            refuse(self.is_foundation)
        source = code + size - count * packed_row
        for i in range(<Py_ssize_t>count):
            gap = shift = 0
            while True:
                if code + place >= source or shift > 28:
                    refuse(self.is_foundation)
                gap |= <uint64_t>(code[place] & 127) << shift
                shift += 7
                place += 1
                if not code[place - 1] & 128:
                    break
            key += gap
            if key > most or (gap == 0 and i):
                refuse(self.is_foundation)
            row = self._add(<uint32_t>key)
            memcpy(row, source + i * packed_row, 4 + 4 * labels)
            memcpy(row + 4 + 4 * self.capacity, source + i * packed_row + 4 + 4 * labels, 2 * labels)
        if code + place != source:
            refuse(self.is_foundation)
        return size


cdef class FileRowTable(RowTable):
    """A dense table that stays in its file: the rows that a message needs are read, for who asks only once.

    Of a mapped file the system maps 16 pages around each one that is touched, and takes all of them away again: for
    1,900 features (a mail of 3 KB) 8 ms of CPU time, against 3 for reading the block of each row. From the second
    message on, or above some 8,000 features, a mapping is faster.
    """

    def __dealloc__(self):
        free(self.copy)
        free(self.copies)

    cdef int find(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, unsigned char* absent
    ) except -1 nogil:
        cdef Py_ssize_t i
        cdef unsigned char* copies
        if count > self.copies_room:
            copies = <unsigned char*>realloc(self.copies, count * self.row)
            if copies == NULL:
                run_out()
            self.copies = copies
            self.copies_room = count
        for i in range(count):
            rows[i] = self.copies + i * self.row
            memcpy(rows[i], self._read(keys[i]), self.row)
        return 0

    cdef unsigned char* _read(self, uint32_t key) except NULL nogil:
        cdef Py_ssize_t place = ((key & 1) << self.bits | key >> 1) * self.row, first, block
        if self.copy == NULL:
            self.span = max(self.row, <Py_ssize_t>BLOCK)
            self.copy = <unsigned char*>malloc(self.span)
            if self.copy == NULL:
                run_out()
        first = place & ~(self.span - 1)
        cdef bint whole = pread(self.file, self.copy, self.span, self.place + first) == self.span
        for block in range(self.span >> BLOCK_BITS):
            whole &= self.checks[(first >> BLOCK_BITS) + block] == check_of(
                self.copy + (block << BLOCK_BITS), WORDS_A_BLOCK, 0
            )
        if not whole:
            refuse(self.is_foundation)
        return self.copy + (place - first)
