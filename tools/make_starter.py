"""Makes the starter of new filters, src/deciban/starters/VERSION-DIGEST.state, from public corpora.

    python tools/make_starter.py src/deciban/starters 1

The corpora of ../shared/data are shuffled together by fixed seeds and learned by one committee. Of what it
has learned, the rows remain whose counts add up to LEAST or more: rare features are those of single senders,
and a starter without them is smaller and transfers better (docs/experiments.md). Numbers are rounded so that
the file packs well: counts stop at 255, a weight is one of 255, and AdaGrad's sums are powers of the root of
two. No text and no address is in the file, only numbers per slot. The same corpora give the same bytes.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.corpora import labelled_mail
from deciban.committee._committee import Committee
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.evaluate import LabelledMessage, shuffled
from deciban.filter.starter import write
from deciban.text import read

# At most so many messages of each corpus, drawn by a fixed seed, so that none drowns the others.
# Not the short messages of sms_spam: with them mail is told worse (docs/experiments.md).
CORPORA = {"spamassassin": 6046, "enron_spam": 9000, "ling_spam": 2893, "ccert_zh": 4000}
SEED = 19
LEAST = 15
MOST_COUNT = 255
# A weight is one of 2 · 127 + 1; beyond the largest, where one of 10,000 is, they are cut.
LEVELS = 127
MOST_WEIGHT = 4.0
# Its slots have a salt that everybody may know. Settings that mean nothing to a starter of two labels stay as
# they were when the first was made: the same corpora give the same bytes.
SETTINGS = Settings(salt=0, complement=0.0, contrary=0.0, lead=0.0)
ROW = struct.Struct("<fffHH")
LABEL_BYTES = 112
Row = tuple[int, float, float, float, int, int]


def main(folder: str, version: str) -> None:
    """Make the file, and say what it holds."""
    committee = Committee.fresh(SETTINGS)
    for message in mixed():
        committee.learn(message.label, features_of(read(message.read())))
    starter = pruned(committee)
    path = write(folder, int(version), SETTINGS, starter)
    size, packed_size = Path(path).stat().st_size, len(zlib.compress(Path(path).read_bytes()))
    print(f"{path}: {starter.rows_learned():,} of {committee.rows_learned():,} rows, {starter.lessons}")
    print(f"{size:,} bytes, packed {packed_size:,}")


def pruned(committee: Committee, least: int = LEAST) -> Committee:
    """What remains of a committee with two labels: rows that were counted often, with rounded numbers."""
    settings = committee.settings
    front, rows = unpacked(settings, committee.code())
    code = packed(front, [rounded(row) for row in rows if row[4] + row[5] >= least])
    return Committee.of_state(settings, code, 2, lambda shape: Committee.fresh(settings, shape=shape))


def mixed() -> list[LabelledMessage]:
    """The messages of all corpora, in an order that is always the same."""
    messages: list[LabelledMessage] = []
    for name, most in CORPORA.items():
        messages += shuffled(labelled_mail(name), SEED)[:most]
    return list(shuffled(messages, SEED))


def unpacked(settings: Settings, code: bytes) -> tuple[bytes, list[Row]]:
    """Head and labels of a committee's code, and its rows: key, AdaGrad sum, two weights, two counts."""
    label = LABEL_BYTES + (16 if settings.complement else 0)
    head = len(Committee.fresh(settings).code()) - 8 + 2 * label
    (count,) = struct.unpack_from("<Q", code, head)
    first = len(code) - ROW.size * count
    keys = _keys(code[head + 8 : first])
    rows = [(key, *numbers) for key, numbers in zip(keys, ROW.iter_unpack(code[first:]), strict=True)]
    return code[:head], rows


def _keys(gaps: bytes) -> Iterator[int]:
    """Keys by their distances from one another, in groups of 7 bits."""
    key = gap = shift = 0
    for byte in gaps:
        gap |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            key += gap
            yield key
            gap = shift = 0


def rounded(row: Row) -> Row:
    """A row with fewer different numbers."""
    key, squares, first, _, *counts = row
    weight = round(max(min(first / MOST_WEIGHT, 1.0), -1.0) * LEVELS) / LEVELS * MOST_WEIGHT
    power = 2.0 ** (round(2 * math.log2(squares)) / 2) if squares > 0 else 0.0
    return key, power, weight, -weight, min(counts[0], MOST_COUNT), min(counts[1], MOST_COUNT)


def packed(front: bytes, rows: list[Row]) -> bytes:
    """The code of rows, as a committee reads it."""
    gaps, before = bytearray(), 0
    for key, *_ in rows:
        gap, before = key - before, key
        while gap > 127:
            gaps.append(gap & 127 | 128)
            gap >>= 7
        gaps.append(gap)
    numbers = b"".join(ROW.pack(*row[1:]) for row in rows)
    return front + struct.pack("<Q", len(rows)) + bytes(gaps) + numbers


if __name__ == "__main__":
    main(*sys.argv[1:])
