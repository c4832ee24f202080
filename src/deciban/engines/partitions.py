"""Partitions: pieces of a data set that can be read where they are worked on.

A partition has a name, for errors, and `rows()`, which reads it: a table of rows, and their labels. Anything
with those two will do. What travels to a worker is the partition itself, so one that names a file costs
nothing to send; the worker reads the file.

>>> Rows([[1, 0], [0, 2]], ["spam", "ham"]).rows()[1]
['spam', 'ham']
"""

from __future__ import annotations

import os

from deciban.errors import NoSuchSource, UnreadableTable
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol

    class Partition(Protocol):
        """A piece of a data set."""

        @property
        def name(self) -> str:
            """What an error calls it."""

        def rows(self) -> tuple[Any, Any]:
            """Its rows, as a family takes them, and the label of each."""
else:
    Partition = object

# Documents of one partition: enough that adding up its tally costs nothing beside reading them, few enough
# that the last worker is not waited for long.
DOCUMENTS = 500
# Hashed columns: a tally of two labels is then 4 MB, and of Twenty Newsgroups' 130,000 words one in four
# shares its column with another.
COLUMNS = 2**18


class Rows:
    """Rows in memory: an array, a sparse matrix or a frame. They are sent to the worker."""

    def __init__(self, X: Any, y: Any, name: str = "rows in memory") -> None:
        self.X, self.y, self.name = X, y, name

    def rows(self) -> tuple[Any, Any]:
        """They are here already."""
        return self.X, self.y


class TableFile(Value):
    """A CSV or Parquet file, one of whose columns is the label."""

    path: str
    label: str
    drop: tuple[str, ...]
    """Columns to leave out."""
    texts: tuple[str, ...]
    """Columns to be read as texts, whatever they look like in this file: those of Categorical."""

    def __init__(self, path: str, label: str, drop: Sequence[str] = (), texts: Sequence[str] = ()) -> None:
        self._set(path=os.fspath(path), label=label, drop=tuple(drop), texts=tuple(texts))

    @property
    def name(self) -> str:
        """Its path."""
        return self.path

    def rows(self) -> tuple[Any, Any]:
        """All columns but the label and those to drop; see `deciban.tables.read_table`."""
        from deciban.tables import read_table

        table = read_table(self.path).with_texts(self.texts)
        y = table.texts(self.label)
        if any(label is None for label in y):
            raise UnreadableTable(f"column {self.label!r} has rows without a label")
        return table.without([self.label, *self.drop]), y.astype(str)


class Documents(Value):
    """Mail or texts of one label, from files, folders, mboxes or archives; words are hashed to columns."""

    label: str
    paths: tuple[str, ...]
    columns: int

    def __init__(self, label: str, paths: Sequence[str], columns: int = COLUMNS) -> None:
        self._set(label=label, paths=tuple(map(os.fspath, paths)), columns=columns)

    @classmethod
    def split(
        cls, label: str, folder: str, documents: int = DOCUMENTS, columns: int = COLUMNS
    ) -> list[Documents]:
        """The files of a folder and of all folders in it, so many a partition, in a fixed order."""
        from deciban.sources.file_names import in_natural_order, passed_over

        paths: list[str] = []
        for place, folders, files in os.walk(os.fspath(folder)):
            folders[:] = in_natural_order(folders)
            kept = [name for name in files if not passed_over(name)]
            paths += [os.path.join(place, name) for name in in_natural_order(kept)]
        if not paths:
            raise NoSuchSource(f"There is no file in {os.fspath(folder)!r}.")
        parts = range(0, len(paths), documents)
        return [cls(label, paths[start : start + documents], columns) for start in parts]

    @property
    def name(self) -> str:
        """The first of its paths, and how many there are."""
        more = f" and {len(self.paths) - 1:,} more" if len(self.paths) > 1 else ""
        return (self.paths[0] if self.paths else "nothing") + more

    def rows(self) -> tuple[Any, Any]:
        """How often each word is in each document, under the label."""
        from deciban.learners import TextFeatures

        counts = TextFeatures(n_features=self.columns).transform(self._texts())
        if not counts.shape[0]:
            raise NoSuchSource("there is no message in it")
        return counts, [self.label] * counts.shape[0]

    def _texts(self) -> Iterator[str]:
        from deciban.sources import open_source
        from deciban.text import read

        for path in self.paths:
            for raw in open_source(path):
                message = read(raw.data)
                yield f"{message.header('subject')}\n{message.text}"
