"""What is counted, and entries of the journal that are given up."""

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry, Histogram

from deciban.server.server_metrics import BUCKETS, ServerMetrics

# Their sum is the same in any order.
SECONDS = (2**-12, 2**-11, 2**-8, 0.25, 32.0)
# In a process of its own: prometheus-client finds out when it is imported where all processes count.
GIVING_UP = """
import asyncio, sys
from deciban.journal import journal_writer
from deciban.journal.journal_entry import PackedEntry
from deciban.server.server_log import ServerLog
from deciban.server.server_metrics import ServerMetrics
from deciban.server.writer import Writer
from deciban.spaces import Spaces
from tests.server.test_writer_link import note_of

journal_writer.MOST_WAITING = 3
with Spaces(sys.argv[1], create=True):
    writer = Writer(sys.argv[1], ServerLog("text", sys.stdout))

async def work():
    telling = asyncio.create_task(writer.tell_lost_entries())
    writer.journal.put_all([PackedEntry(note_of(number).row()) for number in range(10)])
    metrics = ServerMetrics()
    while "deciban_journal_lost 7.0" not in metrics.text().decode():
        await asyncio.sleep(0)
    telling.cancel()

asyncio.run(work())
writer.close()
"""


def test_requests_that_are_handed_over_together_are_as_if_each_had_been_observed() -> None:
    metrics = ServerMetrics()
    expected = Histogram("expected", "", ["operation"], buckets=BUCKETS, registry=CollectorRegistry())
    for seconds in SECONDS:
        metrics.count("classify", 200, seconds)
        expected.labels("classify").observe(seconds)
    metrics.hand_over()
    assert figures_of(metrics._seconds) == figures_of(expected)


def figures_of(histogram: Histogram) -> list[tuple[str, str, float]]:
    (found,) = histogram.collect()
    samples = [each for each in found.samples if not each.name.endswith("_created")]
    return [(each.name.rpartition("_")[2], each.labels.get("le", ""), each.value) for each in samples]


def test_entries_that_the_writer_gives_up_are_told(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", GIVING_UP, str(tmp_path / "spaces")],
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics")},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("journal: entries are given up, since they are not written in time\n")
