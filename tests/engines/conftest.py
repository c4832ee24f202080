"""Engines that run, started once for all tests that share them."""

import pytest

from deciban.engines import Dask, Processes, Serial, Threads


@pytest.fixture(scope="session")
def processes():
    """Two worker processes."""
    with Processes(2).running() as running:
        yield running


@pytest.fixture(scope="session")
def client():
    """A real Dask cluster on loopback: two worker processes, ports chosen by the system, no dashboard."""
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


@pytest.fixture(params=["serial", "threads", "processes", "dask"])
def engine(request):
    """Each engine in turn."""
    if request.param in ("serial", "threads"):
        return Serial() if request.param == "serial" else Threads(2)
    return (
        request.getfixturevalue("processes")
        if request.param == "processes"
        else Dask(request.getfixturevalue("client"))
    )
