"""The statements about players, their devices, and what the host does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from foxtray.server.store import (
    AccountRow,
    AuditRow,
    Conflict,
    DeviceRow,
    NewDevice,
    News,
    PasskeyRow,
    PlayerRow,
)
from foxtray.server.store.sql_connection import CHUNK, UNLIMITED, Connection, Reader, Runner
from foxtray.server.wall_clock import day_of

DEVICES = 30
"""So many a player can be signed in on; the one that was not used for longest goes first."""
PLAYER = "players.id, players.name, token, players.created, devices.id, seen, admin, banned"
PASSKEY = "player, id, credential, key, count, name, created, used"
AUDIT = "at, operator, operator_name, action, player, detail, number"


def changed(player: str) -> list[News]:
    """A player is to be read again, before a token of theirs is believed."""
    return [News("changed", player)]


def signed_in(player: PlayerRow | None) -> Sequence[News]:
    """A device may have been signed out to make room."""
    return changed(player.id) if player else ()


class SqlAccounts:
    """See foxtray.server.store.Accounts."""

    def __init__(self, read: Reader, execute: Runner) -> None:
        self._read = read
        self._execute = execute

    # --- signing in --------------------------------------------------------------------------

    async def devices(self, player: str) -> list[DeviceRow]:
        query = (
            "SELECT id, name, created, seen FROM devices WHERE player=? "
            "ORDER BY seen DESC, created DESC"
        )
        return await self._read(lambda c: [DeviceRow(*row) for row in c.execute(query, (player,))])

    async def signed_in(self, players: Sequence[str]) -> set[tuple[str, str]]:
        def work(c: Connection) -> set[tuple[str, str]]:
            found: set[tuple[str, str]] = set()
            for start in range(0, len(players), CHUNK):
                chunk = players[start : start + CHUNK]
                marks = ",".join("?" * len(chunk))
                query = (
                    "SELECT devices.player, devices.id FROM devices JOIN players "
                    f"ON players.id=devices.player WHERE banned IS NULL AND player IN ({marks})"
                )
                found.update((player, device) for player, device in c.execute(query, chunk))
            return found

        return await self._read(work)

    async def see(self, player: str, device: str, day: int) -> None:
        query = "UPDATE devices SET seen=? WHERE player=? AND id=?"
        await self._execute(lambda c: c.execute(query, (day, player, device)))

    async def sign_out(self, player: str, device: str) -> bool:
        query = "DELETE FROM devices WHERE player=? AND id=?"
        return await self._execute(
            lambda c: c.execute(query, (player, device)).rowcount > 0,
            lambda _: [News("expelled", player, device)],
        )

    async def set_recovery(self, player: str, code: bytes, made: int) -> None:
        query = "UPDATE players SET recovery=?, recovery_made=? WHERE id=?"
        await self._execute(lambda c: c.execute(query, (code, made, player)))

    async def recover(self, code: bytes, device: NewDevice) -> PlayerRow | None:
        def work(c: Connection) -> PlayerRow | None:
            row = c.execute("SELECT id FROM players WHERE recovery=?", (code,)).fetchone()
            return sign_in(c, row[0], device) if row else None

        return await self._execute(work, signed_in)

    async def add_passkey(self, passkey: PasskeyRow) -> None:
        row = (
            passkey.player, passkey.id, passkey.credential, passkey.key, passkey.count,
            passkey.name, passkey.created, passkey.used,
        )  # fmt: skip

        def work(c: Connection) -> None:
            if not c.execute("SELECT 1 FROM players WHERE id=?", (passkey.player,)).fetchone():
                raise Conflict("there is no such player")
            c.execute(f"INSERT INTO passkeys ({PASSKEY}) VALUES (?,?,?,?,?,?,?,?)", row)

        await self._execute(work)

    async def passkey(self, credential: bytes) -> PasskeyRow | None:
        query = f"SELECT {PASSKEY} FROM passkeys WHERE credential=?"

        def work(c: Connection) -> PasskeyRow | None:
            row = c.execute(query, (credential,)).fetchone()
            return PasskeyRow(*row) if row else None

        return await self._read(work)

    async def passkeys(self, player: str) -> list[PasskeyRow]:
        query = f"SELECT {PASSKEY} FROM passkeys WHERE player=? ORDER BY created"
        return await self._read(lambda c: [PasskeyRow(*row) for row in c.execute(query, (player,))])

    async def use_passkey(
        self, passkey: PasskeyRow, count: int, device: NewDevice
    ) -> PlayerRow | None:
        used = "UPDATE passkeys SET count=?, used=? WHERE player=? AND id=? AND count<=?"

        def work(c: Connection) -> PlayerRow | None:
            row = (count, device.created, passkey.player, passkey.id, count)
            return sign_in(c, passkey.player, device) if c.execute(used, row).rowcount else None

        return await self._execute(work, signed_in)

    async def remove_passkey(self, player: str, passkey: str) -> bool:
        query = "DELETE FROM passkeys WHERE player=? AND id=?"
        return await self._execute(lambda c: c.execute(query, (player, passkey)).rowcount > 0)

    # --- the host's --------------------------------------------------------------------------

    async def find(self, text: str, limit: int, *, exact: bool = False) -> list[AccountRow]:
        wanted = text.casefold()

        def fits(name: str) -> bool:
            folded = name.casefold()  # SQLite folds ASCII only
            return folded == wanted if exact else wanted in folded

        def work(c: Connection) -> list[AccountRow]:
            every = c.execute("SELECT id, name FROM players ORDER BY created DESC, id")
            found = list(islice((i for i, name in every if i == text or fits(name)), limit))
            return [row for i in found if (row := read_account(c, i))]

        return await self._read(work)

    async def account(self, player: str) -> AccountRow | None:
        return await self._read(lambda c: read_account(c, player))

    async def set_admin(self, player: str, admin: bool) -> None:
        query = "UPDATE players SET admin=? WHERE id=?"
        await self._execute(lambda c: c.execute(query, (admin, player)), lambda _: changed(player))

    async def set_banned(self, player: str, since: int | None) -> None:
        query = "UPDATE players SET banned=? WHERE id=?"
        told = [News("changed" if since is None else "expelled", player)]
        await self._execute(lambda c: c.execute(query, (since, player)), lambda _: told)

    async def add_invitation(self, code: bytes, uses: int, expires: int) -> None:
        query = "INSERT INTO invitations VALUES (?,?,?)"
        await self._execute(lambda c: c.execute(query, (code, uses, expires)))

    async def note(self, entry: AuditRow) -> None:
        row = (
            entry.at, entry.operator, entry.operator_name, entry.action, entry.player, entry.detail
        )  # fmt: skip
        query = (
            "INSERT INTO audit (at, operator, operator_name, action, player, detail) "
            "VALUES (?,?,?,?,?,?)"
        )
        await self._execute(lambda c: c.execute(query, row))

    async def audit(
        self, *, before: int | None = None, limit: int | None = 100, player: str | None = None
    ) -> list[AuditRow]:
        query = (
            f"SELECT {AUDIT} FROM audit WHERE number<:before AND "
            "(CAST(:player AS TEXT) IS NULL OR player=:player OR operator=:player) "
            "ORDER BY number DESC LIMIT :limit"
        )
        edge = {"before": before or UNLIMITED, "player": player, "limit": limit or UNLIMITED}
        return await self._read(lambda c: [AuditRow(*row) for row in c.execute(query, edge)])


# --- statements ---------------------------------------------------------------------------------


def find_player(c: Connection, token: bytes) -> PlayerRow | None:
    """Who is signed in with a token."""
    query = f"SELECT {PLAYER} FROM devices JOIN players ON players.id=player WHERE token=?"
    row = c.execute(query, (token,)).fetchone()
    if row is None:
        return None
    name, called, hashed, created, device, seen, admin, banned = row
    return PlayerRow(name, called, hashed, created, device, seen, bool(admin), banned is not None)


def insert_player(
    c: Connection, player: PlayerRow, device: str = "", invitation: bytes | None = None
) -> None:
    """A player with a first device of that name, and with an invitation if one is needed."""
    if invitation is not None:
        query = "UPDATE invitations SET uses=uses-1 WHERE code=? AND uses>0 AND expires>=?"
        if not c.execute(query, (invitation, player.created)).rowcount:
            raise Conflict("the invitation is used up or too old")
    row = (player.id, player.name, player.created, player.admin)
    c.execute("INSERT INTO players (id, name, created, admin) VALUES (?,?,?,?)", row)
    first = NewDevice(player.device, player.token, device, player.created)
    insert_device(c, player.id, first)


def insert_device(c: Connection, player: str, device: NewDevice) -> None:
    row = (player, device.id, device.token, device.name, device.created, day_of(device.created))
    c.execute(
        "INSERT INTO devices (player, id, token, name, created, seen) VALUES (?,?,?,?,?,?)", row
    )
    c.execute(
        "DELETE FROM devices WHERE player=?1 AND id<>?2 AND id NOT IN (SELECT id FROM devices "
        "WHERE player=?1 AND id<>?2 ORDER BY seen DESC, created DESC LIMIT ?3)",
        (player, device.id, DEVICES - 1),
    )


def sign_in(c: Connection, player: str, device: NewDevice) -> PlayerRow | None:
    """A player on a new device; the banned are told apart, and not signed in."""
    row = c.execute("SELECT name, created, banned FROM players WHERE id=?", (player,)).fetchone()
    if row is None:
        return None
    name, created, banned = row
    if banned is not None:
        return PlayerRow(player, name, b"", created, banned=True)
    insert_device(c, player, device)
    return find_player(c, device.token)


def forget_account(c: Connection, player: str) -> None:
    """All that a player signs in with or started, and whom the audit log names."""
    for table in ("links", "devices", "passkeys", "solo_starts", "daily_attempts", "given_up"):
        c.execute(f"DELETE FROM {table} WHERE player=?", (player,))
    c.execute("DELETE FROM players WHERE id=?", (player,))
    c.execute("UPDATE audit SET player=NULL, detail='' WHERE player=?", (player,))
    c.execute("UPDATE audit SET operator='', operator_name='' WHERE operator=?", (player,))


def read_account(c: Connection, player: str) -> AccountRow | None:
    query = (
        "SELECT id, name, created, admin, banned, recovery_made, "
        "(SELECT count(*) FROM devices WHERE player=players.id), "
        "(SELECT count(*) FROM passkeys WHERE player=players.id), "
        "(SELECT coalesce(max(seen), 0) FROM devices WHERE player=players.id), "
        '(SELECT count(*) FROM seats JOIN tables ON tables.id="table" '
        "WHERE player=players.id AND finished IS NULL), "
        "(SELECT count(*) FROM results WHERE player=players.id) "
        "FROM players WHERE id=?"
    )
    row = c.execute(query, (player,)).fetchone()
    if row is None:
        return None
    name, called, created, admin, *more = row
    return AccountRow(name, called, created, bool(admin), *more)
