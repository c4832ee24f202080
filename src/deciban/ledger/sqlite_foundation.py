"""What is left of folded lessons in a SQLite file: their exams one by one, and together one packed state."""

from __future__ import annotations

from deciban.ledger import facts
from deciban.ledger.records import ExamRow, Folded, FoldedExam
from deciban.ledger.sqlite_file import blob, damaged
from deciban.ledger.sqlite_labels import FOLDED, SqliteLabels, folded_check
from deciban.ledger.trail import digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class SqliteFoundation(SqliteLabels):
    """Folded lessons, and the state that they became."""

    def folded(self) -> Folded:
        """How many lessons were folded, and up to when."""
        ((lessons, until),) = self._execute("SELECT count(*), coalesce(max(taught), 0) FROM folded")
        return Folded(lessons, until)

    def folded_labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels of lessons that were folded, of those that were."""
        places = ", ".join("?" * len(digests))
        folded = (
            f"SELECT digest, name FROM folded JOIN labels ON label = labels.number WHERE digest IN ({places})"
        )
        return dict(self._execute(folded, *map(blob, digests)))

    def folded_exams(self, newest_first: bool = False) -> Iterator[FoldedExam]:
        """What is left of folded lessons, in the order in which they were learned, or the other way round."""
        names = dict(self._execute("SELECT number, name FROM labels"))
        order = "DESC" if newest_first else ""
        with self._telling():
            for checked, *fields in self._connection.execute(
                f"SELECT {FOLDED} FROM folded ORDER BY number {order}"
            ):
                digest, label, _, best, truth, spam, origin, share = fields
                if folded_check(*fields) != checked or label not in names:
                    raise self._damaged_fold(digest)
                yield FoldedExam(digest, names[label], ExamRow(names.get(best), truth, spam), origin, share)

    def fold(
        self, positions: set[int], foundation: bytes, capacity: int, exams: Mapping[int, ExamRow]
    ) -> None:
        """Put a packed state, with room for so many labels, in place of the lessons that it was made of."""
        texts = self._folded_names()
        for position in sorted(positions):
            texts += self._fold_lesson(position, exams[position])
        names = "\n".join(sorted(lines_of(texts)))
        for what, value in (("state", foundation), ("names", names.encode())):
            self._execute("INSERT OR REPLACE INTO foundation VALUES (?, ?)", what, value)
        self.set_fact(facts.FOUNDATION_CAPACITY, capacity)
        self.set_fact(facts.FOUNDATION_DIGEST, digest_of(foundation))
        self._lay()

    def _fold_lesson(self, position: int, exam: ExamRow) -> list[str]:
        """Leave only digest, label and exam of a lesson; its names."""
        ((number,),) = self._execute("DELETE FROM trail WHERE position = ? RETURNING lesson", position)
        ((digest, label, taught, origin, share, names),) = self._execute(
            "DELETE FROM lessons WHERE number = ? RETURNING digest, label, taught, origin, share, names",
            number,
        )
        self._execute("DELETE FROM mails WHERE digest = ?", digest)
        best = None if exam.best is None else self._label(exam.best)[0]
        left = digest, label, taught, best, exam.truth, exam.spam, origin, share
        self._execute("DELETE FROM folded WHERE digest = ?", digest)
        self._execute(
            f"INSERT INTO folded ({FOLDED}) VALUES ({', '.join('?' * 9)})", folded_check(*left), *left
        )
        return [names]

    def write_folded(
        self, labels: Mapping[int, str], rows: Iterable[list[object]], founded: Mapping[str, bytes]
    ) -> None:
        """Write rows of `FOLDED` with their checks, the labels that they name, and the state they became."""
        with self._telling():
            self._connection.executemany("INSERT INTO labels VALUES (?, ?)", labels.items())
            self._connection.executemany(f"INSERT INTO folded ({FOLDED}) VALUES ({', '.join('?' * 9)})", rows)
            self._connection.executemany("INSERT INTO foundation VALUES (?, ?)", founded.items())

    def foundation(self) -> bytes | None:
        """The packed state of the folded lessons."""
        states = self._founded("state")
        digest = self.fact(facts.FOUNDATION_DIGEST)
        if not states and digest is None:
            return None
        if not states or type(states[0]) is not bytes or digest_of(states[0]) != digest:
            raise damaged(self.path, "the state of its folded lessons is not as it was written")
        return states[0]

    def _folded_names(self) -> list[str]:
        found = [value for value in self._founded("names") if type(value) is bytes]
        return [value.decode("utf-8", "replace") for value in found]

    def _founded(self, what: str) -> list[bytes]:
        return [value for (value,) in self._execute("SELECT value FROM foundation WHERE what = ?", what)]


def lines_of(texts: Iterable[str]) -> set[str]:
    """The lines of several texts that are not empty."""
    return {line for text in texts for line in text.split("\n") if line}
