"""Figures for Prometheus, added up over all workers; no space, label or address is among them.

Each process counts in files of its own in one folder (``PROMETHEUS_MULTIPROC_DIR``, set by the supervisor
before this is imported), and whichever worker is asked for /metrics adds them up. The first request of a kind
is written there at once. Those that follow are counted in memory and written once per second.
"""

from __future__ import annotations

from bisect import bisect_left

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)


def lost_entries(registry: CollectorRegistry) -> Gauge:
    """How many entries of the journal a process gave up: a worker without a writer, or the writer."""
    return Gauge("deciban_journal_lost", "Entries given up", registry=registry, multiprocess_mode="livesum")


class ServerMetrics:
    """What one worker counts."""

    def __init__(self) -> None:
        own = CollectorRegistry()
        self._requests = Counter(
            "deciban_requests", "Requests by operation and status", ["operation", "status"], registry=own
        )
        self._seconds = Histogram(
            "deciban_request_seconds", "Time until the answer", ["operation"], buckets=BUCKETS, registry=own
        )
        self.in_flight = Gauge(
            "deciban_requests_in_flight", "Requests at work", registry=own, multiprocess_mode="livesum"
        )
        self.connections = Gauge(
            "deciban_connections", "Open connections", registry=own, multiprocess_mode="livesum"
        )
        self.lost_notes = lost_entries(own)
        self._counted: dict[tuple[str, int], _Counted] = {}

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count a request."""
        counted = self._counted.get((operation, status))
        if counted is None:
            self._counted[operation, status] = _Counted()
            self._requests.labels(operation, str(status)).inc()
            self._seconds.labels(operation).observe(seconds)
            return
        counted.buckets[bisect_left(BUCKETS, seconds)] += 1
        counted.seconds += seconds

    def hand_over(self) -> None:
        """Write what was counted to where every worker can read it."""
        counted, self._counted = self._counted, {}
        for (operation, status), found in counted.items():
            if not any(found.buckets):
                continue
            self._requests.labels(operation, str(status)).inc(sum(found.buckets))
            timer = self._seconds.labels(operation)
            timer._sum.inc(found.seconds)  # there is no other way to observe many at once
            for bucket, count in zip(timer._buckets, found.buckets, strict=True):
                if count:
                    bucket.inc(count)

    def text(self) -> bytes:
        """All figures of all workers."""
        self.hand_over()
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class _Counted:
    """Requests of one kind since the last time, but for the first of them."""

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0
