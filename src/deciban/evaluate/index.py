r"""An index names labelled messages, one a line: ``label<TAB>path`` or, as TREC writes it, ``label path``.

Paths are relative to the index. Empty lines and further columns after a second tab are ignored.

>>> import tempfile, pathlib
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "1").write_bytes(b"Subject: hi\n")
>>> _ = (folder / "index").write_text("ham 1\nspam\t1\t2004-09-08\n")
>>> [(message.label, message.read()) for message in read_index(folder / "index")]
[('ham', b'Subject: hi\n'), ('spam', b'Subject: hi\n')]
"""

from __future__ import annotations

from pathlib import Path

from deciban.errors import BadIndex, NoSuchSource
from deciban.value import Value

SPAM = "spam"


class LabelledMessage(Value):
    """A message in a file of its own, and the label that it truly has."""

    __slots__ = ("label", "path")
    label: str
    path: Path

    def __init__(self, label: str, path: Path) -> None:
        self._set(label=label, path=path)

    @property
    def spam(self) -> bool:
        """Every other label is good mail."""
        return self.label == SPAM

    def read(self) -> bytes:
        """Its bytes, read anew each time: a corpus need not fit into memory."""
        return self.path.read_bytes()


def read_index(index: Path | str) -> list[LabelledMessage]:
    """The messages of an index in its order; a line that cannot be followed is refused before the first."""
    index = Path(index)
    try:
        lines = index.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError as reason:
        raise NoSuchSource(f"{index} cannot be read: {reason.strerror}.") from None
    messages = [_message(index, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not messages:
        raise BadIndex(f"{index} names no message. Each line must be: label, tab, path.")
    return messages


def _message(index: Path, number: int, line: str) -> LabelledMessage:
    label, _, rest = line.partition("\t") if "\t" in line else line.strip().partition(" ")
    name = rest.split("\t")[0].strip()
    if not label.strip() or not name:
        raise BadIndex(f"{index}, line {number}: {line[:60]!r} is not a label, a tab and a path.")
    path = index.parent / name
    if not path.is_file():
        raise BadIndex(f"{index}, line {number}: there is no file {name}. Paths are relative to the index.")
    return LabelledMessage(label.strip(), path)
