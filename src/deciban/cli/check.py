"""``deciban check``: look for damage in all that the filter keeps, and mend it."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, existing_database
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import counted
from deciban.cli.parser import Parser
from deciban.cli.store_checks import (
    finding_records,
    repair_records,
    stores_of,
    tell_findings,
    tell_repairs,
)
from deciban.cli.terminal import harmless, say
from deciban.errors import FilterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.filter.safekeeping import Mended
    from deciban.ledger.records import Finding

EXAMPLES = (
    ("deciban check", "is everything as it was written?"),
    ("deciban check --repair", "save what is whole; the damaged database is kept beside the new one"),
    ("deciban check --spaces /srv/spaces", "the registry, the journal and every space of a folder"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban check``."""
    parser.add_argument("--repair", action="store_true", help="mend what is damaged")
    add_json_flag(parser)
    add_database_flag(parser)
    parser.add_note(
        "The exit code is 0 if everything is right, or could be mended without loss; 1 if something is "
        "damaged or was lost; 3 if nothing could be checked. Without --repair nothing is changed. --repair "
        "makes a new database of every lesson whose own check is right, and keeps the damaged one as "
        "DATABASE.before-repair until deciban forget removes it. A snapshot or checkpoint that is damaged is "
        "made again. The journal is checked too, and with --space the registry of the folder. Of a damaged "
        "journal every entry that is whole is saved. A space whose name is lost comes back under another."
    )


def run(options: Namespace) -> int:
    """Check, or mend, and tell what was found."""
    from deciban.filter.checking import check
    from deciban.filter.safekeeping import repair, unchecked

    if options.spaces is not None and options.space is None and options.db is None:
        from deciban.cli.folder_check import check_folder

        return check_folder(options)
    path = existing_database(options)
    stores = stores_of(options)
    mended = repair(path) if options.repair else None
    repairs = [each for store in stores for each in store.repaired()] if options.repair else []
    try:
        findings = list(check(path))
    except (FilterError, OSError) as error:
        if mended is None or mended.saved is None:
            raise
        findings = [unchecked(error)]
    findings += [store.check() for store in stores]
    is_right = all(finding.is_right for finding in findings)
    if options.json:
        say_json(
            {
                "right": is_right,
                "parts": finding_records(findings),
                "repaired": _repaired(mended),
                "stores": repair_records(repairs),
            }
        )
    else:
        tell_repairs(repairs)
        _tell(findings, mended)
    has_lost = _has_lost(mended) or any(each.has_lost for each in repairs)
    return 0 if is_right and not has_lost else 1


def _has_lost(mended: Mended | None) -> bool:
    if mended is None:
        return False
    saved = mended.saved
    return bool(mended.dropped or (saved is not None and (saved.lost or saved.lost_facts)))


def _tell(findings: list[Finding], mended: Mended | None) -> None:
    if mended is not None and mended.saved is not None:
        saved = mended.saved
        lost = f", {counted(saved.lost, 'damaged lesson')} lost" if saved.lost else ""
        say(f"repaired: {counted(saved.lessons, 'lesson')} saved{lost}")
        say(f"the damaged database is kept as {harmless(mended.kept or '')}")
        if saved.lost_facts:
            say(f"{' and '.join(saved.lost_facts)} could not be saved and are new: deciban prefer sets them")
    for key in mended.dropped if mended is not None else ():
        say(f"{key} could not be read and begins anew: deciban prefer sets it")
    tell_findings(findings)
    say(_advice({finding.part for finding in findings if not finding.is_right}, mended))


def _advice(wrong: set[str], mended: Mended | None) -> str:
    from deciban.filter.checking import CHECKPOINTS, SHARED, SNAPSHOT
    from deciban.filter.safekeeping import UNCHECKED

    if not wrong:
        return "everything is as it was written"
    if wrong <= {"journal", "registry"} and mended is None:
        return "no lesson is lost: deciban check --repair saves every entry and every name that is whole"
    if wrong == {UNCHECKED}:
        return "the lessons are saved; see whether all is right: deciban check"
    if wrong == {SHARED}:
        return "put the shared filter back, or rest on another: deciban prefer --shared FILE (or --starter)"
    if mended is not None:
        return "this could not be mended; restore a backup: deciban restore FILE"
    if wrong <= {SNAPSHOT, CHECKPOINTS}:
        return "no lesson is lost: deciban check --repair makes this again from the lessons"
    return (
        "restore a backup: deciban restore FILE; or save every lesson that is whole: deciban check --repair"
    )


def _repaired(mended: Mended | None) -> dict[str, object] | None:
    if mended is None:
        return None
    saved = mended.saved
    return {
        "lessons": None if saved is None else saved.lessons,
        "lost": 0 if saved is None else saved.lost,
        "folded": 0 if saved is None else saved.folded,
        "mails": 0 if saved is None else saved.mails,
        "begun_anew": [*(() if saved is None else saved.lost_facts), *mended.dropped],
        "kept": mended.kept,
    }
