"""Four witnesses and one judge: how messages are heard, and how lessons are learned.

A message is two sets of features, the views `words` and `letters`. Over each view two witnesses give one score a
label, in nats. With L labels, of which label l was taught to the counts by D_l lessons:

    counts    a feature seen c_l times under label l has the shares
                  s_l = (strength / L + C · r_l / R) / (strength + C),   r_l = c_l / D_l, C = Σ c_l, R = Σ r_l
              and is left out if no share is at least `band` above 1 / L. The score of a label is the *mean* of
              log s_l over the features that are kept (tempered Naive Bayes), less the mean over the labels; `neutral`
              features without an opinion are imagined beside them, since few features say little.
              With more than two labels and few examples of each, what all other labels say together is known better than
              what one says. So then a label is also scored by its *complement*, how badly the others explain the message:
              with N_l features taught in all, α = `complement` and L labels, by L − 1 times the mean, over the features that
              were ever counted, of
                  log( Σ N_other + 1 ) − log( (α + C − c_l) / (α + C) )
              less the mean over the labels. Features, not lessons, are the measure: a label whose examples are long shares
              more features with any message. Of the score of the counts this has the part y = 1 / (1 + lessons / 100 L).
              Weights need more examples than counts, and the more labels there are, the more: at first the counts weigh 1 + b
              times as much as the weights, b = `lead` · (L − 2) · y². With a lead, complements also count twice, and the biases
              of the judge begin with L squared slopes instead of 1: one lesson says little about one of many labels.
    weights   the sum of one weight a feature and label, divided by √n: online softmax regression.

The judge divides the four scores by their scales (the root of the mean square difference between two labels, since
there are two, and a few imagined lessons before) and adds them up with four weights, which begin at 1 and are shared by
all labels, and one bias a label. The totals are the last stage: probabilities are their softmax.

People teach by folders: all ham, then all spam. Such a run teaches the judge nothing but that the next message is like
the last, which costs it everything (500 of 1,000 messages of SpamAssassin wrong after 300 ham and then 300 spam). So a
lesson that follows one of its own label is trusted `judge_run` times as much as that one was, a slope counts as 1 at most,
the bias takes smaller steps than the weights, and no weight falls below `judge_floor`: 36 of 1,000 wrong at most, by the
order of the folders.
Less trust in a label makes it look rarer to the judge than it is, so each total is corrected by
log(share of the lessons) − log(share of the trust), which keeps the probabilities calibrated.

Some lessons are taught with the wrong label, and who learns from mistakes learns those in full. With a share d of wrong
labels, one that the exam gave the probability p is right with the probability

    belief = (1 − d) p / ((1 − d) p + d (1 − p) / (L − 1))

which is also what the slope of the log-loss is multiplied by if labels are taken to be wrong that often. The doubt d is
read from the exams: how often the surest of them (half as sure again as the mean so far) were contradicted by the label, at
the lower 95% limit, so that there is none until it is proven: a filter that is taught rightly learns as if there were
no such thing. See `_believe` for what it gains.

To learn a lesson is to score it (the exam), then: the judge takes one AdaGrad step down its log-loss; the counts are
taught if their log-odds of the true label against the best other were below the margin; the weights take one
AdaGrad step, or rest if all other labels together have less than `rest` of their probability. Steps are multiplied by
(L − 1) / L, so that the difference between the true label and the mean of the others moves by the same step for any L;
with two labels the weights are ± each other, exactly. While only one label was ever taught, the second is there already,
without a name: the weights learn what the first is *not*.

Everything that it has learned lies in one flat buffer (_committee_buffer.pyx), and may be a layer over a foundation.

Nothing here depends on anything but the
settings, the lessons and their order: state == replay(settings, ledger), bit for bit.

>>> from array import array
>>> from deciban.committee._lesson_code import Features
>>> from deciban.committee.settings import Settings
>>> committee = Committee.fresh(Settings(bits=8))
>>> money, lunch = (Features.of(array("Q", [number << 60]), array("Q", [])) for number in (3, 7))
>>> for _ in range(20):
...     _ = committee.learn("spam", money), committee.learn("ham", lunch)
>>> committee.labels, [round(total, 1) for total in committee.score(money)]
(('spam', 'ham'), [2.4, -2.4])
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.math cimport sqrt
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from deciban._descent cimport adagrad_step, descend
from deciban._exponentials cimport exp_of, log_of
from deciban.committee._committee_buffer cimport WITNESSES, CommitteeBuffer, Head, label_bytes, table_at
from deciban.committee._lesson_code cimport Features, read_code, unpack
from deciban.committee._row_table cimport (
    BLOCK, BLOCK_BITS, MOST_COUNT, WORDS_A_BLOCK, FileRowTable, check_of, factor_of, is_possible, row_bytes,
    spread,
)
from deciban.committee._row_arithmetic cimport (
    SHARES_A_LOGARITHM, CountedRow, ask_for_row, hear_pairs, hear_row, multiply_complement_lanes,
    multiply_lanes, step_lanes, teach_pairs, whole_lanes,
)

import os

from deciban.committee.label import united
from deciban.errors import DamagedSnapshot

cdef enum:
    # A scale read from two or three lessons can be anything: the fifth message of a shuffle of Enron-Spam, a good
    # one, came out at 16 nats. So each begins as if five lessons had shown it to be 2: 1-ROCA% online, five seeds,
    # .0399 to .0387 on SpamAssassin, .121 to .110 on Enron-Spam, .0549 to .0486 on Ling-Spam, .373 to .363 on SMS.
    IMAGINED_LESSONS = 5
    IMAGINED_SCALE = 2

# A filter that is contradicted more often than this where it is sure is not taught wrongly: it is wrong.
cdef double MOST_DOUBT = 0.2
# An exam is sure if it is so many times as sure as the mean. The surer, the rarer is the filter itself wrong: at 1, doubt
# that was not due cost .009 of 1-ROCA% on Enron-Spam half/half (.0743 to .0833, at 1.25 .0812, at 1.5 nothing).
cdef double SURE = 1.5
# So few sure exams say little, however they come out: 300 mails of one label and then 300 of the other begin with them.
cdef double IMAGINED_SURE = 10
# The weights take at least this part of a step: a wrong label does its harm in the counts, and what is taught again and
# again must be learned. 1-ROCA% of SpamAssassin half/half with 5% of the labels wrong: .207 at .25, .217 at .5, .243 at 1.
cdef double LEAST_STEP = 0.5
# With more than two labels: after so many lessons of each, half of what the counts say is by complements, …
cdef double YOUNG_LESSONS = 100
# … and after 100 times as many nothing.
cdef double LEAST_YOUTH = 0.01

cdef inline bint multiply_shares(
    const uint16_t* counts, const double* inverse, double* ratio, double* product, Py_ssize_t labels, double strength,
    double band,
) noexcept nogil:
    """Multiply the shares of a row into `product`, unless it is left out; `ratio` is scratch memory."""
    cdef uint32_t seen = 0
    cdef double ratios = 0, largest = 0, prior, factor
    cdef Py_ssize_t number
    for number in range(labels):
        ratio[number] = counts[number] * inverse[number]
        seen += counts[number]
    for number in range(labels):
        ratios += ratio[number]
        largest = max(largest, ratio[number])
    if not ratios > 0:
        return False
    factor = 1 / (ratios * (strength + seen))
    prior = strength / labels * ratios
    if (prior + seen * largest) * factor < band + 1.0 / labels:
        return False
    for number in range(labels):
        product[number] *= (prior + seen * ratio[number]) * factor
    return True


cdef inline bint multiply_complements(
    const uint16_t* counts, double* product, Py_ssize_t labels, double prior
) noexcept nogil:
    """Multiply what the other labels of a row have of it into `product`, unless it was never counted."""
    cdef uint64_t seen = 0
    cdef double factor
    cdef Py_ssize_t number
    for number in range(labels):
        seen += counts[number]
    if seen == 0:
        return False
    factor = 1 / (prior + seen)
    for number in range(labels):
        if counts[number]:
            product[number] *= (prior + (seen - counts[number])) * factor
    return True


cdef inline uint64_t check_of_changed(
    const unsigned char* row, Py_ssize_t words, Py_ssize_t count_word, uint64_t first
) noexcept nogil:
    """The part of a row's check that a lesson changes: its first words, and that of a count, unless it is -1."""
    cdef uint64_t total = check_of(row, words, first)
    if count_word >= words:
        total += check_of(row + 8 * count_word, 1, first + count_word)
    return total


cdef class Bulk:
    """Lessons that are learned one after the other without Python's lock, and their exams.

    Codes of features are decoded when their turn comes, each in the memory of the one before.
    """

    def __cinit__(self, features not None, Py_ssize_t labels):
        self.features = list(features)
        self.decoded = Features.__new__(Features)
        self.labels = labels
        self.lessons = <Waiting*>calloc(len(self.features) + 1, sizeof(Waiting))
        self.exams = <double*>calloc(len(self.features) + 1, max(labels, 1) * sizeof(double))
        if self.lessons == NULL or self.exams == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.lessons)
        free(self.exams)

    cdef int add(self, features, Py_ssize_t label) except -1:
        """Let the next one of the features wait, under the number of its label."""
        cdef Waiting* waiting = self.lessons + self.count
        cdef bytes code = None
        if type(features) is bytes:
            code = features
        elif not isinstance(features, Features):
            raise TypeError(f"features or their code are learned, got {type(features).__name__} instead")
        elif (<Features>features).data == NULL:
            code = (<Features>features).code
        if code is None:
            waiting.features = <void*>features
        else:
            waiting.features = <void*>PyBytes_AS_STRING(code)
            waiting.size = max(PyBytes_GET_SIZE(code), 1)
        waiting.label = label
        self.count += 1
        return 0

    cdef void* at(self, Py_ssize_t place) except NULL nogil:
        """The features of a lesson, until those of another are asked for."""
        cdef Waiting* waiting = self.lessons + place
        if not waiting.size:
            return waiting.features
        read_code(<const unsigned char*>waiting.features, waiting.size, self.decoded, &self.room)
        return <void*>self.decoded

    cdef list found(self):
        """The exam of each lesson that waited: its totals by label."""
        return [
            tuple([self.exams[self.labels * place + number] for number in range(self.labels)])
            for place in range(self.count)
        ]


@cython.no_gc  # as the buffer
cdef class Committee(CommitteeBuffer):
    """The witnesses and the judge over a buffer; read-only buffers can be scored, not taught."""

    def __init__(self, settings, buffer, CommitteeBuffer foundation=None):
        """Take over a buffer that `begin` made, over the same foundation."""
        CommitteeBuffer.__init__(self, settings, buffer, foundation)
        self.strength = settings.strength
        self.band = settings.band
        self.neutral = settings.neutral
        self.complement = settings.complement
        self.lead = settings.lead if settings.complement > 0 else 0
        self.rate = settings.rate
        self.damping = settings.damping
        self.rest = settings.rest
        self.judge_rate = settings.judge_rate
        self.judge_bias = settings.judge_bias
        self.judge_run = settings.judge_run
        self.judge_floor = settings.judge_floor
        self.margin = settings.margin
        self.margin_grown = settings.margin_grown
        self.grows_from = settings.margin_grows_from
        self.grows_to = settings.margin_grows_to
        self.nothing = <unsigned char*>calloc(row_bytes(self.capacity), 1)
        self.numbers = <double*>realloc(NULL, (WITNESSES + 5) * self.capacity * sizeof(double))
        if self.nothing == NULL or self.numbers == NULL:
            raise MemoryError
        self.scores = self.numbers
        self.totals = self.scores + WITNESSES * self.capacity
        self.product = self.totals + self.capacity
        self.inverse = self.product + self.capacity
        self.gradient = self.inverse + self.capacity
        self.ratio = self.gradient + self.capacity

    def __dealloc__(self):
        self._let_go_of_room()
        free(self.nothing)
        free(self.numbers)

    def take_over(self, CommitteeBuffer other not None):
        """Take over the state of another committee (_committee_buffer.pyx)."""
        self.scored = None
        CommitteeBuffer.take_over(self, other)

    @property
    def considered(self):
        """The labels that totals are given for: all of them. A panel may leave some out (_panel.pyx)."""
        return self.labels

    @property
    def breadth(self):
        """How many labels totals are given for."""
        return self.header.labels

    @property
    def doubt(self):
        """The share of lessons that is reckoned to have the wrong label."""
        self._must_hold()
        return self._doubt()

    def score(self, Features features not None):
        """The judge's total for each label, in nats."""
        self._must_hold()
        self._make_room(features.words + features.letters)
        with nogil:
            self._find_rows(features)
            self._hear(features, self._considered())
        self.scored = features
        return self._totals()

    def totals_of(self, Features features not None):
        """The same by label; those of several spellings as one."""
        labels = self.labels
        totals = dict(zip(labels, self.score(features)))
        if labels == self.plain:
            return totals
        found = united(totals)
        if tuple(found) == labels:
            self.plain = labels
        return found

    def give_back(self):
        """Give back the room for a message: many filters may be open, of which few are asked at a time."""
        self.scored = None
        self._let_go_of_room()

    cdef void _let_go_of_room(self) noexcept:
        free(self.keys)
        free(self.rows)
        free(self.new_keys)
        free(self.missing)
        free(self.missing_keys)
        free(self.missing_rows)
        free(self.widened)
        free(self.shares)
        self.keys, self.rows, self.new_keys, self.missing = NULL, NULL, NULL, NULL
        self.missing_keys, self.missing_rows, self.widened, self.shares = NULL, NULL, NULL, NULL
        self.rows_room = 0

    cdef tuple _totals(self):
        return tuple([
            self.totals[<int>number] + self._correction(<int>number) for number in range(self.header.labels)
        ])

    cdef double _correction(self, Py_ssize_t number) noexcept nogil:
        """What the trust in its lessons took away from a label: log(share of the lessons / share of the trust)."""
        cdef Py_ssize_t other
        cdef double lessons = 0, trust = 0
        for other in range(<Py_ssize_t>self.header.labels):
            lessons += self.records[other].lessons + 1
            trust += self.records[other].trusted + 1
        return log_of((self.records[number].lessons + 1) / lessons) - log_of((self.records[number].trusted + 1) / trust)

    def witness_scores(self, Features features not None):
        """The scores of the four witnesses before the judge: (witnesses, labels)."""
        self.score(features)
        return self.heard()

    def heard(self):
        """The same for the message that was scored last, or learned last if its label was known: before it was learned."""
        cdef Py_ssize_t considered = self._considered()
        labels = range(self.header.labels)
        return tuple([
            tuple([self.scores[<int>witness * considered + <int>number] for number in labels])
            for witness in range(WITNESSES)
        ])

    def subtotals(self, Features features not None, str favoured not None, str against not None):
        """What words and letters have in the difference between the totals of two labels, in nats.

        Whoever has just scored these features has most of it done.
        """
        self._must_hold()
        cdef Py_ssize_t first = self._known(favoured), second = self._known(against), labels = self._considered()
        cdef Py_ssize_t witness
        cdef double* scores
        cdef double[2] parts
        if features is not self.scored:
            self.score(features)
        parts[0] = parts[1] = 0
        for witness in range(WITNESSES):
            scores = self.scores + witness * labels
            parts[witness // 2] += self.header.weights[witness] / self._scale(witness) * (scores[first] - scores[second])
        return parts[0], parts[1]

    cdef int _make_room(self, Py_ssize_t count) except -1 nogil:
        """Room for a message of so many features."""
        if count > self.rows_room:
            with gil:
                self._make_more_room(max(count, self.rows_room + self.rows_room // 2))
        return 0

    cdef int _make_more_room(self, Py_ssize_t count) except -1:
        cdef uint32_t* keys = <uint32_t*>realloc(self.keys, count * sizeof(uint32_t))
        if keys == NULL:
            raise MemoryError
        self.keys = keys
        cdef uint32_t* new_keys = <uint32_t*>realloc(self.new_keys, count * sizeof(uint32_t))
        if new_keys == NULL:
            raise MemoryError
        self.new_keys = new_keys
        cdef unsigned char** rows = <unsigned char**>realloc(self.rows, count * sizeof(unsigned char*))
        if rows == NULL:
            raise MemoryError
        self.rows = rows
        if self.foundation is not None:
            self._make_room_below(count)
        # Room for one more than can be kept: each is written before it is known whether it is.
        cdef Py_ssize_t each = 2 * sizeof(double) if self.capacity == 2 else sizeof(CountedRow) + sizeof(uint32_t)
        cdef double* shares = <double*>realloc(self.shares, (count + 1) * each)
        if shares == NULL:
            raise MemoryError
        self.shares = shares
        self.counted_rows = <CountedRow*>shares
        self.keeping = <uint32_t*>(self.counted_rows + count + 1)
        self.rows_room = count
        return 0

    cdef int _make_room_below(self, Py_ssize_t count) except -1:
        """Room for what is looked for in the foundation."""
        cdef void* missing = realloc(self.missing, (count + 1) * sizeof(Py_ssize_t))
        if missing == NULL:
            raise MemoryError
        self.missing = <Py_ssize_t*>missing
        cdef void* keys = realloc(self.missing_keys, (count + 1) * sizeof(uint32_t))
        if keys == NULL:
            raise MemoryError
        self.missing_keys = <uint32_t*>keys
        cdef void* rows = realloc(self.missing_rows, (count + 1) * sizeof(unsigned char*))
        if rows == NULL:
            raise MemoryError
        self.missing_rows = <unsigned char**>rows
        if self.foundation.capacity == self.capacity:
            return 0
        cdef void* widened = realloc(self.widened, count * self.table.row)
        if widened == NULL:
            raise MemoryError
        self.widened = <unsigned char*>widened
        return 0

    cdef int _find_rows(self, Features features) except -1 nogil:
        """The rows of the features that were learned, here or by the foundation, and the keys of the others."""
        cdef Py_ssize_t words = features.words, letters = features.letters
        cdef uint32_t* known = NULL
        cdef uint32_t* missing = NULL
        if self.table.index != NULL and self.header.foundation == 0:
            self._take_keys(features)
            # Whoever only asks need not know which keys have no row, and who teaches only if rows are shared which have one.
            if not self.buffer.readonly:
                known = self.keys if self.header.table.shared else NULL
                missing = self.new_keys
            self.heard_rows[0] = self.table.gather(self.keys, words, self.rows, known, missing)
            self.heard_rows[1] = self.table.gather(
                self.keys + words, letters, self.rows + words, NULL if known == NULL else known + words,
                NULL if missing == NULL else missing + words,
            )
            return 0
        self._find_every_row(features)
        self.heard_rows[0] = self._gather_known(0, words)
        self.heard_rows[1] = self._gather_known(words, letters)
        return 0

    cdef int _take_keys(self, Features features) except -1 nogil:
        """The keys of features; of a lesson that nobody has asked for more than its code, they are decoded now."""
        if features.data == NULL:
            with gil:
                unpack(features)
        self.table.keys_of(features, self.keys)
        return 0

    cdef Py_ssize_t _gather_known(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
        """Leave out the rows of features that were never learned; how many are left. Their keys are with the new ones."""
        cdef uint32_t* keys = self.keys + first
        cdef uint32_t* new_keys = self.new_keys + first
        cdef unsigned char** rows = self.rows + first
        cdef unsigned char* row
        cdef Py_ssize_t i, heard = 0
        if self.table.index == NULL:
            return count
        for i in range(count):
            row = rows[i]
            new_keys[i - heard] = keys[i]
            keys[heard] = keys[i]
            rows[heard] = row
            heard += row != self.nothing
        return heard

    cdef int _find_every_row(self, Features features) except -1 nogil:
        """Where the row of each feature is: in the table, in that of the foundation, or nowhere."""
        cdef Py_ssize_t count = features.words + features.letters
        self._take_keys(features)
        if self.header.foundation == 0:
            return self.table.find(self.keys, count, self.rows, self.nothing)
        self.table.find(self.keys, count, self.rows, NULL)
        return self._look_below(count)

    cdef int _look_below(self, Py_ssize_t count) except -1 nogil:
        """Rows that the foundation has for the features that have none here; rows of zeros where it has none either."""
        cdef Py_ssize_t i, missing = 0
        cdef unsigned char* row
        cdef unsigned char* widened
        for i in range(count):
            self.missing[missing] = i
            self.missing_keys[missing] = self.keys[i]
            missing += self.rows[i] == NULL
        self.foundation.table.find(self.missing_keys, missing, self.missing_rows, self.nothing)
        for i in range(missing):
            row = self.missing_rows[i]
            if self.foundation.capacity < self.capacity and row != self.nothing:
                widened = self.widened + i * self.table.row
                memset(widened, 0, self.table.row)
                spread(
                    <float*>widened, self.capacity,
                    <float*>row, self.foundation.capacity, self.foundation._considered(),
                )
                row = widened
            self.rows[self.missing[i]] = row
        return 0

    cdef void _hear(self, Features features, Py_ssize_t labels) noexcept nogil:
        """Fill in the scores of the witnesses and the totals of the judge."""
        cdef Py_ssize_t witness, number
        cdef double factor
        self._hear_view(0, self.rows, features.words, labels)
        self._hear_view(1, self.rows + features.words, features.letters, labels)
        for number in range(labels):
            self.totals[number] = self.records[number].bias
        for witness in range(WITNESSES):
            factor = self.header.weights[witness] / self._scale(witness)
            for number in range(labels):
                self.totals[number] += factor * self.scores[witness * labels + number]

    cdef double _scale(self, Py_ssize_t witness) noexcept nogil:
        """The root of the mean square difference between two labels, with a few lessons imagined."""
        cdef double scale = sqrt(
            (self.header.squares[witness] + IMAGINED_LESSONS * IMAGINED_SCALE * IMAGINED_SCALE)
            / (self.header.judged + IMAGINED_LESSONS)
        )
        cdef double youth = self._youth(self.header.labels), ahead
        # While complements are heard, the counts weigh more than the weights, which need more examples.
        if self.lead == 0:
            return scale if witness % 2 else scale / (1 + youth)
        ahead = self.lead * (max(self.header.labels, 2) - 2.0) * youth * youth
        # All four together weigh as much as without: else the first totals are too sure beside later ones.
        return scale * (2 + ahead) / (2 if witness % 2 else 2 * (1 + ahead))

    cdef void _hear_view(self, int view, unsigned char** rows, Py_ssize_t count, Py_ssize_t labels) noexcept nogil:
        """Both witnesses over one view of so many features; only those that were learned have rows, and say something."""
        cdef double* counted = self.scores + 2 * view * labels
        cdef double* weighed = counted + labels
        cdef Py_ssize_t number, kept
        cdef double mean = 0, root = sqrt(<double>count) if count else 1
        for number in range(labels):
            counted[number] = weighed[number] = 0
        self._invert_taught(view, labels)
        if self.capacity == 2:
            kept = self._hear_pairs(rows, self.heard_rows[view], counted, weighed)
        else:
            kept = self._hear_rows(rows, self.heard_rows[view], labels, counted, weighed)
        self.kept[view] = kept
        for number in range(labels):
            weighed[number] /= root
            mean += counted[number] / labels
        for number in range(labels):
            counted[number] = (counted[number] - mean) / max(kept + self.neutral, 1.0)
        if self._youth(labels) > 0:
            self._hear_complements(view, labels, counted)

    cdef Py_ssize_t _hear_rows(
        self, unsigned char** rows, Py_ssize_t count, Py_ssize_t labels, double* counted, double* weighed
    ) noexcept nogil:
        """Add up logarithms of shares and weights, for any number of labels; how many features are kept."""
        cdef Py_ssize_t i, number, kept = 0, known = 0, lanes = whole_lanes(labels), capacity = self.capacity
        cdef const double* inverse = self.inverse
        cdef double* sums = self.ratio
        cdef double strength = self.strength, part = self.strength / labels, least = self.band + 1.0 / labels
        cdef double largest = 0, factor, prior
        cdef CountedRow* counted_rows = self.counted_rows
        cdef uint32_t* keeping = self.keeping
        # Until two labels were taught there is nothing to compare.
        cdef bint compares = self.header.labels >= 2
        memset(sums, 0, lanes * sizeof(double))
        for i in range(count):
            ask_for_row(rows, i, count, self.table.row)
            hear_row(rows[i], capacity, lanes, inverse, sums, &counted_rows[known], &largest)
            prior = part * counted_rows[known].ratios
            # Infinite if the feature was never seen; then nothing of this is kept.
            factor = 1 / (counted_rows[known].ratios * (strength + counted_rows[known].seen))
            keeping[kept] = known
            kept += compares & (counted_rows[known].ratios > 0) & (
                (prior + counted_rows[known].seen * largest) * factor >= least
            )
            known += counted_rows[known].seen > 0
        for number in range(labels):
            weighed[number] = sums[number]
        self.rows_counted = known
        self._add_wide_logarithms(kept, labels, counted)
        return kept

    cdef void _add_wide_logarithms(self, Py_ssize_t kept, Py_ssize_t labels, double* counted) noexcept nogil:
        """Add up the logarithms of the shares of features that are kept; one logarithm is that of several shares."""
        cdef CountedRow[SHARES_A_LOGARITHM] some
        cdef double[SHARES_A_LOGARITHM] prior
        cdef double[SHARES_A_LOGARITHM] factor
        cdef double part = self.strength / labels
        cdef Py_ssize_t i, first, start, rows
        for first in range(0, kept, 16):
            rows = min(kept - first, <Py_ssize_t>SHARES_A_LOGARITHM)
            for i in range(rows):
                some[i] = self.counted_rows[self.keeping[first + i]]
                prior[i] = part * some[i].ratios
                factor[i] = 1 / (some[i].ratios * (self.strength + some[i].seen))
            for start in range(0, labels, 2):
                multiply_lanes(some, prior, factor, rows, start, self.inverse, self.product)
            self._take_logarithms(counted, labels)

    cdef double _youth(self, Py_ssize_t labels) noexcept nogil:
        """How far the counts score a label by what all others say of a feature: less and less, the more was learned."""
        cdef double youth
        if labels < 3 or self.exposures == NULL:
            return 0
        youth = 1 / (1 + self.header.lessons / (labels * YOUNG_LESSONS))
        return youth if youth >= LEAST_YOUTH else 0

    cdef void _hear_complements(self, int view, Py_ssize_t labels, double* counted) noexcept nogil:
        """Mix what all other labels say of each feature that `_hear_rows` saw into the scores of the counts."""
        cdef double[SHARES_A_LOGARITHM] factor
        cdef double* sums = self.gradient
        cdef double mean = 0, youth = self._youth(labels), exposure = self._exposure(view, labels)
        cdef Py_ssize_t i, number, first, start, rows, known = self.rows_counted
        for number in range(labels):
            sums[number] = 0
        for first in range(0, known, 16):
            rows = min(known - first, <Py_ssize_t>SHARES_A_LOGARITHM)
            for i in range(rows):
                factor[i] = 1 / (self.complement + self.counted_rows[first + i].seen)
            for start in range(0, labels, 2):
                multiply_complement_lanes(self.counted_rows + first, factor, rows, start, self.complement, self.product)
            self._take_logarithms(sums, labels)
        for number in range(labels):
            sums[number] = known * log_of(exposure - self.exposures[2 * number + view] + 1) - sums[number]
            mean += sums[number] / labels
        self.known[view] = known
        for number in range(labels):
            counted[number] = (1 - youth) * counted[number] + self._by_complement(view, labels) * (sums[number] - mean)

    cdef double _by_complement(self, int view, Py_ssize_t labels) noexcept nogil:
        """What the complements of each feature are multiplied by.

        Each of many labels is but a small part of what all others say, so that is multiplied by how many they are.
        """
        return self._youth(labels) * (2 if self.lead > 0 else 1) * (labels - 1) / max(self.known[view] + self.neutral, 1.0)

    cdef double _exposure(self, int view, Py_ssize_t labels) noexcept nogil:
        """How many features were counted for all labels, a whole number."""
        cdef double total = 0
        cdef Py_ssize_t number
        for number in range(labels):
            total += self.exposures[2 * number + view]
        return total

    cdef Py_ssize_t _hear_pairs(
        self, unsigned char** rows, Py_ssize_t count, double* counted, double* weighed
    ) noexcept nogil:
        """The same for tables with room for two labels, to the last bit."""
        cdef Py_ssize_t kept = hear_pairs(rows, count, self.inverse, self.strength, self.band, weighed, self.shares)
        # Until two labels were taught there is nothing to compare.
        if self.header.labels < 2:
            return 0
        self._add_logarithms(kept, counted)
        return kept

    cdef void _add_logarithms(self, Py_ssize_t kept, double* counted) noexcept nogil:
        """Add up the logarithms of pairs of shares; one logarithm of a product is that of several shares."""
        cdef Py_ssize_t i, start = 0, end
        cdef double first, second
        while start < kept:
            first = second = 1
            end = min(start + SHARES_A_LOGARITHM, kept)
            for i in range(start, end):
                first *= self.shares[2 * i]
                second *= self.shares[2 * i + 1]
            counted[0] += log_of(first)
            counted[1] += log_of(second)
            start = end

    cdef void _invert_taught(self, int view, Py_ssize_t labels) noexcept nogil:
        cdef Py_ssize_t number
        for number in range(labels):
            self.inverse[number] = 1 / self.records[number].taught[view] if self.records[number].taught[view] > 0 else 0
        for number in range(labels, min(whole_lanes(labels), self.capacity)):
            self.inverse[number] = 0

    cdef void _take_logarithms(self, double* sums, Py_ssize_t labels) noexcept nogil:
        cdef Py_ssize_t number
        for number in range(labels):
            sums[number] += log_of(self.product[number])

    def learn(self, str label not None, Features features not None):
        """Learn one lesson; the totals that it had before (its exam), for the labels known before."""
        return self.learn_many([label], [features])[0]

    def learn_many(self, labels not None, features not None):
        """Learn lessons one after the other, up to the first of a new label; the exams of those that were learned.

        Features may be given as their codes. All but a new label happens in one go without Python's lock, so that another
        thread can fetch what follows. A single lesson that was the last to be scored is not scored again.
        """
        self._must_hold()
        if self.buffer.readonly:
            raise ValueError("this committee is read-only")
        cdef Py_ssize_t known = self.header.labels, place
        cdef Bulk bulk = Bulk(features, known)
        cdef bint is_scored = len(bulk.features) == 1 and bulk.features[0] is self.scored
        cdef dict numbers = {}
        cdef double* exam
        cdef void* one = NULL
        self.scored = None
        for label, features_or_code in zip(labels, bulk.features):
            if label not in numbers:
                numbers[label] = self._number(label)
            bulk.add(features_or_code, numbers[label])
            if numbers[label] < 0:
                break
        with nogil:
            for place in range(bulk.count):
                exam = bulk.exams + place * known
                one = bulk.at(place)
                self._make_room((<Features>one).words + (<Features>one).letters)
                self._examine(<Features>one, exam, is_scored)
                if bulk.lessons[place].label >= 0:
                    self._teach(<Features>one, bulk.lessons[place].label, exam, known)
        if bulk.count and bulk.lessons[bulk.count - 1].label < 0:
            place = bulk.count - 1
            self._teach_first(<Features>one, labels[place], bulk.exams + place * known, known)
        return bulk.found()

    cdef int _examine(self, Features features, double* exam, bint is_scored) except -1 nogil:
        """Score a lesson before it is learned, unless it is scored; there must be room for it."""
        cdef Py_ssize_t number
        if not is_scored:
            self._find_rows(features)
            self._hear(features, self._considered())
        for number in range(<Py_ssize_t>self.header.labels):
            exam[number] = self.totals[number] + self._correction(number)
        # Which features have a row is only looked at where there might be too little room.
        if self.table.index != NULL and not self._has_rows_for(features.words + features.letters):
            if not self._has_rows_for(self._rows_missing(features)):
                with gil:
                    raise ValueError("this table has no room for another lesson")
        return 0

    cdef int _teach_first(self, Features features, str label, const double* exam, Py_ssize_t known) except -1:
        """Learn the first lesson of a label, which was examined."""
        cdef Py_ssize_t labels = self._considered(), number = self._add_label(label)
        # The second label was considered before it had a name, but not compared with the first.
        if labels != self._considered() or number == 1:
            self._hear(features, self._considered())
        self._teach(features, number, exam, known)
        return 0

    cdef int _teach(
        self, Features features, Py_ssize_t truth, const double* exam, Py_ssize_t known
    ) except -1 nogil:
        """Teach judge, counts and weights a lesson that was examined, when so many labels were known."""
        cdef Py_ssize_t labels = self._considered()
        cdef double belief = self._believe(exam, known, truth)
        self._teach_judge(truth, labels, belief)
        self._teach_view(0, 0, features.words, truth, labels, belief)
        self._teach_view(1, features.words, features.letters, truth, labels, belief)
        self.header.lessons += 1
        self.records[truth].lessons += 1
        self.header.check = self._head_check()
        return 0

    cdef uint64_t _rows_missing(self, Features features) noexcept nogil:
        """How many features have no row of the table; at most so many rows are added to it."""
        cdef Py_ssize_t i, owned = 0
        cdef size_t start = <size_t>self.table.rows + self.header.table.shared * self.table.row
        cdef size_t size = <size_t>self.table.end - start
        for i in range(self.heard_rows[0]):
            owned += <size_t>self.rows[i] - start < size
        for i in range(features.words, features.words + self.heard_rows[1]):
            owned += <size_t>self.rows[i] - start < size
        return features.words + features.letters - owned

    cdef double _doubt(self) noexcept nogil:
        """The lower 95% limit of how often a sure exam is contradicted, as if contradictions came at random."""
        cdef double contradicted = self.header.contradicted
        cdef double proven = max(contradicted - 1.645 * sqrt(contradicted), 0.0)
        cdef double doubt = min(proven / (self.header.sure + IMAGINED_SURE), MOST_DOUBT), age
        if self.lead == 0:
            return doubt
        # Whoever has seen few examples of many labels is contradicted because it is wrong.
        age = 1 - self._youth(self.header.labels)
        return doubt * age * age

    cdef double _believe(self, const double* exam, Py_ssize_t labels, Py_ssize_t truth) noexcept nogil:
        """The probability that the label of a lesson is right; its exam is counted for the doubt in later ones.

        1-ROCA% half/half with 5% of the labels wrong, without and with it, eight seeds: .341 and .175 on SpamAssassin,
        .217 and .146 on Enron-Spam, .315 and .093 on Ling-Spam, .575 and .353 on SMS. With right labels .0123 and .0123,
        .0772 and .0772, .0101 and .0101, .2892 and .2893 (docs/experiments.md).
        """
        cdef double best = -1e300, second = -1e300, total = 0, right, doubt = self._doubt(), one
        cdef Py_ssize_t number
        if labels < 2 or truth >= labels:
            return 1
        for number in range(labels):
            one = exam[number]
            if one > best:
                best, second = one, best
            elif one > second:
                second = one
        for number in range(labels):
            total += exp_of(exam[number] - best)
        right = exp_of(exam[truth] - best) / total
        if (best - second) * self.header.judged > SURE * self.header.confidence:
            self.header.sure += 1
            self.header.contradicted += exam[truth] < best
        self.header.confidence += best - second
        # Not 0 / 0 where the label was held to be impossible.
        if doubt == 0:
            return 1
        return (1 - doubt) * right / ((1 - doubt) * right + doubt * (1 - right) / (labels - 1))

    cdef void _teach_judge(self, Py_ssize_t truth, Py_ssize_t labels, double belief) noexcept nogil:
        cdef Py_ssize_t witness, number
        cdef double slope, mean, square, scale, rate, trust, step, first
        cdef double* scores
        self.header.trust = self.header.trust * self.judge_run if self.header.run == <uint64_t>truth + 1 else 1
        self.header.run = truth + 1
        if self.header.labels < 2:
            return
        trust = self.header.trust
        self.records[truth].trusted += trust
        rate = self.judge_rate * trust
        step = self.judge_bias * rate * (labels - 1) / labels
        first = labels if labels > 2 and self.lead > 0 else 1
        descend(self.totals, self.gradient, truth, labels)
        for number in range(labels):
            self.gradient[number] *= belief
        for witness in range(WITNESSES):
            scores = self.scores + witness * labels
            scale = self._scale(witness)
            slope = mean = square = 0
            for number in range(labels):
                slope += self.gradient[number] * scores[number]
                mean += scores[number] / labels
            for number in range(labels):
                square += (scores[number] - mean) * (scores[number] - mean)
            slope = max(min(slope / scale, 1.0), -1.0)
            self.header.slopes[witness] += trust * slope * slope
            slope /= sqrt(1 + self.header.slopes[witness])
            self.header.weights[witness] = max(self.header.weights[witness] - rate * slope, self.judge_floor)
            # 2 Σ (x - mean)² / (L - 1) is the mean of (x_i - x_j)² over all pairs of labels.
            self.header.squares[witness] += 2 * square / (labels - 1)
        for number in range(labels):
            slope = self.gradient[number]
            self.records[number].slopes += trust * slope * slope
            self.records[number].bias -= step * slope / sqrt(first + self.records[number].slopes)
        self.header.judged += 1

    cdef double _margin(self) noexcept nogil:
        """Below which log-odds the counts are taught: it grows with the number of lessons."""
        cdef double grown = (self.header.lessons - self.grows_from) / (self.grows_to - self.grows_from)
        cdef double margin = self.margin + min(max(grown, 0.0), 1.0) * (self.margin_grown - self.margin)
        # Complements that count twice are twice as far apart.
        return margin * (1 + self._youth(self.header.labels)) if self.lead > 0 else margin

    cdef int _teach_view(
        self, int view, Py_ssize_t first, Py_ssize_t count, Py_ssize_t truth, Py_ssize_t labels, double belief
    ) except -1 nogil:
        cdef double* counted = self.scores + 2 * view * labels
        cdef double best_other = -1e300
        cdef Py_ssize_t number
        for number in range(labels):
            if number != truth and counted[number] > best_other:
                best_other = counted[number]
        # Counts are whole: a label is counted if it is rather right than wrong.
        cdef bint taught = counted[truth] - best_other < self._margin() and belief >= 0.5
        cdef bint resting
        if taught:
            self.records[truth].taught[view] += 1
            if self.exposures != NULL:
                self.exposures[2 * truth + view] += count
        descend(counted + labels, self.gradient, truth, labels)
        for number in range(labels):
            self.gradient[number] *= max(belief, LEAST_STEP)
        resting = -self.gradient[truth] < self.rest
        if not taught and resting:
            return 0
        labels = 0 if resting else labels
        cdef Py_ssize_t heard = self.heard_rows[view], counts = truth if taught else -1
        cdef double square = self._begin_step(count, labels)
        if self.header.foundation != 0 or self.header.table.shared:
            self.table.claim(self.keys + first, heard, self.rows + first)
        self._teach_rows(self.rows + first, heard, counts, labels, square)
        if heard < count:
            self._teach_new_rows(self.new_keys + first, count - heard, self.rows + first, counts, labels, square)
        return 0

    cdef double _begin_step(self, Py_ssize_t count, Py_ssize_t labels) noexcept nogil:
        """Divide the gradient among so many features; its square, as each row adds it to the sum that its labels share."""
        cdef Py_ssize_t number
        cdef double share = (labels - 1.0) / labels if labels else 0, square = 0
        for number in range(labels):
            self.gradient[number] /= sqrt(<double>count)
            square += self.gradient[number] * self.gradient[number]
        for number in range(labels, whole_lanes(labels)):
            self.gradient[number] = 0
        return square * share

    cdef int _teach_new_rows(
        self, const uint32_t* keys, Py_ssize_t count, unsigned char** room, Py_ssize_t counted, Py_ssize_t labels,
        double square,
    ) except -1 nogil:
        """Make rows for features that have none, and teach them: one, and the others are the same.

        That saves a tenth of the time of a lesson in a table of 200, where a quarter of its features are new.
        """
        cdef uint64_t first = self.header.table.rows
        cdef unsigned char* row = self.table.rows + first * self.table.row
        cdef Py_ssize_t again = self.table.add(keys, count, room)
        self._teach_rows(&row, 1, counted, labels, square)
        self.table.fill_alike(first, self.header.table.rows)
        self._teach_rows(room, again, counted, labels, square)
        return 0

    cdef void _teach_rows(
        self, unsigned char** rows, Py_ssize_t count, Py_ssize_t counted, Py_ssize_t labels, double square
    ) noexcept nogil:
        """Count one label, unless it is -1, and take one AdaGrad step along `gradient` for the first `labels`."""
        cdef Py_ssize_t i, number, place
        # Of a row of many labels few words change: those of the weights that there are, and that of one count.
        cdef Py_ssize_t words = (4 * (1 + labels) + 7) // 8 if labels else 0
        cdef Py_ssize_t count_word = (4 * (1 + self.capacity) + 2 * counted) // 8 if counted >= 0 else -1
        cdef Py_ssize_t lanes = whole_lanes(labels)
        cdef bint is_short = self.table.row < BLOCK, has_checks = self.table.has_checks()
        cdef const double* gradient = self.gradient
        cdef double rate = self.rate
        cdef double share = (labels - 1.0) / labels if labels else 0, step
        cdef uint64_t before
        cdef float* row
        cdef uint16_t* counts
        if self.capacity == 2:
            teach_pairs(
                rows, count, counted, gradient, square, rate * share, self.damping, self.table.start,
                self.checks if has_checks else NULL, BLOCK_BITS, factor_of(0),
            )
            return
        for i in range(count):
            ask_for_row(rows, i, count, self.table.row)
            place = rows[i] - self.table.start
            before = 0
            if is_short and has_checks:
                before = check_of_changed(rows[i], words, count_word, (place & (BLOCK - 1)) >> 3)
            row = <float*>rows[i]
            counts = <uint16_t*>(row + 1 + self.capacity)
            if counted >= 0 and counts[counted] < MOST_COUNT:
                counts[counted] += 1
            if labels:
                step = adagrad_step(row, square, rate * share, self.damping)
                step_lanes(row + 1, lanes, gradient, step)
            if not has_checks:
                continue
            if is_short:
                self.checks[place >> BLOCK_BITS] += (
                    check_of_changed(rows[i], words, count_word, (place & (BLOCK - 1)) >> 3) - before
                )
                continue
            for number in range(self.table.row >> BLOCK_BITS):
                self.checks[(place >> BLOCK_BITS) + number] = check_of(
                    rows[i] + (number << BLOCK_BITS), WORDS_A_BLOCK, 0
                )

    def explain(self, Features features not None, str favoured not None, str against not None):
        """Each feature's part of the difference between the totals of two labels, in nats: words, letters, bias.

        Parts and bias add up to the difference, but for rounding.
        """
        self._must_hold()
        cdef Py_ssize_t first = self._known(favoured), second = self._known(against), labels = self._considered()
        self._hear_every_row(features)
        factors = [self.header.weights[<int>witness] / self._scale(<int>witness) for witness in range(WITNESSES)]
        words = self._parts(0, self.rows, features.words, first, second, labels, factors)
        letters = self._parts(1, self.rows + features.words, features.letters, first, second, labels, factors)
        bias = self.records[first].bias - self.records[second].bias
        return words, letters, bias + self._correction(first) - self._correction(second)

    cdef int _hear_every_row(self, Features features) except -1:
        """Score a message; then each of its features has its row, in their order, be it one of zeros."""
        self.score(features)
        self.scored = None
        self._find_every_row(features)
        return 0

    def parts(self, Features features not None, str favoured not None, str against not None, list factors not None):
        """Each feature's part of the difference between two labels, if another judge multiplies the scores by factors.

        A label that was never taught has the scores 0. That is only exact while fewer than two labels were taught, when
        the counts say nothing.
        """
        self._must_hold()
        self._hear_every_row(features)
        cdef Py_ssize_t first = self._number(favoured), second = self._number(against), labels = self._considered()
        return (
            self._parts(0, self.rows, features.words, first, second, labels, factors),
            self._parts(1, self.rows + features.words, features.letters, first, second, labels, factors),
        )

    cdef list _parts(
        self, int view, unsigned char** rows, Py_ssize_t count, Py_ssize_t first, Py_ssize_t second, Py_ssize_t labels,
        list factors,
    ):
        cdef double by_count = <double>factors[2 * view] / max(self.kept[view] + self.neutral, 1.0)
        cdef double by_weight = factors[2 * view + 1]
        cdef double part
        cdef double youth = self._youth(labels)
        cdef float* weights
        cdef uint16_t* counts
        cdef Py_ssize_t i, number
        self._invert_taught(view, labels)
        parts = []
        for i in range(count):
            weights = <float*>rows[i] + 1
            part = <double>weights[first] if first >= 0 else 0
            part -= <double>weights[second] if second >= 0 else 0
            part = by_weight * part / sqrt(<double>count)
            counts = <uint16_t*>(weights + self.capacity)
            for number in range(labels):
                self.product[number] = 1
            if first >= 0 and second >= 0 and self.header.labels >= 2 and multiply_shares(
                counts, self.inverse, self.ratio, self.product, labels, self.strength, self.band
            ):
                part += (1 - youth) * by_count * log_of(self.product[first] / self.product[second])
            if first >= 0 and second >= 0 and youth > 0:
                part += <double>factors[2 * view] * self._complement_part(view, counts, first, second, labels)
            parts.append(part)
        return parts

    cdef double _complement_part(
        self, int view, const uint16_t* counts, Py_ssize_t first, Py_ssize_t second, Py_ssize_t labels
    ) noexcept nogil:
        """What all other labels say of a feature for one label against another."""
        cdef double exposure = self._exposure(view, labels) + 1
        cdef Py_ssize_t number
        for number in range(labels):
            self.product[number] = 1
        if not multiply_complements(counts, self.product, labels, self.complement):
            return 0
        return self._by_complement(view, labels) * (
            log_of(self.product[second] / self.product[first])
            + log_of(exposure - self.exposures[2 * first + view])
            - log_of(exposure - self.exposures[2 * second + view])
        )

    def look(self, str view not None, uint32_t feature):
        """What is known of one short feature of a view: its counts and its weights, by label."""
        self._must_hold()
        if view not in ("words", "letters"):
            raise ValueError(f"the views are words and letters, got {view!r} instead")
        self._make_room(1)
        self.keys[0] = self.table.key_of(0 if view == "words" else 1, feature)
        self.table.find(self.keys, 1, self.rows, NULL)
        if self.rows[0] == NULL and self.header.foundation != 0:
            self._look_below(1)
        cdef float* row = <float*>(self.nothing if self.rows[0] == NULL else self.rows[0])
        cdef uint16_t* counts = <uint16_t*>(row + 1 + self.capacity)
        labels = range(self.header.labels)
        return tuple([counts[<int>number] for number in labels]), tuple([row[1 + <int>number] for number in labels])


@cython.no_gc
cdef class Glance(Committee):
    """A committee that leaves its dense table in a file (`FileRowTable`), for who asks only once; it cannot learn."""

    cdef int file
    cdef Py_ssize_t start           # where the state begins in the file

    def __init__(self, settings, int file, Py_ssize_t start):
        """Look at the state that begins at ``start``; the file must stay open, and locked while it is asked."""
        cdef Head header
        self.file = file
        self.start = start
        cdef bytes head = os.pread(file, sizeof(Head), start)
        if len(head) == sizeof(Head):
            memcpy(&header, <const char*>head, sizeof(Head))
            if is_possible(&header.table):
                head = os.pread(file, table_at(&header.table, label_bytes(settings)), start)
        Committee.__init__(self, settings, head)

    cdef int _take_table(self, uint64_t salt) except -1:
        cdef FileRowTable table = FileRowTable()
        if self.header.table.buckets:
            raise DamagedSnapshot("A glance is for dense tables, and this one is sparse.")
        table.take(&self.header.table, self.checks, NULL, salt)
        table.file = self.file
        table.place = self.start + table_at(&self.header.table, self.label)
        self.table = table
        return 0

    @staticmethod
    def is_fit(int file, Py_ssize_t start):
        """Whether the state that begins at ``start`` is dense, as far as its head says."""
        cdef Head header
        cdef bytes head = os.pread(file, sizeof(Head), start)
        if len(head) < sizeof(Head):
            return False
        memcpy(&header, <const char*>head, sizeof(Head))
        return header.table.buckets == 0 and header.foundation == 0

    cdef CommitteeBuffer _whole(self):
        return CommitteeBuffer(self.settings, os.pread(self.file, self._length(), self.start))

    cdef Py_ssize_t _length(self) except -1:
        return os.fstat(self.file).st_size - self.start
