"""A verdict with its evidence as a record of plain values, for JSON and the server."""

from __future__ import annotations

from deciban.filter.verdict_record import verdict_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.evidence_map import EvidenceMap
    from deciban.committee.verdict import Verdict


def why_record(
    name: str, digest: bytes, verdict: Verdict, found: EvidenceMap | None, shared: float | None
) -> dict[str, object]:
    """An explanation ready for JSON; ``found`` tells where the evidence stands, if there is any.

    docs/json.md describes the fields.
    """
    return {
        "id": name,
        "digest": digest.hex(),
        **verdict_record(verdict),
        "evidence": [
            {"name": item.name, "view": item.view, "decibans": item.decibans, "places": item.places}
            for item in verdict.evidence
        ],
        "kinds": found.subtotals() if found else {},
        "spots": [spot.as_dict() for spot in found.spots] if found else [],
        "shared": shared,
    }
