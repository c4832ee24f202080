r"""An index names labelled messages, one a line: ``label<TAB>path`` or, as TREC writes it, ``label path``.

Paths are relative to the index. Empty lines and further columns are ignored. Labels are compared without case
and outer space.

>>> import tempfile, pathlib
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "1").write_bytes(b"Subject: hi\n")
>>> _ = (folder / "index").write_text("ham 1\nspam\t1\t2004-09-08\n")
>>> [(message.label, message.read()) for message in read_index(folder / "index")]
[('ham', b'Subject: hi\n'), ('spam', b'Subject: hi\n')]

The corpora of TREC come with three indices, ``full/index``, ``delay/index`` and ``partial/index``, over the
same messages. In them (that is, in lines with a space) the case of ``ham`` and ``spam`` says what the filter
is told:

    spam ../data/inmail.1       classified, and its label is told right afterwards
    Spam ../data/inmail.2       classified, but its label is not told
    SPAM ../data/inmail.2       now the label is told of a message that was classified before
    unknown ../data/inmail.3    nobody knows what it is, so it is passed over

>>> _ = (folder / "index").write_text("spam 1\nHam 1 someone news\nHAM 1\n")
>>> [(step.message.label, step.asked, step.told) for step in read_steps(folder / "index")]
[('spam', True, True), ('ham', True, False), ('ham', False, True)]
"""

from __future__ import annotations

from pathlib import Path

from deciban.committee.label import label_of, spellings
from deciban.decibans import SPAM
from deciban.errors import BadIndex, BadLabel, NoSuchSource
from deciban.ledger.lesson import INCOMING
from deciban.value import Value

# How TREC writes what is asked and what is told: (label, asked, told).
TREC_WORDS = {
    word: (label, asked, told)
    for label in ("ham", SPAM)
    for word, asked, told in (
        (label, True, True),
        (label.capitalize(), True, False),
        (label.upper(), False, True),
    )
}
TREC_UNKNOWN = "unknown"


class LabelledMessage(Value):
    """A message in a file of its own, and the label that it truly has."""

    label: str
    path: Path

    @property
    def spam(self) -> bool:
        """Every other label is good mail."""
        return self.label == SPAM

    def read(self) -> bytes:
        """Its bytes, read anew each time: a corpus need not fit into memory."""
        return self.path.read_bytes()


class StreamStep(Value):
    """What happens to a message at one moment: it is classified, or its label is told, or both in turn."""

    message: LabelledMessage
    asked: bool = True
    told: bool = True
    origin: str = INCOMING
    """How the message came here (ledger/lesson.py); `share` is the share of such mail that is taught."""
    share: float = 1.0


def read_index(index: Path | str) -> list[LabelledMessage]:
    """The messages of an index in its order, one for each line that says to classify it."""
    return [step.message for step in read_steps(index) if step.asked]


def read_steps(index: Path | str) -> list[StreamStep]:
    """The steps that an index describes; if a line makes no sense, it is refused before any step is taken."""
    index = Path(index)
    try:
        lines = index.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError as reason:
        raise NoSuchSource(f"{index} cannot be read: {reason.strerror}.") from None
    steps = [_step(index, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    known = [step for step in steps if step is not None]
    if not any(step.asked for step in known):
        raise BadIndex(f"{index} names no message. Each line must be: label, tab, path.")
    spelled = spellings(step.message.label for step in known)
    return [step.replaced(message=step.message.replaced(label=spelled[step.message.label])) for step in known]


def _step(index: Path, number: int, line: str) -> StreamStep | None:
    """One line; None where TREC does not know the label."""
    by_tab = "\t" in line
    word, _, rest = line.partition("\t") if by_tab else line.strip().partition(" ")
    word, name = word.strip(), rest.split("\t")[0].strip()
    if not word or not name:
        raise BadIndex(f"{index}, line {number}: {line[:60]!r} is not a label, a tab and a path.")
    if word == TREC_UNKNOWN and not by_tab:
        return None
    label, asked, told = (word, True, True) if by_tab else TREC_WORDS.get(word, (word, True, True))
    try:
        label = label_of(label)
    except BadLabel as error:
        raise BadIndex(f"{index}, line {number}: {error}") from None
    # Behind a space the path may itself have spaces, or columns for user and genre behind it.
    candidates = (name,) if by_tab else (name, name.split()[0])
    for candidate in candidates:
        if (index.parent / candidate).is_file():
            return StreamStep(LabelledMessage(label, index.parent / candidate), asked=asked, told=told)
    raise BadIndex(f"{index}, line {number}: there is no file {name}. Paths are relative to the index.")
