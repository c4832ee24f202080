"""Checking a ledger in a SQLite file: every page, fact, lesson, place, folded lesson and mail."""

from __future__ import annotations

from deciban.errors import DamagedLedger, FilterError
from deciban.ledger import facts
from deciban.ledger.packed import MOST_MAIL_BYTES, unpacked
from deciban.ledger.records import Finding
from deciban.ledger.sqlite_file import WHAT_TO_DO, digest_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deciban.ledger.sqlite_ledger import SqliteLedger

# So many complaints about one part are told.
MOST_TOLD = 3


def findings(ledger: SqliteLedger) -> Iterator[Finding]:
    """What is found about each part, in the order in which a fault of one would harm the next."""
    for part, look in PARTS.items():
        try:
            wrong, right = look(ledger)
        except FilterError as error:
            text = str(error).removeprefix(f"{ledger.path} is damaged: ").removesuffix(f". {WHAT_TO_DO}")
            wrong, right = [text], ""
        more = f" and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
        yield Finding(part, not wrong, "; ".join(wrong[:MOST_TOLD]) + more if wrong else right)


def _file(ledger: SqliteLedger) -> tuple[list[str], str]:
    told = [str(row[0]).replace("\n", " ") for row in ledger.query("PRAGMA integrity_check(10)")]
    strays = ledger.query("PRAGMA foreign_key_check")
    wrong = [text for text in told if text != "ok"]
    wrong += [f"a row of {table} names a row of {other} that is not there" for table, _, other, _ in strays]
    return wrong, "every page is in its place"


def _facts(ledger: SqliteLedger) -> tuple[list[str], str]:
    keys = [key for (key,) in ledger.query("SELECT key FROM facts")]
    wrong = [f"{key!r} is no fact" for key in keys if key not in facts.TYPES]
    for key in facts.TYPES:
        try:
            ledger.fact(key)
        except DamagedLedger:
            wrong.append(f"{key} is not as it was written")
    if not wrong:
        ledger.check_base()
    return wrong, f"{len(keys)}, all as they were written"


def _lessons(ledger: SqliteLedger) -> tuple[list[str], str]:
    wrong, count = ledger.wrong_lessons()
    return [
        f"lesson {number} is not as it was written" for number in wrong
    ], f"{count:,}, all as they were written"


def _trail(ledger: SqliteLedger) -> tuple[list[str], str]:
    count = 0
    for lesson in ledger.replay():
        count += bool(lesson.position)
    ((lessons,),) = ledger.query("SELECT count(*) FROM lessons")
    ((places,),) = ledger.query("SELECT count(*) FROM trail")
    if not count == lessons == places:
        return [f"{lessons:,} lessons are there, {places:,} have a place, {count:,} are in their order"], ""
    return [], "every lesson is in its place"


def _folded(ledger: SqliteLedger) -> tuple[list[str], str]:
    count = sum(1 for _ in ledger.folded_exams())
    state = ledger.foundation()
    if (state is None) != (ledger.fact(facts.FOUNDATION_DIGEST) is None) or (state is None and count):
        return ["the state that they became is missing"], ""
    if (state is None) != (ledger.fact(facts.FOUNDATION_CAPACITY) is None):
        return ["the number of labels that their state has room for is wrong"], ""
    return [], f"{count:,}, and the state that they became" if count else "none"


def _mails(ledger: SqliteLedger) -> tuple[list[str], str]:
    wrong, count = [], 0
    for digest, kept, has_lesson in ledger.query(
        """SELECT digest, typeof(kept), EXISTS (SELECT 1 FROM lessons WHERE lessons.digest = mails.digest)
        FROM mails"""
    ):
        count += 1
        packed = ledger.kept_mail(digest)
        if kept != "integer" or not has_lesson or packed is None or unpacked(packed, MOST_MAIL_BYTES) is None:
            wrong.append(f"the mail {digest_text(digest)[:32]} cannot be read")
    return wrong, f"{count:,}, all can be read" if count else "none"


PARTS: dict[str, Callable[[SqliteLedger], tuple[list[str], str]]] = {
    "file": _file,
    "facts": _facts,
    "lessons": _lessons,
    "trail": _trail,
    "folded lessons": _folded,
    "kept mail": _mails,
}
