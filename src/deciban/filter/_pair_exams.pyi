from collections.abc import Sequence

from deciban.ledger._placed import Placed

def pair_records(
    lessons: Sequence[Placed], exams: Sequence[tuple[float, ...]], numbers: dict[str, int], spam: str
) -> bytes: ...
