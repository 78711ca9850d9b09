"""Bots in processes of their own: they answer, and one that dies is replaced."""

import asyncio
import sys
from pathlib import Path

import pytest

from foxtray import Action, Game, SeededDice
from foxtray.bots.base import BotError
from foxtray.server.crew import Crew


def position() -> str:
    return Game.new("clever").roll(SeededDice(3).throw(0, 1, 0)).game.position()


def test_a_dying_worker_is_replaced_and_asked_again() -> None:
    async def main() -> None:
        crew = Crew(1, warm=False)
        crew.start()
        async with asyncio.timeout(60):
            first = await crew.choose(position(), 0, "greedy", 1)
            assert str(Action.parse("clever", first)) == first
            assert crew.state == "ready"
            (process,) = crew.processes
            process.kill()
            assert await crew.choose(position(), 0, "greedy", 1) == first
            assert process not in crew.processes
        await crew.close()
        assert not crew.processes

    asyncio.run(main())


def test_a_question_without_an_answer_is_no_reason_to_die() -> None:
    async def main() -> None:
        crew = Crew(1, warm=False)
        crew.start()
        async with asyncio.timeout(60):
            await crew.choose(position(), 0, "greedy", 1)
            before = set(crew.processes)
            with pytest.raises(BotError, match="not awaited"):
                await crew.choose(Game.new("clever").position(), 0, "greedy", 1)
            await crew.choose(position(), 0, "greedy", 1)
            assert crew.processes == before
        await crew.close()

    asyncio.run(main())


def test_a_decision_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    program = tmp_path / "worker.py"
    program.write_text("print('ready', flush=True); input()")

    async def main() -> None:
        crew = Crew(1, (sys.executable, str(program)))
        crew.start()
        async with asyncio.timeout(60):
            with pytest.raises(BotError):
                await crew.choose(position(), 0, "greedy", 1)
        await crew.close()

    asyncio.run(main())
