"""A folder of spaces, and a shared filter for them to rest on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.spaces import Spaces
from tests.filter.mails import mail, teach


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Spaces]:
    with Spaces(str(tmp_path / "spaces"), create=True) as opened:
        yield opened


@pytest.fixture
def site(tmp_path: Path) -> str:
    """What a site has published: small, so that a test can have many spaces on it."""
    with Filter.open(str(tmp_path / "site.db"), Settings(bits=10, salt=99)) as mail_filter:
        for number in range(10):
            teach(mail_filter, "spam", [mail("spam", number)])
            teach(mail_filter, "ham", [mail("ham", number)])
        mail_filter.publish(str(tmp_path / "site.state"))
    return str(tmp_path / "site.state")
