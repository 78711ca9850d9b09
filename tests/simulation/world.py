"""One seed: a disk with tables, people at them, and everything that goes wrong on the way."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, nullcontext
from typing import Any

import structlog
from msgspec.json import decode, encode

from foxtray.server.machine import Machine
from foxtray.server.settings import Settings
from foxtray.server.tables.log import TableLog
from foxtray.views import game_view
from simulation.audit import Audit, Violation
from simulation.clients import Tab
from simulation.disk import Disk
from simulation.faults import TROUBLED, Faults
from simulation.loop import SimulatedLoop
from simulation.network import OUTSIDE, Network
from simulation.planted import Bug
from simulation.prepared import EPOCH, VARIANTS, Prepared, file_with
from simulation.server import ServerProcess

ENOUGH = 1_200.0
"""Seconds after the last fault within which every game must be over."""
GROWTH = 6
"""Inputs by which the log of a game grows after the last fault, unless it ends."""
SLACK = 60.0
"""Seconds that a game with a clock may stand still after the clock has run out: it runs only while
somebody is there, and a request without an answer keeps a client waiting."""
STEPS = 100_000
"""Callbacks that no seed needs."""
UNEXPECTED = ("task_died", "command_failed", "table_damaged", "bot_task_failed", "request_failed")
"""What a server never logs, whatever happens around it."""


class World:
    """Everything there is, and one source of chance for it."""

    def __init__(self, seed: int, *, telling: bool = False) -> None:
        self.seed = seed
        self.telling = telling
        self.rng = random.Random(seed)
        self.story: list[str] = []
        self.loop = SimulatedLoop(self.branch())  # type: ignore[abstract]
        self.loop.on_kill = lambda process: self.crash()
        self.loop.on_error = lambda text: self.audit.violated(text)
        self.wall = EPOCH
        """The wall clock when the simulation began, as far as clocks did not jump since."""
        self.tables = self._tables()
        self.disk = Disk(file_with(self.tables), self.branch())
        self.audit = Audit(self.disk)
        self.network = Network(self.loop, self.audit, seed)
        self.tabs: list[Tab] = []
        self.server: ServerProcess | None = None
        self.boots = 0
        self.faults = Faults(self)
        self.calm = self.finished = False
        self._goals: dict[str, float] = {}
        """How long the logs must become if their games are not over before."""
        self._known: dict[str, int] = {}
        """How much the server knows of each log."""
        self._grew: dict[str, tuple[int, float]] = {}
        """How long each log is, and since when."""
        self.settings = Settings(
            limits=False,
            workers=self.rng.choice((1, 1, 2)),
            bot_pause=self.rng.choice((0.0, 1.0)),
        )
        self.machine = Machine(
            now=lambda: self.wall + int(self.loop.time() * 1000),
            monotonic=lambda: 1_000.0 + self.loop.time(),
            rng=self.branch(),
        )
        self.network.note = self.note

    def branch(self) -> random.Random:
        """A source of chance for one part, so that it does not hang on what others do."""
        return random.Random(self.rng.getrandbits(64))

    def later(self, delay: float, callback: Callable[..., object], *args: Any) -> None:
        """Let something happen that belongs to no process, whoever asks for it."""
        self.loop.call_later(delay, callback, *args, context=OUTSIDE)

    def note(self, text: str) -> None:
        """Add a line to the story, if anybody wants to hear it."""
        if self.telling:
            self.story.append(f"{self.loop.time():9.3f}  {text}")

    # --- who is there -------------------------------------------------------------------------

    def _tables(self) -> list[Prepared]:
        rng = self.rng
        count = rng.choice((1, 1, 1, 1, 2))
        return [
            Prepared(
                id=f"t{number}",
                game=rng.choice(("clever", "twice")),
                seats=rng.choice(("h", "h", "hb", "hh", "hh", "hhb", "hhh")),
                variant=rng.randrange(VARIANTS),
                far=rng.choice(
                    (0, rng.randrange(5, 40), rng.randrange(5, 40), -rng.randrange(3, 20))
                ),
                clock=rng.choice((0, 0, 5, 20)),
                pause=rng.random() < 0.3,
                real=rng.random() < 0.2,
            )
            for number in range(count)
        ]

    def _people_come(self) -> None:
        mischief = self.rng.choice((0.0, 0.1, 0.3))
        reuse, rematch = self.rng.random() < 0.3, self.rng.random() < 0.3
        for table in self.tables:
            for player in table.people:
                for _ in range(self.rng.choice((1, 1, 2))):
                    self._open_tab(table.id, player, mischief, table.row().invite)
            if self.rng.random() < 0.3:
                self._open_tab(table.id, None, 0.0, table.row().watch)
        for tab in self.tabs:
            tab.reuses_ids, tab.wants_rematch = reuse, rematch

    def _open_tab(self, table: str, player: str | None, mischief: float, key: str = "") -> None:
        tab = Tab(
            self.network,
            table,
            player,
            self.branch(),
            key=key,
            by_http=self.rng.random() < 0.2,
            mischief=mischief,
        )
        tab.note = self.note
        self.tabs.append(tab)
        self.later(self.rng.random() * 2, tab.open)

    # --- the server's lives -------------------------------------------------------------------

    def boot(self) -> None:
        if self.server is not None:
            return
        self.boots += 1
        self.note("the server starts")
        self.server = ServerProcess(
            self.loop, self.disk, self.machine, self.settings, self.branch(), self._exited
        )
        self.network.server = self.server

    def _exited(self, server: ServerProcess) -> None:
        self.note("the server has stopped")
        server.kill()
        self._boot_again()

    def crash(self) -> None:
        """The process dies between two steps."""
        assert self.server
        self.note("the server is killed")
        self.server.kill()
        self._boot_again()

    def _boot_again(self) -> None:
        self.server = self.network.server = None
        self.later(0.2 + self.rng.random() * 3, self.boot)

    def restart(self) -> None:
        """Tell the server to stop; it is started again."""
        if self.server and self.server.listening:
            self.note("the server is told to stop")
            self.server.stop()

    # --- the way to the end -------------------------------------------------------------------

    def _calm_down(self) -> None:
        """From here on nothing goes wrong any more, and everybody plays."""
        self.note("all is well from here on")
        self.calm = True
        self.network.trouble = 0.0
        self.disk.heal()
        for tab in self.tabs:
            tab.mischief = 0.0
            tab.consider()
        if self.server:
            self.server.process.steps_left = -1
            if self.server.number != self.disk.file.number:
                self.restart()  # it still has a file open that is no longer in its place
        for table in self.tables:
            more = math.inf if table.ends else GROWTH
            self._goals[table.id] = self.disk.file.length(table.id) + more
        self._calm_at = self.loop.time()
        self.later(3.0, self._tend)

    def _tend(self) -> None:
        """Look now and then whether everything is over."""
        self._follow_rematches()
        for table in self.tables:
            self._check_clock(table)
        if all(self._is_settled(tab.table) for tab in self.tabs):
            self._check_health()
            self.finished = True
        elif self.loop.time() > self._calm_at + ENOUGH:
            self.audit.violated(f"somebody waits for ever: {self._waiting()}")
        else:
            self.later(1.0, self._tend)

    def _follow_rematches(self) -> None:
        """Everybody who was at a table sits down for its rematch."""
        known = {tab.table for tab in self.tabs}
        for tab in list(self.tabs):
            if tab.rematch and tab.rematch not in known:
                known.add(tab.rematch)
                for player in self._seated_at(tab.table):
                    self._open_tab(tab.rematch, player, 0.0)

    def _seated_at(self, table: str) -> list[str]:
        """Who has a seat: a player whose seat went to a bot before the start has none."""
        row = next(row for row in self.disk.file.tables() if row.id == table)
        return TableLog(row, self.disk.file.log(table)).state.players()

    def _check_clock(self, table: Prepared) -> None:
        """With a clock the game goes on, whoever is away."""
        length = self.disk.file.length(table.id)
        before, since = self._grew.get(table.id, (-1, 0.0))
        if length != before:
            self._grew[table.id] = length, self.loop.time()
        elif table.clock and table.far and not self.disk.file.results(table.id):
            late = self.loop.time() - since - table.clock
            if late > SLACK:
                self.audit.violated(f"{table.id} stands still though it has a clock")

    def _is_settled(self, table: str) -> bool:
        """Whether a game went on for long enough, or to its end, and everybody there knows it.

        A rematch must only begin.
        """
        length = self.disk.file.length(table)
        if not self.disk.file.results(table) and length < self._goals.get(table, length):
            return False
        if table not in self._goals:
            return any(b'"started"' in row.data for row in self.disk.file.log(table))
        here = [tab for tab in self.tabs if tab.table == table and not tab.closed]
        return all(tab.seq == length and not tab.pending for tab in here)

    def _waiting(self) -> str:
        state = [
            f"{tab} at {tab.seq} of {self.disk.file.length(tab.table)}, "
            f"unanswered {[c['type'] for c in tab.pending.values()]}"
            for tab in self.tabs
            if not tab.closed
        ]
        return "; ".join(state)

    def run(self, bug: Bug = nullcontext) -> None:
        """From the first start to the last check; raises Violation."""
        with listening_to_logs(self._logged), self.loop.running():
            with bug():
                self._live()
            self._check(self.audit.finish())

    def _live(self) -> None:
        self.boot()
        self._people_come()
        self.faults.plan()
        self.later(TROUBLED, self._calm_down)
        try:
            while not self.finished:
                self.loop.step()
                self._look_into_memory()
                if self.loop.steps > STEPS:
                    self.audit.violated("something goes round in circles")
                if self.audit.violation:
                    raise Violation(self.audit.violation)
        finally:
            if self.server:
                self.server.kill()

    def _look_into_memory(self) -> None:
        """No table knows more than its log holds."""
        if self.server is None or not self.server.listening:
            return
        for table in self.server.services.registry.tables.values():
            if table.log.seq != self._known.get(table.id):
                self._known[table.id] = table.log.seq
                if table.log.seq > self.disk.file.length(table.id):
                    self.audit.violated(f"{table.id}: the server knows more than the disk")

    def _check_health(self) -> None:
        """In the end the server is well."""
        server = self.server
        if server is None or not server.listening:
            return
        dead = {**server.pool.tasks.dead, **server.services.registry.tasks.dead}
        if dead or server.services.store.failing:
            self.audit.violated(f"not healthy: {dead or server.services.store.failing}")

    def _check(self, logs: dict[str, TableLog]) -> None:
        for tab in self.tabs:
            log = logs[tab.table]
            if tab.closed or log.state.record is None or tab.seq != log.seq:
                continue
            view = game_view(log.state.record.game)
            for number, seat in enumerate(view["seats"]):
                if tab.legal == "mine" and number not in log.state.seats_of(tab.player):
                    seat["legal"] = []
            assert tab.game is not None
            if decode(tab.game) != decode(encode(view)):
                raise Violation(f"{tab} shows another game than the log")

    def _logged(self, event: MutableMapping[str, Any]) -> None:
        if event["event"] in UNEXPECTED:
            self.audit.violated(f"the server logged {event}")


@contextmanager
def listening_to_logs(heard: Callable[[MutableMapping[str, Any]], None]) -> Iterator[None]:
    """Hear what the server logs, and let nothing be printed."""

    def processor(logger: object, name: str, event: MutableMapping[str, Any]) -> Any:
        heard(event)
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[processor], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)
