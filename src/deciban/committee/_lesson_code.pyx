"""The features of a lesson as the ledger keeps them: short, sorted, and exactly what the witnesses see.

Of each 64-bit hash the top 23 bits are kept: enough for tables of 2^22 slots, and a collision costs no more
than one in such a table; with 24 or 25 bits no difference could be measured (docs/experiments.md, docs/filter.md). Scoring uses the same
short features, so a message and its lesson score alike.
A view of n features is sorted and its gaps are Rice-coded; the best code for random gaps spends about
log2(2^23 / n) + 1.5 bits on each. The code of a lesson is that of `words` followed by that of `letters`:

    n          as a varint (7 bits a byte, lowest first, the top bit says that more follow)
    k          one byte, only if n > 0: the number of low bits of a gap that are stored as they are
    n gaps     gap - 1 (the first feature counts from -1): its high part in unary (so many 0 bits, then a 1), then
               its k low bits; bits fill each byte from the lowest; the last byte is filled up with 0 bits

>>> from array import array
>>> features = Features.of(array("Q", [5 << 41, 9 << 41]), array("Q", []))
>>> features.words, features.letters, features.encode().hex()
([5, 9], [], '02160b008003000000')
>>> Features.decode(features.encode()) == features
True
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport log2
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc

from deciban.errors import DamagedLedger

cdef extern from *:
    int __builtin_ctzll(unsigned long long) nogil

cdef enum:
    # Far above what Limits allow; a damaged length must not ask for all memory.
    MOST_FEATURES = 1 << 24

FEATURE_BITS = SHORT_BITS


def shorten(uint64_t feature):
    """What a lesson keeps of a 64-bit feature."""
    return feature >> SHIFT


cdef Features with_room(Py_ssize_t count):
    cdef Features features = Features.__new__(Features)
    make_room(features, count)
    return features


cdef int make_room(Features features, Py_ssize_t count) except -1 nogil:
    """Memory for so many features, neither more nor less."""
    cdef uint32_t* moved = <uint32_t*>realloc(features.data, max(count, 1) * sizeof(uint32_t))
    if moved == NULL:
        with gil:
            raise MemoryError
    features.data = moved
    return 0


cdef int hold_hashes(hashes, Py_buffer* held) except -1:
    """Take hold of a buffer of 64-bit hashes, to be released by the caller."""
    PyObject_GetBuffer(hashes, held, PyBUF_FORMAT | PyBUF_ND)
    if held.ndim != 1 or held.itemsize != sizeof(uint64_t) or held.format == NULL or held.format[0] not in b"QL":
        PyBuffer_Release(held)
        raise ValueError("features must be one row of unsigned 64-bit numbers")
    return 0


cdef Py_ssize_t shorten_all(const Py_buffer* held, uint32_t* short) except -1:
    """Sorted hashes to sorted short ones, each once; how many there are."""
    cdef const uint64_t* hashes = <const uint64_t*>held.buf
    cdef Py_ssize_t i, count = 0
    cdef uint32_t feature
    for i in range(held.shape[0]):
        feature = <uint32_t>(hashes[i] >> SHIFT)
        if count and feature <= short[count - 1]:
            if feature < short[count - 1]:
                raise ValueError("features must come in increasing order")
            continue
        short[count] = feature
        count += 1
    return count


cdef class Features:
    """The short features of one message, view by view; or the code of them, until somebody asks for more."""

    def __dealloc__(self):
        free(self.data)

    @staticmethod
    def of(words, letters):
        """The short features of two views, each a sorted buffer of 64-bit hashes."""
        cdef Py_buffer word_hashes, letter_hashes
        cdef Features features
        hold_hashes(words, &word_hashes)
        try:
            hold_hashes(letters, &letter_hashes)
            try:
                features = with_room(word_hashes.shape[0] + letter_hashes.shape[0])
                features.words = shorten_all(&word_hashes, features.data)
                features.letters = shorten_all(&letter_hashes, features.data + features.words)
            finally:
                PyBuffer_Release(&letter_hashes)
        finally:
            PyBuffer_Release(&word_hashes)
        return features

    @property
    def words(self):
        """The features of the view `words`."""
        unpack(self)
        return [self.data[i] for i in range(self.words)]

    @property
    def letters(self):
        """The features of the view `letters`."""
        unpack(self)
        return [self.data[self.words + i] for i in range(self.letters)]

    def __len__(self):
        return self.words + self.letters

    def __eq__(self, other):
        if not isinstance(other, Features):
            return NotImplemented
        # Equal features have equal codes, and no others have.
        return self.encode() == other.encode()

    def __hash__(self):
        return hash(self.encode())

    def __repr__(self):
        return f"<Features: {self.words} words, {self.letters} letters>"

    def __reduce__(self):
        return Features.decode, (self.encode(),)

    def encode(self):
        """The code described above, made once."""
        if self.code is None:
            self.code = self._encoded()
        return self.code

    cdef bytes _encoded(self):
        cdef unsigned char* code = <unsigned char*>malloc(room_for_code(self.words + self.letters))
        cdef Py_ssize_t size
        if code == NULL:
            raise MemoryError
        try:
            with nogil:
                size = write_code(self.data, self.words, self.letters, code)
            return PyBytes_FromStringAndSize(<const char*>code, size)
        finally:
            free(code)

    @staticmethod
    def decode(bytes code not None):
        """The features of a code; damaged codes are refused."""
        cdef Features features = Features.__new__(Features)
        cdef Py_ssize_t room = 0
        read_code(<const unsigned char*>PyBytes_AS_STRING(code), len(code), features, &room)
        return features

    @staticmethod
    def most_in(bytes code not None):
        """How many features a code holds at most; half as many again as it does, for a mail.

        One of n features takes more than log2(2^23 / n) bits, so all features of b bits are fewer than b divided by that, with
        any number in the place of n that is known to be above.
        """
        cdef double bits = 8.0 * len(code), most = bits
        cdef int turn
        for turn in range(3):
            most = bits / max(SHORT_BITS - log2(max(most, 1.0)), 1.0)
        return <Py_ssize_t>most + 1


cdef Features packed(bytes code, Py_ssize_t words, Py_ssize_t letters):
    """So many features by their code, which is known to be right: a third of the memory, until somebody asks for more."""
    cdef Features features = Features.__new__(Features)
    features.code = code
    features.words = words
    features.letters = letters
    return features


cdef int unpack(Features features) except -1:
    """See to it that the features themselves are there, and not their code only."""
    cdef Features unpacked
    if features.data == NULL:
        unpacked = Features.decode(features.code)
        features.data, unpacked.data = unpacked.data, NULL
    return 0


cdef int read_code(const unsigned char* code, Py_ssize_t size, Features features, Py_ssize_t* room) except -1 nogil:
    """Put the features of a code into those that have room for so many, or for more afterwards; damaged codes are refused."""
    cdef Py_ssize_t place = 0, words, letters
    # A feature takes at least one bit, so a damaged count cannot ask for more memory than that.
    cdef Py_ssize_t most = min(8 * size, <Py_ssize_t>MOST_FEATURES)
    features.words = features.letters = 0
    words = count_at(code, size, &place)
    if not 0 <= words <= most:
        refuse()
    have_room(features, words, room)
    if not decode_view(code, size, &place, features.data, words):
        refuse()
    letters = count_at(code, size, &place)
    if not 0 <= letters <= most:
        refuse()
    have_room(features, words + letters, room)
    if not decode_view(code, size, &place, features.data + words, letters) or place != size:
        refuse()
    features.words = words
    features.letters = letters
    return 0


cdef int have_room(Features features, Py_ssize_t count, Py_ssize_t* room) except -1 nogil:
    """Memory for so many features, unless there is as much."""
    if count > room[0] or features.data == NULL:
        make_room(features, count)
        room[0] = count
    return 0


cdef int refuse() except -1 with gil:
    raise DamagedLedger("The features of a lesson cannot be read: the ledger is damaged. Restore it from a copy.")


cdef Py_ssize_t room_for_code(Py_ssize_t count) noexcept nogil:
    """The bytes that `write_code` needs for so many features."""
    # A gap takes its unary part (all of them together at most 2 bits a feature, by the choice of k), its end
    # mark and at most 23 low bits: 4 bytes a feature are enough, 8 more for each head, and 8 to write at once.
    return 4 * count + 40


cdef Py_ssize_t write_code(
    const uint32_t* features, Py_ssize_t words, Py_ssize_t letters, unsigned char* code
) except -1 nogil:
    """Write the code of so many words, and of the letters behind them; its bytes."""
    cdef Py_ssize_t room = room_for_code(words + letters), end
    end = encode_view(features, words, code, 0, room)
    end = encode_view(features + words, letters, code, end, room)
    if end > room - 8:  # what is closer to the end was counted only
        with gil:
            raise AssertionError("a lesson's code outgrew its room")
    return end


cdef int low_bits(Py_ssize_t count) noexcept nogil:
    """The k of the Rice code: 2^k is the mean gap or a little less, so that unary parts take 2 bits in the mean."""
    cdef int k = 0
    while (count << (k + 1)) <= (<Py_ssize_t>1 << SHORT_BITS):
        k += 1
    return k


# Lowest byte first on any machine; the compiler makes one instruction of each.
cdef inline uint64_t eight_bytes(const unsigned char* data) noexcept nogil:
    return (
        <uint64_t>data[0] | <uint64_t>data[1] << 8 | <uint64_t>data[2] << 16 | <uint64_t>data[3] << 24
        | <uint64_t>data[4] << 32 | <uint64_t>data[5] << 40 | <uint64_t>data[6] << 48 | <uint64_t>data[7] << 56
    )


cdef inline void put_eight_bytes(unsigned char* code, uint64_t value) noexcept nogil:
    code[0] = value & 255
    code[1] = value >> 8 & 255
    code[2] = value >> 16 & 255
    code[3] = value >> 24 & 255
    code[4] = value >> 32 & 255
    code[5] = value >> 40 & 255
    code[6] = value >> 48 & 255
    code[7] = value >> 56


cdef inline void put_whole_bytes(
    unsigned char* code, Py_ssize_t* end, Py_ssize_t room, uint64_t* window, int* filled
) noexcept nogil:
    """Move the whole bytes of the window behind the code: all eight are written, and those that count are kept."""
    cdef int whole = filled[0] >> 3
    if end[0] + 8 <= room:
        put_eight_bytes(code + end[0], window[0])
    end[0] += whole
    window[0] >>= 8 * whole
    filled[0] -= 8 * whole


cdef inline void put_byte(unsigned char* code, Py_ssize_t* end, Py_ssize_t room, unsigned char byte) noexcept nogil:
    """One byte more; past the room it is counted only, and `encode` refuses."""
    if end[0] < room:
        code[end[0]] = byte
    end[0] += 1


cdef Py_ssize_t encode_view(
    const uint32_t* features, Py_ssize_t count, unsigned char* code, Py_ssize_t end, Py_ssize_t room
) noexcept nogil:
    """Write one view at `end`; where it ends."""
    cdef Py_ssize_t i, left = count
    cdef uint64_t window = 0
    cdef int filled = 0, k
    cdef uint32_t gap, high, previous = <uint32_t>-1
    while left >= 128:
        put_byte(code, &end, room, <unsigned char>(left & 127) | 128)
        left >>= 7
    put_byte(code, &end, room, <unsigned char>left)
    if count == 0:
        return end
    k = low_bits(count)
    put_byte(code, &end, room, <unsigned char>k)
    for i in range(count):
        gap = features[i] - previous - 1
        previous = features[i]
        high = gap >> k
        while high >= 24:
            filled += 24
            high -= 24
            put_whole_bytes(code, &end, room, &window, &filled)
        # At most 7 + 24 + 1 + 23 bits: the window cannot overflow.
        window |= (<uint64_t>1 << high | <uint64_t>(gap & ((<uint32_t>1 << k) - 1)) << (high + 1)) << filled
        filled += high + 1 + k
        put_whole_bytes(code, &end, room, &window, &filled)
    if filled:
        put_byte(code, &end, room, <unsigned char>window)
    return end


cdef Py_ssize_t count_at(const unsigned char* data, Py_ssize_t size, Py_ssize_t* place) noexcept nogil:
    """The varint at `place`, which moves behind it; -1 if there is none."""
    cdef Py_ssize_t value = 0
    cdef int shift = 0
    while place[0] < size and shift <= 28:
        value |= <Py_ssize_t>(data[place[0]] & 127) << shift
        place[0] += 1
        if data[place[0] - 1] < 128:
            return value
        shift += 7
    return -1


cdef bint decode_view(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t* place, uint32_t* features, Py_ssize_t count
) noexcept nogil:
    """Read `count` features; False if the bytes are no such code."""
    cdef Py_ssize_t i = 0, bit
    cdef uint64_t previous = <uint64_t>-1
    cdef int k
    if count == 0:
        return True
    if place[0] >= size or data[place[0]] > SHORT_BITS:
        return False
    k = data[place[0]]
    bit = 8 * (place[0] + 1)
    while i < count:
        i = decode_threes(data, size, &bit, features, i, count, k, &previous)
        if i < count:
            if not decode_one(data, size, &bit, k, &previous):
                return False
            features[i] = <uint32_t>previous
            i += 1
    if previous >> SHORT_BITS or bit & 7 and data[bit >> 3] >> (bit & 7):
        return False
    place[0] = (bit + 7) >> 3
    return True


cdef inline Py_ssize_t decode_threes(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t* bit, uint32_t* features, Py_ssize_t i, Py_ssize_t count,
    int k, uint64_t* previous
) noexcept nogil:
    """Read features from the i-th on, as long as 57 bits hold the next one; how many there are then.

    Each gap begins where the one before ends, and to look at memory for it takes longer than all the rest. So one look
    serves up to three gaps, of some 14 bits each: 6.7 µs for a lesson instead of 8.6.
    """
    cdef uint64_t bits, last = previous[0], low = (<uint64_t>1 << k) - 1
    cdef Py_ssize_t at = bit[0], before = -1
    cdef int zeros, used, turn
    while before < i and i + 3 <= count and (at >> 3) + 8 <= size and not (last + 1) >> SHORT_BITS:
        bits = eight_bytes(data + (at >> 3)) >> (at & 7)
        before, used = i, 0
        for turn in range(3):
            zeros = __builtin_ctzll(bits | <uint64_t>1 << 57)
            used += zeros + 1 + k
            if used > 57:
                break
            last += 1 + (<uint64_t>zeros << k | bits >> (zeros + 1) & low)
            features[i] = <uint32_t>last
            i += 1
            at += zeros + 1 + k
            bits >>= zeros + 1 + k
    bit[0] = at
    previous[0] = last
    return i


cdef bint decode_one(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t* bit, int k, uint64_t* previous
) noexcept nogil:
    """Read one feature, bit by bit where it must be; False if there is none."""
    cdef uint64_t gap = 0, low = 0
    cdef int taken = 0
    while True:
        if bit[0] >> 3 >= size:
            return False
        bit[0] += 1
        if data[(bit[0] - 1) >> 3] >> ((bit[0] - 1) & 7) & 1:
            break
        gap += 1
    if bit[0] + k > 8 * size or gap >> SHORT_BITS:
        return False
    for taken in range(k):
        low |= <uint64_t>(data[bit[0] >> 3] >> (bit[0] & 7) & 1) << taken
        bit[0] += 1
    previous[0] += 1 + (gap << k | low)
    return not previous[0] >> SHORT_BITS
