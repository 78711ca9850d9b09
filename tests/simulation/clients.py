"""Clients written from docs/protocol.md: they play, come and go, and send what got no answer again.

A client is a tab of a browser, or a script that asks over HTTP. It knows what it was told and
nothing else; it acts on what it sees, without knowing about other tabs of the same player.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Raw
from msgspec.json import decode, encode
from server.patched import patched

from foxtray.dice import entropy_commitment
from foxtray.games.registry import SHEETS
from simulation import said
from simulation.audit import WITHOUT_EFFECT, Audit, Message
from simulation.loop import SimulatedLoop
from simulation.network import Network, Wire

PING = 12.0
DEAF = 30.0
"""Seconds without a message after which a client opens another socket."""
AGAIN = 5.0
"""Seconds without an answer after which a command is sent again."""
UNDOS = 3
"""How often a client takes something back in all, so that its game ends."""
ABSENT = 60_000
"""Milliseconds after which a client asks for a stand-in."""
PASSING = ("storage_failing", "moved")
"""Refusals after which the same command may succeed."""
ANSWERS = ("roll", "enter_faces", "play", "undo")
"""Commands that say what their sender had seen."""
GONE = 4004


class Tab:
    """One client of one table."""

    def __init__(
        self,
        network: Network,
        table: str,
        player: str | None,
        rng: random.Random,
        *,
        key: str = "",
        by_http: bool = False,
        mischief: float = 0.0,
    ) -> None:
        self.network = network
        self.loop: SimulatedLoop = network.loop
        self.audit: Audit = network.audit
        self.table = table
        self.player = player
        self.rng = rng
        self.key = key
        self.by_http = by_http
        """Whether it asks over HTTP instead of opening a socket."""
        self.mischief = mischief
        """How often it does something other than bringing the game to its end."""
        self.persistent = rng.random() < 0.5
        """Whether it insists on a command that could not be written."""
        self.old = rng.random() < 0.2
        """Whether it is of a time in which commands did not say what their sender had seen."""
        self.patches = rng.random() < 0.6 and not by_http
        """Whether it wants to be told what changed instead of the whole game."""
        self.legal = rng.choice(("all", "mine")) if self.patches else "all"
        """Whose legal actions it wants to be told."""
        self.commits = rng.random() < 0.7
        """Whether it commits to its entropy, and reveals it when the game starts."""
        self.forgets = rng.random() < 0.15
        """Whether it loses its entropy before it can reveal it, as a wiped browser does."""
        self.entropies: dict[str, str] = {}
        """What its commitments stand for. Another tab of the same player does not know."""
        self.wants_rematch = False
        self.reuses_ids = False
        """Whether it sends other commands under the id of one that was acknowledged."""
        self.note: Callable[[str], None] = lambda text: None
        self.closed = True
        self.wire: Wire | None = None
        self.welcome = False
        """Whether this socket has told the table."""
        self.seq = -1
        self.behind = False
        """Whether it was told that it has not seen everything."""
        self.seat: int | None = None
        self.game: Raw | None = None
        self.table_info: said.TableSeen | None = None
        self.undo: list[int] = []
        self.absent: list[int | None] = []
        self.server_time = 0.0
        """The server's clock minus ours, in milliseconds."""
        self.pending: dict[str, Message] = {}
        """Commands without an answer."""
        self.done: list[Message] = []
        """Commands that were acknowledged."""
        self.undone = 0
        self.rematch: str | None = None
        self._life = 0
        """How often it has come."""
        self._heard_at = 0.0
        self._deciding = False
        self._numbers = 0
        self._asked: deque[int] = deque()
        """What had been told of the table each time this client asked how it stands."""

    def __repr__(self) -> str:
        return f"{self.player or 'watcher'}@{self.table}{'/http' if self.by_http else ''}"

    # --- coming and going ---------------------------------------------------------------------

    def open(self) -> None:
        """Come, or come back."""
        if not self.closed:
            return
        self.closed = False
        self._life += 1
        if self.by_http:
            self._poll(self._life)
        else:
            self._connect()
            self.loop.call_later(PING, self._ping, self._life)
        self.loop.call_later(AGAIN, self._send_again, self._life)

    def close(self) -> None:
        self.closed = True
        if self.wire:
            self.wire.close()
            self.wire = None

    def _connect(self) -> None:
        if self.closed or self.wire:
            return
        self.welcome = False
        self._asked.clear()
        self._heard_at = self.loop.time()
        self.wire = self.network.open(self, self.table, self.player)

    def lost(self, wire: Wire, code: int) -> None:
        """The socket is gone: come back soon."""
        if wire is not self.wire:
            return
        if code == GONE:
            self.audit.violated(f"{self} was told that there is no such table")
        self.wire = None
        self.loop.call_later(0.1 + self.rng.random() * 2, self._connect)

    def _ping(self, life: int) -> None:
        if self.closed or life != self._life:
            return
        if self.wire and self.loop.time() - self._heard_at > DEAF:
            self.wire.close()
            self.wire = None
            self._connect()
        elif self.wire:
            self.wire.send(b'{"type":"ping"}')
        self.loop.call_later(PING, self._ping, life)

    def _hello(self, anew: bool = False) -> None:
        """Ask for what was missed, or for everything anew: my seat may be another one."""
        if not self.wire:
            return
        hello: Message = {"type": "hello", "key": self.key}
        if self.seq >= 0 and not anew:
            hello["since"] = self.seq
        if self.patches:
            hello |= {"patches": True, "legal": self.legal}
        self._asked.append(self.audit.told.get(self.table, 0))
        self.wire.send(encode(hello))

    # --- hearing ------------------------------------------------------------------------------

    def heard(self, wire: Wire, message: said.AnySaid) -> None:
        if wire is not self.wire:
            return
        self._heard_at = self.loop.time()
        match message:
            case said.Greeting():
                self._tell_time(message.time)
                self._hello()
            case said.Snapshot():
                self._take(message)
            case said.Update():
                if message.previous > self.seq:
                    self.note(f"{self} missed something before {message.seq}")
                    self._hello()
                else:
                    self._take(message)
            case said.Presence():
                self.absent = message.absent
            case said.Pong():
                self._tell_time(message.time)
            case said.Ack() | said.Refused() | said.Previews():
                if isinstance(message, said.Ack) and message.seq > self.seq:
                    self.audit.violated(f"{self} heard the ack of {message.seq} before its update")
                self._answered(message)

    def _tell_time(self, time: int) -> None:
        self.server_time = time - self.loop.time() * 1000

    def _take(self, message: said.Snapshot | said.Update) -> None:
        """Take over how things stand."""
        if isinstance(message, said.Snapshot):
            told = self._asked.popleft()
            if message.seq < told:
                self.audit.violated(f"{self} got a snapshot of {message.seq} after {told}")
            self.seat = message.you.seat
            self.absent = message.absent
        elif message.seq <= self.seq:
            self.welcome = True
            return
        elif message.previous > self.seq:
            return
        elif message.patch is not None and message.previous != self.seq:
            self.audit.violated(f"{self} has {self.seq} and got a patch of {message.previous}")
        first, self.behind = not self.welcome, False
        self.welcome = True
        self.seq, self.undo = message.seq, message.undo
        if bytes(message.table):
            self.table_info = said.read_table(message.table)
            self.rematch = self.table_info.rematch
        assert self.table_info is not None
        self._see(message)
        if isinstance(message, said.Update) and self.table_info.status == "lobby":
            self._hello(anew=True)
        if first:
            for command in list(self.pending.values()):
                self._send(command)
        self.consider()

    def _see(self, message: said.Snapshot | said.Update) -> None:
        """Show the game: whole, or with what changed."""
        if bytes(message.game):
            self.game = message.game
        elif isinstance(message, said.Update) and message.patch is not None:
            assert self.game is not None
            self.game = Raw(encode(patched(decode(self.game), message.patch)))
        else:
            return
        self.audit.shows(self.table, self.seq, self.game)

    def _answered(self, message: said.Ack | said.Refused | said.Previews) -> None:
        if message.id is None and not self.welcome:  # the table could not be read
            self.loop.call_later(1 + self.rng.random(), self._hello)
        command = self.pending.get(message.id or "")
        if command is None:
            return
        if isinstance(message, said.Refused):
            self.note(f"{self} {command['id']} is refused: {message.code}")
            self.behind = message.code == "stale" and command.get("seen") == self.seq
            if message.code in PASSING and self.persistent:
                return  # it is sent again under its id
        elif isinstance(message, said.Ack):
            self.note(f"{self} {command['id']} is acknowledged as {message.seq}")
            self.done.append(command)
            if command["type"] == "sit":
                self._hello(anew=True)  # as the protocol says: only a snapshot tells my seat
        del self.pending[command["id"]]
        self.consider()

    # --- over HTTP ----------------------------------------------------------------------------

    def _poll(self, life: int) -> None:
        """Ask what has happened; the answer comes when something does."""
        if self.closed or life != self._life:
            return
        path, query = f"/api/tables/{self.table}", f"key={self.key}"
        if self.seq >= 0 and self.rng.random() < 0.8:  # who is away stands in the snapshot only
            path, query = f"{path}/updates", f"{query}&since={self.seq}"
        self._asked.append(self.audit.told.get(self.table, 0))
        self.network.request(self.player, "GET", path, partial(self._polled, life), query=query)

    def _polled(self, life: int, status: int, body: bytes) -> None:
        if life != self._life:
            return
        if status == 200:
            message = said.read.decode(body)
            assert isinstance(message, said.Snapshot | said.Update)
            self._take(message)
        elif status:
            self._check_problem(body)
        self._asked.clear()
        pause = 0.1 if status == 200 else 2.0
        self.loop.call_later(0.05 + self.rng.random() * pause, self._poll, life)

    def _check_problem(self, body: bytes) -> None:
        code = said.read_problem(body).code
        if code not in PASSING:
            self.audit.violated(f"{self} was refused over HTTP: {code}")

    def _posted(self, status: int, body: bytes) -> None:
        if body.startswith(b'{"type"'):
            message = said.read.decode(body)
            assert isinstance(message, said.Ack | said.Refused | said.Previews)
            self._answered(message)
        elif status:
            self._check_problem(body)

    # --- acting -------------------------------------------------------------------------------

    def command(self, kind: str, **what: Any) -> None:
        """Send a command, and again until it is answered."""
        self._numbers += 1
        name = f"{self.rng.getrandbits(40):x}-{self._numbers}"
        command: Message = {"type": kind, "id": name, **what}
        if kind in ANSWERS and not self.old:
            command["seen"] = self.seq
        self.note(f"{self} sends {describe(command)}, having seen {self.seq}")
        self.pending[name] = command
        self._send(command)

    def _send(self, command: Message) -> None:
        assert self.player
        self.audit.sending(self.table, self.player, command)
        if self.by_http or self.rng.random() < self.mischief / 4:
            path = f"/api/tables/{self.table}/commands"
            body, query = encode(command), f"key={self.key}"
            self.network.request(self.player, "POST", path, self._posted, body, query)
        elif self.wire and self.welcome:
            self.wire.send(encode(command))

    def _send_again(self, life: int) -> None:
        if self.closed or life != self._life:
            return
        for command in list(self.pending.values()):
            self.note(f"{self} sends {command['id']} again")
            self._send(command)
        self.consider()
        self.loop.call_later(AGAIN, self._send_again, life)

    def consider(self) -> None:
        """Decide what to do, in a moment."""
        if self.player and not self._deciding and not self.closed:
            self._deciding = True
            self.loop.call_later(self.rng.random() * 0.5, self._decide)

    def _decide(self) -> None:
        self._deciding = False
        if self.closed or self.table_info is None or self.seq < 0:
            return
        if self.rng.random() < self.mischief:
            self._be_odd()
        if self.pending or self.behind:
            return
        match self.table_info.status:
            case "lobby":
                self._set_up(self.table_info)
            case "playing":
                self._play(self.table_info)
            case "over" if self.wants_rematch and self.rematch is None:
                self.command("rematch")

    def _set_up(self, info: said.TableSeen) -> None:
        """Sit down and start; who has no seat takes an open one, and bots take those left over."""
        if info.starting:
            self._reveal(info.dice)
            return
        empty = [number for number, seat in enumerate(info.seats) if seat.kind == "open"]
        if self.seat is None:
            if empty and "invite" in self.key:
                self._sit(empty[0], info.dice)
        elif not info.seats[self.seat].ready:
            self._sit(self.seat, info.dice)
        elif info.host == self.seat and empty and not self.mischief:
            self.command("reseat", seat=empty[0], bot="random")
        elif info.host == self.seat and all(seat.ready for seat in info.seats):
            self.command("start")

    def _sit(self, seat: int, dice: said.DiceSeen) -> None:
        entropy = f"{self.rng.getrandbits(128):032x}"
        if self.commits and dice.commitment:
            told = entropy_commitment(dice.commitment, seat, bytes.fromhex(entropy))
            if not self.forgets:
                self.entropies[told] = entropy
            self.command("sit", seat=seat, commitment=told)
        else:
            self.command("sit", seat=seat, entropy=entropy)

    def _reveal(self, dice: said.DiceSeen) -> None:
        """Reveal what my seat committed to, unless another tab did that."""
        told = dice.commitments[self.seat] if self.seat is not None else ""
        if told in self.entropies and not dice.entropies[self.seat or 0]:
            self.command("reveal", entropy=self.entropies[told])

    def _change_seats(self, info: said.TableSeen) -> None:
        """Before the start: go, or if it is one's table put another on a seat."""
        if self.seat is None or info.host is None:
            return
        if info.host != self.seat:
            self.command("leave")
        elif len(info.seats) > 1:
            others = [seat for seat in range(len(info.seats)) if seat != self.seat]
            bot = self.rng.choice(("random", None))
            self.command("reseat", seat=self.rng.choice(others), bot=bot)

    def _play(self, info: said.TableSeen) -> None:
        assert self.game is not None
        game = said.read_game.decode(self.game)
        seat = self.seat
        if game is None or seat is None or game.over:
            return
        if info.seats[seat].stand_in and self.rng.random() < 0.5:
            self.command("resume")
        elif game.rolling:
            if info.dice.kind == "real":
                self._roll_by_hand(info, game, seat)
            elif game.active == seat:
                self.command("roll")
            else:
                self._help_on(info, [game.active])
        elif seat in game.awaiting:
            action = self.rng.choice(game.seats[seat].legal).action
            self.command("play", action=action, roll=self.rng.random() < 0.3)
        else:
            self._help_on(info, game.awaiting)

    def _roll_by_hand(self, info: said.TableSeen, game: said.GameSeen, seat: int) -> None:
        """Enter the faces of real dice for oneself, or for a bot that cannot roll them."""
        active = info.seats[game.active]
        if game.active != seat and active.kind == "human" and not active.stand_in:
            self._help_on(info, [game.active])
            return
        letters = SHEETS[game.game].letters
        faces = [self.rng.randint(1, 6) if d in game.rolling else 0 for d in letters]
        self.command("enter_faces", faces=faces, order=self.rng.sample(range(6), 6))

    def _help_on(self, info: said.TableSeen, waited_for: list[int]) -> None:
        """Ask for a stand-in where somebody has been away for long."""
        if info.clock:
            return  # it does so itself
        now = self.server_time + self.loop.time() * 1000
        for seat in waited_for:
            owner, since = info.seats[seat], self.absent[seat] if self.absent else None
            if owner.kind == "human" and not owner.stand_in and since is not None:
                if self.by_http or now - since > ABSENT:  # over HTTP nobody tells the time
                    self.command("takeover", seat=seat)
                    return

    def _be_odd(self) -> None:
        """Do what does not bring the game on."""
        info = self.table_info
        assert info is not None
        what = self.rng.randrange(8)
        if info.status == "lobby" and what > 4:
            self._change_seats(info)
        if what == 0 and self.seat in self.undo and self.undone < UNDOS:
            self.undone += 1
            self.command("undo")
        elif what == 1 and self.done:
            self._send(self.rng.choice(self.done))  # once more, though it was acknowledged
        elif what == 2 and self.reuses_ids and (used := self._used_ids()):
            self._reuse(self.rng.choice(used))
        elif what == 3 and self.wire:
            self.wire.close()
            self.wire = None
            self.loop.call_later(self.rng.random() * 3, self._connect)
        elif what == 4 and info.status == "playing" and self.rng.random() < 0.3:
            self.command("leave")
        elif what == 5 and info.status == "playing" and info.host == self.seat:
            self.command("pause", on=self.rng.random() < 0.5)
        elif what == 6 and info.status == "playing":
            self.command("preview")
        elif what == 7 and info.status == "over" and not self.rematch:
            self.command("rematch")

    def _used_ids(self) -> list[Message]:
        """Commands whose ids are in the log; one without effect leaves no trace there."""
        return [command for command in self.done if command["type"] not in WITHOUT_EFFECT]

    def _reuse(self, before: Message) -> None:
        """Send another command under the id of one that was carried out."""
        assert self.player
        kind = "undo" if before["type"] == "roll" else "roll"
        other = {"type": kind, "id": before["id"]}
        self.note(f"{self} sends {kind} as {before['id']}, which was a {before['type']}")

        def answered(status: int, body: bytes) -> None:
            if status == 200:
                self.audit.violated(f"{self} was told that {other} was done: it was {before}")

        path = f"/api/tables/{self.table}/commands"
        self.network.request(self.player, "POST", path, answered, encode(other))


def describe(command: Message) -> str:
    more = [str(command[name]) for name in ("seat", "action") if name in command]
    more += ["+roll"] if command.get("roll") else []
    return " ".join([command["type"], *more, "as", command["id"]])
