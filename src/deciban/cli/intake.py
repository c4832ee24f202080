r"""The messages that a verb reads, under one rule for what is empty or cannot be read.

What is empty, damaged or not ours to read is skipped, each with a line on standard error that says why; the
rest is read. A call that read not one message, of an empty folder for instance, ends with exit code 3.

A list of file names has one name on each line; with NULs between them, names may hold line breaks:

>>> names_in(b"a.eml\nb c.eml\n"), names_in(b"odd\nname.eml\0b.eml\0")
(['a.eml', 'b c.eml'], ['odd\nname.eml', 'b.eml'])
"""

from __future__ import annotations

import os
import sys

from deciban.cli.configuration import Configuration
from deciban.cli.terminal import harmless, tell_that_it_waits
from deciban.errors import NoSuchSource, WrongUsage
from deciban.sources import RawMessage, Skipped, Source, open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.cli.parser import Parser
    from deciban.cli.progress_line import ProgressLine

    # A message that is taught, behind its label and its origin.
    Taught = tuple[str, str, RawMessage]

STANDARD_INPUT = "-"
NOTHING_READ = 3
RULE = (
    "What is empty, damaged or not yours to read is skipped, with a line on standard error that says why. "
    "If not one message was read, as in an empty folder, the exit code is 3."
)


def add_sources(parser: Parser, explanation: str, default: list[str] | None = None) -> None:
    """Add the messages to read: as operands, or as a list of file names."""
    parser.add_argument("sources", nargs="*", default=default or [], metavar="FILE", help=explanation)
    parser.add_argument(
        "--files-from",
        metavar="LIST",
        help="read the names of the files from LIST, one on each line or with NULs between them; "
        "- for standard input",
    )
    parser.add_note(RULE)


class Intake:
    """Messages of what was named, counted, with what had to be skipped."""

    def __init__(self, paths: list[str], progress: bool = True) -> None:
        """Look up every name; ``progress`` shows how far it is while no message is shown."""
        self._paths = paths
        self._line: ProgressLine | None = None
        if progress and self._paths != [STANDARD_INPUT]:
            # The delivery of one mail needs no progress line, the import of which takes a millisecond.
            from deciban.cli.progress_line import ProgressLine

            self._line = ProgressLine()
        if STANDARD_INPUT in self._paths:
            tell_that_it_waits()
        self._sources = [open_source(path, on_skip=self._report) for path in self._paths]
        self.count = 0

    def __iter__(self) -> Iterator[RawMessage]:
        return (message for _, message in self.with_places())

    def with_places(self) -> Iterator[tuple[str, RawMessage]]:
        """Each message with the place that was named for it, without what `filter` wrote into it."""
        configuration = Configuration.load()
        tagging = configuration.tagging() if configuration.changes_tags else None
        for source, message in self._messages():
            self.count += 1
            if tagging is not None:
                message = message.replaced(data=tagging.taken_off(message.data))
            yield source.path, message

    def _messages(self) -> Iterator[tuple[Source, RawMessage]]:
        if self._line is not None:
            yield from self._line.follow(self._sources)
            return
        for source in self._sources:
            for message in source:
                yield source, message

    def note(self, text: str) -> None:
        """A line on standard error, above the progress line."""
        if self._line is not None:
            self._line.clear()
        print(f"deciban: {text}", file=sys.stderr)

    def relearning(self, done: int, total: int) -> None:
        """Show how far a replay after the reading is."""
        if self._line is not None:
            self._line.relearning(done, total)

    def exit_code(self) -> int:
        """Tell how much was skipped, and whether there was anything: 0 if so, 3 if not."""
        skipped = sum(source.skipped_count for source in self._sources)
        if skipped and self.count + skipped > 1:
            self.note(f"{self.count:,} read, {skipped:,} skipped")
        elif not self.count and not skipped:
            self.note(f"there are no messages in {', '.join(map(harmless, self._paths)) or 'an empty list'}")
        return 0 if self.count else NOTHING_READ

    def _report(self, skipped: Skipped) -> None:
        self.note(f"skipped {harmless(_place(skipped.id))}: {harmless(skipped.reason)}")


def named_in(options: Namespace) -> list[str]:
    """What was named, by operands or in a list."""
    paths: list[str] = options.sources
    if options.files_from is None:
        if not paths:
            raise WrongUsage("name the messages: FILE, or - for standard input")
        return paths
    if paths not in ([], [STANDARD_INPUT]):
        raise WrongUsage("name the messages one way: as FILE, or in the list of --files-from")
    return names_in(_list(options.files_from))


def names_in(content: bytes) -> list[str]:
    """The names in a list of files."""
    end = b"\0" if b"\0" in content else b"\n"
    return [os.fsdecode(name) for name in content.split(end) if name]


def _list(path: str) -> bytes:
    if path == STANDARD_INPUT:
        tell_that_it_waits()
        return sys.stdin.buffer.read()
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise NoSuchSource(f"{path!r} cannot be read: {error.strerror}") from None


def _place(id: str) -> str:  # noqa: A002 (the word for it)
    return "standard input" if id == STANDARD_INPUT else id
