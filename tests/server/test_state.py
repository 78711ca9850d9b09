"""The table under any sequence of commands: a state machine, and fuzzing of decoder and handler."""

import asyncio
import json
import tempfile
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from foxtray import FoxtrayError
from foxtray.dice import entropy_commitment
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol import inputs, messages
from foxtray.server.settings import Settings
from foxtray.server.store import PlayerRow, StorageFailing
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.tables.commands import Person
from foxtray.server.tables.outdated import OutdatedTable
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.tables.state import TableState
from foxtray.server.tables.table import Table
from foxtray.views import game_view
from server.harness import created
from server.patched import patched

T = TypeVar("T")
ENTROPY = "00112233445566778899aabbccddeeff"
KINDS = ["roll", "undo", "resume", "leave", "start", "rematch"]


class Flaky(SqliteStore):
    """Can be made to lose a write before or after it is durable."""

    fault = ""

    async def append(self, addition: Any) -> None:
        fault, self.fault = self.fault, ""
        if fault == "before":
            raise StorageFailing("before")
        await super().append(addition)
        if fault == "after":
            raise StorageFailing("after")


class Watcher:
    """A client that knows only what the server sends, whole or as patches."""

    def __init__(self, patches: bool) -> None:
        self.player: str | None = None
        self.patches = patches
        self.legal: messages.LegalOf = "all"
        self.told = 0
        self.seq = 0
        self.game: Any = None

    def drop(self, reason: str) -> None:
        raise AssertionError(reason)

    def push(self, data: bytes) -> None:
        message = json.loads(data)
        if message["type"] == "update":
            assert message["previous"] == self.seq
            assert [e["seq"] for e in message["entries"]] == list(
                range(self.seq + 1, message["seq"] + 1)
            )
            self.seq = message["seq"]
            if "patch" in message:
                assert self.patches
                self.game = patched(self.game, message["patch"])
            self.game = message.get("game", self.game)


class TableMachine(RuleBasedStateMachine):
    """Players send arbitrary commands; table, log and watchers always agree."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.number = 0
        self.last: tuple[str, messages.TableCommand, int] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @initialize(
        game=st.sampled_from(["clever", "twice"]),
        seats=st.integers(1, 3),
    )
    def open(self, game: str, seats: int) -> None:
        async def build() -> Table:
            self.store = Flaky(Path(self.folder.name) / "store.db")
            self.workers = WorkerPool(1)
            # Bots would act in their own time, and no example could be repeated.
            host = Settings(limits=False, absence=0, bot_pause=1e6, reveal=60)
            self.registry = TableRegistry(self.store, self.workers, host)
            wishes = [messages.SeatWish("me")] + [messages.SeatWish("open")] * (seats - 1)
            self.players = [PlayerRow(f"p{n}", f"P{n}", bytes([n] * 32), 0) for n in range(3)]
            for player in self.players:
                await self.store.add_player(player)
            return await created(self.registry, self.players[0], messages.TableWish(game, wishes))

        self.table = self.run(build())
        self.watchers = [Watcher(patches=False), Watcher(patches=True)]
        for watcher in self.watchers:
            self.table.presence.connect(watcher, [])

    def execute(self, player: str, command: messages.TableCommand) -> int | None:
        """The number of a command's entry; nothing if it was refused."""
        invite = self.table.state.row.invite
        try:
            ack = self.run(self.table.execute(Person(player, invite), command))
        except FoxtrayError:
            return None
        self.last = (player, command, ack.seq)
        return ack.seq

    def command(self, player: int, kind: type[Any], **what: object) -> int | None:
        self.number += 1
        return self.execute(f"p{player}", kind(id=f"c{self.number}", **what))

    @rule(player=st.integers(0, 2), seat=st.integers(0, 3))
    def sit(self, player: int, seat: int) -> None:
        self.command(player, messages.Sit, seat=seat, entropy=ENTROPY)

    @rule(player=st.integers(0, 2), seat=st.integers(0, 3))
    def commit(self, player: int, seat: int) -> None:
        """Sit down and commit to what may be revealed later."""
        promise = self.table.state.commitment()
        assert promise
        told = entropy_commitment(promise, seat, bytes.fromhex(ENTROPY))
        self.command(player, messages.Sit, seat=seat, commitment=told)

    @rule(player=st.integers(0, 2))
    def reveal(self, player: int) -> None:
        self.command(player, messages.Reveal, entropy=ENTROPY)

    @precondition(lambda self: self.table.state.starting)
    @rule()
    def time_is_over(self) -> None:
        """The seats that have not revealed are left out."""
        self.run(self.table.start_late())

    @rule()
    def everybody_sits_and_starts(self) -> None:
        for seat in range(len(self.table.state.seats)):
            self.command(seat, messages.Sit, seat=seat, entropy=ENTROPY)
        self.command(0, messages.Start)

    @rule(player=st.integers(0, 2), kind=st.sampled_from(
        [messages.Roll, messages.Undo, messages.Resume, messages.Start, messages.Leave]
    ))  # fmt: skip
    def do(self, player: int, kind: type[Any]) -> None:
        self.command(player, kind)

    @rule(player=st.integers(0, 2), seat=st.integers(0, 3))
    def takeover(self, player: int, seat: int) -> None:
        self.command(player, messages.Takeover, seat=seat)

    @precondition(lambda self: self.table.state.record is not None)
    @rule(pick=st.integers(0, 1000), count=st.integers(1, 12), roll=st.booleans())
    def play(self, pick: int, count: int, roll: bool) -> None:
        """Some legal steps, whoever is asked."""
        for number in range(count):
            record = self.table.state.record
            assert record
            wanted = self.table.state.wanted()
            if not wanted or self.table.state.given_up:
                return
            seat = wanted[(pick + number) % len(wanted)]
            owner = self.table.state.seats[seat].player
            assert owner
            self.number += 1
            name = f"c{self.number}"
            excused = bool(self.store.fault) or self.table.doubtful
            if record.game.rolling():
                done = self.execute(owner, messages.Roll(id=name))
            else:
                legal = record.game.legal(seat)
                action = str(legal[(pick * 7 + number) % len(legal)])
                done = self.execute(owner, messages.Play(id=name, action=action, roll=roll))
            assert done is not None or excused

    @rule(player=st.integers(0, 2), action=st.sampled_from(["pass", "reroll", "w>y3a", "+g", "?"]))
    def try_anything(self, player: int, action: str) -> None:
        self.command(player, messages.Play, action=action)

    @precondition(lambda self: self.last is not None)
    @rule()
    def again(self) -> None:
        """Sent twice: executed once, acknowledged with the same number."""
        assert self.last
        player, command, seq = self.last
        # After a failed write the table may have to learn first what the log holds.
        before = len(self.run(self.store.log(self.table.id)))
        if any(row.command == f"{player} {command.id}" for row in self.table.log.rows):
            assert self.execute(player, command) == seq
            assert self.table.log.seq == before

    @rule(fault=st.sampled_from(["before", "after"]))
    def disk_fails(self, fault: str) -> None:
        self.store.fault = fault

    @invariant()
    def everybody_agrees(self) -> None:
        if not hasattr(self, "table"):
            return
        self.store.fault, fault = "", self.store.fault
        log = self.run(self.store.log(self.table.id))
        self.store.fault = fault
        state = TableState(self.table.state.row)
        entries = [inputs.decode(row.data) for row in log]
        for entry in entries:
            state.apply(entry)
        assert [row.seq for row in log] == list(range(1, len(log) + 1))
        if not self.table.doubtful:
            assert log == self.table.log.rows
            assert [watcher.seq for watcher in self.watchers] == 2 * [len(log)]
            assert state.seats == self.table.state.seats
            if state.record:
                view = json.loads(msgspec.json.encode(game_view(state.record.game)))
                assert [watcher.game for watcher in self.watchers] == [view, view]
                outcome = state.record.game.outcome()
                outdated = OutdatedTable(
                    state.row, entries, list(outcome.totals) if outcome else []
                )
                assert outdated.record_text() == state.record_text({})

    def teardown(self) -> None:
        if hasattr(self, "table"):
            self.run(self.registry.close())
            self.run(self.store.close())
        self.runner.close()
        self.folder.cleanup()


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def test_the_record_of_a_game_that_was_given_up_says_so_under_later_rules_too() -> None:
    machine = TableMachine()
    try:
        machine.open(game="clever", seats=1)
        machine.everybody_sits_and_starts()
        machine.do(player=0, kind=messages.Leave)
        assert "\ngiven up\n" in machine.table.state.record_text({})
        machine.everybody_agrees()
    finally:
        machine.teardown()


decode = msgspec.json.Decoder(messages.Incoming).decode
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
FIELDS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            [*KINDS, "play", "sit", "reveal", "takeover", "reseat", "pause", "hello", ""]
        )
    },
    optional={
        "id": st.text(max_size=70) | ANY_JSON,
        "action": st.text(max_size=20) | ANY_JSON,
        "roll": st.booleans() | ANY_JSON,
        "seat": st.integers() | ANY_JSON,
        "bot": st.text(max_size=5) | ANY_JSON,
        "entropy": st.just(ENTROPY) | ANY_JSON,
        "commitment": st.just(2 * ENTROPY) | ANY_JSON,
        "on": ANY_JSON,
        "since": ANY_JSON,
        "key": ANY_JSON,
    },
)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_the_decoder_takes_any_bytes(data: bytes) -> None:
    with suppress(msgspec.DecodeError, UnicodeError):
        decode(data)


def test_the_handler_takes_any_command(tmp_path: Path) -> None:
    runner = asyncio.Runner()

    async def build() -> tuple[SqliteStore, Table]:
        store = SqliteStore(tmp_path / "store.db")
        registry = TableRegistry(store, WorkerPool(1), Settings(limits=False))
        player = PlayerRow("p0", "P", b"x" * 32, 0)
        await store.add_player(player)
        seats = [messages.SeatWish("me"), messages.SeatWish("open")]
        return store, await created(registry, player, messages.TableWish("twice", seats))

    store, table = runner.run(build())

    @given(FIELDS, st.sampled_from(["p0", "p1", ""]))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def attack(fields: dict[str, Any], player: str) -> None:
        try:
            command = decode(json.dumps(fields))
        except (msgspec.DecodeError, UnicodeError):
            return
        if isinstance(command, messages.Hello | messages.Ping | messages.Preview):
            return
        refusal: FoxtrayError | None = None
        try:
            runner.run(table.execute(Person(player), command))
        except FoxtrayError as error:
            refusal = error
        assert refusal is None or refusal.code in messages.REFUSAL_CODES

    attack()
    runner.run(store.close())
    runner.close()
