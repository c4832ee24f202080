"""Two judges over two committees: one rests on a foundation and goes on learning, the other began with nothing.

A foundation is foreign experience: priceless where it fits, harmful where it does not, and nobody knows before.
So every lesson is learned twice, by a *resting* committee, which began with the state of the foundation, and by an
*own* one, which began empty. Two judges hear them:

    panel judge   all eight witnesses. It is the judge of a committee (_committee.pyx: same scales, steps, trust, doubt),
                  but begins with the weights .5 for those that rest on the foundation and .3 for the own ones
    own judge     the four own witnesses: what the filter would say if there were no foundation at all

Each exam costs a judge -log p(true label). Both are believed in proportion to exp(-patience · what they lost so far), and
the total of a label is the logarithm of its mean probability:

    total(label) = log( b · p_panel(label) + (1 - b) · p_own(label) )
    b = 1 / (1 + exp(patience · (loss_panel - loss_own) - head start))

The own judge says nothing until the owner has taught two labels: until then it gives all labels the same probability, and b
is .9, so that the foundation alone is never surer than 19 : 1. A foundation that is wrong has lost the argument after a few lessons, whatever it says. 1-ROCA% over the first 300
messages in parts of that of a filter that begins empty, over all 90 ordered pairs of ten corpora: docs/experiments.md.

Totals of two labels differ by something between what the two judges say, since a mean of probabilities has odds between
theirs. So the difference is `share` times the panel judge's plus (1 - share) times the own judge's, exactly, and an
explanation is the same mean of theirs.

Labels are those of the resting committee, in its order. Until the owner taught two labels, all of them are considered;
afterwards only the owner's: who files mail under *work* and *family* does not want a foundation's *spam* and *ham*.

A panel can be used in place of a committee: it learns, scores, explains, grows and is packed by methods of the same
names. Slots of the resting committee are the foundation's, with its salt, which everybody may know; those of the own
committee have the owner's secret salt.

The numbers of the panel are 32 (see the places below) and four more for each label that there is room for, all of them
float64 and zeros at first. One of them is a check of the others. In a file a panel is

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
>>> panel = Panel(settings, resting, own, Panel.fresh(capacity=2))
>>> [round(total, 1) for total in panel.score(money)], round(panel.belief, 2)
([-0.3, -1.3], 0.9)
>>> for _ in range(20):
...     _ = panel.learn("ham", money), panel.learn("spam", lunch)
>>> panel.labels, [round(total, 1) for total in panel.score(money)], round(panel.belief, 2)
(('spam', 'ham'), [-4.8, -0.0], 0.01)
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
    LOSSES = 3              # sums over exams: -log p(true label) of the panel judge, then of the own one
    CHECK = 7               # of all others, a whole number
    SQUARES = 8             # as in a committee, for eight witnesses
    LEARNED = 16            # what was added to the weights that the panel judge began with
    SLOPES = 24
    HEAD = 32
    BIAS = 0
    BIAS_SLOPES = 1
    TRUSTED = 2
    LESSONS = 3
    RECORD = 4

# Chosen on five corpora, confirmed on five others (docs/experiments.md): the weights that the panel judge begins with, …
cdef double[2] FIRST_WEIGHTS = [0.5, 0.3]
# … the least weight, …
cdef double LEAST_WEIGHT = 0.2
# … its steps, in parts of `judge_rate`: eight weights learn in smaller steps than four, …
cdef double STEP = 0.25
# … and how much a loss counts. At .25 a foundation all of whose features are inverted (SpamAssassin's under Ling-Spam) has
# 1.52 times the 1-ROCA% of empty at 300, at 1 it has 1.21, and pairs that fit lose nothing.
cdef double PATIENCE = 1
# The panel judge begins with odds of e : 1. Without that, its lead in the first messages is wasted (docs/experiments.md).
cdef double HEAD_START = 1
# How far it is believed until the owner has taught two labels. At 1 a foundation that is wrong has said too much by then:
# Chinese mail under Ling-Spam 1.24 times the 1-ROCA% of empty at 300, 1.09 at .9, and other pairs gain, too.
cdef double FIRST_BELIEF = 0.9

# Magic, capacity, and the bytes of both committees.
FRONT = Struct("<8sQQQ")
MAGIC = b"dcpanel1"
LENGTH = Struct("<Q")


cdef Py_ssize_t front_size(Py_ssize_t capacity) except -1:
    cdef Py_ssize_t size = FRONT.size + 8 * (HEAD + RECORD * capacity)
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
    """What two committees and two judges make of a message."""

    cdef readonly object resting
    cdef readonly object own
    cdef object settings
    cdef Py_buffer buffer
    cdef bint holding
    cdef double* numbers
    cdef Py_ssize_t count
    cdef double rate, bias_rate, run

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
        if self.count < HEAD + RECORD * <Py_ssize_t>resting.capacity or resting.capacity != own.capacity:
            raise ValueError("two committees with room for the same labels need numbers for as many")
        self.rate = STEP * settings.judge_rate
        self.bias_rate = settings.judge_bias * self.rate
        self.run = settings.judge_run

    @staticmethod
    def fresh(Py_ssize_t capacity):
        """The numbers of a panel that has learned nothing, with room for so many labels."""
        return array("d", bytes(8 * (HEAD + RECORD * capacity)))

    # In buffers

    @staticmethod
    def size(settings, shape, foundation not None):
        """The bytes of a panel both of whose tables have room for the rows of a shape."""
        return (
            front_size(shape.capacity)
            + Committee.size(part_shape(shape, foundation.shape.bits))
            + Committee.size(part_shape(shape, settings.bits))
        )

    @staticmethod
    def begin(settings, shape, buffer, foundation not None):
        """A panel that has learned nothing on its own, in a writable buffer whose bytes are all 0."""
        cdef Py_ssize_t start = front_size(shape.capacity)
        resting = part_shape(shape, foundation.shape.bits)
        own = part_shape(shape, settings.bits)
        middle, end = start + Committee.size(resting), Panel.size(settings, shape, foundation)
        view = memoryview(buffer)
        view[: FRONT.size] = FRONT.pack(MAGIC, shape.capacity, middle - start, end - middle)
        return Panel(
            settings,
            Committee.begin(foundation.settings, resting, view[start:middle], foundation),
            Committee.begin(settings, own, view[middle:end]),
            view[FRONT.size : FRONT.size + 8 * (HEAD + RECORD * shape.capacity)],
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
        start = front_size(capacity)
        resting = own = None
        try:
            resting = Committee(foundation.settings, view[start : start + first], foundation)
            own = Committee(settings, view[start + first : start + first + second])
            if (resting.capacity, own.capacity) != (capacity, capacity) or (
                Committee.size(resting.shape), Committee.size(own.shape)
            ) != (first, second):
                raise DamagedSnapshot("The front of this state is damaged. Remove the snapshot: it is made again.")
            return Panel(settings, resting, own, view[FRONT.size : FRONT.size + 8 * (HEAD + RECORD * capacity)])
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
        cdef Py_ssize_t count = HEAD + RECORD * len(self.resting.labels)
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
        length = LENGTH.unpack_from(code, start)[0] if HEAD <= count and start + 8 <= code.nbytes else 0
        middle = start + 8 + length
        if not 0 < length <= code.nbytes - start - 8 or count > HEAD + RECORD * capacity:
            raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
        numbers = Panel.fresh(capacity)
        memoryview(numbers).cast("B")[: 8 * count] = code[8:start]
        resting = Committee.of_state(
            foundation.settings, code[start + 8 : middle], capacity, lambda shape: begin(foundation.settings, shape, foundation)
        )
        own = Committee.of_state(settings, code[middle:], capacity, lambda shape: begin(settings, shape, None))
        cdef Panel panel = Panel(settings, resting, own, numbers)
        panel._must_hold()
        if count != HEAD + RECORD * len(resting.labels):
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
        return self._belief() if self.own.breadth > 1 else FIRST_BELIEF

    cdef double _belief(self) noexcept:
        return 1 / (1 + exp_of(PATIENCE * (self.numbers[LOSSES] - self.numbers[LOSSES + 1]) - HEAD_START))

    @property
    def judge_weights(self):
        """What the panel judge makes of its eight witnesses."""
        return tuple([self._weight(witness) for witness in range(WITNESSES)])

    cdef double _weight(self, Py_ssize_t witness) noexcept:
        return FIRST_WEIGHTS[witness // HEARD] + self.numbers[LEARNED + witness]

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

    cdef list _totals(self, list heard, Roll roll):
        """What the panel judge makes of what it heard, before it is corrected for its trust."""
        cdef list totals = [self.numbers[HEAD + RECORD * <Py_ssize_t>place + BIAS] for place in roll.places]
        cdef list scores
        cdef Py_ssize_t witness, number
        cdef double factor
        for witness in range(WITNESSES):
            factor = self._weight(witness) / self._scale(witness)
            scores = heard[witness]
            for number in range(len(totals)):
                totals[number] = <double>totals[number] + factor * <double>scores[number]
        return totals

    cdef list _opinions(self, list heard, tuple own_totals, Roll roll):
        """The logarithms of the probabilities that each judge gives the labels: the panel judge, then the own one."""
        cdef list totals = self._totals(heard, roll), corrections = self._corrections(roll), own
        totals = [<double>total + <double>correction for total, correction in zip(totals, corrections)]
        if roll.own > 1:
            own = [own_totals[<int>place] for place in roll.own_places]
        else:
            own = [0.0] * len(totals)
        return [log_probabilities(totals), log_probabilities(own)] if totals else [[], []]

    cdef list _corrections(self, Roll roll):
        """What the trust in its lessons took away from each label: log(share of the lessons / share of the trust)."""
        cdef double lessons = 0, trusted = 0
        cdef Py_ssize_t place
        cdef list corrections = []
        for place in roll.places:
            lessons += self.numbers[HEAD + RECORD * place + LESSONS] + 1
            trusted += self.numbers[HEAD + RECORD * place + TRUSTED] + 1
        for place in roll.places:
            corrections.append(
                log_of((self.numbers[HEAD + RECORD * place + LESSONS] + 1) / lessons)
                - log_of((self.numbers[HEAD + RECORD * place + TRUSTED] + 1) / trusted)
            )
        return corrections

    cdef tuple _mixed(self, list opinions, Roll roll):
        """The logarithm of the mean probability of each label."""
        # Until the own committee knows two labels, it does not know anything.
        cdef double belief = self._belief() if roll.own > 1 else FIRST_BELIEF, first, second, most
        cdef list totals = []
        for first, second in zip(opinions[0], opinions[1]):
            most = max(first, second)
            totals.append(most + log_of(belief * exp_of(first - most) + (1 - belief) * exp_of(second - most)))
        return tuple(totals)

    # Learning

    def learn(self, str label not None, features not None):
        """Learn one lesson; the totals that it had before (its exam), for the labels considered before."""
        self._must_hold()
        if self.buffer.readonly:
            raise ValueError("this panel is read-only")
        cdef Roll roll = self._roll()
        cdef double doubt = self.own.doubt, belief = 1
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
            for judge in range(2):
                self.numbers[LOSSES + <Py_ssize_t>judge] -= <double>opinions[judge][truth]
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
        """One AdaGrad step of the panel judge, as a committee's judge takes it."""
        cdef Py_ssize_t record = HEAD + RECORD * <Py_ssize_t>roll.places[truth], count = len(roll.labels), witness, place
        cdef double[:] gradient = array("d", self._totals(heard, roll))
        cdef double trust, slope, mean, square, weight, scale
        cdef double[8] squares
        cdef list scores
        trust = self.numbers[TRUST] * self.run if self.numbers[RUN] == record else 1
        self.numbers[TRUST] = trust
        self.numbers[RUN] = record
        self.numbers[record + LESSONS] += 1
        self.numbers[record + TRUSTED] += trust
        descend(&gradient[0], &gradient[0], truth, count)
        for witness in range(WITNESSES):
            scores = heard[witness]
            slope = mean = square = 0
            for place in range(count):
                slope += belief * gradient[place] * <double>scores[place]
                mean += <double>scores[place] / count
            for place in range(count):
                square += (<double>scores[place] - mean) * (<double>scores[place] - mean)
            slope = max(min(slope / self._scale(witness), 1.0), -1.0)
            self.numbers[SLOPES + witness] += trust * slope * slope
            weight = self._weight(witness) - self.rate * trust * slope / sqrt(1 + self.numbers[SLOPES + witness])
            self.numbers[LEARNED + witness] = max(weight, LEAST_WEIGHT) - FIRST_WEIGHTS[witness // HEARD]
            # The scale of the next lesson: the mean of (x_i - x_j)² over all pairs of labels.
            squares[witness] = 2 * square / max(count - 1, 1)
        for witness in range(WITNESSES):
            self.numbers[SQUARES + witness] += squares[witness]
        for place in range(count):
            record = HEAD + RECORD * <Py_ssize_t>roll.places[place]
            slope = belief * gradient[place]
            self.numbers[record + BIAS_SLOPES] += trust * slope * slope
            self.numbers[record + BIAS] -= (
                self.bias_rate * trust * (count - 1) / count * slope / sqrt(1 + self.numbers[record + BIAS_SLOPES])
            )
        self.numbers[JUDGED] += 1
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
        cdef double share = self._share(opinions, roll, first, second)
        cdef double bias = share * (
            self.numbers[HEAD + RECORD * <Py_ssize_t>roll.places[first] + BIAS]
            - self.numbers[HEAD + RECORD * <Py_ssize_t>roll.places[second] + BIAS]
            + <double>corrections[first] - <double>corrections[second]
        )
        factors = [share * self._weight(witness) / self._scale(witness) for witness in range(WITNESSES)]
        views = [
            *zip(
                self.resting.parts(features, favoured, against, factors[:HEARD]),
                self.own.parts(features, favoured, against, factors[HEARD:]),
            )
        ]
        if roll.own > 1:
            *parts, own_bias = self.own.explain(features, favoured, against)
            bias += (1 - share) * own_bias
            views = [(*view, [(1 - share) * part for part in own]) for view, own in zip(views, parts)]
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
        cdef double share = self._share(opinions, roll, first, second), factor
        cdef double[2] parts
        parts[0] = parts[1] = 0
        for witness in range(WITNESSES):
            factor = share * self._weight(witness) / self._scale(witness)
            parts[witness % HEARD // 2] += factor * (<double>heard[witness][first] - <double>heard[witness][second])
        if roll.own > 1:
            own = self.own.subtotals(features, favoured, against)
            parts[0] += (1 - share) * <double>own[0]
            parts[1] += (1 - share) * <double>own[1]
        return parts[0], parts[1]

    cdef double _share(self, list opinions, Roll roll, Py_ssize_t first, Py_ssize_t second) except *:
        """How much of the difference between two labels is the panel's; the rest is its own committee's."""
        cdef double by_panel = <double>opinions[0][first] - <double>opinions[0][second]
        cdef double by_own = <double>opinions[1][first] - <double>opinions[1][second]
        cdef tuple mixed = self._mixed(opinions, roll)
        if by_panel == by_own:
            return self._belief()
        # A mean of probabilities has odds between those of its parts, so this is from 0 to 1.
        return (<double>mixed[first] - <double>mixed[second] - by_own) / (by_panel - by_own)

    cdef Py_ssize_t _known(self, str label, Roll roll) except -1:
        if label not in roll.labels:
            raise NoSuchLabel(f"Nothing was ever taught as {label!r}; there are: {', '.join(roll.labels) or 'none'}.")
        return roll.labels.index(label)

    def look(self, str view not None, feature):
        """What is known of one short feature of a view, foundation included: its counts and its weights, by label."""
        self._must_hold()
        return self.resting.look(view, feature)
