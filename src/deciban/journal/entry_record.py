"""An entry of the journal as a record of plain values, for JSON and the server."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.journal.journal_entry import JournalEntry


def entry_record(entry: JournalEntry) -> dict[str, object]:
    """An entry ready for JSON; docs/json.md describes the fields."""
    outcome = entry.outcome
    return {
        "entry": entry.id.hex(),
        "time": entry.moment / 1e6,
        "door": entry.door,
        "kind": entry.kind,
        "digest": entry.digest.hex(),
        "source": entry.source,
        "sender": entry.sender,
        "subject": entry.subject,
        "date": entry.date,
        "message_id": entry.message_id,
        "verdict": entry.verdict,
        "done": entry.done,
        "outcome": None if outcome is None else {"label": outcome.label, "time": outcome.moment / 1e6},
    }
