"""Three judges over two committees: one rests on a foundation and goes on learning, the other began with nothing.

A foundation is foreign experience: priceless where it fits, harmful where it does not, and nobody knows before.
So every lesson is learned twice, by a *resting* committee, which began with the state of the foundation, and by an
*own* one, which began empty. Three judges hear them:

    panel judge     all eight witnesses. It is the judge of a committee (_committee.pyx: same scales, steps, trust, doubt),
                    but begins with the weights .5 for those that rest on the foundation and .3 for the own ones
    contrary judge  the same witnesses, but it begins with -.5 and .8: it takes the foundation for the opposite of the truth
    own judge       the four own witnesses: what the filter would say if there were no foundation at all

Each exam costs a judge -log p(true label). Each is believed in proportion to first belief · exp(-patience · what it lost so
far), and the total of a label is the logarithm of its mean probability:

    total(label) = log( b_panel · p_panel(label) + b_contrary · p_contrary(label) + b_own · p_own(label) )

The own judge says nothing until the owner has taught two labels: until then it gives all labels the same probability, the panel
judge is believed to .9 and the contrary one not at all, so that the foundation alone is never surer than 19 : 1. A foundation that is
wrong has lost the argument after a few lessons, and one whose labels are exchanged is as useful as one that is right.
1-ROCA% over the first 300 messages in parts of that of a filter that begins empty, over all 90 ordered pairs of ten
corpora and with foundations that are wrong: docs/experiments.md.

The first belief in the contrary judge is the setting `contrary`. Filters made before there was such a judge do not have the setting: then it is 0,
there are two judges, and every bit is as it was.

Totals of two labels differ by something between what two judges say, since a mean of probabilities has odds between
theirs. So the difference is a `share` times that of the one plus (1 - share) times that of the other, exactly: first of the panel judge and
the contrary one, then of these two together and the own judge. An explanation is the same mean of theirs.

Labels are those of the resting committee, in its order. Until the owner taught two labels, all of them are considered;
afterwards only the owner's: who files mail under *work* and *family* does not want a foundation's *spam* and *ham*.

A panel can be used in place of a committee: it learns, scores, explains, grows and is packed by methods of the same
names. Slots of the resting committee are the foundation's, with its salt, which everybody may know; those of the own
committee have the owner's secret salt.

The numbers of the panel are 32 (see the places below) and four more for each label that there is room for, with a contrary
judge 48 and six, all of them float64 and zeros at first. One of them is a check of the others. In a file a panel is

    front      8 bytes b"dcpanel1", then capacity and the bytes of both committees, 8 bytes each; then the numbers,
               filled up to a multiple of 4,096 bytes
    resting    the buffer of a committee (_committee_buffer.pyx), a layer over the foundation
    own        another, which is no layer

>>> from array import array
>>> from deciban.committee._committee import Committee
>>> from deciban.committee._lesson_code import Features
>>> from deciban.committee.settings import Settings
>>> settings = Settings(bits=8)
>>> money, lunch = (Features.of(array("Q", [number << 60]), array("Q", [])) for number in (3, 7))
>>> resting, own = Committee.fresh(settings), Committee.fresh(settings)
>>> for _ in range(20):
...     _ = resting.learn("spam", money), resting.learn("ham", lunch)
>>> panel = Panel(settings, resting, own, Panel.fresh(settings, capacity=2))
>>> [round(total, 1) for total in panel.score(money)], round(panel.belief, 2)
([-0.3, -1.3], 0.9)
>>> for _ in range(20):
...     _ = panel.learn("ham", money), panel.learn("spam", lunch)
>>> panel.labels, [round(total, 1) for total in panel.score(money)], round(panel.belief, 2)
(('spam', 'ham'), [-4.0, -0.0], 0.03)
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from deciban._descent cimport descend
from deciban._exponentials cimport exp_of, log_of
from deciban.committee._committee cimport Bulk, Committee
from deciban.committee._committee_buffer cimport WITNESSES
from deciban.committee._lesson_code cimport Features
from deciban.committee._row_table cimport PAGE, check_of

from array import array
from struct import Struct

from deciban.committee.label import united
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot, NoSuchLabel

cdef enum:
    EIGHT = 8               # witnesses: those that rest on the foundation, then the own ones
    MOST_JUDGES = 3
    SCRATCH = EIGHT + MOST_JUDGES + 6   # numbers for each label while a message is heard
    OWN_JUDGE = 1           # its place among the judges
    CONTRARY_JUDGE = 2
    # As in a committee, each scale begins as if five lessons had shown it to be 2.
    IMAGINED_LESSONS = 5
    IMAGINED_SCALE = 2
    # Where the numbers are.
    JUDGED = 0
    RUN = 1                 # the label of the last lesson, from 1 …
    TRUST = 2               # … and how far the panel judge trusts it
    LOSSES = 3              # sums over exams: -log p(true label) of the panel judge, of the own one, of the contrary one
    CHECK = 7               # of all others, a whole number
    SQUARES = 8             # as in a committee, for eight witnesses
    LEARNED = 16            # of each judge of eight witnesses: what was added to the weights that it began with, …
    SLOPES = 8              # … and behind them the squared slopes
    HEAD = 32
    BIAS = 0                # of the panel judge, for each label; that of the contrary judge is the fifth, …
    BIAS_SLOPES = 1         # … and these are the sixth
    TRUSTED = 2
    LESSONS = 3
    RECORD = 4
    # What the contrary judge adds to head and record.
    MORE_HEAD = 16
    MORE_RECORD = 2

# Chosen on five corpora, confirmed on five others (docs/experiments.md). Of the panel judge and the contrary one: the weights that
# they begin with, for witnesses on the foundation and for own ones, …
cdef double[2][2] FIRST_WEIGHTS = [[0.5, 0.3], [-0.5, 0.8]]
# … the least weights (a contrary judge finds out whether a foundation is wholly wrong, so it has none there), …
cdef double[2][2] LEAST_WEIGHTS = [[0.2, 0.2], [-1e300, 0.2]]
# … and the steps, in parts of `judge_rate`: eight weights learn in smaller steps than four.
cdef double[2] STEPS = [0.25, 0.5]
# The first belief in the own judge, beside `contrary`; the panel judge has the rest, and begins with a lead.
cdef double FIRST_IN_OWN = 0.35
# How much a loss counts, …
cdef double PATIENCE = 0.5
# … and how many times that until the owner has taught two labels: a foundation that speaks alone answers for it.
cdef double LOSSES_ALONE = 2
# The same of two judges. At .25 a foundation all of whose features are inverted (SpamAssassin's under Ling-Spam) has
# 1.52 times the 1-ROCA% of empty at 300, at 1 it has 1.21, and pairs that fit lose nothing.
cdef double PATIENCE_OF_TWO = 1
# The panel judge begins with odds of e : 1. Without that, its lead in the first messages is wasted (docs/experiments.md).
cdef double HEAD_START = 1
# How far the panel judge is believed until the owner has taught two labels. At 1 a foundation that is wrong has said too much by then:
# Chinese mail under Ling-Spam 1.24 times the 1-ROCA% of empty at 300, 1.09 at .9, and other pairs gain, too.
cdef double FIRST_BELIEF = 0.9

# Magic, capacity, and the bytes of both committees.
FRONT = Struct("<8sQQQ")
MAGIC = b"dcpanel1"
LENGTH = Struct("<Q")


cdef Py_ssize_t count_of(settings, Py_ssize_t capacity) except -1:
    """How many numbers a panel has."""
    if settings.contrary > 0:
        return HEAD + MORE_HEAD + (RECORD + MORE_RECORD) * capacity
    return HEAD + RECORD * capacity


cdef Py_ssize_t front_size(settings, Py_ssize_t capacity) except -1:
    cdef Py_ssize_t size = FRONT.size + 8 * count_of(settings, capacity)
    return (size + PAGE - 1) // PAGE * PAGE


cdef object part_shape(shape, Py_ssize_t bits):
    """The shape of one of two tables, which has its own slots."""
    return Shape.sparse(shape.capacity, bits, shape.rows, shape.shared)


cdef void to_log_probabilities(double* totals, Py_ssize_t count) noexcept nogil:
    """Totals become the logarithms of their softmax."""
    cdef double most = totals[0], total = 0
    cdef Py_ssize_t label
    for label in range(count):
        most = max(most, totals[label])
    for label in range(count):
        total += exp_of(totals[label] - most)
    total = most + log_of(total)
    for label in range(count):
        totals[label] -= total


cdef void take_mean(
    const double* first, const double* second, double belief, double* mean, Py_ssize_t count
) noexcept nogil:
    """The logarithms of the mean of two probabilities of each label, of which the first counts so much."""
    cdef double most
    cdef Py_ssize_t label
    for label in range(count):
        most = max(first[label], second[label])
        mean[label] = most + log_of(
            belief * exp_of(first[label] - most) + (1 - belief) * exp_of(second[label] - most)
        )


cdef double share_of(double mixed, double first, double second, double belief) noexcept:
    """How much of a difference between two labels is that of the first judge; the rest is that of the second."""
    if first == second:
        return belief
    # A mean of probabilities has odds between those of its parts, so this is from 0 to 1.
    return (mixed - second) / (first - second)


# As a committee, it must not let go of its buffer early (_committee_buffer.pyx).
@cython.no_gc
cdef class Panel:
    """What two committees and three judges make of a message."""

    cdef readonly Committee resting
    cdef readonly Committee own
    cdef object settings
    cdef Py_buffer buffer
    cdef bint holding
    cdef double* numbers
    cdef Py_ssize_t count
    cdef Py_ssize_t judges          # that hear all eight witnesses: 1, or 2 with the contrary one
    cdef Py_ssize_t head, record
    cdef double rate, bias, run, contrary
    # The roll: the labels that totals are given for, and where they are in both committees.
    cdef tuple roll
    cdef uint64_t[4] called         # how many labels both had when it was called, and checks of their names
    cdef Py_ssize_t labels_called
    cdef Py_ssize_t own_labels      # how many labels the own committee knew
    cdef Py_ssize_t* places
    cdef Py_ssize_t* own_places     # -1 if the own committee does not know the label
    # Room for one message; so many numbers for each label.
    cdef Py_ssize_t room
    cdef double* scratch
    cdef double* heard              # (witnesses, labels): what the eight said; 0 of labels that are unknown to the own ones
    cdef double* opinions           # (judges, labels): logarithms of probabilities, of panel judge, own one, contrary one
    cdef double* of_eight           # (labels): what the judges of eight say together
    cdef double* mixed              # (labels): what all of them say
    cdef double* corrections        # (labels)
    cdef double* gradient           # (labels)
    cdef double* own_exam           # (labels of the own committee)
    cdef double* resting_exam       # (labels of the resting committee)

    def __init__(self, settings, Committee resting not None, Committee own not None, numbers):
        """Judge two committees; the numbers are zeros, or those of a panel that taught just these states."""
        self.resting = resting
        self.own = own
        self.settings = settings
        readonly = memoryview(numbers).readonly
        PyObject_GetBuffer(numbers, &self.buffer, PyBUF_SIMPLE if readonly else PyBUF_WRITABLE)
        self.holding = True
        self.numbers = <double*>self.buffer.buf
        self.count = self.buffer.len // 8
        if self.count < count_of(settings, resting.capacity) or resting.capacity != own.capacity:
            raise ValueError("two committees with room for the same labels need numbers for as many")
        self.rate = settings.judge_rate
        self.bias = settings.judge_bias
        self.run = settings.judge_run
        self.contrary = settings.contrary
        self.judges = 2 if self.contrary > 0 else 1
        self.head = count_of(settings, 0)
        self.record = count_of(settings, 1) - self.head
        self.room = resting.capacity
        self.places = <Py_ssize_t*>calloc(2 * self.room, sizeof(Py_ssize_t))
        self.scratch = <double*>calloc(SCRATCH * self.room, sizeof(double))
        if self.places == NULL or self.scratch == NULL:
            raise MemoryError
        self.own_places = self.places + self.room
        self.heard = self.scratch
        self.opinions = self.heard + EIGHT * self.room
        self.of_eight = self.opinions + MOST_JUDGES * self.room
        self.mixed = self.of_eight + self.room
        self.corrections = self.mixed + self.room
        self.gradient = self.corrections + self.room
        self.own_exam = self.gradient + self.room
        self.resting_exam = self.own_exam + self.room

    @staticmethod
    def fresh(settings, Py_ssize_t capacity):
        """The numbers of a panel that has learned nothing, with room for so many labels."""
        return array("d", bytes(8 * count_of(settings, capacity)))

    # In buffers

    @staticmethod
    def size(settings, shape, foundation not None):
        """The bytes of a panel both of whose tables have room for the rows of a shape."""
        return (
            front_size(settings, shape.capacity)
            + Committee.size(foundation.settings, part_shape(shape, foundation.shape.bits))
            + Committee.size(settings, part_shape(shape, settings.bits))
        )

    @staticmethod
    def begin(settings, shape, buffer, foundation not None):
        """A panel that has learned nothing on its own, in a writable buffer whose bytes are all 0."""
        cdef Py_ssize_t start = front_size(settings, shape.capacity)
        resting = part_shape(shape, foundation.shape.bits)
        own = part_shape(shape, settings.bits)
        middle, end = start + Committee.size(foundation.settings, resting), Panel.size(settings, shape, foundation)
        view = memoryview(buffer)
        view[: FRONT.size] = FRONT.pack(MAGIC, shape.capacity, middle - start, end - middle)
        return Panel(
            settings,
            Committee.begin(foundation.settings, resting, view[start:middle], foundation),
            Committee.begin(settings, own, view[middle:end]),
            view[FRONT.size : FRONT.size + 8 * count_of(settings, shape.capacity)],
        )

    @staticmethod
    def over(settings, buffer, foundation not None):
        """Take over a buffer that `begin` made, over the same foundation."""
        view = memoryview(buffer)
        if view.nbytes < PAGE:
            raise DamagedSnapshot("This state is cut short. Remove the snapshot: it is made again from the ledger.")
        magic, capacity, first, second = FRONT.unpack_from(view)
        # The bounds keep Python's numbers within C's; what passes them and is wrong is found out below.
        if magic != MAGIC or not (2 <= capacity <= 4096 and max(first, second) <= view.nbytes):
            raise DamagedSnapshot("The front of this state is damaged. Remove the snapshot: it is made again.")
        start = front_size(settings, capacity)
        resting = own = None
        try:
            resting = Committee(foundation.settings, view[start : start + first], foundation)
            own = Committee(settings, view[start + first : start + first + second])
            if (resting.capacity, own.capacity) != (capacity, capacity) or (
                (resting.state_bytes, own.state_bytes) != (first, second)
            ):
                raise DamagedSnapshot("The front of this state is damaged. Remove the snapshot: it is made again.")
            return Panel(settings, resting, own, view[FRONT.size : FRONT.size + 8 * count_of(settings, capacity)])
        except BaseException:
            for committee in (resting, own):
                if committee is not None:
                    committee.close()
            raise

    def take_over(self, Panel other not None):
        """Take over the state of another panel on the same foundation, in place of having learned nothing."""
        self._must_hold()
        other._must_hold()
        self.resting.take_over(other.resting)
        self.own.take_over(other.own)
        self._take_numbers(other)

    def take_over_to_write(self, Panel other not None, write):
        """The same in a buffer that `begin` made and that is to be written into a file (_committee_buffer.pyx)."""
        self._must_hold()
        other._must_hold()
        cdef Py_ssize_t start = front_size(self.settings, self.room)
        cdef Py_ssize_t middle = start + self.resting.state_bytes
        self.resting.take_over_to_write(other.resting, lambda place, part: write(start + place, part))
        self.own.take_over_to_write(other.own, lambda place, part: write(middle + place, part))
        self._take_numbers(other)

    cdef int _take_numbers(self, Panel other) except -1:
        memcpy(self.numbers, other.numbers, 8 * min(self.count, other.count))
        self._renew_check()
        return 0

    def close(self):
        """Let go of the buffers; nothing else may be called afterwards."""
        if self.holding:
            self.holding = False
            PyBuffer_Release(&self.buffer)
        self.resting.close()
        self.own.close()

    def __dealloc__(self):
        if self.holding:
            PyBuffer_Release(&self.buffer)
        free(self.places)
        free(self.scratch)

    cdef int _must_hold(self) except -1:
        if not self.holding:
            raise ValueError("this panel is closed")
        if self._stored_check() != self._check(self.count):
            raise DamagedSnapshot("The numbers of this state are damaged. Remove the snapshot: it is made again.")
        return 0

    cdef uint64_t _stored_check(self) noexcept nogil:
        cdef uint64_t check
        memcpy(&check, self.numbers + CHECK, 8)
        return check

    cdef uint64_t _check(self, Py_ssize_t count) noexcept nogil:
        """The check of the first numbers, but for its own place; zeros behind them do not change it."""
        return check_of(self.numbers, CHECK, 0) + check_of(self.numbers + CHECK + 1, count - CHECK - 1, CHECK + 1)

    cdef void _renew_check(self) noexcept nogil:
        cdef uint64_t check = self._check(self.count)
        memcpy(self.numbers + CHECK, &check, 8)

    def check(self):
        """Refuse a state of which anything is damaged."""
        self._must_hold()
        self.resting.check()
        self.own.check()

    def seal(self):
        """One number that covers the whole state."""
        self._must_hold()
        cdef uint64_t seal = self.resting.seal(), own = self.own.seal()
        return self._stored_check() + 3 * seal + 5 * own

    # Sizes

    @property
    def capacity(self):
        """The labels that there is room for."""
        return self.resting.capacity

    @property
    def foundation(self):
        """What the resting committee is a layer over."""
        return self.resting.foundation

    @property
    def shape(self):
        """The sizes of the larger of both tables."""
        resting, own = self.resting.shape, self.own.shape
        rows, features = max(resting.rows, own.rows), max(resting.rows + resting.shared, own.rows + own.shared)
        return Shape(resting.capacity, max(resting.bits, own.bits), rows, shared=features - rows)

    @property
    def state_bytes(self):
        """The bytes of the buffer that it takes."""
        return front_size(self.settings, self.room) + self.resting.state_bytes + self.own.state_bytes

    def rows_learned(self):
        """The rows of the fuller of both tables."""
        return max(self.resting.rows_learned(), self.own.rows_learned())

    def rows_to_share(self):
        """How many of these need not be there: as many are left as either table needs."""
        return self.rows_learned() - max(
            part.rows_learned() - part.rows_to_share() for part in (self.resting, self.own)
        )

    def open_directory(self):
        """Find the rows of both by directories, for many lessons in memory."""
        self.resting.open_directory()
        self.own.open_directory()

    def list_rows(self):
        """The same for many questions, while others may teach this state."""
        self.resting.list_rows()
        self.own.list_rows()

    @property
    def has_directory(self):
        """Whether rows are found by directories."""
        return self.own.has_directory

    def has_room(self, Py_ssize_t labels, Py_ssize_t features):
        """Whether both have room for so many labels in all, and for lessons of so many features."""
        return self.resting.has_room(labels, features) and self.own.has_room(labels, features)

    # Codes

    def state(self):
        """The code of everything that was learned, the foundation included."""
        return self._code(self.resting.state(), self.own.state())

    def code(self):
        """How many numbers there are and they themselves, the length of the resting code, then both codes."""
        return self._code(self.resting.code(), self.own.code())

    cdef bytes _code(self, bytes resting, bytes own):
        self._must_hold()
        cdef Py_ssize_t count = count_of(self.settings, len(self.resting.labels))
        numbers = PyBytes_FromStringAndSize(<char*>self.numbers, 8 * count)
        return LENGTH.pack(count) + numbers + LENGTH.pack(len(resting)) + resting + own

    @staticmethod
    def of_state(settings, code, Py_ssize_t capacity, foundation not None, begin):
        """The panel of a code, with room for so many labels, in memory; a code that is damaged is refused.

        ``begin`` makes an empty committee: of settings, in a shape, over a foundation or None.
        """
        code = memoryview(code)
        count = LENGTH.unpack_from(code)[0] if code.nbytes >= 8 else 0
        start = 8 + 8 * count
        length = LENGTH.unpack_from(code, start)[0] if count >= count_of(settings, 0) and start + 8 <= code.nbytes else 0
        middle = start + 8 + length
        if not 0 < length <= code.nbytes - start - 8 or count > count_of(settings, capacity):
            raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
        numbers = Panel.fresh(settings, capacity)
        memoryview(numbers).cast("B")[: 8 * count] = code[8:start]
        resting = Committee.of_state(
            foundation.settings, code[start + 8 : middle], capacity, lambda shape: begin(foundation.settings, shape, foundation)
        )
        own = Committee.of_state(settings, code[middle:], capacity, lambda shape: begin(settings, shape, None))
        cdef Panel panel = Panel(settings, resting, own, numbers)
        panel._must_hold()
        if count != count_of(settings, len(resting.labels)):
            raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
        return panel

    # Labels

    @property
    def labels(self):
        """All labels, in an order that stays."""
        return self.resting.labels

    @property
    def considered(self):
        """The labels that totals are given for."""
        self._call_roll()
        return self.roll

    cdef int _call_roll(self) except -1:
        """Find out which labels totals are given for, unless that is known already."""
        cdef uint64_t[4] called
        cdef Py_ssize_t place
        cdef dict own
        self.resting._must_hold()
        self.own._must_hold()
        called[0], called[1] = self.resting.header.labels, self.own.header.labels
        called[2], called[3] = self.resting._names_check(), self.own._names_check()
        if self.roll is not None and memcmp(called, self.called, sizeof(called)) == 0:
            return 0
        own = {label: place for place, label in enumerate(self.own.labels)}
        roll = []
        for place, label in enumerate(self.resting.labels):
            if len(own) < 2 or label in own:
                self.places[len(roll)] = place
                self.own_places[len(roll)] = own.get(label, -1)
                roll.append(label)
        self.roll, self.labels_called, self.own_labels = tuple(roll), len(roll), len(own)
        memcpy(self.called, called, sizeof(called))
        return 0

    def rename(self, str label not None, str name not None):
        """Give a label another name, which no other has."""
        self._must_hold()
        self.resting.rename(label, name)
        if label in self.own.labels:
            self.own.rename(label, name)

    # The judges

    @property
    def belief(self):
        """How far the panel judge, and with it the foundation, is believed: 1 is all, 0 nothing."""
        cdef double in_eight, in_panel
        self._weigh_judges(self.own.breadth > 1, &in_eight, &in_panel)
        return in_eight * in_panel

    cdef void _weigh_judges(self, bint is_taught, double* in_eight, double* in_panel) noexcept nogil:
        """How far the judges of eight are believed beside the own one, and of these two the panel judge.

        Until the owner has taught two labels, the own judge does not know anything and the contrary one is not asked.
        """
        cdef double panel, own, contrary, least
        in_panel[0] = 1
        if not is_taught:
            in_eight[0] = FIRST_BELIEF
            return
        if self.judges == 1:
            panel = PATIENCE_OF_TWO * (self.numbers[LOSSES] - self.numbers[LOSSES + OWN_JUDGE]) - HEAD_START
            in_eight[0] = 1 / (1 + exp_of(panel))
            return
        least = min(self.numbers[LOSSES], self.numbers[LOSSES + OWN_JUDGE], self.numbers[LOSSES + CONTRARY_JUDGE])
        panel = (1 - FIRST_IN_OWN - self.contrary) * exp_of(PATIENCE * (least - self.numbers[LOSSES]))
        own = FIRST_IN_OWN * exp_of(PATIENCE * (least - self.numbers[LOSSES + OWN_JUDGE]))
        contrary = self.contrary * exp_of(PATIENCE * (least - self.numbers[LOSSES + CONTRARY_JUDGE]))
        in_eight[0] = (panel + contrary) / (panel + contrary + own)
        # Both may be 0 beside an own judge that lost much less.
        if panel + contrary > 0:
            in_panel[0] = panel / (panel + contrary)

    @property
    def judge_weights(self):
        """What the panel judge makes of its eight witnesses."""
        return tuple([self._weight(0, witness) for witness in range(EIGHT)])

    cdef double _weight(self, Py_ssize_t judge, Py_ssize_t witness) noexcept nogil:
        return FIRST_WEIGHTS[judge][witness // WITNESSES] + self.numbers[LEARNED + MORE_HEAD * judge + witness]

    cdef double _bias(self, Py_ssize_t judge, Py_ssize_t place) noexcept nogil:
        return self.numbers[self.head + self.record * place + RECORD * judge + BIAS]

    cdef double _scale(self, Py_ssize_t witness) noexcept nogil:
        return sqrt(
            (self.numbers[SQUARES + witness] + IMAGINED_LESSONS * IMAGINED_SCALE * IMAGINED_SCALE)
            / (self.numbers[JUDGED] + IMAGINED_LESSONS)
        )

    def score(self, Features features not None):
        """The total of each label that is considered, in nats: the logarithm of its probability."""
        self._must_hold()
        self._call_roll()
        self._ask(features)
        return tuple([self.mixed[<int>label] for label in range(self.labels_called)])

    cdef int _ask(self, Features features) except -1:
        """Let both committees score a message and all judges say what they make of it."""
        cdef Py_ssize_t label
        self._make_room(features)
        with nogil:
            self.resting._find_rows(features)
            self.own._find_rows(features)
            self.resting._hear(features, self.resting._considered())
            self.own._hear(features, self.own._considered())
            for label in range(<Py_ssize_t>self.own.header.labels):
                self.own_exam[label] = self.own.totals[label] + self.own._correction(label)
            self._hear_witnesses()
            self._form_opinions()
        self.resting.scored = self.own.scored = features
        return 0

    cdef int _make_room(self, Features features) except -1 nogil:
        self.resting._make_room(features.words + features.letters)
        self.own._make_room(features.words + features.letters)
        return 0

    def totals_of(self, features not None):
        """The same by label; those of several spellings as one."""
        return united(dict(zip(self.considered, self.score(features))))

    def give_back(self):
        """Give back the room for a message."""
        self.resting.give_back()
        self.own.give_back()

    cdef void _hear_witnesses(self) noexcept nogil:
        """Write down what the eight witnesses said of the message that both committees scored last."""
        cdef Py_ssize_t witness, label, place
        cdef Py_ssize_t resting_labels = self.resting._considered(), own_labels = self.own._considered()
        cdef double* heard = self.heard
        for witness in range(WITNESSES):
            for label in range(self.labels_called):
                heard[label] = self.resting.scores[witness * resting_labels + self.places[label]]
            heard += self.room
        for witness in range(WITNESSES):
            for label in range(self.labels_called):
                place = self.own_places[label]
                heard[label] = self.own.scores[witness * own_labels + place] if place >= 0 else 0
            heard += self.room

    cdef void _add_up(self, Py_ssize_t judge, double* totals, Py_ssize_t count) noexcept nogil:
        """What a judge of eight makes of what it heard, before it is corrected for its trust."""
        cdef Py_ssize_t witness, label
        cdef double factor
        cdef const double* scores
        for label in range(count):
            totals[label] = self._bias(judge, self.places[label])
        for witness in range(EIGHT):
            factor = self._weight(judge, witness) / self._scale(witness)
            scores = self.heard + witness * self.room
            for label in range(count):
                totals[label] += factor * scores[label]

    cdef void _form_opinions(self) noexcept nogil:
        """The logarithms of the probabilities that each judge gives the labels, and what all of them say together."""
        cdef Py_ssize_t judge, label, count = self.labels_called
        cdef double in_eight, in_panel
        cdef double* opinion
        cdef double* own = self.opinions + OWN_JUDGE * self.room
        cdef double* contrary = self.opinions + CONTRARY_JUDGE * self.room
        if count == 0:
            return
        self._correct()
        for judge in range(self.judges):
            opinion = contrary if judge else self.opinions
            self._add_up(judge, opinion, count)
            for label in range(count):
                opinion[label] += self.corrections[label]
            to_log_probabilities(opinion, count)
        for label in range(count):
            own[label] = self.own_exam[self.own_places[label]] if self.own_labels > 1 else 0
        to_log_probabilities(own, count)
        self._weigh_judges(self.own_labels > 1, &in_eight, &in_panel)
        if self.judges > 1:
            take_mean(self.opinions, contrary, in_panel, self.of_eight, count)
        else:
            memcpy(self.of_eight, self.opinions, count * sizeof(double))
        take_mean(self.of_eight, own, in_eight, self.mixed, count)

    cdef void _correct(self) noexcept nogil:
        """What the trust in its lessons took away from each label: log(share of the lessons / share of the trust)."""
        cdef double lessons = 0, trusted = 0
        cdef Py_ssize_t label
        cdef const double* record
        for label in range(self.labels_called):
            record = self.numbers + self.head + self.record * self.places[label]
            lessons += record[LESSONS] + 1
            trusted += record[TRUSTED] + 1
        for label in range(self.labels_called):
            record = self.numbers + self.head + self.record * self.places[label]
            self.corrections[label] = log_of((record[LESSONS] + 1) / lessons) - log_of((record[TRUSTED] + 1) / trusted)

    # Learning

    def learn(self, str label not None, Features features not None):
        """Learn one lesson; the totals that it had before (its exam), for the labels considered before."""
        return self.learn_many([label], [features])[0]

    def learn_many(self, labels not None, features not None):
        """Learn lessons one after the other, up to the first of a new label; the exams of those that were learned.

        As in a committee, features may be given as their codes, and all but a new label happens in one go without Python's
        lock. A label is new if the owner never taught it, whatever the foundation knows.
        """
        self._must_hold()
        if self.buffer.readonly:
            raise ValueError("this panel is read-only")
        self._call_roll()
        cdef Py_ssize_t place, known = self.labels_called
        cdef Bulk bulk = Bulk(features, known)
        cdef bint is_scored = len(bulk.features) == 1 and (
            bulk.features[0] is self.resting.scored and bulk.features[0] is self.own.scored
        )
        cdef void* one = NULL
        cdef dict numbers = {
            label: number for number, label in enumerate(self.roll) if self.own_places[<int>number] >= 0
        }
        for label, features_or_code in zip(labels, bulk.features):
            if label not in numbers:
                break
            bulk.add(features_or_code, numbers[label])
        if bulk.count:
            self.resting.scored = self.own.scored = None
        with nogil:
            for place in range(bulk.count):
                one = bulk.at(place)
                self._make_room(<Features>one)
                self._learn_known(<Features>one, bulk.lessons[place].label, is_scored)
                memcpy(bulk.exams + place * known, self.mixed, known * sizeof(double))
        cdef list found = bulk.found()
        if bulk.count < len(bulk.features):
            features_or_code = bulk.features[bulk.count]
            if type(features_or_code) is bytes:
                features_or_code = Features.decode(features_or_code)
            found.append(self._learn_first(labels[bulk.count], features_or_code))
        return found

    cdef int _learn_known(self, Features features, Py_ssize_t truth, bint is_scored) except -1 nogil:
        """Learn a lesson of a label that the owner has taught before; its exam is what was `mixed`."""
        cdef double doubt = self.own._doubt()
        cdef Py_ssize_t resting_labels = self.resting.header.labels, own_labels = self.own.header.labels
        # Both look for their rows before one of them waits for its own.
        if not is_scored:
            self.resting._find_rows(features)
            self.own._find_rows(features)
            self.resting._hear(features, self.resting._considered())
            self.own._hear(features, self.own._considered())
        self.resting._examine(features, self.resting_exam, True)
        self.own._examine(features, self.own_exam, True)
        self._hear_witnesses()
        self._form_opinions()
        self.resting._teach(features, self.places[truth], self.resting_exam, resting_labels)
        self.own._teach(features, self.own_places[truth], self.own_exam, own_labels)
        self._count_losses(truth)
        self._teach_judges(truth, self.labels_called, self._believe(truth, doubt))
        return 0

    cdef tuple _learn_first(self, str label, Features features):
        """Learn the first lesson of a label that the owner teaches."""
        cdef double doubt = self.own._doubt(), belief = 1
        cdef Py_ssize_t truth = self.labels_called, count = truth, witness
        cdef bint is_considered = label in self.roll
        self._ask(features)
        exam = tuple([self.mixed[<int>number] for number in range(count)])
        # What was heard is written down, so both may be taught before the judges.
        self.resting.learn(label, features)
        self.own.learn(label, features)
        if is_considered:
            truth = self.roll.index(label)
            belief = self._believe(truth, doubt)
            self._count_losses(truth)
        else:
            self.places[truth] = self.resting.labels.index(label)
            for witness in range(EIGHT):
                self.heard[witness * self.room + truth] = 0
            count += 1
        self._teach_judges(truth, count, belief)
        self.roll = None  # the own committee knows a label more
        return exam

    cdef void _count_losses(self, Py_ssize_t truth) noexcept nogil:
        """What the exam costs each judge."""
        cdef double times = LOSSES_ALONE if self.judges > 1 and self.own_labels < 2 else 1
        cdef Py_ssize_t judge
        for judge in range(1 + self.judges):
            self.numbers[LOSSES + judge] -= times * self.opinions[judge * self.room + truth]

    cdef double _believe(self, Py_ssize_t truth, double doubt) noexcept nogil:
        """The probability that the label of a lesson is right, by the doubt of the own committee (_committee.pyx)."""
        cdef double right = exp_of(self.mixed[truth])
        if doubt == 0:
            return 1
        return (1 - doubt) * right / ((1 - doubt) * right + doubt * (1 - right) / max(self.labels_called - 1, 1))

    cdef void _teach_judges(self, Py_ssize_t truth, Py_ssize_t count, double belief) noexcept nogil:
        """One AdaGrad step of each judge of eight, as a committee's judge takes it, over so many labels."""
        cdef Py_ssize_t record = self.head + self.record * self.places[truth], witness, label, judge
        cdef double trust, mean, square
        cdef const double* scores
        trust = self.numbers[TRUST] * self.run if self.numbers[RUN] == record else 1
        self.numbers[TRUST] = trust
        self.numbers[RUN] = record
        self.numbers[record + LESSONS] += 1
        self.numbers[record + TRUSTED] += trust
        for judge in range(self.judges):
            self._teach_judge(judge, truth, count, belief, trust)
        for witness in range(EIGHT):
            scores = self.heard + witness * self.room
            mean = square = 0
            for label in range(count):
                mean += scores[label] / count
            for label in range(count):
                square += (scores[label] - mean) * (scores[label] - mean)
            # The scale of the next lesson: the mean of (x_i - x_j)² over all pairs of labels.
            self.numbers[SQUARES + witness] += 2 * square / max(count - 1, 1)
        self.numbers[JUDGED] += 1
        self._renew_check()

    cdef void _teach_judge(
        self, Py_ssize_t judge, Py_ssize_t truth, Py_ssize_t count, double belief, double trust
    ) noexcept nogil:
        cdef Py_ssize_t learned = LEARNED + MORE_HEAD * judge, witness, label, record
        cdef double rate = STEPS[judge] * self.rate, slope, weight
        cdef double* slopes = self.numbers + learned + SLOPES
        cdef double* gradient = self.gradient
        cdef const double* scores
        self._add_up(judge, gradient, count)
        descend(gradient, gradient, truth, count)
        for witness in range(EIGHT):
            scores = self.heard + witness * self.room
            slope = 0
            for label in range(count):
                slope += belief * gradient[label] * scores[label]
            slope = max(min(slope / self._scale(witness), 1.0), -1.0)
            slopes[witness] += trust * slope * slope
            weight = self._weight(judge, witness) - rate * trust * slope / sqrt(1 + slopes[witness])
            self.numbers[learned + witness] = (
                max(weight, LEAST_WEIGHTS[judge][witness // WITNESSES]) - FIRST_WEIGHTS[judge][witness // WITNESSES]
            )
        for label in range(count):
            record = self.head + self.record * self.places[label] + RECORD * judge
            slope = belief * gradient[label]
            self.numbers[record + BIAS_SLOPES] += trust * slope * slope
            self.numbers[record + BIAS] -= (
                self.bias * rate * trust * (count - 1) / count * slope / sqrt(1 + self.numbers[record + BIAS_SLOPES])
            )

    # Explaining

    def explain(self, Features features not None, str favoured not None, str against not None):
        """Each feature's part of the difference between the totals of two labels, in nats: words, letters, bias.

        Parts and bias add up to the difference, but for rounding.
        """
        self._must_hold()
        self._call_roll()
        cdef Py_ssize_t first = self._known(favoured), second = self._known(against), judge
        self._ask(features)
        cdef list shares = self._shares(first, second)
        cdef double own_share = shares.pop()
        cdef double bias = (1 - own_share) * (self.corrections[first] - self.corrections[second])
        for judge in range(self.judges):
            bias += <double>shares[judge] * (
                self._bias(judge, self.places[first]) - self._bias(judge, self.places[second])
            )
        factors = self._factors(shares)
        views = [
            *zip(
                self.resting.parts(features, favoured, against, factors[:WITNESSES]),
                self.own.parts(features, favoured, against, factors[WITNESSES:]),
            )
        ]
        if self.own_labels > 1:
            *parts, own_bias = self.own.explain(features, favoured, against)
            bias += own_share * own_bias
            views = [(*view, [own_share * part for part in own]) for view, own in zip(views, parts)]
        words, letters = ([sum(parts) for parts in zip(*view)] for view in views)
        return words, letters, bias

    def subtotals(self, Features features not None, str favoured not None, str against not None):
        """What words and letters have in the difference between the totals of two labels, in nats.

        The parts of all features of a view add up to what its witnesses said.
        """
        self._must_hold()
        self._call_roll()
        cdef Py_ssize_t first = self._known(favoured), second = self._known(against), witness
        self._ask(features)
        cdef list shares = self._shares(first, second), factors
        cdef double own_share = shares.pop()
        cdef const double* scores
        cdef double[2] parts
        factors = self._factors(shares)
        parts[0] = parts[1] = 0
        for witness in range(EIGHT):
            scores = self.heard + witness * self.room
            parts[witness % WITNESSES // 2] += <double>factors[witness] * (scores[first] - scores[second])
        if self.own_labels > 1:
            own = self.own.subtotals(features, favoured, against)
            parts[0] += own_share * <double>own[0]
            parts[1] += own_share * <double>own[1]
        return parts[0], parts[1]

    cdef list _shares(self, Py_ssize_t first, Py_ssize_t second):
        """How much of the difference between two labels is that of each judge of eight, and of the own judge."""
        cdef double* own = self.opinions + OWN_JUDGE * self.room
        cdef double* contrary = self.opinions + CONTRARY_JUDGE * self.room
        cdef double in_eight, in_panel, eight, panel
        cdef double of_eight = self.of_eight[first] - self.of_eight[second]
        self._weigh_judges(self.own_labels > 1, &in_eight, &in_panel)
        eight = share_of(self.mixed[first] - self.mixed[second], of_eight, own[first] - own[second], in_eight)
        if self.judges == 1:
            return [eight, 1 - eight]
        panel = share_of(
            of_eight, self.opinions[first] - self.opinions[second], contrary[first] - contrary[second], in_panel
        )
        return [eight * panel, eight * (1 - panel), 1 - eight]

    cdef list _factors(self, list shares):
        """What the scores of each witness are multiplied by."""
        cdef Py_ssize_t witness, judge
        cdef double factor
        cdef list factors = []
        for witness in range(EIGHT):
            factor = 0
            for judge in range(self.judges):
                factor += <double>shares[judge] * self._weight(judge, witness)
            factors.append(factor / self._scale(witness))
        return factors

    cdef Py_ssize_t _known(self, str label) except -1:
        if label not in self.roll:
            raise NoSuchLabel(f"Nothing was ever taught as {label!r}; there are: {', '.join(self.roll) or 'none'}.")
        return self.roll.index(label)

    def look(self, str view not None, feature):
        """What is known of one short feature of a view, foundation included: its counts and its weights, by label."""
        self._must_hold()
        return self.resting.look(view, feature)
