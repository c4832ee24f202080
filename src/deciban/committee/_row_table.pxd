# The table of rows under a committee (see _row_table.pyx).

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from deciban.committee._lesson_code cimport Features

cdef enum:
    VIEWS = 2
    PAGE = 4096
    BLOCK_BITS = 12
    BLOCK = 1 << BLOCK_BITS
    WORDS_A_BLOCK = BLOCK // 8
    MOST_LABELS = 4096
    MOST_COUNT = 65535


# The sizes of a table, as the head of a state holds them.
cdef struct TableHead:
    uint64_t capacity   # labels that a row has room for: an even number
    uint64_t bits       # a view has 2^bits slots
    uint64_t buckets    # of the index; 0: there is none, and each slot has its row
    uint32_t room       # rows that there is room for …
    uint32_t sharing    # features that have one of the rows that are shared
    uint32_t rows       # … and that are in use
    uint32_t shared     # of these the first, which may belong to several features each


cdef enum:
    LISTED_AT_ONCE = 1024   # keys of a directory


# A walk through a directory in the order of its keys, and how far the buckets of an index are filled from it.
cdef struct Walk:
    const uint32_t* directory
    uint64_t next                   # the key behind those that were read
    uint64_t end
    Py_ssize_t count                # of the entries that were read
    Py_ssize_t i                    # the one that comes next
    uint64_t at                     # the bucket that is filled
    uint32_t filled                 # how many entries it has
    uint64_t[LISTED_AT_ONCE + 1] entries


cdef inline uint64_t factor_of(uint64_t place) noexcept nogil:
    """The odd number that the word at a place of a block is multiplied by for its check."""
    return (2 * place + 1) * <uint64_t>0x9E3779B97F4A7C15u


cdef inline uint64_t check_of(const void* words, Py_ssize_t count, uint64_t first) noexcept nogil:
    """The sum of words, each times an odd number that depends on its place; `first` is the place of the first."""
    cdef uint64_t total = 0, word, factor = factor_of(first)
    cdef Py_ssize_t i
    for i in range(count):
        # Copied, because C may take for granted that what is written as a float is never read as a whole number.
        memcpy(&word, <const char*>words + 8 * i, 8)
        total += word * factor
        factor += 2 * <uint64_t>0x9E3779B97F4A7C15u
    return total


cdef bint is_possible(const TableHead* head) noexcept nogil
cdef Py_ssize_t row_bytes(Py_ssize_t capacity) noexcept nogil
cdef Py_ssize_t blocks_of(const TableHead* head) noexcept nogil
cdef bint may_share(const TableHead* head) noexcept nogil
cdef uint64_t room_for_keys(const TableHead* head) noexcept nogil
cdef uint64_t keys_in(const TableHead* head) noexcept nogil
cdef int spread(
    float* row, Py_ssize_t capacity, const float* narrow, Py_ssize_t narrow_capacity, Py_ssize_t labels
) noexcept nogil


cdef class RowTable:
    cdef TableHead* head
    cdef uint64_t* checks           # one for each block
    cdef unsigned char* start       # of the index, if there is one, and then the rows
    cdef unsigned char* checked     # whether each block was found whole by us
    cdef unsigned char* index       # its buckets
    cdef uint32_t* directory        # the number of the row of each key, counted from 1, or 0; NULL: look at the index
    cdef uint32_t* listing          # the same for who only asks …
    cdef uint64_t listed            # … while there are so many rows
    cdef unsigned char* rows
    cdef unsigned char* end
    cdef uint32_t buckets
    cdef int shift                  # of a key, so that its first bit is that of 32
    cdef int number_bits            # of the number of a row in an entry
    cdef int places                 # for entries in a bucket
    cdef Py_ssize_t row             # its bytes
    cdef Py_ssize_t capacity
    cdef int bits
    cdef uint64_t[2] salts
    cdef bint is_foundation         # others rest on it, and it cannot be made again from their ledgers

    cdef int take(self, TableHead* head, uint64_t* checks, unsigned char* start, uint64_t salt) except -1
    cdef void keys_of(self, Features features, uint32_t* keys) noexcept nogil
    cdef uint32_t key_of(self, int view, uint32_t feature) noexcept nogil
    cdef int find(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, unsigned char* absent
    ) except -1 nogil
    cdef int _find_dense(self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows) except -1 nogil
    cdef int _find_sparse(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, unsigned char* absent
    ) except -1 nogil
    cdef Py_ssize_t gather(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known, uint32_t* missing
    ) except -1 nogil
    cdef Py_ssize_t _gather_some(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known, uint32_t* missing
    ) except -1 nogil
    cdef int _search(self, const uint32_t* keys, Py_ssize_t count, uint32_t* numbers) except -1 nogil
    cdef int _number_of(self, uint32_t key, uint64_t at) except -1 nogil
    cdef Py_ssize_t _gather_listed(
        self, const uint32_t* directory, const uint32_t* keys, Py_ssize_t count, unsigned char** rows, uint32_t* known,
        uint32_t* missing,
    ) noexcept nogil
    cdef int _find_listed(
        self, const uint32_t* directory, const uint32_t* keys, Py_ssize_t count, unsigned char** rows,
        unsigned char* absent,
    ) except -1 nogil
    cdef unsigned char* find_one(self, uint32_t key) except? NULL nogil
    cdef int claim(self, const uint32_t* keys, Py_ssize_t count, unsigned char** rows) except -1 nogil
    cdef Py_ssize_t add(self, const uint32_t* keys, Py_ssize_t count, unsigned char** again) except -1 nogil
    cdef unsigned char* _add_at(self, uint64_t at, uint32_t key) except NULL nogil
    cdef Py_ssize_t _add_listed(self, const uint32_t* keys, Py_ssize_t count, unsigned char** again) except -1 nogil
    cdef int open_directory(self) except -1
    cdef int list_rows(self) except -1
    cdef int _list_into(self, uint32_t** directory) except -1
    cdef unsigned char* own(self, uint32_t key) except NULL nogil
    cdef unsigned char* _part(self, uint32_t key) except NULL nogil
    cdef Py_ssize_t different(self) except -1
    cdef int _share(self, RowTable other, const uint64_t* entries, Py_ssize_t count, Py_ssize_t labels) except -1
    cdef bint _number_groups(
        self, const uint64_t* entries, Py_ssize_t count, const uint32_t* group, Py_ssize_t groups, uint32_t* users,
        uint32_t* numbers,
    ) noexcept nogil
    cdef void _copy_groups(
        self, RowTable other, Py_ssize_t labels, const uint32_t* group, const uint32_t* users, const uint32_t* numbers
    ) noexcept nogil
    cdef int _search_on(self, uint32_t key, uint64_t* at) except -1 nogil
    cdef int check_row(self, const unsigned char* row) except -1 nogil
    cdef int check_block(self, Py_ssize_t block) except -1 nogil
    cdef bint _are_checked(self, Py_ssize_t place, Py_ssize_t size) noexcept nogil
    cdef bint is_whole(self, Py_ssize_t block) noexcept nogil
    cdef bint has_checks(self) noexcept nogil
    cdef void fill(self, unsigned char* row, const unsigned char* numbers) noexcept nogil
    cdef void fill_alike(self, uint64_t first, uint64_t end) noexcept nogil
    cdef void _check_alike(self, const uint64_t* pair, Py_ssize_t place, Py_ssize_t end) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void renew_checks(self) noexcept nogil
    cdef void renew_checks_of_rows(self, const unsigned char* rows) noexcept nogil
    cdef void _renew_checks_of(self, const unsigned char* memory, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef int pour(self, RowTable other, Py_ssize_t labels) except -1
    cdef bint can_list(self, RowTable other) noexcept nogil
    cdef void list_as_own(self, RowTable other) noexcept nogil
    cdef void _fill_buckets(self, Walk* walk, unsigned char* buckets, uint64_t first, uint64_t end) noexcept nogil
    cdef int list_in_pieces(self, RowTable other, write, Py_ssize_t place, Py_ssize_t most) except -1
    cdef bint _fill_from_the_first(self, Walk* walk, unsigned char* buckets, uint64_t end) noexcept nogil
    cdef int _put(
        self, uint32_t key, unsigned char* source, Py_ssize_t capacity, Py_ssize_t labels, bint is_new
    ) except -1 nogil
    cdef unsigned char* _add(self, uint32_t key) noexcept nogil
    cdef void _enter(self, uint32_t key, uint64_t number) noexcept nogil
    cdef Py_ssize_t filled(self) noexcept nogil
    cdef uint64_t* _entries(self, Py_ssize_t* count) except NULL
    cdef uint64_t* _sorted_entries(self, Py_ssize_t* count) except NULL
    cdef bytes pack(self, Py_ssize_t labels, bytes before)
    cdef void _write_rows(
        self, const uint64_t* entries, Py_ssize_t count, Py_ssize_t labels, unsigned char* gaps, Py_ssize_t size
    ) noexcept nogil
    cdef Py_ssize_t unpack(self, const unsigned char* code, Py_ssize_t size, Py_ssize_t labels) except -1


cdef class FileRowTable(RowTable):
    cdef int file
    cdef Py_ssize_t place           # where the rows begin in the file
    cdef Py_ssize_t span            # bytes that are read for a row: its block, or blocks if it is longer than one
    cdef unsigned char* copy        # what was read last
    cdef unsigned char* copies      # (features, bytes of a row)
    cdef Py_ssize_t copies_room

    cdef unsigned char* _read(self, uint32_t key) except NULL nogil
