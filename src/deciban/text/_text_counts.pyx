"""Counts the words or characters of a batch of texts, outside of Python's lock; see text_features.py.

Hashed to columns, the hashes of a text are collected, sorted (_harvest.pyx) and counted in runs; a column is
the top bits of a hash, so the rows come out with sorted columns, and no table is needed at all.

With names, a batch has a table of its own: key, the whole 64-bit hash of an n-gram → number within the batch,
in order of first sight. The rows come out in compressed sparse form over these numbers; the caller maps numbers
to columns, for a whole batch in one indexing operation.

The words of a text are written one after the other, folded, with a space between, into one buffer, so every
n-gram is a stretch of it. The hash of an n-gram is the hash of that stretch: for all n at once, each word's
bytes are walked once. The table's index is salted by the caller, so that no text can be crafted to make it slow;
no result depends on the salt.

>>> counts = count_texts([b"Free money, free!"], True, 1, 2, 2, 0, True, 1)
>>> [counts.names[a:b] for a, b in zip([0, *counts.name_ends], counts.name_ends)]
[b'free', b'money', b'free money', b'money free']
>>> list(memoryview(counts.counts).cast("i"))
[2, 1, 1, 1]
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from deciban.text._content cimport Buffer, reserve
from deciban.text._growth cimport grown
from deciban.text._harvest cimport Hashes, make_room, sort_hashes
from deciban.text._hashing cimport hash_begin, hash_byte, hash_bytes, hash_end
from deciban.text._tokens cimport (
    KIND_INVISIBLE, KIND_MASK, TOKEN_UNSPACED, Token, Tokens, begin_tokens, byte_records, decode_character,
    next_token, push_character, record_distances, record_kinds, record_of,
)

cdef extern from *:
    """
    #ifdef __GNUC__
    #define fetch_early(address) __builtin_prefetch(address)
    #else
    #define fetch_early(address) ((void)(address))
    #endif
    """
    void fetch_early(const void* address) noexcept nogil

cdef enum:
    MOST_WORDS = 8    # of one n-gram of words
    COLLECTED = 1024  # n-grams that are hashed before they are looked up, see `number_collected`
    AHEAD = 12        # look-ups between asking for a slot's cache line and reading it
    SHORT = 16        # bytes that are copied at once, see `push_short`

ctypedef struct Numbers:
    int32_t* data
    Py_ssize_t size
    Py_ssize_t room

# One slot of a table: a key, its number plus one (0 is a free slot), and in a batch where its last sighting
# was counted; one cache line tells all that a sighting needs.
ctypedef struct Slot:
    uint64_t key
    int32_t number
    int32_t place

# Where the name of an n-gram stands in the folded text.
ctypedef struct NameStretch:
    Py_ssize_t start
    Py_ssize_t end

ctypedef struct KeyTable:
    Slot* slots
    int shift               # 64 - log2 of the number of slots
    Py_ssize_t used
    uint64_t salt           # odd and well mixed: a place is the top bits of key × salt

ctypedef struct Batch:
    KeyTable table
    Buffer keys             # uint64 each, by number
    Buffer names            # of the keys, one after the other
    Buffer name_ends        # int64 each
    Hashes row_hashes       # of the text that is being read, or when numbered of its last n-grams ...
    NameStretch[COLLECTED] stretches  # ... and where their names stand
    Hashes spare
    Numbers numbers         # the sparse rows: numbers, or columns, ...
    Numbers counts          # ... and how often
    Buffer folded           # the words of the text that is being read
    int key_shift           # 64 - log2 of the number of columns; 0 for whole hashes
    bint naming
    int first_n
    int last_n
    int shortest            # characters of a word, at least
    Py_ssize_t row_start    # in numbers and counts: a key whose place is not before it was seen in this row


cdef int reserve_numbers(Numbers* numbers, Py_ssize_t more) except -1 nogil:
    """Room for so many more numbers."""
    if numbers.room - numbers.size < more:
        numbers.data = <int32_t*>grown(
            numbers.data, &numbers.room, numbers.size + more, 1024, sizeof(int32_t)
        )
    return 0


cdef inline int push_number(Numbers* numbers, int32_t value) except -1 nogil:
    """One more number at the end."""
    if numbers.size == numbers.room:
        reserve_numbers(numbers, 1)
    numbers.data[numbers.size] = value
    numbers.size += 1
    return 0


cdef inline int push_bytes(Buffer* buffer, const void* source, Py_ssize_t length) except -1 nogil:
    """Bytes of memory that the caller owns, copied to the end."""
    if buffer.room - buffer.size < length:
        reserve(buffer, length)
    memcpy(buffer.data + buffer.size, source, length)
    buffer.size += length
    return 0


cdef inline int push_short(Buffer* buffer, const uint8_t* source, Py_ssize_t length) except -1 nogil:
    """The same for what is mostly short, from memory that goes on for SHORT bytes at least.

    Most calls of memcpy become two instructions; memcpy and what called it were 12% of learning names. The buffer
    always has more than SHORT bytes to spare, so that it can be such a source itself.
    """
    if buffer.room - buffer.size < length + 2 * SHORT:
        reserve(buffer, length + 2 * SHORT)
    memcpy(buffer.data + buffer.size, source, SHORT)
    if length > SHORT:
        memcpy(buffer.data + buffer.size + SHORT, source + SHORT, length - SHORT)
    buffer.size += length
    return 0


cdef int widen(KeyTable* table, int bits) except -1 nogil:
    """A table of 2^bits slots with the same keys."""
    cdef Slot* old = table.slots
    cdef Py_ssize_t old_count = (<Py_ssize_t>1 << (64 - table.shift)) if old != NULL else 0, i, place
    cdef Py_ssize_t mask = (<Py_ssize_t>1 << bits) - 1
    cdef Slot* wider = <Slot*>calloc(mask + 1, sizeof(Slot))
    if wider == NULL:
        with gil:
            raise MemoryError
    table.slots = wider
    table.shift = 64 - bits
    for i in range(old_count):
        if old[i].number:
            place = (old[i].key * table.salt) >> table.shift
            while wider[place].number:
                place = (place + 1) & mask
            wider[place] = old[i]
    free(old)
    return 0


cdef inline Slot* slot_at(const KeyTable* table, uint64_t key) noexcept nogil:
    """Where a key is looked for first."""
    return &table.slots[(key * table.salt) >> table.shift]


cdef inline Slot* slot_of(const KeyTable* table, uint64_t key) noexcept nogil:
    """The slot of a key, or the free slot where it belongs; one is always free."""
    cdef Py_ssize_t mask = (<Py_ssize_t>1 << (64 - table.shift)) - 1
    cdef Py_ssize_t place = (key * table.salt) >> table.shift
    while table.slots[place].number and table.slots[place].key != key:
        place = (place + 1) & mask
    return &table.slots[place]


cdef inline int leave_a_slot(KeyTable* table) except -1 nogil:
    """Widens a table that one more key would make more than half full."""
    if (table.used + 1) >> (63 - table.shift):
        widen(table, 64 - table.shift + 1)
    return 0


cdef int enter(Batch* batch, Slot* slot, uint64_t key, NameStretch name) except -1 nogil:
    """A new key gets the next number, and its name is kept if wanted."""
    cdef int64_t end
    batch.table.used += 1
    slot.key = key
    slot.number = <int32_t>batch.table.used
    slot.place = -1
    push_bytes(&batch.keys, &key, sizeof(key))
    if batch.naming:
        push_short(&batch.names, batch.folded.data + name.start, name.end - name.start)
        end = batch.names.size
        push_bytes(&batch.name_ends, &end, sizeof(end))
    return 0


cdef int number_collected(Batch* batch) except -1 nogil:
    """Counts n-grams that were collected, in their order, in the row that is being read.

    Looked up one by one as they are hashed, each would wait for its cache line; here many are on their way.
    """
    cdef Hashes* hashes = &batch.row_hashes
    cdef Slot* slot
    cdef Py_ssize_t i
    reserve_numbers(&batch.numbers, hashes.size)
    reserve_numbers(&batch.counts, hashes.size)
    for i in range(hashes.size):
        if i + AHEAD < hashes.size:
            fetch_early(slot_at(&batch.table, hashes.data[i + AHEAD]))
        leave_a_slot(&batch.table)
        slot = slot_of(&batch.table, hashes.data[i])
        if slot.number == 0:
            enter(batch, slot, hashes.data[i], batch.stretches[i])
        if slot.place >= batch.row_start:
            batch.counts.data[slot.place] += 1
            continue
        slot.place = <int32_t>batch.numbers.size
        batch.numbers.data[batch.numbers.size] = slot.number - 1
        batch.counts.data[batch.counts.size] = 1
        batch.numbers.size += 1
        batch.counts.size += 1
    hashes.size = 0
    return 0


cdef inline int count(Batch* batch, uint64_t state, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
    """One more sighting of the n-gram with this hash state, which stands at [start, end) of the folded text."""
    cdef Hashes* hashes = &batch.row_hashes
    if batch.key_shift:
        if hashes.size == hashes.room:
            make_room(hashes, 1)
    else:
        if hashes.size == COLLECTED:
            number_collected(batch)
        batch.stretches[hashes.size].start = start
        batch.stretches[hashes.size].end = end
    hashes.data[hashes.size] = hash_end(state)
    hashes.size += 1
    return 0


cdef int end_row(Batch* batch) except -1 nogil:
    """Counts the columns of a text whose hashes were collected."""
    cdef Hashes* hashes = &batch.row_hashes
    cdef int32_t column, last = -1
    cdef int32_t* columns
    cdef int32_t* counts
    cdef Py_ssize_t i, found = 0
    cdef bint new
    sort_hashes(hashes, &batch.spare)
    reserve_numbers(&batch.numbers, hashes.size)
    reserve_numbers(&batch.counts, hashes.size)
    columns = batch.numbers.data + batch.numbers.size
    counts = batch.counts.data + batch.counts.size
    # Whether a column is new cannot be predicted, so there is no branch on it.
    for i in range(hashes.size):
        column = <int32_t>(hashes.data[i] >> batch.key_shift)
        new = column != last
        found += new
        columns[found - 1] = column
        counts[found - 1] = 1 if new else counts[found - 1] + 1
        last = column
    batch.numbers.size += found
    batch.counts.size += found
    hashes.size = 0
    return 0


cdef int count_words(Batch* batch, const uint8_t* text, Py_ssize_t length) except -1 nogil:
    """Every n-gram of words of one text."""
    cdef Tokens walk
    cdef Token token
    cdef uint64_t[MOST_WORDS] states     # states[n - 1]: of the last n words and the space after them
    cdef Py_ssize_t[MOST_WORDS] starts   # where the last n words begin in batch.folded
    cdef int n, seen = 0
    cdef Py_ssize_t end
    batch.folded.size = 0
    begin_tokens(&walk, text, length)
    while next_token(&walk, &token):
        if token.characters < batch.shortest and not token.flags & TOKEN_UNSPACED:
            continue
        # The tokeniser hashed the word alone and after the word before; words and pairs are the usual case.
        for n in range(min(seen, batch.last_n - 1), 0, -1):
            starts[n] = starts[n - 1]
            if n > 1:
                states[n] = hash_bytes(states[n - 1], token.word, token.length)
        states[0], states[1] = token.state, token.pair_state
        starts[0] = batch.folded.size
        if batch.naming:
            push_short(&batch.folded, token.word, token.length)
        end = batch.folded.size
        seen = min(seen + 1, batch.last_n)
        for n in range(batch.first_n - 1, seen):
            count(batch, states[n], starts[n], end)
        for n in range(seen):
            states[n] = hash_byte(states[n], c" ")
        walk.pair_seed = states[0]
        if batch.naming:
            batch.folded.data[end] = c" "  # there is room to spare
            batch.folded.size = end + 1
    return 0


cdef int fold_characters(Batch* batch, const uint8_t* text, Py_ssize_t length) except -1 nogil:
    """A text folded, with every run of white space made one space, into batch.folded."""
    cdef Py_ssize_t at = 0
    cdef Token character
    cdef unsigned int code = 0, record
    cdef int size
    cdef uint8_t byte
    batch.folded.size = 0
    while at < length:
        byte = text[at]
        if byte < 0x80:
            at += 1
            if byte == c" " or c"\t" <= byte <= c"\r":
                byte = c" "
                if batch.folded.size and batch.folded.data[batch.folded.size - 1] == c" ":
                    continue
            elif byte_records[byte]:
                byte = byte_records[byte] & 0xFF
            push_bytes(&batch.folded, &byte, 1)
            continue
        size = decode_character(text + at, length - at, &code)
        at += size if size else 1
        record = record_of(code)
        if size == 0 or record_kinds[record] & KIND_MASK == KIND_INVISIBLE:
            continue
        character.length = character.flags = character.characters = 0
        push_character(&character, code + record_distances[record])
        push_bytes(&batch.folded, character.word, character.length)
    return 0


cdef int count_characters(Batch* batch, const uint8_t* text, Py_ssize_t length) except -1 nogil:
    """Every n-gram of characters of one text."""
    cdef Py_ssize_t start, at, end
    cdef uint64_t state
    cdef int n
    cdef const uint8_t* folded
    fold_characters(batch, text, length)
    reserve(&batch.folded, SHORT)  # as `push_short` wants it
    folded = batch.folded.data
    end = batch.folded.size
    start = 0
    while start < end:
        state = hash_begin()
        at = start
        n = 0
        while at < end and n < batch.last_n:
            state = (state ^ folded[at]) * <uint64_t>0x100000001B3u
            at += 1
            while at < end and folded[at] & 0xC0 == 0x80:
                state = (state ^ folded[at]) * <uint64_t>0x100000001B3u
                at += 1
            n += 1
            if n >= batch.first_n:
                count(batch, state, start, at)
        start += 1
        while start < end and folded[start] & 0xC0 == 0x80:
            start += 1
    return 0


cdef class TextCounts:
    """The counts of one batch: bytes of arrays, to be looked at through numpy or memoryview."""

    cdef readonly bytes keys
    """uint64: the key of each number of the batch; empty when hashed to columns."""
    cdef readonly bytes names
    cdef readonly object name_ends
    """int64: the name of number i is names[name_ends[i - 1]:name_ends[i]]."""
    cdef readonly bytes row_ends
    """int64: where each row ends in numbers and counts."""
    cdef readonly bytes numbers
    """int32; columns when hashed to columns"""
    cdef readonly bytes counts
    """int32"""


cdef bytes bytes_of(const void* data, Py_ssize_t size):
    return PyBytes_FromStringAndSize(<const char*>data, size)


cdef int bits_for(const int64_t* lengths, Py_ssize_t rows) noexcept nogil:
    """The size of a batch's first table: half a slot to a byte is what a full batch comes to in the end."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    cdef int bits = 8
    for i in range(rows):
        total += lengths[i]
    while bits < 17 and total >> bits > 2:
        bits += 1
    return bits


def count_texts(
    list texts, bint words, int first_n, int last_n, int shortest, int column_bits, bint naming, uint64_t salt
):
    """The counts of a batch of texts (bytes in UTF-8, or str); 0 column bits number the n-grams instead."""
    cdef Batch batch
    cdef Py_ssize_t rows = len(texts), i, length
    cdef const uint8_t** starts = NULL
    cdef int64_t* lengths = NULL
    cdef TextCounts result = TextCounts.__new__(TextCounts)
    if not 1 <= first_n <= last_n or (words and last_n > MOST_WORDS):
        raise ValueError(f"n-grams must be of 1 to {MOST_WORDS} words, got {first_n} to {last_n} instead")
    memset(&batch, 0, sizeof(batch))
    batch.key_shift = 64 - column_bits if column_bits else 0
    batch.naming = naming
    batch.first_n = first_n
    batch.last_n = last_n
    batch.shortest = shortest
    batch.table.salt = hash_end(salt) | 1
    held = []  # what was encoded here must live until it was counted
    try:
        starts = <const uint8_t**>malloc(max(rows, 1) * sizeof(uint8_t*))
        lengths = <int64_t*>malloc(max(rows, 1) * sizeof(int64_t))
        if starts == NULL or lengths == NULL:
            raise MemoryError
        for i in range(rows):
            text = texts[i]
            if isinstance(text, str):
                if text.isascii():
                    starts[i] = <const uint8_t*>PyUnicode_AsUTF8AndSize(text, &length)
                    lengths[i] = length
                    continue
                text = text.encode("utf-8", "surrogatepass")
                held.append(text)
            starts[i] = <const uint8_t*>PyBytes_AS_STRING(<bytes?>text)
            lengths[i] = len(<bytes>text)
        with nogil:
            if column_bits == 0:
                make_room(&batch.row_hashes, COLLECTED)
                widen(&batch.table, bits_for(lengths, rows))
            for i in range(rows):
                batch.row_start = batch.numbers.size
                if words:
                    count_words(&batch, starts[i], lengths[i])
                else:
                    count_characters(&batch, starts[i], lengths[i])
                if batch.key_shift:
                    end_row(&batch)
                else:
                    number_collected(&batch)
                lengths[i] = batch.numbers.size
        result.keys = bytes_of(batch.keys.data, batch.keys.size)
        result.names = bytes_of(batch.names.data, batch.names.size)
        result.name_ends = memoryview(bytes_of(batch.name_ends.data, batch.name_ends.size)).cast("q")
        result.row_ends = bytes_of(lengths, rows * sizeof(int64_t))
        result.numbers = bytes_of(batch.numbers.data, batch.numbers.size * sizeof(int32_t))
        result.counts = bytes_of(batch.counts.data, batch.counts.size * sizeof(int32_t))
        return result
    finally:
        free(starts)
        free(lengths)
        free(batch.table.slots)
        free(batch.keys.data)
        free(batch.names.data)
        free(batch.name_ends.data)
        free(batch.row_hashes.data)
        free(batch.spare.data)
        free(batch.numbers.data)
        free(batch.counts.data)
        free(batch.folded.data)


cdef class Vocabulary:
    """The n-grams seen so far: key → column in order of first sight, and their names.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.learn(count_texts([b"some money"], True, 1, 1, 2, 0, True, 1)).cast("i").tolist()
    [0, 1]
    >>> vocabulary.look_up(count_texts([b"more money"], True, 1, 1, 2, 0, False, 1)).cast("i").tolist()
    [-1, 1]
    >>> vocabulary.name(1), list(vocabulary.keep([1]).names())
    ('money', ['money'])
    """

    cdef KeyTable table
    cdef uint64_t salt
    cdef Buffer keys
    cdef Buffer names_buffer
    cdef Buffer name_ends

    def __cinit__(self, salt=1):
        self.salt = salt
        self.table.salt = hash_end(self.salt) | 1
        widen(&self.table, 12)

    def __dealloc__(self):
        free(self.table.slots)
        free(self.keys.data)
        free(self.names_buffer.data)
        free(self.name_ends.data)

    def __len__(self):
        return self.table.used

    def __reduce__(self):
        keys = bytes_of(self.keys.data, self.keys.size)
        names = bytes_of(self.names_buffer.data, self.names_buffer.size)
        return restored, (self.salt, keys, names, bytes_of(self.name_ends.data, self.name_ends.size))

    cdef int32_t add(self, uint64_t key, const uint8_t* name, Py_ssize_t length) except -1 nogil:
        """The column of a key, the next one if it is new."""
        cdef Slot* slot
        cdef int64_t end
        leave_a_slot(&self.table)
        slot = slot_of(&self.table, key)
        if slot.number == 0:
            self.table.used += 1
            slot.key = key
            slot.number = <int32_t>self.table.used
            push_bytes(&self.keys, &key, sizeof(key))
            push_bytes(&self.names_buffer, name, length)
            end = self.names_buffer.size
            push_bytes(&self.name_ends, &end, sizeof(end))
        return slot.number - 1

    def learn(self, TextCounts counts not None):
        """The columns (int32, as bytes) of a batch's numbers; new keys get new columns."""
        cdef const uint64_t* keys = <const uint64_t*>PyBytes_AS_STRING(counts.keys)
        cdef const uint8_t* names = <const uint8_t*>PyBytes_AS_STRING(counts.names)
        cdef const int64_t[::1] ends = counts.name_ends
        cdef Py_ssize_t count = len(counts.keys) // sizeof(uint64_t), i
        cdef int64_t start = 0
        cdef bytes columns = PyBytes_FromStringAndSize(NULL, count * sizeof(int32_t))
        cdef int32_t* column = <int32_t*>PyBytes_AS_STRING(columns)
        for i in range(count):
            if i + AHEAD < count:
                fetch_early(slot_at(&self.table, keys[i + AHEAD]))
            column[i] = self.add(keys[i], names + start, ends[i] - start)
            start = ends[i]
        return memoryview(columns)

    def look_up(self, TextCounts counts not None):
        """The columns (int32, as bytes) of a batch's numbers; -1 for what was never learned."""
        cdef const uint64_t* keys = <const uint64_t*>PyBytes_AS_STRING(counts.keys)
        cdef Py_ssize_t count = len(counts.keys) // sizeof(uint64_t), i
        cdef bytes columns = PyBytes_FromStringAndSize(NULL, count * sizeof(int32_t))
        cdef int32_t* column = <int32_t*>PyBytes_AS_STRING(columns)
        for i in range(count):
            if i + AHEAD < count:
                fetch_early(slot_at(&self.table, keys[i + AHEAD]))
            column[i] = slot_of(&self.table, keys[i]).number - 1
        return memoryview(columns)

    def keep(self, columns):
        """A vocabulary of some of the columns, in the given order."""
        cdef Vocabulary kept = Vocabulary(self.salt)
        cdef const uint64_t* keys = <const uint64_t*>self.keys.data
        cdef const int64_t* ends = <const int64_t*>self.name_ends.data
        cdef Py_ssize_t column
        cdef int64_t start
        for column in columns:
            self.check(column)
            start = ends[column - 1] if column else 0
            kept.add(keys[column], self.names_buffer.data + start, ends[column] - start)
        return kept

    cdef int check(self, Py_ssize_t column) except -1:
        if not 0 <= column < self.table.used:
            raise IndexError(f"there are {self.table.used} names, and none at {column}")
        return 0

    def name(self, Py_ssize_t column):
        """The n-gram of a column."""
        cdef const int64_t* ends = <const int64_t*>self.name_ends.data
        cdef int64_t start
        self.check(column)
        start = ends[column - 1] if column else 0
        return bytes_of(self.names_buffer.data + start, ends[column] - start).decode("utf-8", "replace")

    def names(self):
        """Every n-gram, by column."""
        return map(self.name, range(self.table.used))


def restored(salt, bytes keys not None, bytes names not None, bytes name_ends not None):
    """The vocabulary that was taken apart by pickling."""
    cdef Vocabulary vocabulary = Vocabulary(salt)
    cdef TextCounts counts = TextCounts.__new__(TextCounts)
    counts.keys = keys
    counts.names = names
    counts.name_ends = memoryview(name_ends).cast("q")
    vocabulary.learn(counts)
    return vocabulary
