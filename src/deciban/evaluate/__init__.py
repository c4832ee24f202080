"""The yardstick: any filter over any labelled mail, one message at a time, beside its peers.

    messages = read_index("corpus/index.tsv")                     # label<TAB>path, one a line
    with Bogofilter() as subject:
        trial = online(subject, shuffled(messages, seed=1))       # classify each message, then learn it
    print(Figures.of(trial))

A *subject* is whatever classifies and learns (`subject.py`): deciban's committee in this process, and peers
as programs of their own. All of them are driven by the same code, so that their figures can be compared.
`Assessment` gathers everything that can be told of a trial, `report` draws it. docs/evaluation.md says how
and why.
"""

from typing import TYPE_CHECKING, Any

from deciban.evaluate.assessment import Assessment
from deciban.evaluate.deciban_committee import DecibanCommittee
from deciban.evaluate.figures import Figures
from deciban.evaluate.index import LabelledMessage, StreamStep, read_index, read_steps
from deciban.evaluate.label_figures import LabelFigures
from deciban.evaluate.orders import halves, shuffled
from deciban.evaluate.peers import (
    PEERS,
    Bogofilter,
    CommandPeer,
    SpamAssassin,
    VowpalWabbit,
    installed_peers,
)
from deciban.evaluate.promise import KeptPromise
from deciban.evaluate.subject import Opinion, Subject, TaughtMessage
from deciban.evaluate.trial import Trial, cross_validated, follow, online, split_in_half

if TYPE_CHECKING:
    from deciban.evaluate.cross_validation import CrossValidation, cross_validate

__all__ = [
    "PEERS",
    "Assessment",
    "Bogofilter",
    "CommandPeer",
    "CrossValidation",
    "DecibanCommittee",
    "Figures",
    "KeptPromise",
    "LabelFigures",
    "LabelledMessage",
    "Opinion",
    "SpamAssassin",
    "StreamStep",
    "Subject",
    "TaughtMessage",
    "Trial",
    "VowpalWabbit",
    "cross_validate",
    "cross_validated",
    "follow",
    "halves",
    "installed_peers",
    "online",
    "read_index",
    "read_steps",
    "shuffled",
    "split_in_half",
]


def __getattr__(name: str) -> Any:
    """Cross-validation of estimators needs scikit-learn, which measuring a filter does not."""
    if name in ("CrossValidation", "cross_validate"):
        from deciban.evaluate import cross_validation

        return getattr(cross_validation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
