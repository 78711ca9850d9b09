"""What is counted and measured, for /metrics."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

QUICK = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.tables = Gauge("foxtray_tables", "Tables in memory", registry=self.registry)
        self.sockets = Gauge("foxtray_sockets", "Open sockets", registry=self.registry)
        self.commands = Counter(
            "foxtray_commands", "Commands carried out", ["type"], registry=self.registry
        )
        self.refusals = Counter(
            "foxtray_refusals", "Commands and requests refused", ["code"], registry=self.registry
        )
        self.dropped = Counter(
            "foxtray_dropped", "Sockets dropped", ["reason"], registry=self.registry
        )
        self.latency = Histogram(
            "foxtray_command_seconds",
            "From a command's arrival to its acknowledgement",
            buckets=QUICK,
            registry=self.registry,
        )
        self.commit_seconds = Histogram(
            "foxtray_commit_seconds", "One commit", buckets=QUICK, registry=self.registry
        )
        self.commit_size = Histogram(
            "foxtray_commit_writes",
            "Writes that shared one commit",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            registry=self.registry,
        )
        self.storage_failing = Gauge(
            "foxtray_storage_failing", "1 while nothing can be written", registry=self.registry
        )

    def commit(self, seconds: float, writes: int) -> None:
        self.commit_seconds.observe(seconds)
        self.commit_size.observe(writes)
