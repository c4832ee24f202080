"""How much a test does: a short form in `make test`, a long one in `make long`, which sets DECIBAN_LONG=1.

Kills, chaos, load and fuzzing find more the longer they run. The short form notices what is plainly broken;
the long form is run before an issue is called resolved. This is the only place that reads the switch.
"""

import os

LONG = os.environ.get("DECIBAN_LONG", "0") != "0"


def effort(short: int, long: int) -> int:
    """So many kills, histories, inputs or bytes."""
    return long if LONG else short
