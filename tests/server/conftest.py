"""One server for all tests that leave it as they found it."""

from collections.abc import Iterator

import pytest

from tests.server.running_server import RunningServer, teach


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(
        tmp_path_factory.mktemp("server"), spaces=("mail", "other", "ann@example.org")
    ) as started:
        teach(started)
        yield started
