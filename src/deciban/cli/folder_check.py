"""``deciban check --spaces FOLDER``: the registry, the journal and every space of a folder.

Spaces that are right are counted; one that is damaged is told by its name, with the parts that are wrong.
"""

from __future__ import annotations

from deciban.cli.database import spaces_folder
from deciban.cli.json_output import say_json
from deciban.cli.numbers import counted
from deciban.cli.progress_line import ProgressLine
from deciban.cli.store_checks import (
    StoreRepair,
    finding_records,
    repair_records,
    stores_in,
    tell_findings,
    tell_repairs,
)
from deciban.cli.terminal import harmless, say
from deciban.errors import DecibanError
from deciban.ledger.records import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

ADVICE = (
    "save what is whole: deciban check --spaces FOLDER --repair; a backup of one space: deciban restore FILE "
    "--space NAME"
)


def check_folder(options: Namespace) -> int:
    """Check a folder, or mend it, and tell what was found."""
    folder = spaces_folder(options.spaces)
    stores = stores_in(folder)
    repairs = [each for store in stores for each in store.repaired()] if options.repair else []
    findings = [store.check() for store in stores]
    if findings[0].is_right:
        findings += _spaces(folder, repairs if options.repair else None)
    is_right = all(finding.is_right for finding in findings)
    if options.json:
        records = finding_records(findings)
        say_json({"right": is_right, "parts": records, "repaired": None, "stores": repair_records(repairs)})
    else:
        tell_repairs(repairs)
        tell_findings(findings)
        say("everything is as it was written" if is_right else ADVICE)
    return 0 if is_right and not any(each.has_lost for each in repairs) else 1


def _spaces(folder: str, repairs: list[StoreRepair] | None) -> list[Finding]:
    """What is found in the spaces of a folder; they are mended if there is a list of repairs."""
    from deciban.spaces import Spaces

    wrong, right = [], 0
    with Spaces(folder) as spaces, ProgressLine() as line:
        used = [record for record in spaces.all() if spaces.size_of(record)]
        for number, record in enumerate(used):
            line.tell(f"{number:,} of {counted(len(used), 'space')} checked")
            try:
                text = _wrong_in(spaces.database_of(record), f"space {record.name}", repairs)
            except (DecibanError, OSError) as error:
                text = str(error)
            if text:
                wrong.append(Finding(f"space {record.name}", False, text))
            right += not text
    return [*wrong, Finding("spaces", True, f"{counted(right, 'space')}, as they were written")]


def _wrong_in(path: str, part: str, repairs: list[StoreRepair] | None) -> str:
    """What is wrong with a filter, after it was mended if that is asked for; empty if nothing is."""
    from deciban.filter.checking import check
    from deciban.filter.safekeeping import repair

    wrong = [finding for finding in check(path) if not finding.is_right]
    if wrong and repairs is not None:
        mended = repair(path)
        wrong = list(mended.wrong)
        lost = mended.saved.lost if mended.saved is not None else 0
        kept = f"; the damaged database is kept as {mended.kept}" if mended.kept else ""
        text = f"{counted(lost, 'damaged lesson')} lost{kept}"
        repairs.append(StoreRepair(part, text, bool(lost or mended.dropped)))
    return "; ".join(f"{harmless(finding.part)}: {finding.text}" for finding in wrong)
