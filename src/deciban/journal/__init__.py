"""What was decided about which message, and what the user made of it; docs/journal.md explains it."""

from __future__ import annotations

from deciban.journal.desk import Desk
from deciban.journal.journal_entry import JournalEntry

__all__ = ["Desk", "JournalEntry"]
