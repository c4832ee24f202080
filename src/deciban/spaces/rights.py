"""Which right each operation needs: the one table for checks and documentation.

>>> OPERATIONS["correct"]
'learn'
"""

from __future__ import annotations

RIGHTS = ("classify", "learn", "forget", "read", "admin")

OPERATIONS = {
    # In a space.
    "classify": "classify",
    "learn": "learn",
    "correct": "learn",
    "undo": "learn",
    "import": "learn",
    "forget": "forget",
    "why": "read",
    "lessons": "read",
    "journal": "read",
    "labels": "read",
    "status": "read",
    "show": "read",
    "preferences": "read",
    "export": "read",
    "prefer": "admin",
    # In the folder of spaces.
    "space add": "admin",
    "space list": "admin",
    "space rename": "admin",
    "space delete": "admin",
    "space quota": "admin",
    "key add": "admin",
    "key list": "admin",
    "key revoke": "admin",
    "erase": "admin",
}


def rights_table() -> str:
    """The table for docs/spaces.md."""
    lines = ["| right | operations |", "|---|---|"]
    for right in RIGHTS:
        operations = ", ".join(name for name, needed in OPERATIONS.items() if needed == right)
        lines.append(f"| `{right}` | {operations} |")
    return "\n".join(lines)
