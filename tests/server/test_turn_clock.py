"""The clock of a table does not depend on the wall clock."""

import asyncio

import pytest

from foxtray.server.tables.turn_clock import TurnClock
from foxtray.server.wall_clock import now
from server.harness import LATE, LoopFactory

HOUR = 3_600_000


@pytest.mark.parametrize("jump", [-3 * HOUR, 0, 400 * 24 * HOUR])
def test_a_wall_clock_that_jumps_changes_no_deadline(jump: int, loop_factory: LoopFactory) -> None:
    """A jump back by three hours stopped the clock for three hours, a jump ahead ended the turn."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        rung = asyncio.Event()
        late: list[int] = []
        ahead = 0

        async def expired(seats: list[int]) -> None:
            late.extend(seats)
            rung.set()

        clock = TurnClock(2, expired, lambda: now() + ahead)
        started = loop.time()
        clock.run([0, 1])
        told = clock.deadlines()
        ahead = jump
        clock.run([0, 1])
        assert clock.late([0, 1]) == []
        moved = {seat: until - told[seat] for seat, until in clock.deadlines().items()}
        assert all(abs(by - jump) < 1_000 for by in moved.values()), "as the wall tells it now"
        async with asyncio.timeout(LATE):
            await rung.wait()
        assert late == [0, 1]
        assert loop.time() - started > 1.9
        await clock.close()

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())
