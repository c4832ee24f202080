"""Figures for Prometheus, added up over all workers; no space, label or address is among them.

Each process counts in files of its own in one folder (``PROMETHEUS_MULTIPROC_DIR``, set by the supervisor
before this is imported), and whichever worker is asked for /metrics adds them up.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)


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
        self.lost_notes = Gauge(
            "deciban_journal_lost", "Entries given up", registry=own, multiprocess_mode="livesum"
        )
        self._counters: dict[tuple[str, int], Counter] = {}
        self._timers: dict[str, Histogram] = {}

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = operation, status
        if key not in self._counters:
            self._counters[key] = self._requests.labels(operation, str(status))
            self._timers[operation] = self._seconds.labels(operation)
        self._counters[key].inc()
        self._timers[operation].observe(seconds)

    def text(self) -> bytes:
        """All figures of all workers."""
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
