"""What goes wrong: each seed chooses a few kinds of faults, and when they strike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.json import decode, encode

from foxtray.server.store import News
from simulation.disk import SimulatedStore
from simulation.prepared import PEOPLE

if TYPE_CHECKING:
    from simulation.world import World

TROUBLED = 12.0
"""Seconds in which things go wrong."""
WHILE = 4.0
"""Seconds for which a disk is in trouble, at most."""
SOON = 120
"""Callbacks after which a server is killed, at most: it may be in the middle of anything."""
PUT_AWAY = 400.0
"""Seconds after which the server has put away a table that nobody is at."""
DAY = 86_400

Fault = Callable[[], None]


class Faults:
    """The bad luck of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.branch()
        self.count = 0
        kinds: Sequence[Fault] = (
            self._crash_soon,
            world.restart,
            self._cut,
            self._fail_disk,
            self._slow_disk,
            self._fail_reads,
            self._replace_file,
            self._move_file,
            self._kill_workers,
            self._jump,
            self._sleep,
            self._go,
            self._make_table,
            self._rename,
            self._leave_alone,
            self._claim_elsewhere,
        )
        self._kinds = self.rng.sample(kinds, self.rng.randrange(1, 6))
        self.names = {kind.__name__.strip("_") for kind in self._kinds}

    def plan(self) -> None:
        """Choose when faults come."""
        for _ in range(self.rng.randrange(0, 12)):
            when = self.rng.random() * TROUBLED
            self.world.later(when, self._strike, self.rng.choice(self._kinds))
        self.world.network.trouble = self.rng.choice((0.0, 0.1, 0.4))

    def _strike(self, fault: Fault) -> None:
        if not self.world.calm:
            self.count += 1
            fault()

    def _crash_soon(self) -> None:
        if self.world.server:
            self.world.server.process.steps_left = self.rng.randrange(SOON)

    def _cut(self) -> None:
        wires = [tab.wire for tab in self.world.tabs if tab.wire]
        for wire in wires:
            if self.rng.random() < 0.6:
                self.world.note(f"a connection of {wire.peer} is cut")
                wire.cut()

    def _for_a_while(self, text: str, name: str, value: object, after: object) -> None:
        self.world.note(text)
        setattr(self.world.disk, name, value)
        self.world.later(self.rng.random() * WHILE, setattr, self.world.disk, name, after)

    def _fail_disk(self) -> None:
        self._for_a_while("commits fail", "failing", self.rng.choice((0.3, 1.0)), 0.0)

    def _slow_disk(self) -> None:
        self._for_a_while("the disk is slow", "slow", True, False)

    def _fail_reads(self) -> None:
        self._for_a_while("the disk cannot be read", "unreadable", True, False)

    def _move_file(self) -> None:
        self._for_a_while("the file is moved away", "missing", True, False)

    def _replace_file(self) -> None:
        """A copy takes the place of the file; somebody notices, and restarts the server."""
        if self.world.disk.missing:
            return
        self.world.note("the file is replaced by a copy")
        self.world.disk.replace()
        self.world.later(1 + self.rng.random() * 8, self.world.restart)

    def _kill_workers(self) -> None:
        if self.world.server:
            for worker in list(self.world.server.workers):
                if self.rng.random() < 0.7:
                    self.world.note(f"a worker dies while {worker.doing}")
                    worker.die()

    def _jump(self) -> None:
        seconds = self.rng.choice((-400 * DAY, -7_200, -30, 30, 7_200, 400 * DAY))
        self.world.note(f"the wall clock jumps by {seconds} s")
        self.world.wall += seconds * 1000

    def _sleep(self) -> None:
        seconds = self.rng.choice((1.0, 10.0, 100.0))
        self.world.note(f"the machine sleeps for {seconds:.0f} s")
        self.world.loop.leap(seconds)

    def _go(self) -> None:
        """Somebody goes for good, as long as somebody else is at the table."""
        tab = self.rng.choice(self.world.tabs)
        if tab.table_info is None or tab.table_info.status == "lobby":
            return
        others = [
            t for t in self.world.tabs if t.table == tab.table and t is not tab and not t.closed
        ]
        if any(other.player and other.player != tab.player for other in others):
            self.world.note(f"{tab} goes for good")
            tab.close()

    def _make_table(self) -> None:
        """Somebody makes another table, over HTTP; once they are told of it, it must stay."""
        player = self.rng.choice(PEOPLE)

        def answered(status: int, body: bytes) -> None:
            if status == 200:
                self.world.audit.made.append(decode(body)["id"])
                self.world.note(f"{player} has made {self.world.audit.made[-1]}")

        wish = {"game": "clever", "seats": [{"kind": "me"}, {"kind": "open"}]}
        self.world.note(f"{player} makes a table")
        self.world.network.request(player, "POST", "/api/tables", answered, encode(wish))

    def _rename(self) -> None:
        player = self.rng.choice(PEOPLE)
        self.world.note(f"{player} changes their name")
        body = encode({"name": f"{player} {self.rng.randrange(100)}"})
        self.world.network.request(player, "PUT", "/api/me", lambda *_: None, body)

    def _claim_elsewhere(self) -> None:
        """Another server claims a table; this one hears of it, or that it missed something, or
        nothing at all."""
        table, disk = self.rng.choice(self.world.tables).id, self.world.disk
        self.world.note(f"another server claims {table}")
        disk.epochs[table] += 1
        server = self.world.server
        if server is None or not server.listening:
            return
        store = server.services.store
        assert isinstance(store, SimulatedStore)
        news = News("table", table, str(disk.epochs[table]))
        tell = self.rng.choice((lambda: store.heard(news), store.revalidate, lambda: None))
        server.process.later(self.rng.random(), tell)

    def _leave_alone(self) -> None:
        """Nobody is at a table for so long that the server puts it away."""
        table = self.rng.choice(self.world.tables).id
        self.world.note(f"nobody is at {table} for a long time")
        for tab in self.world.tabs:
            if tab.table == table and not tab.closed:
                tab.close()
                self.world.later(1 + self.rng.random() * 2, tab.open)
        self.world.later(self.rng.random(), self._strike, lambda: self.world.loop.leap(PUT_AWAY))
