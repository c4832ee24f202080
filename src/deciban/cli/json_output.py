"""Output for machines: one JSON object on a line, strict, so that any reader takes it.

Its schemas are in docs/cli-schemas.json; a test runs every verb and holds its output against them.

>>> strict({"bar": float("inf"), "curve": ((1, 0.5),)})
{'bar': None, 'curve': [[1, 0.5]]}
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.cli.parser import Parser


def add_json_flag(parser: Parser, explanation: str = "one JSON object") -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help=explanation)


def say_json(record: dict[str, object]) -> None:
    """Print one object on one line."""
    import json

    print(json.dumps(strict(record), separators=(",", ":"), allow_nan=False))


def strict(value: object) -> object:
    """The same with null for numbers that JSON has no word for: infinity, and what is not a number."""
    from math import isfinite

    if isinstance(value, dict):
        return {key: strict(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [strict(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
