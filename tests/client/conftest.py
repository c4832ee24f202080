"""The server that clients ask."""

from tests.server.conftest import server as server
