"""A verdict with its evidence as a record of plain values, for JSON and the server."""

from __future__ import annotations

from deciban.committee.evidence_map import EvidenceMap
from deciban.filter.verdict_record import verdict_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.verdict import Verdict
    from deciban.text import Message


def why_record(name: str, message: Message, verdict: Verdict, shared: float | None) -> dict[str, object]:
    """An explanation ready for JSON; docs/json.md describes the fields."""
    found = EvidenceMap(message, verdict.evidence) if verdict.evidence else None
    return {
        "id": name,
        "digest": message.digest.hex(),
        **verdict_record(verdict),
        "evidence": [
            {"name": item.name, "view": item.view, "decibans": item.decibans, "places": item.places}
            for item in verdict.evidence
        ],
        "kinds": found.subtotals() if found else {},
        "spots": [spot.as_dict() for spot in found.spots] if found else [],
        "shared": shared,
    }
