"""Counters and measurements for /metrics."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

ALERTING = ("internal", "too_many")
"""Refusals that alerts count: from 0 on, or the first would go unnoticed."""
REVIEWED = ("made", "failed", "died")
QUICK = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, CPU, files, time of the start
        self.tables = Gauge("foxtray_tables", "Tables in memory", registry=self.registry)
        self.sockets = Gauge("foxtray_sockets", "Open sockets", registry=self.registry)
        self.commands = Counter(
            "foxtray_commands", "Commands executed", ["type"], registry=self.registry
        )
        self._counts: dict[Any, Counter] = {}
        self.refusals = Counter(
            "foxtray_refusals", "Commands and requests refused", ["code"], registry=self.registry
        )
        for code in ALERTING:
            self.refusals.labels(code)
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
            "foxtray_storage_failing", "1 while moves cannot be saved", registry=self.registry
        )
        self.disk_free = Gauge(
            "foxtray_disk_free_bytes", "Space left on the disk of the data", registry=self.registry
        )
        self.backup_interval = Gauge(
            "foxtray_backup_interval_seconds",
            "Time between two backups; 0 if none are made",
            registry=self.registry,
        )
        self.backup_time = Gauge(
            "foxtray_backup_last_success_timestamp_seconds",
            "When the data of the newest backup was copied",
            registry=self.registry,
        )
        self.backup_failures = Counter(
            "foxtray_backup_failures", "Backups that could not be made", registry=self.registry
        )
        self.bot_queue = Gauge(
            "foxtray_bot_queue", "Decisions waiting for a worker process", registry=self.registry
        )
        self.review_queue = Gauge(
            "foxtray_review_queue", "Reviews that wait to be made", registry=self.registry
        )
        self.reviews = Counter(
            "foxtray_reviews",
            "Reviews made or failed, and processes of the coach that died",
            ["result"],
            registry=self.registry,
        )
        for result in REVIEWED:
            self.reviews.labels(result)
        self.worker_restarts = Gauge(
            "foxtray_worker_restarts", "Worker processes restarted", registry=self.registry
        )
        self.workers_ready = Gauge(
            "foxtray_workers_ready", "Worker processes that are ready", registry=self.registry
        )
        self.healthy = Gauge(
            "foxtray_healthy", "1 while /healthz answers 200", registry=self.registry
        )

    def executed(self, command: Any) -> None:
        """Count a command."""
        if command not in self._counts:
            self._counts[command] = self.commands.labels(command)
        self._counts[command].inc()

    def reviewed(self, result: str) -> None:
        """Count a review that was made or failed, or a process of the coach that died."""
        self.reviews.labels(result).inc()

    def commit(self, seconds: float, writes: int) -> None:
        self.commit_seconds.observe(seconds)
        self.commit_size.observe(writes)
