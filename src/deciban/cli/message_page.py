"""A message as a page for people: what the filter sees in it, each list cut to a readable length.

inbox.mbox@0 · 1,204 bytes · digest 7c53336b37003a92…
headers (9)
  from      Joe <joe@example.org>
  subject   free money
  … 7 more
parts (3)
  0 multipart/alternative
    1 text/plain · 310 bytes · quoted-printable · iso-8859-1, read as cp1252
    2 text/html · 1,200 bytes
facts
  links 4 · received 3
limits and defects
  unclosed_multipart 1
links, hidden text, text, features …
"""

from __future__ import annotations

from deciban.cli.terminal import harmless, harmless_lines
from deciban.sources import RawMessage
from deciban.text import Message, Part

TYPE_CHECKING = False
if TYPE_CHECKING:  # the views are loaded only where features are asked for
    from collections.abc import Iterable, Iterator

    from deciban.text.views import Traced

# What fits on one screen per section; --full lifts both.
ENTRIES = 20
WIDTH = 160
_ENDLESS = 1 << 62

# The order of a message, in which features are listed: what is about it as a whole comes last.
_WHERE = {
    where: rank
    for rank, where in enumerate(("header", "part", "canonical", "text", "hidden", "link", "markup"))
}
_DEFECTS = ("limit_", "broken_", "unknown_", "wrong_", "no_boundary", "unclosed_", "nul_", "raw_")


class MessagePage:
    """The lines that `deciban read` prints for one message."""

    def __init__(self, raw: RawMessage, message: Message, full: bool = False) -> None:
        self._raw = raw
        self._message = message
        self._entries = _ENDLESS if full else ENTRIES
        self._width = _ENDLESS if full else WIDTH

    def lines(self) -> Iterator[str]:
        """Everything but the features."""
        message = self._message
        yield self._title()
        headers = [header for header in message.headers if header.part == 0]
        yield from self._section(
            f"headers ({len(headers):,})",
            (f"{header.name:10} {header.value}" for header in headers),
            len(headers),
        )
        parts = message.parts
        yield from self._section(f"parts ({len(parts):,})", map(_part_line, parts), len(parts))
        facts = {name: count for name, count in message.facts.items() if not name.startswith(_DEFECTS)}
        yield from self._section("facts", [_counts(facts)], bool(facts))
        flaws = {name: count for name, count in message.facts.items() if name.startswith(_DEFECTS)}
        yield from self._section("limits and defects", [_counts(flaws)], bool(flaws))
        links = message.links
        yield from self._section(
            f"links ({len(links):,})",
            (f"{link.kind:7} {link.target}" + (f"  “{link.text}”" if link.text else "") for link in links),
            len(links),
        )
        yield from self._text("hidden text", message.hidden)
        yield from self._text("text", message.text)

    def feature_lines(self, view: str, features: list[Traced]) -> Iterator[str]:
        """The features of one view, with the text that each was made from, in the order of the message."""
        features = sorted(features, key=_first_place)
        yield from self._section(
            f"features of {view} ({len(features):,})",
            (f"{feature.hash:016x}  {feature.name}" for feature in features),
            len(features),
        )

    def _title(self) -> str:
        raw = self._raw
        kind = "" if self._message.is_mail else " · a document, not mail"
        cut = f" of {len(raw.data) + raw.cut:,}, the rest was cut" if raw.cut else ""
        return (
            f"{harmless(raw.id)} · {len(raw.data):,} bytes{cut}{kind} · digest {self._message.digest.hex()}"
        )

    def _text(self, title: str, text: str) -> Iterator[str]:
        text = text.rstrip("\n")
        if text:
            count = text.count("\n") + 1
            # Only what is shown is made harmless: a text may have a million lines.
            shown = "\n".join(text.split("\n", self._entries)[: self._entries])
            yield from self._section(f"{title} ({len(text):,} characters)", harmless_lines(shown), count)

    def _section(self, title: str, entries: Iterable[str], count: int) -> Iterator[str]:
        if not count:
            return
        yield title
        for _, entry in zip(range(self._entries), entries, strict=False):
            yield "  " + self._shortened(entry)
        if count > self._entries:
            yield f"  … {count - self._entries:,} more (--full shows them)"

    def _shortened(self, entry: str) -> str:
        if len(entry) <= self._width:
            return harmless(entry)
        return f"{harmless(entry[: self._width])}… {len(entry) - self._width:,} more characters"


def _first_place(feature: Traced) -> tuple[int, int, int, int]:
    first = feature.places[0]
    return _WHERE.get(first.where, len(_WHERE)), first.number, first.start, first.end


def _counts(facts: dict[str, int]) -> str:
    return " · ".join(f"{name} {count:,}" for name, count in facts.items())


def _part_line(part: Part) -> str:
    line = "  " * part.depth + f"{part.number} {part.media_type} · {part.size:,} bytes"
    if part.encoding != "plain":
        line += f" · {part.encoding}"
    if part.codec:
        line += f" · {part.charset or 'no charset'}" + (
            f", read as {part.codec}" * (part.codec != part.charset)
        )
    if part.disposition or part.file_name:
        line += f" · {part.disposition or 'named'} “{part.file_name}”"
    return line
