"""What filters of these tests begin with."""

from pathlib import Path

import pytest

from tests.filter.mails import a_starter


@pytest.fixture(params=["on nothing", "on a starter"])
def starter(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    """What a new filter rests on: laws hold for both."""
    if request.param == "on nothing":
        return None
    (tmp_path / "starters").mkdir()
    return a_starter(tmp_path / "starters")
