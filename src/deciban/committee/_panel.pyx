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
    resting    the buffer of a committee (_committee.pyx), a layer over the foundation
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
from libc.string cimport memcpy

from deciban._descent cimport descend
from deciban._exponentials cimport exp_of, log_of
from deciban.committee._row_table cimport PAGE, check_of

from array import array
from struct import Struct

from deciban.committee._committee import Committee
from deciban.committee.label import united
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot, NoSuchLabel

cdef enum:
    HEARD = 4               # the witnesses of one committee
    WITNESSES = 8           # those that rest on the foundation, then the own ones
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
    return Shape(shape.capacity, bits, min(shape.rows, 2 << bits))


cdef list log_probabilities(list totals):
    """The logarithm of the softmax."""
    cdef double most = max(totals), total = 0, one
    for one in totals:
        total += exp_of(one - most)
    total = most + log_of(total)
    return [one - total for one in totals]


cdef list mean_of(list first, list second, double belief):
    """The logarithms of the mean of two probabilities of each label, of which the first counts so much."""
    cdef double one, other, most
    cdef list found = []
    for one, other in zip(first, second):
        most = max(one, other)
        found.append(most + log_of(belief * exp_of(one - most) + (1 - belief) * exp_of(other - most)))
    return found


cdef double share_of(double mixed, double first, double second, double belief) noexcept:
    """How much of a difference between two labels is that of the first judge; the rest is that of the second."""
    if first == second:
        return belief
    # A mean of probabilities has odds between those of its parts, so this is from 0 to 1.
    return (mixed - second) / (first - second)


cdef class Roll:
    """The labels that totals are given for, and where they are in the resting and in the own committee."""

    cdef tuple labels
    cdef list places
    cdef list own_places        # -1 if the own committee does not know the label
    cdef Py_ssize_t own         # how many labels the own committee knows

    def __init__(self, tuple all_labels, tuple own_labels):
        cdef dict own = {label: place for place, label in enumerate(own_labels)}
        self.own = len(own_labels)
        self.places = [
            place for place, label in enumerate(all_labels) if self.own < 2 or label in own
        ]
        self.labels = tuple([all_labels[<int>place] for place in self.places])
        self.own_places = [own.get(label, -1) for label in self.labels]


# As a committee, it must not let go of its buffer early (_committee.pyx).
@cython.no_gc
cdef class Panel:
    """What two committees and three judges make of a message."""

    cdef readonly object resting
    cdef readonly object own
    cdef object settings
    cdef Py_buffer buffer
    cdef bint holding
    cdef double* numbers
    cdef Py_ssize_t count
    cdef Py_ssize_t judges          # that hear all eight witnesses: 1, or 2 with the contrary one
    cdef Py_ssize_t head, record
    cdef double rate, bias, run, contrary

    def __init__(self, settings, resting, own, numbers):
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
                Committee.size(foundation.settings, resting.shape), Committee.size(settings, own.shape)
            ) != (first, second):
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
        memcpy(self.numbers, other.numbers, 8 * min(self.count, other.count))
        self._renew_check()

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

    cdef int _must_hold(self) except -1:
        if not self.holding:
            raise ValueError("this panel is closed")
        if self._stored_check() != self._check(self.count):
            raise DamagedSnapshot("The numbers of this state are damaged. Remove the snapshot: it is made again.")
        return 0

    cdef uint64_t _stored_check(self) noexcept:
        cdef uint64_t check
        memcpy(&check, self.numbers + CHECK, 8)
        return check

    cdef uint64_t _check(self, Py_ssize_t count) noexcept:
        """The check of the first numbers, but for its own place; zeros behind them do not change it."""
        return check_of(self.numbers, CHECK, 0) + check_of(self.numbers + CHECK + 1, count - CHECK - 1, CHECK + 1)

    cdef int _renew_check(self) except -1:
        cdef uint64_t check = self._check(self.count)
        memcpy(self.numbers + CHECK, &check, 8)
        return 0

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
        return Shape(resting.capacity, max(resting.bits, own.bits), max(resting.rows, own.rows))

    def rows_learned(self):
        """The rows of the fuller of both tables."""
        return max(self.resting.rows_learned(), self.own.rows_learned())

    def open_directory(self):
        """Find the rows of both by directories, for many lessons in memory."""
        self.resting.open_directory()
        self.own.open_directory()

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
        return self._roll().labels

    cdef Roll _roll(self):
        return Roll(self.resting.labels, self.own.labels)

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
        cdef tuple beliefs = self._beliefs(self.own.breadth > 1)
        return <double>beliefs[0] * <double>beliefs[1]

    cdef tuple _beliefs(self, bint is_taught):
        """How far the judges of eight are believed beside the own one, and of these two the panel judge.

        Until the owner has taught two labels, the own judge does not know anything and the contrary one is not asked.
        """
        cdef double panel, own, contrary, least
        if not is_taught:
            return FIRST_BELIEF, 1.0
        if self.judges == 1:
            panel = PATIENCE_OF_TWO * (self.numbers[LOSSES] - self.numbers[LOSSES + 1]) - HEAD_START
            return 1 / (1 + exp_of(panel)), 1.0
        least = min(self.numbers[LOSSES], self.numbers[LOSSES + 1], self.numbers[LOSSES + 2])
        panel = (1 - FIRST_IN_OWN - self.contrary) * exp_of(PATIENCE * (least - self.numbers[LOSSES]))
        own = FIRST_IN_OWN * exp_of(PATIENCE * (least - self.numbers[LOSSES + 1]))
        contrary = self.contrary * exp_of(PATIENCE * (least - self.numbers[LOSSES + 2]))
        # Both may be 0 beside an own judge that lost much less.
        return (panel + contrary) / (panel + contrary + own), panel / (panel + contrary) if panel + contrary > 0 else 1.0

    @property
    def judge_weights(self):
        """What the panel judge makes of its eight witnesses."""
        return tuple([self._weight(0, witness) for witness in range(WITNESSES)])

    cdef double _weight(self, Py_ssize_t judge, Py_ssize_t witness) noexcept:
        return FIRST_WEIGHTS[judge][witness // HEARD] + self.numbers[LEARNED + MORE_HEAD * judge + witness]

    cdef double _bias(self, Py_ssize_t judge, Py_ssize_t place) noexcept:
        return self.numbers[self.head + self.record * place + RECORD * judge + BIAS]

    cdef double _scale(self, Py_ssize_t witness) noexcept:
        return sqrt(
            (self.numbers[SQUARES + witness] + IMAGINED_LESSONS * IMAGINED_SCALE * IMAGINED_SCALE)
            / (self.numbers[JUDGED] + IMAGINED_LESSONS)
        )

    def score(self, features not None):
        """The total of each label that is considered, in nats: the logarithm of its probability."""
        self._must_hold()
        cdef Roll roll = self._roll()
        return self._mixed(self._heard_opinions(features, roll), roll)

    cdef list _heard_opinions(self, features, Roll roll):
        self.resting.score(features)
        own = self.own.score(features)
        return self._opinions(self._heard(roll), own, roll)

    def totals_of(self, features not None):
        """The same by label; those of several spellings as one."""
        return united(dict(zip(self.considered, self.score(features))))

    def give_back(self):
        """Give back the room for a message."""
        self.resting.give_back()
        self.own.give_back()

    cdef list _heard(self, Roll roll):
        """What the eight witnesses said of the message that both committees scored last: 0 of unknown labels."""
        cdef list heard = []
        cdef tuple scores
        for scores in self.resting.heard():
            heard.append([scores[<int>place] for place in roll.places])
        for scores in self.own.heard():
            heard.append([scores[<int>place] if <int>place >= 0 else 0.0 for place in roll.own_places])
        return heard

    cdef list _totals(self, Py_ssize_t judge, list heard, Roll roll):
        """What a judge of eight makes of what it heard, before it is corrected for its trust."""
        cdef list totals = [self._bias(judge, <Py_ssize_t>place) for place in roll.places]
        cdef list scores
        cdef Py_ssize_t witness, number
        cdef double factor
        for witness in range(WITNESSES):
            factor = self._weight(judge, witness) / self._scale(witness)
            scores = heard[witness]
            for number in range(len(totals)):
                totals[number] = <double>totals[number] + factor * <double>scores[number]
        return totals

    cdef list _opinions(self, list heard, tuple own_totals, Roll roll):
        """The logarithms of the probabilities that each judge gives the labels: panel judge, own one, contrary one."""
        cdef list corrections = self._corrections(roll), opinions = [], own, totals
        cdef Py_ssize_t judge
        if not roll.places:
            return [[]] * (1 + self.judges)
        for judge in range(self.judges):
            totals = self._totals(judge, heard, roll)
            totals = [<double>total + <double>correction for total, correction in zip(totals, corrections)]
            opinions.append(log_probabilities(totals))
        if roll.own > 1:
            own = [own_totals[<int>place] for place in roll.own_places]
        else:
            own = [0.0] * len(corrections)
        opinions.insert(1, log_probabilities(own))
        return opinions

    cdef list _corrections(self, Roll roll):
        """What the trust in its lessons took away from each label: log(share of the lessons / share of the trust)."""
        cdef double lessons = 0, trusted = 0
        cdef Py_ssize_t place
        cdef list corrections = []
        for place in roll.places:
            lessons += self.numbers[self.head + self.record * place + LESSONS] + 1
            trusted += self.numbers[self.head + self.record * place + TRUSTED] + 1
        for place in roll.places:
            corrections.append(
                log_of((self.numbers[self.head + self.record * place + LESSONS] + 1) / lessons)
                - log_of((self.numbers[self.head + self.record * place + TRUSTED] + 1) / trusted)
            )
        return corrections

    cdef list _of_eight(self, list opinions, double in_panel):
        """What the judges of eight say together."""
        return mean_of(opinions[0], opinions[2], in_panel) if self.judges > 1 else opinions[0]

    cdef tuple _mixed(self, list opinions, Roll roll):
        """The logarithm of the mean probability of each label."""
        in_eight, in_panel = self._beliefs(roll.own > 1)
        return tuple(mean_of(self._of_eight(opinions, in_panel), opinions[1], in_eight))

    # Learning

    def learn(self, str label not None, features not None):
        """Learn one lesson; the totals that it had before (its exam), for the labels considered before."""
        self._must_hold()
        if self.buffer.readonly:
            raise ValueError("this panel is read-only")
        cdef Roll roll = self._roll()
        cdef double doubt = self.own.doubt, belief = 1, times = LOSSES_ALONE if self.judges > 1 and roll.own < 2 else 1
        cdef bint is_considered = label in roll.labels
        # A committee that knows the label scores the lesson itself before it learns it: that is half of the work.
        cdef bint is_known = is_considered and <Py_ssize_t>roll.own_places[roll.labels.index(label)] >= 0
        cdef list heard, opinions
        if is_known:
            self.resting.learn(label, features)
            own = self.own.learn(label, features)
            heard = self._heard(roll)
            opinions = self._opinions(heard, own, roll)
        else:
            opinions = self._heard_opinions(features, roll)
            heard = self._heard(roll)
            self.resting.learn(label, features)
            self.own.learn(label, features)
        cdef tuple exam = self._mixed(opinions, roll)
        cdef Py_ssize_t truth = roll.labels.index(label) if is_considered else len(roll.labels)
        if is_considered:
            belief = self._believe(exam, truth, doubt)
            for judge in range(len(opinions)):
                self.numbers[LOSSES + <Py_ssize_t>judge] -= times * <double>opinions[judge][truth]
        else:
            heard = [[*scores, 0.0] for scores in heard]
            roll.labels = (*roll.labels, label)
            roll.places.append(self.resting.labels.index(label))
        self._teach(heard, roll, truth, belief)
        self._renew_check()
        return exam

    def learn_many(self, list labels not None, list features not None):
        """Learn lessons one after the other, up to the first of a new label; the exams of those that were learned."""
        cdef list exams = []
        known = self.own.labels
        for label, one in zip(labels, features):
            exams.append(self.learn(label, one))
            if label not in known:
                break
        return exams

    cdef double _believe(self, tuple exam, Py_ssize_t truth, double doubt) except -1:
        """The probability that the label of a lesson is right, by the doubt of the own committee (_committee.pyx)."""
        cdef double right = exp_of(exam[truth])
        if doubt == 0:
            return 1
        return (1 - doubt) * right / ((1 - doubt) * right + doubt * (1 - right) / max(len(exam) - 1, 1))

    cdef int _teach(self, list heard, Roll roll, Py_ssize_t truth, double belief) except -1:
        """One AdaGrad step of each judge of eight, as a committee's judge takes it."""
        cdef Py_ssize_t record = self.head + self.record * <Py_ssize_t>roll.places[truth], witness, place, judge
        cdef double trust, mean, square
        cdef double[8] squares
        cdef list scores
        trust = self.numbers[TRUST] * self.run if self.numbers[RUN] == record else 1
        self.numbers[TRUST] = trust
        self.numbers[RUN] = record
        self.numbers[record + LESSONS] += 1
        self.numbers[record + TRUSTED] += trust
        for judge in range(self.judges):
            self._teach_judge(judge, heard, roll, truth, belief, trust)
        for witness in range(WITNESSES):
            scores = heard[witness]
            mean = square = 0
            for place in range(len(scores)):
                mean += <double>scores[place] / len(scores)
            for place in range(len(scores)):
                square += (<double>scores[place] - mean) * (<double>scores[place] - mean)
            # The scale of the next lesson: the mean of (x_i - x_j)² over all pairs of labels.
            self.numbers[SQUARES + witness] += 2 * square / max(len(scores) - 1, 1)
        self.numbers[JUDGED] += 1
        return 0

    cdef int _teach_judge(
        self, Py_ssize_t judge, list heard, Roll roll, Py_ssize_t truth, double belief, double trust
    ) except -1:
        cdef Py_ssize_t count = len(roll.labels), learned = LEARNED + MORE_HEAD * judge, witness, place, record
        cdef double[:] gradient = array("d", self._totals(judge, heard, roll))
        cdef double rate = STEPS[judge] * self.rate, slope, weight
        cdef double* slopes = self.numbers + learned + SLOPES
        cdef list scores
        descend(&gradient[0], &gradient[0], truth, count)
        for witness in range(WITNESSES):
            scores = heard[witness]
            slope = 0
            for place in range(count):
                slope += belief * gradient[place] * <double>scores[place]
            slope = max(min(slope / self._scale(witness), 1.0), -1.0)
            slopes[witness] += trust * slope * slope
            weight = self._weight(judge, witness) - rate * trust * slope / sqrt(1 + slopes[witness])
            self.numbers[learned + witness] = (
                max(weight, LEAST_WEIGHTS[judge][witness // HEARD]) - FIRST_WEIGHTS[judge][witness // HEARD]
            )
        for place in range(count):
            record = self.head + self.record * <Py_ssize_t>roll.places[place] + RECORD * judge
            slope = belief * gradient[place]
            self.numbers[record + BIAS_SLOPES] += trust * slope * slope
            self.numbers[record + BIAS] -= (
                self.bias * rate * trust * (count - 1) / count * slope / sqrt(1 + self.numbers[record + BIAS_SLOPES])
            )
        return 0

    # Explaining

    def explain(self, features not None, str favoured not None, str against not None):
        """Each feature's part of the difference between the totals of two labels, in nats: words, letters, bias.

        Parts and bias add up to the difference, but for rounding.
        """
        self._must_hold()
        cdef Roll roll = self._roll()
        cdef list opinions = self._heard_opinions(features, roll), corrections = self._corrections(roll)
        cdef Py_ssize_t first = self._known(favoured, roll), second = self._known(against, roll)
        cdef list shares = self._shares(opinions, roll, first, second)
        cdef double own_share = shares.pop(), bias = (1 - own_share) * (
            <double>corrections[first] - <double>corrections[second]
        )
        cdef Py_ssize_t judge
        for judge in range(self.judges):
            bias += <double>shares[judge] * (
                self._bias(judge, roll.places[first]) - self._bias(judge, roll.places[second])
            )
        factors = self._factors(shares)
        views = [
            *zip(
                self.resting.parts(features, favoured, against, factors[:HEARD]),
                self.own.parts(features, favoured, against, factors[HEARD:]),
            )
        ]
        if roll.own > 1:
            *parts, own_bias = self.own.explain(features, favoured, against)
            bias += own_share * own_bias
            views = [(*view, [own_share * part for part in own]) for view, own in zip(views, parts)]
        words, letters = ([sum(parts) for parts in zip(*view)] for view in views)
        return words, letters, bias

    def subtotals(self, features not None, str favoured not None, str against not None):
        """What words and letters have in the difference between the totals of two labels, in nats.

        The parts of all features of a view add up to what its witnesses said.
        """
        self._must_hold()
        cdef Roll roll = self._roll()
        cdef list opinions = self._heard_opinions(features, roll), heard = self._heard(roll)
        cdef Py_ssize_t first = self._known(favoured, roll), second = self._known(against, roll), witness
        cdef list shares = self._shares(opinions, roll, first, second), factors
        cdef double own_share = shares.pop(), factor
        cdef double[2] parts
        factors = self._factors(shares)
        parts[0] = parts[1] = 0
        for witness in range(WITNESSES):
            factor = factors[witness]
            parts[witness % HEARD // 2] += factor * (<double>heard[witness][first] - <double>heard[witness][second])
        if roll.own > 1:
            own = self.own.subtotals(features, favoured, against)
            parts[0] += own_share * <double>own[0]
            parts[1] += own_share * <double>own[1]
        return parts[0], parts[1]

    cdef list _shares(self, list opinions, Roll roll, Py_ssize_t first, Py_ssize_t second):
        """How much of the difference between two labels is that of each judge of eight, and of the own judge."""
        in_eight, in_panel = self._beliefs(roll.own > 1)
        cdef list of_eight = self._of_eight(opinions, in_panel), mixed = mean_of(of_eight, opinions[1], in_eight)
        cdef double[4] difference
        cdef Py_ssize_t place
        cdef double eight, panel
        for place, totals in enumerate((mixed, of_eight, opinions[0], opinions[1])):
            difference[place] = <double>totals[first] - <double>totals[second]
        eight = share_of(difference[0], difference[1], difference[3], in_eight)
        if self.judges == 1:
            return [eight, 1 - eight]
        panel = share_of(
            difference[1], difference[2], <double>opinions[2][first] - <double>opinions[2][second], in_panel
        )
        return [eight * panel, eight * (1 - panel), 1 - eight]

    cdef list _factors(self, list shares):
        """What the scores of each witness are multiplied by."""
        cdef Py_ssize_t witness, judge
        cdef double factor
        cdef list factors = []
        for witness in range(WITNESSES):
            factor = 0
            for judge in range(self.judges):
                factor += <double>shares[judge] * self._weight(judge, witness)
            factors.append(factor / self._scale(witness))
        return factors

    cdef Py_ssize_t _known(self, str label, Roll roll) except -1:
        if label not in roll.labels:
            raise NoSuchLabel(f"Nothing was ever taught as {label!r}; there are: {', '.join(roll.labels) or 'none'}.")
        return roll.labels.index(label)

    def look(self, str view not None, feature):
        """What is known of one short feature of a view, foundation included: its counts and its weights, by label."""
        self._must_hold()
        return self.resting.look(view, feature)
