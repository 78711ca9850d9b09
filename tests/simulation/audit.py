"""What must hold at every step and at the end, told by the disk and by what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Raw
from msgspec.json import decode

from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.store import TableRow
from foxtray.server.tables.log import TableLog
from simulation import said
from simulation.disk import Disk
from simulation.prepared import BEFORE

Message = dict[str, Any]

WITHOUT_EFFECT = ("leave", "pause", "rematch", "start", "reveal")
"""Commands that are acknowledged without an input where things already stand as wanted."""
NEVER = ("internal", "table_damaged", "malformed", "unknown_command", "rules_changed", "stranger")
"""Refusals that none of these clients deserves."""

UNCERTAIN = ("storage_failing", "moved", "id_used")
"""Refusals of a command that may have been carried out, or of another one under its id."""


class Violation(AssertionError):
    """Something that must never happen."""


class Audit:
    """Hears everything the server says, and compares it with what the disk holds."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.entries: dict[tuple[str, int], bytes] = {}
        """The entries of logs as they were told first."""
        self.told: dict[str, int] = {}
        """The highest number told of each table, to anybody."""
        self.sent: dict[tuple[str, str], Message] = {}
        """The commands that were sent, by table and by what the log knows them by."""
        self.acked: dict[tuple[str, str], int] = {}
        """The number each command was first acknowledged with."""
        self.games: dict[tuple[str, int], Any] = {}
        """The games that clients showed first, without legal actions."""
        self.made: list[str] = []
        """Tables that somebody was told to have made."""
        self.acks = 0
        self.violation: str | None = None
        """What went wrong first; the server must not be able to catch it."""

    def violated(self, what: str) -> None:
        self.violation = self.violation or what

    # --- at every step ------------------------------------------------------------------------

    def sending(self, table: str, player: str, command: Message) -> None:
        """A client sends a command, perhaps again."""
        self.sent.setdefault((table, f"{player} {command['id']}"), command)

    def says(self, table: str, player: str | None, message: said.AnySaid) -> None:
        """The server says something: it must be true at this moment."""
        match message:
            case said.Update() | said.Snapshot():
                self._telling(table, message)
            case said.Ack():
                self._acknowledging(table, f"{player} {message.id}", message)
            case said.Refused(name, code):
                if code in NEVER:
                    self.violated(f"{player} was refused as {code}")
                if code not in UNCERTAIN and self.disk.file.found(table, f"{player} {name}"):
                    self.violated(f"{table}: {player} {name} was carried out and refused as {code}")

    def _telling(self, table: str, message: said.Update | said.Snapshot) -> None:
        if message.seq > self.disk.file.length(table):
            self.violated(f"{table}: told {message.seq} before it was on disk")
        numbers = [said.read_number(entry).seq for entry in message.entries]
        first = message.previous if isinstance(message, said.Update) else message.seq - len(numbers)
        if numbers != list(range(first + 1, message.seq + 1)):
            self.violated(f"{table}: entries {numbers} do not lead from {first} to {message.seq}")
            return
        for seq, entry in zip(numbers, message.entries, strict=True):
            if self.entries.setdefault((table, seq), bytes(entry)) != bytes(entry):
                self.violated(f"{table}: entry {seq} was told in two ways")
        self.told[table] = max(self.told.get(table, 0), message.seq)

    def shows(self, table: str, seq: int, game: Raw) -> None:
        """A client shows a game: every client shows the same one, however it was told."""
        view = decode(game)
        if view is None:
            return
        for seat in view["seats"]:
            del seat["legal"]  # who sees which of them is a matter of what a client asked for
        if self.games.setdefault((table, seq), view) != view:
            self.violated(f"{table}: the game at {seq} is shown in two ways")

    def _acknowledging(self, table: str, tag: str, ack: said.Ack) -> None:
        self.acks += 1
        seq = self.disk.file.found(table, tag)
        if seq is None:
            command = self.sent[table, tag]
            if command["type"] not in WITHOUT_EFFECT:
                self.violated(f"{table}: {tag} was acknowledged and is not on disk")
            return
        if seq != ack.seq:
            self.violated(f"{table}: {tag} is {seq}, and was acknowledged as {ack.seq}")
        if self.acked.setdefault((table, tag), seq) != seq:
            self.violated(f"{table}: {tag} happened twice")

    # --- at the end ---------------------------------------------------------------------------

    def finish(self) -> dict[str, TableLog]:
        """The logs of all tables as a restart would read them, once they hold what was promised."""
        tables = self.disk.file.tables()
        logs = {row.id: self._replayed(row) for row in tables}
        for (table, tag), seq in self.acked.items():
            if table not in logs or logs[table].commands.get(tag) != seq:
                raise Violation(f"{table}: {tag} was acknowledged as {seq} and is lost")
        for (table, seq), entry in self.entries.items():
            if table not in logs or seq > logs[table].seq:
                raise Violation(f"{table}: {seq} was told and is lost")
            if bytes(logs[table].entries[seq - 1]) != entry:
                raise Violation(f"{table}: {seq} was told as something else")
        for table in self.made:
            if table not in logs:
                raise Violation(f"{table}: it was made and is lost")
        for log in logs.values():
            entries = [inputs.decode(row.data) for row in log.rows]
            self._check_commands(log, entries)
            self._check_bots(log, entries)
            self._check_end(log, logs)
        return logs

    def _replayed(self, row: TableRow) -> TableLog:
        rows = self.disk.file.log(row.id)
        if [entry.seq for entry in rows] != list(range(1, len(rows) + 1)):
            raise Violation(f"{row.id}: there is a hole in the log")
        try:
            return TableLog(row, rows)
        except Exception as error:
            raise Violation(f"{row.id}: the log cannot be replayed: {error!r}") from error

    def _check_commands(self, log: TableLog, entries: Sequence[AnyInput]) -> None:
        """Every row that a command made is what was asked for."""
        for tag, seq in log.commands.items():
            if f" {BEFORE}" in tag:
                continue
            command = self.sent.get((log.table.id, tag))
            if command is None:
                raise Violation(f"{log.table.id}: nobody sent {tag}")
            if not fits(command, entries[:seq]):
                raise Violation(f"{log.table.id}: {command} became {entries[seq - 1]}")
            if is_stale(command, entries[:seq]):
                raise Violation(f"{log.table.id}: {command} answered what had been answered")

    def _check_bots(self, log: TableLog, entries: Sequence[AnyInput]) -> None:
        """A bot acts for its own seats and for those it stands in for, and for no others."""
        drivers = {number: seat.bot for number, seat in enumerate(log.state.setup.seats)}
        for entry in entries:
            match entry:
                case inputs.TookOver(seat, bot):
                    drivers[seat] = bot
                case inputs.Reseated(seat, bot):
                    drivers[seat] = bot
                case inputs.Resumed(seat) | inputs.Left(seat) | inputs.Sat(seat):
                    drivers[seat] = None
                case inputs.Played(seat, action, bot) if bot != drivers[seat]:
                    whose = drivers[seat] or "its owner"
                    raise Violation(f"{log.table.id}: {bot} played {action} in place of {whose}")

    def _check_end(self, log: TableLog, logs: dict[str, TableLog]) -> None:
        over = log.state.status == "over"
        results = self.disk.file.results(log.table.id)
        if results != (len(log.state.seats) if over else 0):
            raise Violation(f"{log.table.id}: it has {results} results")
        if log.state.rematch is not None and log.state.rematch not in logs:
            raise Violation(f"{log.table.id}: its rematch is lost")
        if sum(b'"rematched"' in row.data for row in log.rows) > 1:
            raise Violation(f"{log.table.id}: there is more than one rematch")


def is_stale(command: Message, entries: Sequence[AnyInput]) -> bool:
    """Whether the seat acted, or dice were thrown, after all that the sender had seen."""
    if "seen" not in command:
        return False
    own = 2 if command["type"] == "play" and isinstance(entries[-1], inputs.Threw) else 1
    seat = getattr(entries[-own], "seat", None)
    return any(
        isinstance(entry, inputs.Threw | inputs.UndidThrow)
        or (isinstance(entry, inputs.Played | inputs.Undid) and entry.seat == seat)
        for entry in entries[command["seen"] : -own]
    )


def fits(command: Message, entries: Sequence[AnyInput]) -> bool:
    """Whether the last of some inputs is what a command asks for."""
    last = entries[-1]
    match command["type"], last:
        case "play", inputs.Threw() if command.get("roll"):
            return fits({**command, "roll": False}, entries[:-1])
        case "enter_faces", inputs.Threw(faces, order, by):
            entered = [list(faces), list(order)]
            return by is not None and entered == [command["faces"], command["order"]]
        case "play", inputs.Played(_, action, None):
            return bool(action == command["action"])
        case "sit", inputs.Sat(seat, _, entropy, commitment):
            told = (command["seat"], command.get("entropy"), command.get("commitment"))
            return (seat, entropy, commitment) == told
        case "reveal", inputs.Revealed(_, entropy):
            return bool(entropy == command["entropy"])
        case "reveal" | "leave", inputs.Started():
            return fits(command, entries[:-1])  # it was the last that the start waited for
        case "takeover", inputs.TookOver(seat, _, False):
            return bool(seat == command["seat"])
        case "reseat", inputs.Reseated(seat, bot):
            return (seat, bot) == (command["seat"], command["bot"])
        case "pause", inputs.Paused(on):
            return bool(on == command["on"])
        case "leave", inputs.TookOver(_, _, given_up):
            return given_up
        case (
            ("roll", inputs.Threw(_, _, None))
            | ("undo", inputs.Undid() | inputs.UndidThrow())
            | ("resume", inputs.Resumed())
            | ("start", inputs.Starting() | inputs.Started())
            | ("leave", inputs.Left())
            | ("rematch", inputs.Rematched())
        ):
            return True
    return False
