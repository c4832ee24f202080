r"""Lessons as JSON lines: the open format of `export` and `import`, for backups and other programs.

The first line says what follows; each further line is one lesson in the order of replay:

    {"deciban": "lessons", "format": 1, "features": 1}
    {"digest": "548178…", "label": "spam", "taught": 1794784707495858, "by": "ann", "source": "junk.mbox@0",
     "sender": "…", "subject": "…", "date": "…", "message_id": "…", "names": "…", "origin": "incoming",
     "share": 1.0, "code": "Agt…"}

``taught`` counts microseconds since 1970, ``code`` is the code of the features (_lesson_code.pyx) in base64.
``origin`` and ``share`` (lesson.py) may be left out, as in older exports: the mail came in. There are no
settings in it: lessons can be replayed with any. Nothing of it is ever run, and whatever does
not fit is refused with the number of its line.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as NoBase64

from deciban.committee._lesson_code import Features
from deciban.committee.label import label_of
from deciban.errors import BadSetting, DamagedLedger, FilterError, NewerFormat
from deciban.ledger.lesson import INCOMING, Lesson, is_possible, storable
from deciban.text._hashing import FORMAT as FEATURE_FORMAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

FORMAT = 1
HEAD = {"deciban": "lessons", "format": FORMAT, "features": FEATURE_FORMAT}
TEXTS = ("label", "by", "source", "sender", "subject", "date", "message_id", "names")


def write_lessons(stream: IO[str], lessons: Iterable[Lesson]) -> int:
    """Write lessons; how many there were."""
    stream.write(json.dumps(HEAD) + "\n")
    count = 0
    for lesson in lessons:
        record: dict[str, object] = {"digest": lesson.digest.hex(), "taught": lesson.taught}
        record |= {name: getattr(lesson, name) for name in (*TEXTS, "origin", "share")}
        record["code"] = b64encode(lesson.features.encode()).decode()
        stream.write(json.dumps(record) + "\n")
        count += 1
    return count


def read_lessons(stream: Iterable[str]) -> Iterator[Lesson]:
    """The lessons that `write_lessons` wrote."""
    lines = iter(stream)
    _check_head(next(lines, ""))
    for number, line in enumerate(lines, start=2):
        try:
            yield _lesson(json.loads(line))
        except (FilterError, BadSetting, KeyError, TypeError, ValueError, NoBase64, RecursionError):
            raise DamagedLedger(f"Line {number} of the export is not a lesson. Export it again.") from None


def _check_head(line: str) -> None:
    try:
        head = json.loads(line)
        newer = head["deciban"] == "lessons" and (
            head["format"] > FORMAT or head["features"] > FEATURE_FORMAT
        )
    except (KeyError, TypeError, ValueError, RecursionError):
        raise DamagedLedger("This is not an export of deciban: its first line does not say so.") from None
    if newer:
        raise NewerFormat(
            "This export was written by a newer version of deciban. Upgrade deciban to read it."
        )
    if head["deciban"] != "lessons":
        raise DamagedLedger("This is not an export of deciban: its first line does not say so.")


def _lesson(record: dict[str, object]) -> Lesson:
    texts = {name: record[name] for name in TEXTS}
    digest, taught, code = record["digest"], record["taught"], record["code"]
    if not all(isinstance(text, str) for text in (*texts.values(), digest, code)):
        raise TypeError("texts are expected")
    texts["label"] = label_of(str(texts["label"]))
    features = Features.decode(b64decode(str(code), validate=True))
    kept = {name: storable(str(text)) for name, text in texts.items()}
    lesson = Lesson(
        digest=bytes.fromhex(str(digest)),
        taught=taught,  # type: ignore[arg-type]
        features=features,
        origin=record.get("origin", INCOMING),  # type: ignore[arg-type]
        share=record.get("share", 1.0),  # type: ignore[arg-type]
        **kept,  # type: ignore[arg-type]
    )
    if not is_possible(lesson):
        raise ValueError("a digest and a time are expected")
    return lesson
