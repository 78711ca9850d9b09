"""Bugs that a server could have, each planted by replacing a method: the simulation finds them.

Some of them were real once.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from foxtray.errors import FoxtrayError
from foxtray.server.background import Background
from foxtray.server.bots.pool import Request, WorkerPool
from foxtray.server.protocol.messages import Snapshot, You
from foxtray.server.store import LogRow, NewTable
from foxtray.server.store.sqlite import Append, Job, SqliteStore
from foxtray.server.tables import commands, pictures, table
from foxtray.server.tables.commands import Bot, Decision, act
from foxtray.server.tables.log import Draft, TableLog
from foxtray.server.tables.presence import Listener, PresenceTracker
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.tables.start_timer import StartTimer
from foxtray.server.tables.state import TableState
from foxtray.server.tables.table import Table
from foxtray.server.tables.trusted_clock import TrustedClock
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.server.tables.views import TableViews
from foxtray.views import seat_patch
from simulation.disk import SimulatedStore
from simulation.loop import settle

Bug = Callable[[], AbstractContextManager[None]]


@contextmanager
def replaced(owner: object, **changes: object) -> Iterator[None]:
    """Put other attributes in place, and the old ones back."""
    before = {name: getattr(owner, name) for name in changes}
    for name, change in changes.items():
        setattr(owner, name, change)
    try:
        yield
    finally:
        for name, old in before.items():
            setattr(owner, name, old)


def ack_before_commit() -> AbstractContextManager[None]:
    """A move is told and acknowledged while it is still being written."""

    async def write(self: Table, draft: Draft, opened: NewTable | None) -> None:
        with suppress(FoxtrayError):
            await self.context.store.append(draft.addition(opened))

    async def hasty(self: Table, draft: Draft, opened: NewTable | None = None) -> None:
        before = self.log.seq
        asyncio.create_task(write(self, draft, opened))  # noqa: RUF006
        self.log.accept(draft)
        self.drive()
        self._broadcast(before, whole=True)

    return replaced(Table, _commit=hasty)


def failed_commit_counts() -> AbstractContextManager[None]:
    """The store takes a commit that failed for one that did not."""
    commit = SimulatedStore.commit

    def careless(self: SimulatedStore, connection: sqlite3.Connection) -> None:
        try:
            commit(self, connection)
        except sqlite3.Error:
            connection.rollback()

    return replaced(SimulatedStore, commit=careless)


def replaced_file() -> AbstractContextManager[None]:
    """The store goes on writing into a file that no restart would open."""
    return replaced(SqliteStore, _check_files=lambda self: None)


def no_dedupe() -> AbstractContextManager[None]:
    """A command that comes twice is taken for two."""
    keep = TableLog._keep

    def forgetful(self: TableLog, row: LogRow, *more: Any) -> None:
        keep(self, row, *more)
        self.commands.clear()

    return replaced(TableLog, _keep=forgetful)


def forgotten_ids() -> AbstractContextManager[None]:
    """What a table knows of commands does not survive a restart."""
    replay = TableLog.replay

    def forgetful(self: TableLog, rows: list[LogRow]) -> None:
        replay(self, rows)
        self.commands.clear()

    return replaced(TableLog, replay=forgetful)


def reused_id() -> AbstractContextManager[None]:
    """Another command under a used id is acknowledged as if it had been done."""
    return replaced(table, led_to=lambda *_: True)


def stale_decision() -> AbstractContextManager[None]:
    """Two tabs answer the same question, and both answers count."""
    return replaced(table, check_not_stale=lambda *_: None)


def doubt_ignored() -> AbstractContextManager[None]:
    """After a failed write a table goes on with what it remembers."""

    async def confident(self: Table) -> None:
        self.doubtful = False

    return replaced(Table, _settle_doubt=confident)


@contextmanager
def keeper_dies() -> Iterator[None]:
    """A worker that dies while idle is noticed too late, and takes its keeper along."""

    async def unaware(self: WorkerPool, gone: object, takes_slow: bool) -> Request:
        return await self._requests.get(takes_slow=takes_slow)

    again = WorkerPool._ask_again

    def ask_again(self: WorkerPool, request: Request) -> None:
        if isinstance(sys.exc_info()[1], RuntimeError):
            raise LookupError("nobody expected this kind of error")
        again(self, request)

    def silent(self: Background, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()

    with (
        replaced(WorkerPool, _next=unaware, _ask_again=ask_again),
        replaced(Background, _ended=silent),
    ):
        yield


def clock_waits_for_a_move() -> AbstractContextManager[None]:
    """The clock of a table that was brought back does not run before somebody acts."""
    run, note = TurnClock.run, TurnClock.note

    def lazy(self: TurnClock, seats: list[int]) -> None:
        if hasattr(self, "noted"):
            run(self, seats)

    def noting(self: TurnClock, entry: Any) -> None:
        vars(self)["noted"] = True
        note(self, entry)

    return replaced(TurnClock, run=lazy, note=noting)


def start_waits() -> AbstractContextManager[None]:
    """A start waits for ever for somebody who cannot reveal their entropy."""
    return replaced(StartTimer, run=lambda self, wanted: None)


def any_clock_believed() -> AbstractContextManager[None]:
    """Tables are deleted as soon as the wall clock says that they are old."""

    async def believing(self: TrustedClock) -> int:
        return self._now()

    return replaced(TrustedClock, time=believing)


def old_view() -> AbstractContextManager[None]:
    """A game that was put into words once is not put into words again."""
    renewed = TableViews._renewed_picture
    return replaced(TableViews, _renewed_picture=lambda self: self._picture or renewed(self))


def old_snapshot() -> AbstractContextManager[None]:
    """Whoever comes is shown the table as it was when somebody else came."""
    snapshot = TableViews.snapshot

    def lazy(self: TableViews, you: You) -> Snapshot:
        if "kept" not in vars(self):
            vars(self)["kept"] = snapshot(self, you)
        kept: Snapshot = vars(self)["kept"]
        kept.you = you
        return kept

    return replaced(TableViews, snapshot=lazy)


def untold() -> AbstractContextManager[None]:
    """Now and then somebody is not told what happened."""

    def tell_each(self: PresenceTracker, words: Callable[[Listener], bytes]) -> None:
        told = vars(self)["told"] = vars(self).get("told", 0) + 1
        for listener in list(self.listeners)[1 if told % 5 == 0 else 0 :]:
            listener.push(words(listener))

    return replaced(PresenceTracker, tell_each=tell_each)


def wrong_patch() -> AbstractContextManager[None]:
    """A patch does not tell of what was removed, such as a mark that was undone."""

    def kept(patch: dict[str, Any]) -> dict[str, Any]:
        told = {name: part for name, part in patch.items() if part is not None}
        return {n: kept(part) if isinstance(part, dict) else part for n, part in told.items()}

    def untold(*moments: Any) -> dict[str, Any] | None:
        patch = seat_patch(*moments)
        return None if patch is None else kept(patch)

    return replaced(pictures, seat_patch=untold)


def bot_too_late() -> AbstractContextManager[None]:
    """A bot acts although its question is out of date, even for an owner who is back."""
    decide = commands.decide

    def trusting(state: TableState, actor: Any, command: Any, *more: Any) -> Decision:
        if isinstance(actor, Bot):
            return Decision(act(state, actor.seat, command, actor.name))
        return decide(state, actor, command, *more)

    return replaced(table, decide=trusting)


def second_rematch() -> AbstractContextManager[None]:
    """Everybody who asks for a rematch gets one."""
    rematch = commands.rematch

    def generous(state: TableState, *more: Any) -> Decision:
        twin = state.copy()
        twin.rematch = None
        return rematch(twin, *more)

    return replaced(commands, rematch=generous)


def sockets_stay() -> AbstractContextManager[None]:
    """Who is at a table that another server has claimed is left there."""

    def lose(self: TableRegistry, lost: Table) -> None:
        self.tables.pop(lost.id, None)
        lost.closed = True

    return replaced(TableRegistry, lose=lose)


def late_owner() -> AbstractContextManager[None]:
    """A server goes on with a table that another one has claimed, as if it had been written."""

    def is_late(self: SimulatedStore, job: Job) -> bool:
        work, future = job
        if not isinstance(work, Append) or work.addition.opened:
            return False
        late = self.disk.epochs[work.addition.table] != work.addition.epoch
        if late:
            settle(future, None, None)
        return late

    return replaced(SimulatedStore, _is_late=is_late)


BUGS: dict[str, Bug] = {
    bug.__name__: bug
    for bug in (
        ack_before_commit,
        failed_commit_counts,
        replaced_file,
        no_dedupe,
        forgotten_ids,
        reused_id,
        stale_decision,
        doubt_ignored,
        keeper_dies,
        clock_waits_for_a_move,
        start_waits,
        any_clock_believed,
        old_view,
        old_snapshot,
        untold,
        wrong_patch,
        bot_too_late,
        second_rematch,
        sockets_stay,
        late_owner,
    )
}

PROVOKED_BY = {
    "failed_commit_counts": "fail_disk",
    "replaced_file": "replace_file",
    "doubt_ignored": "fail_disk",
    "keeper_dies": "kill_workers",
    "any_clock_believed": "jump",
    "sockets_stay": "claim_elsewhere",
    "late_owner": "claim_elsewhere",
}
"""The kinds of fault without which a bug does no harm: other seeds need not be run to find it."""
