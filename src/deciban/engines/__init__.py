"""Many cores, many machines: the tally of partitioned data, and lessons from mail, by one call.

    tally(partitions, Multinomial())                                  # here, one after the other
    tally(partitions, Multinomial(), Processes(4))                    # by four processes of this machine
    read_by(Threads(), make, messages)                                # by one thread a core
    tally(partitions, Multinomial(), Dask("tcp://10.0.0.1:8786"))     # by a Dask cluster

All of them give the same bits: each partition is tallied by itself, wherever that is, and the tallies are
added here, in the order of the partitions. docs/scale.md says what grows how.

Nothing here imports numpy before it is needed: processes that only read mail start in a tenth of a second.
"""

from deciban.engines.dask_cluster import Dask
from deciban.engines.engine import Engine, Serial
from deciban.engines.lessons import read_by
from deciban.engines.partitioned_tally import tally
from deciban.engines.partitions import Documents, Partition, Rows, TableFile
from deciban.engines.processes import Processes
from deciban.engines.threads import Threads

__all__ = [
    "Dask",
    "Documents",
    "Engine",
    "Partition",
    "Processes",
    "Rows",
    "Serial",
    "TableFile",
    "Threads",
    "read_by",
    "tally",
]
