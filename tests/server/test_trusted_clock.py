"""Old tables are deleted only while the time can be trusted."""

import asyncio
from pathlib import Path

import pytest

from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.tables.trusted_clock import GRACE, HOUR, TrustedClock

TODAY = 1_700_000_000_000
DAY = 24 * HOUR


class World:
    """A wall clock that can be set, and a monotonic one that cannot."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.wall = TODAY
        self.moment = 100.0
        self.start()

    def start(self) -> None:
        """Start a server."""
        self.clock = TrustedClock(self.store, lambda: self.wall, lambda: self.moment)

    def wait(self, seconds: float) -> None:
        self.wall += round(seconds * 1000)
        self.moment += seconds

    async def believed(self) -> bool:
        time = await self.clock.time()
        assert time in (None, self.wall)
        return time is not None


@pytest.mark.parametrize("leap", [400 * DAY, -3 * DAY])
def test_a_start_at_a_wrong_time_deletes_nothing(tmp_path: Path, leap: int) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        world = World(store)
        assert not await world.believed(), "the first run knows nothing yet"
        assert await store.mark("clock") == world.wall, "but the next one does"
        world.wait(GRACE)
        assert await world.believed()
        world.wait(5 * 24 * 3600)
        world.start()
        assert await world.believed(), "a few days without a server are no leap"
        world.wall += leap
        world.start()
        assert not await world.believed()
        world.wait(3600)
        world.start()
        assert not await world.believed(), "another start does not make it better"
        world.wall -= leap
        world.start()
        assert await world.believed(), "the clock was set right"
        await store.close()

    asyncio.run(main())


def test_a_leap_while_the_server_runs_is_believed_after_a_day(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.set_mark("clock", TODAY)
        world = World(store)
        assert await world.believed()
        world.wait(3600)
        assert await world.believed()
        world.wall += 400 * DAY
        assert not await world.believed()
        for _ in range(23):
            world.wait(3600)
            assert not await world.believed()
        world.wait(3601)
        assert await world.believed()
        await store.close()

    asyncio.run(main())
