"""Everything that a committee has learned, in one flat buffer: its head, its labels and its table.

What the numbers mean, and how they are learned, stands in _committee.pyx. Numbers are as the machine stores them:

    Head                     240 bytes: format, settings, sizes, scales and weights of the judge, doubt
    capacity × LabelRecord     112 bytes each: name, bias, lessons
    capacity × 2 numbers       the features of each view that its lessons taught to the counts; only if `complement` is not 0
    checks                     one number for each block of 4,096 bytes of the table
    (filled up to a multiple of 4,096)
    table                      the rows of words and letters (see _row_table.pyx), dense or sparse

Head and labels have a check of their own.

A committee may be a **layer** over a foundation: another committee, which stays as it is and which many may share. The
layer begins with its head and labels. A row that the layer has not is that of the foundation, and becomes a row of the
layer when it first changes; so the layer is as large as what was learned on top, and says the same, bit for bit, as if
it had begun with a copy.

>>> from deciban.committee.settings import Settings
>>> empty = CommitteeBuffer.fresh(Settings(bits=8))
>>> empty.labels, empty.shape.rows, len(empty.code())
((), 512, 248)
"""

cimport cython
from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy, memset

from deciban.committee._row_table cimport (
    keys_in, may_share, room_for_keys,
    BLOCK_BITS, MOST_LABELS, PAGE, RowTable, TableHead, blocks_of, check_of, is_possible,
)
from deciban.text._hashing cimport FORMAT_VERSION

from deciban.committee.shape import Shape
from deciban.errors import BadLabel, DamagedSnapshot, NoSuchLabel, TooManyLabels
from deciban.text._hashing import feature_hash

cdef enum:
    CODE_FORMAT = 5
    LAYOUT_FORMAT = 7
    NAME_BYTES = 64
    MOST_SHARED = 1 << 18   # rows of a table that shares equal ones
    PIECE = 1 << 18         # bytes of an index that are made at once

# Of the code of a state, and of the buffer in which it lies.
FORMAT = CODE_FORMAT
LAYOUT = LAYOUT_FORMAT
LABEL_BYTES = NAME_BYTES


cdef Py_ssize_t label_bytes(settings) except -1:
    """The bytes of a label's record, and of the features that were counted for it."""
    return sizeof(LabelRecord) + (2 * sizeof(double) if settings.complement > 0 else 0)


cdef Py_ssize_t checks_at(const TableHead* table, Py_ssize_t label) noexcept nogil:
    return sizeof(Head) + table.capacity * label


cdef Py_ssize_t table_at(const TableHead* table, Py_ssize_t label) noexcept nogil:
    cdef Py_ssize_t size = checks_at(table, label) + blocks_of(table) * sizeof(uint64_t)
    return (size + PAGE - 1) // PAGE * PAGE


cdef TableHead table_of(shape) except *:
    """The sizes of a table of a shape."""
    cdef TableHead table
    table.capacity, table.bits, table.buckets, table.room = shape.capacity, shape.bits, shape.buckets, shape.rows
    table.rows = 0 if table.buckets else table.room
    table.shared = table.sharing = 0
    if not is_possible(&table):
        raise TooManyLabels("A filter has room for at most 4096 labels. Use fewer.")
    return table


cdef bytes padded(str label):
    """A label as its record holds it: exactly 64 bytes."""
    # A lone surrogate is no text: without it the label is shorter.
    cdef bytes name = label.encode("utf-8", "ignore")
    if len(name.decode()) != len(label) or not 0 < len(name) <= NAME_BYTES or b"\0" in name:
        raise BadLabel(f"A label has 1 to {NAME_BYTES} bytes and no NUL, got {label!r} instead.")
    return name.ljust(NAME_BYTES, b"\0")


# Nothing that it holds leads back to it. If the collector of cycles looked into it, it would let go of the buffer too
# early, beside whoever else is garbage.
@cython.no_gc
cdef class CommitteeBuffer:
    """The numbers of a committee; a read-only buffer cannot be changed."""

    def __init__(self, settings, buffer, CommitteeBuffer foundation=None):
        """Take over a buffer that `begin` made, over the same foundation."""
        if not PyObject_CheckBuffer(buffer):
            raise TypeError(f"a committee needs a buffer, got {type(buffer).__name__} instead")
        readonly = memoryview(buffer).readonly
        PyObject_GetBuffer(buffer, &self.buffer, PyBUF_SIMPLE if readonly else PyBUF_WRITABLE)
        self.holding = True
        self.foundation = foundation
        try:
            self._check(settings)
            self._take_table(settings.salt)
        except BaseException:
            self.close()
            raise
        self.settings = settings

    cdef int _check(self, settings) except -1:
        """Take the sizes from the header, if it is one and they fit the settings and the buffer."""
        self.header = <Head*>self.buffer.buf
        if self.buffer.len < <Py_ssize_t>sizeof(Head) or memcmp(self.header.magic, b"deciban", 8) != 0:
            raise DamagedSnapshot("This is no state of a filter. Remove the snapshot: it is made again from the ledger.")
        if self.header.format != LAYOUT_FORMAT + 1000 * FORMAT_VERSION:
            raise DamagedSnapshot("This state is of another version. Remove the snapshot: it is made again.")
        if self.header.settings != feature_hash(settings.text()):
            raise DamagedSnapshot("This state was made with other settings. Remove the snapshot: it is made again.")
        if not is_possible(&self.header.table) or self.header.labels > self.header.table.capacity:
            raise DamagedSnapshot("The head of this state is damaged. Remove the snapshot: it is made again.")
        self.capacity = self.header.table.capacity
        self.label = label_bytes(settings)
        if self._length() < table_at(&self.header.table, self.label) + (blocks_of(&self.header.table) << BLOCK_BITS):
            raise DamagedSnapshot("This state is cut short. Remove the snapshot: it is made again from the ledger.")
        if self.header.foundation != (0 if self.foundation is None else self.foundation.seal()) or (
            self.foundation is not None
            and (
                self.foundation.header.table.bits != self.header.table.bits
                or self.foundation.capacity > self.capacity
            )
        ):
            raise DamagedSnapshot("This state rests on another foundation. Remove the snapshot: it is made again.")
        self.records = <LabelRecord*>(<unsigned char*>self.buffer.buf + sizeof(Head))
        self.exposures = <double*>(self.records + self.capacity) if self.label > <Py_ssize_t>sizeof(LabelRecord) else NULL
        self.checks = <uint64_t*>(<unsigned char*>self.buffer.buf + checks_at(&self.header.table, self.label))
        return 0

    cdef int _take_table(self, uint64_t salt) except -1:
        self.table = RowTable()
        self.table.take(
            &self.header.table, self.checks,
            <unsigned char*>self.buffer.buf + table_at(&self.header.table, self.label), salt,
        )
        return 0

    cdef Py_ssize_t _length(self) except -1:
        """The bytes that there are."""
        return self.buffer.len

    @property
    def state_bytes(self):
        """The bytes of the buffer that it takes."""
        return table_at(&self.header.table, self.label) + (blocks_of(&self.header.table) << BLOCK_BITS)

    @staticmethod
    def size(settings, shape):
        """The bytes of a state of a shape."""
        cdef TableHead table = table_of(shape)
        return table_at(&table, label_bytes(settings)) + (blocks_of(&table) << BLOCK_BITS)

    @classmethod
    def fresh(cls, settings, Py_ssize_t capacity=2, shape=None, CommitteeBuffer foundation=None):
        """A committee that has learned nothing on its own, in memory of its own; dense if no shape is given."""
        if shape is None:
            shape = Shape.dense(capacity, settings.table_bits(capacity))
        return cls.begin(settings, shape, bytearray(cls.size(settings, shape)), foundation)

    @classmethod
    def begin(cls, settings, shape, buffer, CommitteeBuffer foundation=None):
        """A committee that has learned nothing on its own, in a writable buffer whose bytes are all 0."""
        cdef Head header
        if memoryview(buffer).nbytes < cls.size(settings, shape):
            raise ValueError("the buffer is too short")
        memset(&header, 0, sizeof(header))
        header.table = table_of(shape)
        memcpy(header.magic, b"deciban", 8)
        header.format = LAYOUT_FORMAT + 1000 * FORMAT_VERSION
        header.settings = feature_hash(settings.text())
        header.foundation = 0 if foundation is None else foundation.seal()
        for witness in range(WITNESSES):
            header.weights[<int>witness] = 1
        header.check = check_of(&header, sizeof(header) // 8, 0)
        memoryview(buffer)[: sizeof(header)] = PyBytes_FromStringAndSize(<char*>&header, sizeof(header))
        cdef CommitteeBuffer committee = cls(settings, buffer, foundation)
        committee.table.begin()
        if foundation is not None:
            committee._take_head(foundation)
        return committee

    cdef int _take_head(self, CommitteeBuffer other) except -1:
        """What the judge has learned, and the labels; the table stays as it is."""
        cdef TableHead table = self.header.table
        cdef uint64_t foundation = self.header.foundation
        if other.header.labels > <uint64_t>self.capacity:
            raise TooManyLabels(f"There is room for {self.capacity} labels only, and there are {other.header.labels}.")
        self.header[0] = other.header[0]
        self.header.table = table
        self.header.foundation = foundation
        memcpy(self.records, other.records, other.header.labels * sizeof(LabelRecord))
        if self.exposures != NULL and other.exposures != NULL:
            memcpy(self.exposures, other.exposures, 2 * other.header.labels * sizeof(double))
        self.header.check = self._head_check()
        return 0

    def take_over(self, CommitteeBuffer other not None):
        """Take over the state of another committee with the same slots, in place of having learned nothing.

        A layer takes over the rows of a layer over the same foundation; what is no layer takes over those of the
        foundation too.
        """
        other = self._taken(other)
        cdef Py_ssize_t labels = other._considered()
        if other.foundation is not None and self.foundation is None:
            self.table.pour(other.foundation.table, other.foundation._considered())
            self.table.renew_checks()
        self.table.pour(other.table, labels)
        self.table.renew_checks()
        self.header.check = self._head_check()

    cdef CommitteeBuffer _taken(self, CommitteeBuffer other):
        """Take over what the judge has learned and the labels, if all can be taken over; the other, wholly in memory."""
        self._must_hold()
        other._must_hold()
        other = other._whole()
        if self.buffer.readonly or self.header.table.bits != other.header.table.bits:
            raise ValueError("only a state that can be changed can take over another, and only one with the same slots")
        if self.foundation is not None and self.header.foundation != other.header.foundation:
            raise ValueError("a layer can only take over a layer over the same foundation")
        self._take_head(other)
        return other

    def take_over_to_write(self, CommitteeBuffer other not None, write, Py_ssize_t piece=PIECE):
        """Take over another committee, to be written into a file.

        What need not be copied into the buffer for that, index and rows, is handed to ``write`` part by part, each with where
        in the buffer it belongs. So until all parts are there, the buffer is no whole state. A ``piece`` of the index has so
        many bytes.
        """
        if (self.foundation is None) != (other.foundation is None) or not self.table.can_list(other.table):
            self.take_over(other)
            return
        other = self._taken(other)
        cdef const unsigned char* begin = <const unsigned char*>self.buffer.buf
        cdef Py_ssize_t size = other.header.table.rows * self.table.row, start
        self.table.list_in_pieces(other.table, write, self.table.start - begin, piece)
        with nogil:
            self.table.renew_checks_of_rows(other.table.rows)
        self.header.check = self._head_check()
        start = other.table.rows - <unsigned char*>other.buffer.buf
        with memoryview(<object>other.buffer.obj) as view, view.cast("B") as data, data[start : start + size] as rows:
            write(self.table.rows - begin, rows)

    @property
    def shape(self):
        """The sizes of its table."""
        cdef TableHead* table = &self.header.table
        return Shape(self.capacity, table.bits, table.room, table.buckets == 0, self._room_to_share())

    @property
    def rows(self):
        """The rows in use; all that there are if the table is dense."""
        return self.header.table.rows

    def rows_learned(self):
        """The rows that a sparse table of the same state would have, each feature its own."""
        self._must_hold()
        return self._whole().table.filled()

    def rows_to_share(self):
        """How many of these need not be there, because they are equal to others; 0 if the table is large or dense."""
        cdef Py_ssize_t rows = self.rows_learned()
        if rows > MOST_SHARED or self.header.table.buckets == 0:
            return 0
        return max(rows - self.table.different(), 0)

    @property
    def table_start(self):
        """Where in the buffer head, labels and checks end, and the table begins."""
        return table_at(&self.header.table, self.label)

    def has_room(self, Py_ssize_t labels, Py_ssize_t features):
        """Whether there is room for so many labels in all, and for lessons of so many features."""
        return labels <= self.capacity and self._has_rows_for(features)

    def open_directory(self):
        """Find rows by a directory, for many lessons in memory; then its bytes are no state, but can be taken over."""
        self.table.open_directory()

    def list_rows(self):
        """Find rows by a directory, for many questions: others may teach this state meanwhile."""
        self._must_hold()
        self.table.list_rows()

    @property
    def has_directory(self):
        """Whether rows are found by a directory."""
        return self.table.directory != NULL

    cdef Py_ssize_t _room_to_share(self) noexcept nogil:
        """For how many features more than rows there is room."""
        cdef TableHead* table = &self.header.table
        return <Py_ssize_t>(room_for_keys(table) - table.room) if may_share(table) else 0

    cdef bint _has_rows_for(self, uint64_t features) noexcept nogil:
        """Whether there is room for so many rows more, or for one for each slot."""
        cdef TableHead* table = &self.header.table
        if table.room == <uint64_t>2 << table.bits:
            return True
        return table.rows + features <= table.room and keys_in(table) + features <= room_for_keys(table)

    def serve(self):
        """Be a foundation from now on: damage is not that of a snapshot, which could be made again."""
        self.table.is_foundation = True

    def rename(self, str label not None, str name not None):
        """Give a label another name, which no other has."""
        self._must_hold()
        cdef Py_ssize_t number = self._known(label)
        cdef bytes record = padded(name)
        if self.buffer.readonly or self._number(name) >= 0:
            raise ValueError("only in a state that can be changed, and only to a name that is free")
        memcpy(self.records[number].name, <char*>record, NAME_BYTES)
        self.header.check = self._head_check()

    def close(self):
        """Let go of the buffer; nothing else may be called afterwards."""
        if self.holding:
            self.holding = False
            PyBuffer_Release(&self.buffer)

    def __dealloc__(self):
        if self.holding:
            PyBuffer_Release(&self.buffer)

    def check(self):
        """Refuse a state of which anything is damaged; one that is used is checked block by block."""
        self._must_hold()
        self._whole()._check_table()

    cdef int _check_table(self) except -1:
        cdef Py_ssize_t block
        if not self.table.has_checks():  # nobody else can have damaged it
            return 0
        for block in range(blocks_of(&self.header.table)):
            self.table.checked[block] = 0
            self.table.check_block(block)
        return 0

    cdef CommitteeBuffer _whole(self):
        """This committee with its whole table in memory."""
        return self

    def seal(self):
        """One number that covers the head, the labels and the checks of all blocks, and so the whole state.

        Blocks that are set back together with their checks, such as by a power cut, do not have it any more.
        """
        self._must_hold()
        cdef uint64_t checks = check_of(self.checks, blocks_of(&self.header.table), 1)
        return checks + self.header.check * <uint64_t>0x9E3779B97F4A7C15u

    def state(self):
        """The code of everything that was learned: the same for the same lessons, however the table is kept."""
        cdef CommitteeBuffer flat
        if self.foundation is None:
            return self.code()
        rows = self.foundation.rows_learned() + self.rows_learned()
        flat = CommitteeBuffer.fresh(self.settings, shape=Shape.for_rows(self.capacity, self.header.table.bits, rows))
        flat.take_over(self)
        return flat.code()

    def code(self):
        """Head and labels, then the code of the rows (see _row_table.pyx): of a layer, its own."""
        self._must_hold()
        return self._whole()._code()

    cdef bytes _code(self):
        cdef Head header = self.header[0]
        cdef Py_ssize_t labels = header.labels * sizeof(LabelRecord), more = header.labels * self.label - labels
        header.table.capacity = header.table.buckets = header.table.room = header.table.rows = 0
        header.table.shared = header.table.sharing = 0
        header.format = CODE_FORMAT + 1000 * FORMAT_VERSION
        header.check = 0
        header.check = check_of(&header, sizeof(Head) // 8, 0) + check_of(
            self.records, labels // 8, sizeof(Head) // 8
        )
        if more:
            header.check += check_of(self.exposures, more // 8, (sizeof(Head) + labels) // 8)
        cdef bytes head = PyBytes_FromStringAndSize(<char*>&header, sizeof(Head))
        cdef bytes exposures = PyBytes_FromStringAndSize(<char*>self.exposures, more) if more else b""
        head += PyBytes_FromStringAndSize(<char*>self.records, labels) + exposures
        return self.table.pack(self._considered(), head)

    @staticmethod
    def of_state(settings, const unsigned char[::1] code not None, Py_ssize_t capacity, begin):
        """The committee of a code, with room for so many labels.

        ``begin`` makes an empty one in a shape; a code that is damaged is refused.
        """
        cdef Head header
        cdef Py_ssize_t start, labels, labels_end, label = label_bytes(settings)
        cdef uint64_t check, count
        cdef CommitteeBuffer committee
        if code.shape[0] < <Py_ssize_t>sizeof(Head):
            raise DamagedSnapshot("A saved state is cut short. Remove it: it is made again from the ledger.")
        memcpy(&header, &code[0], sizeof(Head))
        check, header.check = header.check, 0
        start = sizeof(Head) + header.labels * label
        if header.labels > MOST_LABELS or code.shape[0] < start + 8 or check != (
            check_of(&header, sizeof(Head) // 8, 0)
            + check_of(&code[0] + sizeof(Head), (start - sizeof(Head)) // 8, sizeof(Head) // 8)
        ):
            raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
        if header.format != CODE_FORMAT + 1000 * FORMAT_VERSION or header.settings != feature_hash(settings.text()):
            raise DamagedSnapshot("A saved state is of another version or other settings. It is made again.")
        labels = max(<Py_ssize_t>header.labels, 2)
        memcpy(&count, &code[start], 8)
        if not 1 <= header.table.bits <= <uint64_t>settings.bits or count > <uint64_t>2 << header.table.bits or labels > capacity:
            raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
        committee = begin(Shape.for_rows(capacity, header.table.bits, count, header.foundation != 0))
        header.table = committee.header.table
        header.format = committee.header.format
        if header.foundation != committee.header.foundation:
            raise DamagedSnapshot("A saved state rests on another foundation. It is made again.")
        committee.header[0] = header
        labels_end = sizeof(Head) + header.labels * sizeof(LabelRecord)
        memcpy(committee.records, &code[sizeof(Head)], labels_end - sizeof(Head))
        if start > labels_end:
            memcpy(committee.exposures, &code[labels_end], start - labels_end)
        committee.table.unpack(&code[start], code.shape[0] - start, labels)
        committee.table.renew_checks()
        committee.header.check = committee._head_check()
        return committee

    @property
    def labels(self):
        """The labels in the order in which they were first taught."""
        self._must_hold()
        return tuple([self._name(number) for number in range(self.header.labels)])

    @property
    def lessons(self):
        """How many lessons of each label were learned."""
        self._must_hold()
        return {self._name(number): self.records[<int>number].lessons for number in range(self.header.labels)}

    @property
    def judge_weights(self):
        """What the judge makes of words·counts, words·weights, letters·counts and letters·weights."""
        self._must_hold()
        return tuple([self.header.weights[<int>witness] for witness in range(WITNESSES)])

    cdef int _must_hold(self) except -1:
        if not self.holding:
            raise ValueError("this committee is closed")
        # Another process may have written the header of a mapped file.
        if self.header.labels > <uint64_t>self.capacity or self.header.check != self._head_check():
            raise DamagedSnapshot("The head of this state is damaged. Remove the snapshot: it is made again.")
        return 0

    cdef uint64_t _head_check(self) noexcept nogil:
        """The check of header and labels, those to come too, which are 0; its own place counts as 0."""
        cdef Head header = self.header[0]
        header.check = 0
        return check_of(&header, sizeof(Head) // 8, 0) + check_of(
            self.records, self.capacity * (self.label // 8), sizeof(Head) // 8
        )

    cdef uint64_t _names_check(self) noexcept nogil:
        """One number that covers the names of all labels, in their order."""
        cdef uint64_t check = 0
        cdef Py_ssize_t number
        for number in range(<Py_ssize_t>self.header.labels):
            check += check_of(self.records[number].name, NAME_BYTES // 8, number * (NAME_BYTES // 8))
        return check

    cdef str _name(self, Py_ssize_t number):
        return PyBytes_FromStringAndSize(self.records[number].name, NAME_BYTES).rstrip(b"\0").decode("utf-8", "replace")

    cdef Py_ssize_t _number(self, str label) except -2:
        """The number of a label, -1 if it was never taught."""
        cdef bytes name = padded(label)
        cdef Py_ssize_t number
        for number in range(<Py_ssize_t>self.header.labels):
            if memcmp(self.records[number].name, <char*>name, NAME_BYTES) == 0:
                return number
        return -1

    cdef Py_ssize_t _known(self, str label) except -1:
        cdef Py_ssize_t number = self._number(label)
        if number < 0:
            raise NoSuchLabel(f"Nothing was ever taught as {label!r}; there are: {', '.join(self.labels) or 'none'}.")
        return number

    cdef Py_ssize_t _considered(self) noexcept nogil:
        """The labels that scores are made for: the second is there before it has a name."""
        return max(<Py_ssize_t>self.header.labels, 2)

    cdef Py_ssize_t _add_label(self, str label) except -1:
        cdef bytes name = padded(label)
        cdef Py_ssize_t number = self.header.labels
        if number >= self.capacity:
            raise TooManyLabels(f"There is room for {self.capacity} labels only, and {label!r} is one more.")
        memcpy(self.records[number].name, <char*>name, NAME_BYTES)
        self.header.labels += 1
        return number
