"""One tree of errors: each class is named after a situation, each message says what to do.

    DecibanError
    ├── MissingExtra            a feature needs packages that the core install does not bring
    ├── NotBuilt                the compiled part is missing
    ├── DifferentFamilies       tallies of different families cannot be added
    ├── OutsideSupport          a value that the family gives no probability
    ├── CannotForget            more would be taken away than was learned
    ├── TooLarge                a count beyond what whole numbers can hold exactly
    ├── NoSuchFeature           a name or position that the tally or table does not have
    ├── NoMode                  the posterior has no mode inside its domain (rule="map")
    ├── NotEnoughValues         the rule cannot be read from so few values
    ├── BadPrior                a prior that cannot be imagined for this family
    ├── UnsuitableTally         a score that this kind of tally cannot give
    ├── UnreadableModel         a file that is no saved model, or of a newer version
    ├── UnreadableTable         a file that cannot be read as CSV or Parquet
    ├── NoSuchSource            a file, folder or message id that is not there
    ├── DamagedSource           a packed file or an archive that cannot be read any further
    │   └── UnpacksTooMuch      … because it is made to fill the memory or the disk
    ├── BadIndex                an index of labelled messages with a line that cannot be followed
    ├── PeerMissing             a filter to compare with that is not installed
    ├── PeerFailed              a filter to compare with that stopped or said nothing sensible
    ├── WrongUsage              a command line that the command cannot follow
    ├── BadSetting              a parameter with a value that cannot be meant
    ├── NoLabels                a classifier was given rows of which none has a label
    ├── FilterError             the filter cannot do what was asked of it
    │   ├── BadLabel            a label that cannot be one
    │   ├── NoSuchLabel         a label that was never taught
    │   ├── TooManyLabels       more labels than a filter has room for
    │   ├── DamagedLedger       a ledger that is none, or cannot be read
    │   ├── DamagedSnapshot     a snapshot that does not fit its ledger; it is made again
    │   ├── NewerFormat         a ledger that a newer version wrote
    │   ├── OlderFormat         a ledger that an early version wrote, and that is of no use any more
    │   ├── SharedFilterChanged a shared filter that is gone, or another than the one that was pinned
    │   ├── FoldedLesson        a lesson that was folded and cannot be taken back
    │   ├── CannotWrite         a read-only file, a ledger opened to read, or …
    │   │   └── DiskFull        … one on a full disk
    │   ├── LedgerBusy          another process held the ledger for too long
    │   ├── DamagedStore        a registry of spaces or a journal that is none, or cannot be read
    │   └── NoSuchEntry         an entry of the journal that is not there, or cannot be taught from any more
    ├── SpaceError              a space cannot be what was asked of it
    │   ├── BadSpaceName        a name that no space can have
    │   ├── NoSuchSpace         a name that no space has
    │   ├── SpaceExists         a name that another space has
    │   └── OverQuota           a space has as many lessons or bytes as it may have
    ├── KeyRefused              a key that does not open what it is held against
    │   ├── UnknownKey          … because it is none, was revoked, or has expired
    │   └── NotAllowed          … because it has not the right, or is for another space
    ├── ServerError             the server cannot do what was asked of it
    │   ├── ServerFault         … because of something unforeseen in itself
    │   ├── NotReady            … now, but in a moment
    │   ├── BadRequest          a request that cannot be followed
    │   │   ├── NoSuchPage      … because there is nothing at its address
    │   │   ├── WrongMethod     … because the address does not take its method
    │   │   └── UnknownContent  … because of the kind of its content
    │   ├── TooMuch             a request beyond a limit of size
    │   ├── TooOften            more requests than a key may send in a second
    │   ├── TooSlow             a request that arrives too slowly
    │   ├── Misdirected         a request for a host that this server is not, or from a foreign page
    │   └── ServerUnreachable   no server answers at the address
    ├── EngineError             work that was given to many cannot be finished
    │   ├── PartitionFailed     a piece of the data that cannot be read or tallied
    │   ├── WorkerDied          a process that did the work is gone
    │   └── ClusterUnreachable  no scheduler answers at the address
    ├── BadDialogue             a client that speaks a door's protocol wrongly
    ├── NotTexts                something else where texts were expected
    └── NoWordsLeft             texts without a single word, or limits that leave none

    DecibanWarning
    ├── ImpossibleRows          rows that no label can explain were given the label prior
    └── StillClimbing           EM was stopped before it came to a peak

Errors that scikit-learn's contract expects to be ``ValueError`` are that too, so ``except
ValueError`` keeps working around an estimator.
"""


class DecibanError(Exception):
    """Anything that deciban itself refuses; on a terminal it is shown as one line."""


class MissingExtra(DecibanError, ImportError):
    """A feature needs packages that the core install does not bring."""


class NotBuilt(DecibanError, ImportError):
    """The compiled part of deciban is missing."""


class DifferentFamilies(DecibanError, ValueError):
    """Tallies of different families were added or subtracted."""


class OutsideSupport(DecibanError, ValueError):
    """A value that the family gives no probability."""


class CannotForget(DecibanError, ValueError):
    """More would be taken away from a tally than was added to it."""


class TooLarge(DecibanError, OverflowError):
    """A count has grown beyond what whole numbers can hold exactly."""


class NoSuchFeature(DecibanError, KeyError, ValueError):
    """A feature name or position that is not there."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0]) if self.args else ""


class NoMode(DecibanError, ValueError):
    """The posterior has its mode on the boundary, so ``rule="map"`` has no answer."""


class NotEnoughValues(DecibanError, ValueError):
    """The rule cannot be read from so few values."""


class BadPrior(DecibanError, ValueError):
    """A prior that cannot be imagined for this family."""


class UnsuitableTally(DecibanError, ValueError):
    """A score that this kind of tally cannot give."""


class UnreadableModel(DecibanError, ValueError):
    """A file that is no saved model, is damaged, or has a newer format."""


class UnreadableTable(DecibanError, ValueError):
    """A file that cannot be read as a table: no CSV, no Parquet, or two columns of one name."""


class NoSuchSource(DecibanError, FileNotFoundError):
    """A file, folder or message id that is not there."""


class DamagedSource(DecibanError, ValueError):
    """A packed file or an archive that cannot be read any further, or must not be."""


class UnpacksTooMuch(DamagedSource):
    """A packed file or an archive that unpacks to so much that it must be a bomb."""


class BadIndex(DecibanError, ValueError):
    """An index of labelled messages has a line that cannot be followed."""


class PeerMissing(DecibanError):
    """A filter to compare with is not installed."""


class PeerFailed(DecibanError):
    """A filter to compare with stopped, or answered with nothing sensible."""


class WrongUsage(DecibanError, ValueError):
    """A command line that the command cannot follow."""


class BadSetting(DecibanError, ValueError):
    """A parameter has a value that cannot be meant."""


class NoLabels(DecibanError, ValueError):
    """A classifier was given rows of which none has a label."""


class FilterError(DecibanError):
    """The filter cannot do what was asked of it."""


class BadLabel(FilterError, ValueError):
    """A label that cannot be one: empty, too long, or with a NUL."""


class NoSuchLabel(FilterError, ValueError):
    """A label that was never taught."""


class TooManyLabels(FilterError, ValueError):
    """More labels than a filter has room for."""


class DamagedLedger(FilterError, ValueError):
    """A file that is no ledger, or one that cannot be read any more."""


class DamagedSnapshot(FilterError, ValueError):
    """A snapshot that does not fit its ledger or its settings; it can be made again from the ledger."""


class NewerFormat(FilterError, ValueError):
    """A ledger that a newer version of deciban wrote."""


class OlderFormat(FilterError, ValueError):
    """A ledger that an early version of deciban wrote, in a format that is not read any more."""


class SharedFilterChanged(FilterError):
    """The shared filter that this one rests on is gone, or is not the version that was pinned."""


class FoldedLesson(FilterError, ValueError):
    """A lesson was folded into the foundation and cannot be taken back one by one."""


class CannotWrite(FilterError, OSError):
    """The ledger cannot be written: the disk is full, the file read-only, or it was opened to read."""


class DiskFull(CannotWrite):
    """There is no room on the disk of the ledger."""


class LedgerBusy(FilterError, OSError):
    """Another process held the ledger for too long."""


class DamagedStore(FilterError, ValueError):
    """A registry of spaces or a journal that is none, or that cannot be read any more."""


class NoSuchEntry(FilterError, ValueError):
    """An entry of the journal that is not there, or that cannot be taught from any more."""


class SpaceError(DecibanError):
    """A space cannot be what was asked of it."""


class BadSpaceName(SpaceError, ValueError):
    """A name that no space can have: empty, too long, or with control characters."""


class NoSuchSpace(SpaceError, LookupError):
    """A name that no space has."""


class SpaceExists(SpaceError, ValueError):
    """A name that another space has, perhaps in another spelling."""


class OverQuota(SpaceError, ValueError):
    """A space has as many lessons or bytes as it may have."""


class KeyRefused(DecibanError):
    """A key does not open what it is held against."""


class UnknownKey(KeyRefused, ValueError):
    """A key that is none, was revoked, or has expired."""


class NotAllowed(KeyRefused, PermissionError):
    """A key without the right to an operation, or for another space."""


class ServerError(DecibanError):
    """The server cannot do what was asked of it."""


class ServerFault(ServerError, RuntimeError):
    """Something unforeseen happened inside the server; its log says more."""


class NotReady(ServerError):
    """The server cannot answer now, but will in a moment: try again."""


class BadRequest(ServerError, ValueError):
    """A request that cannot be followed, such as a body that is no JSON."""


class NoSuchPage(BadRequest):
    """A request for an address at which there is nothing."""


class WrongMethod(BadRequest):
    """A request with a method that its address does not take."""


class UnknownContent(BadRequest):
    """A request whose content is of a kind that is not known there."""


class TooMuch(ServerError, ValueError):
    """A request beyond a limit of its size."""


class TooOften(ServerError):
    """More requests than a key may send in a second."""


class TooSlow(ServerError):
    """A request that arrives too slowly."""


class Misdirected(ServerError):
    """A request for a host that this server is not, or from a web page that may not ask it."""


class ServerUnreachable(ServerError, ConnectionError):
    """No server answers at the address, or it stopped in the middle of its answer."""


class EngineError(DecibanError):
    """Work that was given to many processes cannot be finished."""


class PartitionFailed(EngineError, ValueError):
    """A piece of the data cannot be read, or its family refuses it."""


class WorkerDied(EngineError, RuntimeError):
    """A process that did a part of the work was killed, or died."""


class ClusterUnreachable(EngineError, ConnectionError):
    """No scheduler of a cluster answers at the address given."""


class BadDialogue(DecibanError, ValueError):
    """A client of a door said something that its protocol does not know, or more than it may."""

    refusal = b""
    """What the protocol has for an answer, if anything."""


class NotTexts(DecibanError, ValueError, TypeError):
    """Something else was given where texts (str, or bytes in UTF-8) were expected."""


class NoWordsLeft(DecibanError, ValueError):
    """No feature can be named: the texts have no words, or the limits leave none."""


class DecibanWarning(UserWarning):
    """Anything that deciban warns about."""


class ImpossibleRows(DecibanWarning):
    """Rows that no label can explain were given the label prior."""


class StillClimbing(DecibanWarning):
    """EM ran out of steps, or was interrupted, while its objective was still rising."""
