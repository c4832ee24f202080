"""Many filters in one folder, each a space with a name of its own; docs/spaces.md explains it.

with Spaces("/var/lib/deciban/spaces", create=True) as spaces:
    spaces.add("ann@example.org")
    with spaces.using("ann@example.org") as space:
        verdict = space.mail_filter.classify(question_of(data, space.mail_filter.preferences))
"""

from __future__ import annotations

from deciban.spaces.quota import Quota
from deciban.spaces.spaces import Spaces

__all__ = ["Quota", "Spaces"]
