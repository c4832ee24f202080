"""The committee: four witnesses and one judge over the features of lessons. It knows no files.

Start with _committee.pyx, which explains the model; _committee_buffer.pyx explains its buffer, and
docs/filter.md why it is made so.
"""

from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict

__all__ = ["Settings", "Verdict"]
