"""What `deciban check` looks at beside a filter: its journal, and the registry of a folder of spaces."""

from __future__ import annotations

import os
from contextlib import suppress

from deciban.cli.database import spaces_folder
from deciban.cli.journal_flags import chosen_journal
from deciban.cli.numbers import counted
from deciban.cli.terminal import harmless, say
from deciban.errors import NewerFormat, NoSuchSource
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deciban.ledger.records import Finding


class StoreRepair(Value):
    """What became of a damaged file."""

    part: str
    text: str
    has_lost: bool


class StoreCheck(Value):
    """A file that can be checked and repaired."""

    check: Callable[[], Finding]
    repair: Callable[[], StoreRepair]

    def repaired(self) -> Iterator[StoreRepair]:
        """Repair it, if it is damaged; one of a newer version stays as it is, and a check tells why."""
        if not self.check().is_right:
            with suppress(NewerFormat):
                yield self.repair()


def stores_of(options: Namespace) -> list[StoreCheck]:
    """The files that belong to the filter that was chosen."""
    journal, _ = chosen_journal(options)
    of_folder = [_registry(spaces_folder(options.spaces))] if options.space is not None else []
    return of_folder + _journal(journal)


def stores_in(folder: str) -> list[StoreCheck]:
    """The files of a folder of spaces."""
    from deciban.spaces.spaces import JOURNAL
    from deciban.spaces.sqlite_registry import FILE

    if not os.path.exists(os.path.join(folder, FILE)):
        raise NoSuchSource(f"There are no spaces in {folder}. Name their folder with --spaces.")
    return [_registry(folder), *_journal(os.path.join(folder, JOURNAL))]


def _registry(folder: str) -> StoreCheck:
    from deciban.spaces.sqlite_registry_repair import REGISTRY, check_registry, repair_registry

    def repair() -> StoreRepair:
        saved = repair_registry(folder)
        text = f"{counted(saved.spaces, 'space')} and {counted(saved.keys, 'key')} saved"
        if saved.recovered:
            text += (
                f"; {counted(len(saved.recovered), 'space')} lost the name and came back as "
                f"{', '.join(saved.recovered)}: deciban space rename gives it back"
            )
        if saved.lost_keys:
            text += f"; {counted(saved.lost_keys, 'key')} lost: make new ones by deciban key add"
        text += f". The damaged registry is kept as {saved.kept} until a space is deleted"
        return StoreRepair(REGISTRY, text, bool(saved.recovered or saved.lost_keys))

    return StoreCheck(lambda: check_registry(folder), repair)


def _journal(path: str) -> list[StoreCheck]:
    from deciban.journal.sqlite_journal_repair import JOURNAL, check_journal, repair_journal

    def repair() -> StoreRepair:
        saved = repair_journal(path)
        entries = "1 entry" if saved.saved == 1 else f"{saved.saved:,} entries"
        text = f"{entries} saved, {saved.lost:,} lost"
        return StoreRepair(JOURNAL, text, bool(saved.lost))

    return [StoreCheck(lambda: check_journal(path), repair)] if os.path.exists(path) else []


def tell_findings(findings: Sequence[Finding]) -> None:
    """One line for each part."""
    width = max(len(finding.part) for finding in findings)
    for finding in findings:
        verdict = "right" if finding.is_right else "WRONG"
        say(f"{harmless(finding.part):{width}}  {verdict}  {harmless(finding.text)}")


def tell_repairs(repairs: Iterable[StoreRepair]) -> None:
    """One line for each file that was repaired."""
    for each in repairs:
        say(f"repaired {each.part}: {harmless(each.text)}")


def finding_records(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Findings ready for JSON."""
    return [{"part": each.part, "right": each.is_right, "text": each.text} for each in findings]


def repair_records(repairs: Iterable[StoreRepair]) -> list[dict[str, object]]:
    """Repairs ready for JSON."""
    return [{"part": each.part, "text": each.text, "lost": each.has_lost} for each in repairs]
