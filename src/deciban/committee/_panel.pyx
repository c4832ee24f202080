"""Two judges over two committees: one rests on a foundation and goes on learning, the other began with nothing.

A foundation is foreign experience: priceless where it fits, harmful where it does not, and nobody knows before.
So every lesson is learned twice, by a *resting* committee, which began with the state of the foundation, and by an
*own* one, which began empty. Two judges hear them:

    panel judge   all eight witnesses. It is the judge of a committee (_committee.pyx: same scales, steps, trust, doubt),
                  but begins with the weights .7 for those that rest on the foundation and .3 for the own ones
    own judge     the four own witnesses: what the filter would say if there were no foundation at all

Each exam costs a judge -log p(true label). Both are believed in proportion to exp(-patience · what they lost so far), and
the total of a label is the logarithm of its mean probability:

    total(label) = log( b · p_panel(label) + (1 - b) · p_own(label) ),   b = 1 / (1 + exp(patience · (loss_panel - loss_own)))

A foundation that is wrong has lost the argument after a few lessons, whatever it says. 1-ROCA% over the first 300
messages in parts of that of a filter that begins empty, over all 90 ordered pairs of ten corpora: docs/experiments.md.

Totals of two labels differ by something between what the two judges say, since a mean of probabilities has odds between
theirs. So the difference is `share` times the panel judge's plus (1 - share) times the own judge's, exactly, and an
explanation is the same mean of theirs.

Labels are those of the resting committee, in its order. Until the owner taught two labels, all of them are considered;
afterwards only the owner's: who files mail under *work* and *family* does not want a foundation's *spam* and *ham*.

The state of the panel is 32 numbers (see the places below) and four more for each label that there is room for, all of them
float64 and zeros at first. Whoever stores them checks them.

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
([-0.4, -1.1], 0.5)
>>> for _ in range(20):
...     _ = panel.learn("ham", money), panel.learn("spam", lunch)
>>> panel.labels, [round(total, 1) for total in panel.score(money)], round(panel.belief, 2)
(('spam', 'ham'), [-4.3, -0.0], 0.16)
"""

from libc.math cimport sqrt

from deciban._descent cimport descend
from deciban._exponentials cimport exp_of, log_of

from array import array

from deciban.committee.label import united

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
cdef double[2] FIRST_WEIGHTS = [0.7, 0.3]
# … the least weight, …
cdef double LEAST_WEIGHT = 0.2
# … its steps, in parts of `judge_rate`: eight weights learn in smaller steps than four, …
cdef double STEP = 0.25
# … and how much a loss counts: at 1, luck in the first ten exams decides too much.
cdef double PATIENCE = 0.25


cdef list log_probabilities(list totals):
    """The logarithm of the softmax."""
    cdef double most = max(totals), total = 0, one
    for one in totals:
        total += exp_of(one - most)
    total = most + log_of(total)
    return [one - total for one in totals]


cdef class Panel:
    """What two committees and two judges make of a message."""

    cdef readonly object resting
    cdef readonly object own
    cdef double[::1] numbers
    cdef double rate, bias_rate, run

    def __init__(self, settings, resting, own, numbers):
        """Judge two committees; the numbers are zeros, or those of a panel that taught just these states."""
        self.resting = resting
        self.own = own
        self.numbers = numbers
        self.rate = STEP * settings.judge_rate
        self.bias_rate = settings.judge_bias * self.rate
        self.run = settings.judge_run

    @staticmethod
    def fresh(Py_ssize_t capacity):
        """The numbers of a panel that has learned nothing, with room for so many labels."""
        return array("d", bytes(8 * (HEAD + RECORD * capacity)))

    @property
    def labels(self):
        """The labels that totals are given for."""
        return tuple([label for label in self.resting.labels if self._is_considered(label)])

    cdef bint _is_considered(self, str label):
        cdef tuple own = self.own.labels
        return len(own) < 2 or label in own

    @property
    def belief(self):
        """How far the panel judge, and with it the foundation, is believed: 1 is all, 0 nothing."""
        return self._belief()

    cdef double _belief(self) noexcept:
        return 1 / (1 + exp_of(PATIENCE * (self.numbers[LOSSES] - self.numbers[LOSSES + 1])))

    @property
    def judge_weights(self):
        """What the panel judge makes of its eight witnesses."""
        return tuple([self._weight(witness) for witness in range(WITNESSES)])

    cdef double _weight(self, Py_ssize_t witness):
        return FIRST_WEIGHTS[witness // HEARD] + self.numbers[LEARNED + witness]

    cdef double _scale(self, Py_ssize_t witness):
        return sqrt(
            (self.numbers[SQUARES + witness] + IMAGINED_LESSONS * IMAGINED_SCALE * IMAGINED_SCALE)
            / (self.numbers[JUDGED] + IMAGINED_LESSONS)
        )

    def score(self, features not None):
        """The total of each label, in nats: the logarithm of its probability."""
        labels = self.labels
        return self._mixed(self._opinions(self._hear(features, labels), features, labels))

    def totals_of(self, features not None):
        """The same by label; those of several spellings as one."""
        return united(dict(zip(self.labels, self.score(features))))

    cdef list _hear(self, features, tuple labels):
        """The scores of the eight witnesses, by label; 0 where a committee does not know the label."""
        cdef list heard = []
        for committee in (self.resting, self.own):
            known = {label: number for number, label in enumerate(committee.labels)}
            for scores in committee.witness_scores(features):
                heard.append([scores[known[label]] if label in known else 0.0 for label in labels])
        return heard

    cdef list _totals(self, list heard, tuple labels):
        """What the panel judge makes of what it heard, before it is corrected for its trust."""
        cdef list numbers = [self.resting.labels.index(label) for label in labels]
        cdef list totals = [self.numbers[HEAD + RECORD * <Py_ssize_t>number + BIAS] for number in numbers]
        cdef Py_ssize_t witness, place
        cdef double factor
        for witness in range(WITNESSES):
            factor = self._weight(witness) / self._scale(witness)
            for place in range(len(labels)):
                totals[place] += factor * <double>heard[witness][place]
        return totals

    cdef list _opinions(self, list heard, features, tuple labels):
        """The logarithms of the probabilities that each judge gives the labels: the panel judge, then the own one."""
        cdef list totals = self._totals(heard, labels), own
        cdef Py_ssize_t place
        for place in range(len(labels)):
            totals[place] += self._correction(labels[place], labels)
        # Until the own committee knows two labels, it does not know anything.
        own = list(self.own.score(features)) if len(self.own.labels) > 1 else [0.0] * len(labels)
        if len(self.own.labels) > 1:
            own = [own[self.own.labels.index(label)] for label in labels]
        return [log_probabilities(totals), log_probabilities(own)]

    cdef double _correction(self, str label, tuple labels):
        """What the trust in its lessons took away from a label: log(share of the lessons / share of the trust)."""
        cdef double lessons = 0, trusted = 0
        cdef Py_ssize_t record
        for one in labels:
            record = self._record(one)
            lessons += self.numbers[record + LESSONS] + 1
            trusted += self.numbers[record + TRUSTED] + 1
        record = self._record(label)
        return log_of((self.numbers[record + LESSONS] + 1) / lessons) - log_of(
            (self.numbers[record + TRUSTED] + 1) / trusted
        )

    cdef Py_ssize_t _record(self, label) except -1:
        return HEAD + RECORD * <Py_ssize_t>self.resting.labels.index(label)

    cdef tuple _mixed(self, list opinions):
        """The logarithm of the mean probability of each label."""
        cdef double belief = self._belief(), first, second, most
        cdef list totals = []
        for first, second in zip(*opinions):
            most = max(first, second)
            totals.append(most + log_of(belief * exp_of(first - most) + (1 - belief) * exp_of(second - most)))
        return tuple(totals)

    def learn(self, str label not None, features not None):
        """Learn one lesson; the totals that it had before (its exam), for the labels considered before."""
        labels = self.labels
        cdef list heard = self._hear(features, labels), opinions = self._opinions(heard, features, labels)
        cdef tuple exam = self._mixed(opinions)
        cdef double belief = self._believe(exam, labels.index(label)) if label in labels else 1
        if label in labels:
            for judge in range(2):
                self.numbers[LOSSES + <Py_ssize_t>judge] -= <double>opinions[judge][labels.index(label)]
        else:
            heard = [[*scores, 0.0] for scores in heard]
        self.resting.learn(label, features)
        self.own.learn(label, features)
        self._teach(heard, labels if label in labels else (*labels, label), label, belief)
        return exam

    cdef double _believe(self, tuple exam, Py_ssize_t truth):
        """The probability that the label of a lesson is right, by the doubt of the own committee (_committee.pyx)."""
        cdef double doubt = self.own.doubt, right = exp_of(exam[truth])
        if doubt == 0:
            return 1
        return (1 - doubt) * right / ((1 - doubt) * right + doubt * (1 - right) / max(len(exam) - 1, 1))

    cdef int _teach(self, list heard, tuple labels, str label, double belief) except -1:
        """One AdaGrad step of the panel judge, as a committee's judge takes it."""
        cdef Py_ssize_t truth = labels.index(label), record = self._record(label), count = len(labels), witness, place
        cdef double[:] gradient = array("d", self._totals(heard, labels))
        cdef double trust, slope, mean, square, weight
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
            heard[witness] = 2 * square / max(count - 1, 1)
        for witness in range(WITNESSES):
            self.numbers[SQUARES + witness] += <double>heard[witness]
        for place in range(count):
            record = self._record(labels[place])
            slope = belief * gradient[place]
            self.numbers[record + BIAS_SLOPES] += trust * slope * slope
            self.numbers[record + BIAS] -= (
                self.bias_rate * trust * (count - 1) / count * slope / sqrt(1 + self.numbers[record + BIAS_SLOPES])
            )
        self.numbers[JUDGED] += 1
        return 0
