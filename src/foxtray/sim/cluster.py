"""The pool of `sim.workers` on a Ray cluster: the same tasks and the same results, in order.

Ray does a task again when the process or the node that works on it dies. Only this module imports
Ray, and only when a pool is opened.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import foxtray
from foxtray import extras
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim.workers import AHEAD, ATTEMPTS, Result, Task, answer, gave_up

LOCAL, AUTO = "local", "auto"
"""Addresses: start Ray on this machine, or find the cluster that this machine belongs to."""
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How HTTP/2, which Ray speaks, begins: a greeting and empty settings (type 4)."""
FRAME = 9
"""The bytes of the head of a frame; the type is the fourth."""
PATIENCE = 10
"""Seconds to wait for a cluster to answer."""
STORE = 256 << 20
"""Bytes for results in a Ray of our own; only a few chunks exist at the same time."""

# Read by Ray when it is imported or started.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Otherwise it tells of dead nodes on the standard output, among the results.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
    "RAY_py_gcs_connect_timeout_s": str(PATIENCE),
}
OWN = QUIET | {
    # It listens on 127.0.0.1 only, as it always does on macOS and Windows.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # Its processes are as important as ours: at its default they starve on a busy machine.
    "RAY_worker_niceness": "0",
}
"""The same for a Ray of our own."""


class Cluster:
    """The processes of a Ray cluster."""

    def __init__(self, ray: Any, jobs: int | None) -> None:
        self.ray = ray
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if not cpus:
            raise BadSetup("the Ray cluster has no CPUs; add a node to it")
        self.jobs = min(jobs or cpus, cpus)
        # What is queued starts at once when a process is free, but is not held back by `jobs`.
        self.sent_at_once = AHEAD * cpus if self.jobs == cpus else self.jobs

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Do some work for every task; yields the results in the order of the tasks."""
        send = self.ray.remote(work_on).options(num_cpus=1, max_retries=ATTEMPTS - 1).remote
        shared = self.ray.put(work)  # sent to each node once
        fresh = enumerate(tasks)
        running: dict[Any, int] = {}
        handed: dict[int, tuple[Task, Any]] = {}
        told, more = 0, True
        try:
            while True:
                while more and len(running) < self.sent_at_once and len(handed) < AHEAD * self.jobs:
                    number, task = next(fresh, (-1, None))
                    more = task is not None
                    if task is not None:
                        reference = send(foxtray.__version__, shared, task)
                        running[reference] = number
                        handed[number] = task, reference
                if not handed:
                    return
                if running:
                    done, _ = self.ray.wait(list(running), num_returns=1)
                    for reference in done:
                        del running[reference]
                while told in handed and handed[told][1] not in running:
                    result = self._result(*handed.pop(told))
                    told += 1
                    yield result
        finally:
            for reference in running:
                self.ray.cancel(reference)

    def _result(self, task: object, reference: Any) -> Any:
        errors = self.ray.exceptions
        try:
            found = self.ray.get(reference)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError) as error:
            raise gave_up(task, type(error).__name__) from None
        except errors.OutOfMemoryError:
            raise FoxtrayError(f"cannot finish {task}: a node ran out of memory") from None
        except errors.RayError as error:
            raise FoxtrayError(
                f"cannot finish {task} on the cluster; every node needs Foxtray "
                f"{foxtray.__version__} with its extra ray: {last_line(error)}"
            ) from None
        if isinstance(found, Exception):
            raise found
        return found


def work_on(version: str, work: Callable[[Task], Result], task: Task) -> Result | Exception:
    """Do a task in a process of the cluster; the versions must agree, or the games might differ."""
    if version != foxtray.__version__:
        return FoxtrayError(
            f"a node of the cluster has Foxtray {foxtray.__version__}, this machine has {version}; "
            "install the same version everywhere"
        )
    return answer(work, task)


@contextmanager
def connect(address: str, jobs: int | None = None) -> Iterator[Cluster]:
    """The cluster at an address such as `10.0.0.1:6379`; `local` starts one on this machine.

    `jobs` limits the number of processes.
    """
    extras.need("ray", "a Ray cluster")
    check(address)
    os.environ.update(OWN if address == LOCAL else QUIET)
    import ray

    with tempfile.TemporaryDirectory(prefix="fox-", ignore_cleanup_errors=True) as folder:
        own = {
            "num_cpus": jobs or os.cpu_count(),
            "object_store_memory": STORE,
            "include_dashboard": False,
            "_temp_dir": folder,
        }
        try:
            ray.init(
                address=address,
                logging_level="ERROR",
                log_to_driver=False,
                **(own if address == LOCAL else {}),
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise no_answer(address, last_line(error)) from None
        try:
            yield Cluster(ray, jobs)
        finally:
            ray.shutdown()


def check(address: str) -> None:
    """Refuse an address where no such server answers: Ray itself would wait for minutes."""
    if address in (LOCAL, AUTO):
        return
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise BadSetup(
            f"{address!r} is not the address of a Ray cluster; write HOST:PORT, auto or local"
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), PATIENCE) as line:
            line.sendall(HELLO)
            said = b""
            while len(said) < FRAME and (more := line.recv(FRAME - len(said))):
                said += more
    except OSError as error:
        raise no_answer(address, error.strerror or str(error)) from None
    if said[3:4] != b"\x04":
        raise no_answer(address, "something else does")


def no_answer(address: str, why: str) -> BadSetup:
    return BadSetup(
        f"no Ray cluster answers at {address} ({why}); "
        "start one with: ray start --head, or use: --ray local"
    )


def last_line(error: Exception) -> str:
    """The last line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[-1].strip()
