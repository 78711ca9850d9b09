"""A server process on a simulated machine, put together as `foxtray.server.run` does it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from starlette.types import ASGIApp

from foxtray.server.app import create_app
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.http.services import Services
from foxtray.server.http.static import Client
from foxtray.server.machine import Machine
from foxtray.server.settings import Settings
from foxtray.server.store import StoreError
from simulation.disk import Disk, SimulatedStore
from simulation.loop import Process, SimulatedLoop
from simulation.network import Request, Wire
from simulation.workers import Worker

NO_CLIENT = Client(Path("no-client"))
GRACE = 5.0
"""Seconds that a server which stops waits for requests to be answered."""


class ServerProcess:
    """One life of the server."""

    def __init__(
        self,
        loop: SimulatedLoop,
        disk: Disk,
        machine: Machine,
        settings: Settings,
        rng: random.Random,
        exited: Callable[[ServerProcess], None],
    ) -> None:
        self.disk = disk
        self.machine = machine
        self.settings = settings
        self.rng = rng
        self.exited = exited
        self.number = disk.file.number
        """Of the file that it has open."""
        self.process = Process(loop, self._launch)
        self.listening = False
        self.wires: dict[Wire, None] = {}
        self.requests: dict[Request, None] = {}
        self.workers: dict[Worker, None] = {}
        """Its children, alive all of them."""
        self.app: ASGIApp
        self.services: Services
        self.pool: WorkerPool
        self._stop = asyncio.Event()
        self.process.spawn(self._run(), "server")

    def _launch(self, protocol: asyncio.SubprocessProtocol) -> Worker:
        rng = random.Random(self.rng.random())
        worker = Worker(self.process, protocol, rng, lambda ended: self.workers.pop(ended, None))
        self.workers[worker] = None
        return worker

    async def _run(self) -> None:
        try:
            store = SimulatedStore(self.disk)
        except StoreError:
            self.exited(self)
            return
        self.pool = WorkerPool(self.settings.workers, names=("random", "greedy"))
        self.pool.start()
        app = create_app(self.settings, store, self.pool, client=NO_CLIENT, machine=self.machine)
        self.app, self.services = app, app.state.services
        async with app.router.lifespan_context(app):
            self.listening = True
            await self._stop.wait()
            await self._let_go()
        await self.pool.close()
        await store.close()
        self.exited(self)

    async def _let_go(self) -> None:
        """Stop listening, and let those who are connected go."""
        self.listening = False
        self.services.long_polls.end()
        for wire in list(self.wires):
            wire.shut()
        waited = 0.0
        while (self.wires or self.requests) and waited < GRACE:
            await asyncio.sleep(0.1)
            waited += 0.1

    def stop(self) -> None:
        """As a signal does it: politely."""
        self._stop.set()

    def kill(self) -> None:
        """As a power cut does it."""
        self.listening = False
        self.process.kill()
        for wire in list(self.wires):
            wire.server_died()
        for request in list(self.requests):
            request.server_died()
        self.wires.clear()
        self.requests.clear()
