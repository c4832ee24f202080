"""A message on the terminal, coloured by evidence; what each line says stands in front of it.

Without colours the strong words carry their figures: ``free[+1.2] money[+0.8]``.
"""

from __future__ import annotations

from deciban.cli.numbers import signed
from deciban.cli.passages import level_of, passages, peak_of
from deciban.cli.terminal import columns_of, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.cli.passages import Passage
    from deciban.committee.evidence_map import EvidenceMap
    from deciban.text import Message

# Of the 256 colours: black on ever stronger orange speaks for the verdict, on ever stronger blue against it.
FOR = (0, 223, 215, 208, 202)
AGAINST = (0, 153, 117, 75, 39)
# A word at least so strong has its figure, where there are no colours.
FIGURES_FROM = 3
TITLE_WIDTH = 12
FIGURE_WIDTH = len("[+12.3]")


class ColouredText:
    """The lines that `deciban why --text` prints for one message."""

    def __init__(self, message: Message, found: EvidenceMap, coloured: bool, width: int) -> None:
        self._passages = list(passages(message, found))
        self._peak = peak_of(self._passages)
        self._coloured = coloured
        self._room = max(width - TITLE_WIDTH - 12, 20)
        self._total = found.total

    def lines(self) -> Iterator[str]:
        """Every passage, then the sum."""
        if self._coloured:
            yield f"{self._painted('for', 4, FOR)} and {self._painted('against', 4, AGAINST)} the verdict"
        for passage in self._passages:
            yield from self._passage(passage)
        yield f"{signed(self._total):>7} │ in all"

    def _passage(self, passage: Passage) -> Iterator[str]:
        figure = signed(passage.decibans) if passage.pieces or passage.decibans else ""
        title = passage.title if len(passage.title) <= TITLE_WIDTH else passage.title[: TITLE_WIDTH - 1] + "…"
        line, used = "", 0
        for text, decibans in passage.pieces:
            piece, width = self._piece(self._fitting(text), decibans)
            if used and used + width > self._room:
                yield f"{figure:>7} │ {title:{TITLE_WIDTH}} {line.rstrip()}"
                figure, title, line, used = "", "", "", 0
            line, used = line + piece, used + width
        yield f"{figure:>7} │ {title:{TITLE_WIDTH}} {line}".rstrip()

    def _fitting(self, text: str) -> str:
        """A word that is wider than the line, such as a link, cut in the middle."""
        room = self._room - FIGURE_WIDTH
        word = text.strip()
        return text.replace(word, shortened(word, room)) if columns_of(word) > room else text

    def _piece(self, text: str, decibans: float) -> tuple[str, int]:
        """A word as it is printed, and how wide it is."""
        word = text.strip()
        level = level_of(decibans, self._peak)
        if not word or not level:
            return text, columns_of(text)
        before, _, behind = text.partition(word)
        if self._coloured:
            painted = self._painted(word, level, FOR if decibans > 0 else AGAINST)
            return before + painted + behind, columns_of(text)
        noted = f"{word}[{signed(decibans)}]" if level >= FIGURES_FROM else word
        return before + noted + behind, columns_of(before + noted + behind)

    def _painted(self, word: str, level: int, colours: tuple[int, ...]) -> str:
        return f"\x1b[38;5;16;48;5;{colours[level]}m{word}\x1b[0m"
