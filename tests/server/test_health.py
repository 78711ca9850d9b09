"""What /healthz and the figures say about a server is the same."""

import asyncio
import shutil
from pathlib import Path

from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette

from foxtray.server.app import create_app
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.settings import Settings
from foxtray.server.store.sqlite import SqliteStore
from server.harness import Server


async def healthy(app: Starlette) -> tuple[str, str]:
    """What /healthz says, and the line of /metrics."""
    here = ASGITransport(app, client=("127.0.0.1", 1))
    async with AsyncClient(transport=here, base_url="http://127.0.0.1") as client:
        status = (await client.get("/healthz")).json()["status"]
        figures = (await client.get("/metrics")).text.splitlines()
    (line,) = [line for line in figures if line.startswith("foxtray_healthy")]
    return status, line


def test_a_task_that_died_fails_health_and_its_figure(tmp_path: Path) -> None:
    async def main() -> None:
        settings = Settings(db=tmp_path / "store.db")
        store, workers = SqliteStore(settings.db), WorkerPool(1)
        app = create_app(settings, store, workers)
        assert await healthy(app) == ("ok", "foxtray_healthy 1.0")

        async def short() -> None:
            pass

        workers.tasks.start("worker 1", short())
        await asyncio.sleep(0.01)
        assert await healthy(app) == ("task_died", "foxtray_healthy 0.0")
        await store.close()

    asyncio.run(main())


def test_the_process_and_its_disk_are_measured(server: Server) -> None:
    assert server.figure("process_start_time_seconds") > 1e9
    assert server.figure("process_resident_memory_bytes") > 1e6
    free = shutil.disk_usage(server.db.parent).free
    assert abs(server.figure("foxtray_disk_free_bytes") - free) < 1e9
