"""Bots in worker processes: they answer, and one that dies is replaced.

Production runs on uvloop, whose pipes fail in ways of their own: everything runs on both loops.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from foxtray import Action, Game, SeededDice
from foxtray.bots.base import BotError
from foxtray.server.background import Background
from foxtray.server.bots.fair_queue import FairQueue
from foxtray.server.bots.pool import WorkerPool
from server.harness import LATE, LoopFactory

Runner = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture
def run(loop_factory: LoopFactory) -> Runner:
    def go(main: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(asyncio.wait_for(main, LATE))

    return go


def position() -> str:
    return Game.new("clever").roll(SeededDice(3).throw(0, 1, 0)).game.position()


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_a_dying_worker_is_replaced_and_asked_again(run: Runner) -> None:
    async def main() -> None:
        workers = WorkerPool(1, warm=False)
        workers.start()
        first = await workers.choose(position(), 0, "greedy", 1)
        assert str(Action.parse("clever", first)) == first
        assert workers.state == "ready"
        (process,) = workers.processes
        process.kill()
        assert await workers.choose(position(), 0, "greedy", 1) == first
        assert process not in workers.processes
        await workers.close()
        assert not workers.processes

    run(main())


def test_an_idle_worker_that_dies_is_replaced_before_it_is_needed(run: Runner) -> None:
    async def main() -> None:
        workers = WorkerPool(1, warm=False)
        workers.start()
        await until(lambda: workers.state == "ready")
        for _ in range(3):
            (process,) = workers.processes
            process.kill()
            await until(lambda: workers.state != "ready")
            await until(lambda: workers.state == "ready")
            assert process not in workers.processes
        assert await workers.choose(position(), 0, "greedy", 1)
        assert not workers.tasks.dead
        await workers.close()

    run(main())


def test_a_worker_that_dies_while_it_starts_is_replaced(run: Runner) -> None:
    async def main() -> None:
        workers = WorkerPool(1, warm=False)
        workers.start()
        await until(lambda: workers.processes)
        (process,) = workers.processes
        process.kill()
        assert await workers.choose(position(), 0, "greedy", 1)
        assert process not in workers.processes
        await workers.close()

    run(main())


def test_a_worker_that_dies_while_it_thinks_is_replaced(run: Runner, tmp_path: Path) -> None:
    """The first one never answers, the next ones do."""
    program = tmp_path / "worker.py"
    program.write_text(
        "import pathlib, sys, time\n"
        "print('ready', flush=True)\n"
        "input()\n"
        "flag = pathlib.Path(sys.argv[1])\n"
        "if not flag.exists():\n"
        "    flag.touch()\n"
        "    time.sleep(600)\n"
        'print(\'{"action": "pass"}\', flush=True)\n'
        "input()\n"
    )
    flag = tmp_path / "thinking"

    async def main() -> None:
        workers = WorkerPool(1, (sys.executable, str(program), str(flag)))
        workers.start()
        answer = asyncio.create_task(workers.choose(position(), 0, "greedy", 1))
        await until(flag.exists)
        (process,) = workers.processes
        process.kill()
        assert await answer == "pass"
        await workers.close()

    run(main())


def test_all_workers_may_die_at_once(run: Runner) -> None:
    async def main() -> None:
        workers = WorkerPool(3, warm=False)
        workers.start()
        await until(lambda: workers.ready == 3)
        answers = [
            asyncio.create_task(workers.choose(position(), 0, "greedy", k)) for k in range(9)
        ]
        for process in list(workers.processes):
            process.kill()
        assert len(await asyncio.gather(*answers)) == 9
        await until(lambda: workers.ready == 3)
        await workers.close()
        assert not workers.processes

    run(main())


def test_a_question_without_an_answer_is_no_reason_to_die(run: Runner) -> None:
    async def main() -> None:
        workers = WorkerPool(1, warm=False)
        workers.start()
        await workers.choose(position(), 0, "greedy", 1)
        before = set(workers.processes)
        with pytest.raises(BotError, match="nothing to decide now"):
            await workers.choose(Game.new("clever").position(), 0, "greedy", 1)
        await workers.choose(position(), 0, "greedy", 1)
        assert workers.processes == before
        await workers.close()

    run(main())


def test_a_decision_that_kills_every_worker_is_given_up(run: Runner, tmp_path: Path) -> None:
    program = tmp_path / "worker.py"
    program.write_text("print('ready', flush=True); input()")

    async def main() -> None:
        workers = WorkerPool(1, (sys.executable, str(program)))
        workers.start()
        with pytest.raises(BotError):
            await workers.choose(position(), 0, "greedy", 1)
        await workers.close()

    run(main())


def test_a_program_that_cannot_be_started_is_tried_again(run: Runner, tmp_path: Path) -> None:
    program = tmp_path / "worker"

    async def main() -> None:
        workers = WorkerPool(1, (str(program),))
        workers.start()
        await until(lambda: workers.state == "failing")
        assert not workers.tasks.dead
        program.write_text(f"#!{sys.executable}\nprint('ready', flush=True); input()\n")
        program.chmod(0o755)
        await until(lambda: workers.state == "ready")
        await workers.close()

    run(main())


def test_a_background_task_that_dies_is_known(run: Runner) -> None:
    async def fail() -> None:
        raise RuntimeError("no more")

    async def stay() -> None:
        await asyncio.sleep(LATE)

    async def main() -> None:
        tasks = Background()
        tasks.start("patrol", fail())
        tasks.start("sweeper", stay())
        await until(lambda: tasks.dead)
        assert tasks.dead == {"patrol": "RuntimeError('no more')"}
        await tasks.close()
        assert list(tasks.dead) == ["patrol"]

    run(main())


def test_tables_have_their_turns_and_quick_questions_do_not_wait_for_slow(run: Runner) -> None:
    async def main() -> None:
        queue: FairQueue[str] = FairQueue()
        for number in range(4):
            queue.put("busy", f"busy {number}", slow=False)
        queue.put("calm", "calm", slow=False)
        queue.put("deep", "deep", slow=True)
        assert len(queue) == 6
        assert [await queue.get(takes_slow=False) for _ in range(2)] == ["busy 0", "calm"]
        # A worker that takes slow ones alternates between slow and quick ones.
        order = [await queue.get(takes_slow=True) for _ in range(4)]
        assert order == ["deep", "busy 1", "busy 2", "busy 3"]
        quick = asyncio.create_task(queue.get(takes_slow=False))
        await asyncio.sleep(0)
        queue.put("deep", "slow", slow=True)
        await asyncio.sleep(0)
        assert not quick.done(), "it is kept for quick ones"
        queue.put("calm", "soon", slow=False)
        assert await quick == "soon"
        assert await queue.get(takes_slow=True) == "slow"

    run(main())


def test_hints_wait_until_no_bot_does(run: Runner) -> None:
    """Six people who kept asking for hints made expert take three seconds."""

    async def main() -> None:
        queue: FairQueue[str] = FairQueue()
        for number in range(2):
            queue.put("ana", f"hint {number}", slow=True, hint=True)
        queue.put("ben", "hint of Ben", slow=True, hint=True)
        quick = asyncio.create_task(queue.get(takes_slow=False))
        await asyncio.sleep(0)
        assert not quick.done(), "a worker is kept for quick bots"
        queue.put("t", "quick", slow=False)
        assert await quick == "quick"
        queue.put("t", "deep", slow=True)
        queue.put("t", "soon", slow=False)
        assert len(queue) == 5
        order = [await queue.get(takes_slow=True) for _ in range(5)]
        assert order == ["soon", "deep", "hint 0", "hint of Ben", "hint 1"]

    run(main())


def test_the_pool_asks_bots_before_hints(run: Runner) -> None:
    async def main() -> None:
        pool = WorkerPool(1)  # not started: questions stay in the queue
        hints = [asyncio.create_task(pool.hint("x", 0, 1, f"t{n}")) for n in range(3)]
        await asyncio.sleep(0)
        choice = asyncio.create_task(pool.choose("x", 0, "expert", 1, "t9"))
        await asyncio.sleep(0)
        assert (await pool._requests.get(takes_slow=True)).table == "t9"
        for task in (*hints, choice):
            task.cancel()
        await asyncio.gather(*hints, choice, return_exceptions=True)

    run(main())


def test_an_answer_that_nobody_waits_for_any_more_is_for_the_next(run: Runner) -> None:
    async def main() -> None:
        queue: FairQueue[str] = FairQueue()
        given_up = asyncio.create_task(queue.get(takes_slow=True))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        queue.put("t", "item", slow=False)
        assert await queue.get(takes_slow=True) == "item"

    run(main())
