"""What the host of a server does, and those whom the host has named as admins.

Everything that changes something, or shows all data about somebody, is noted first: what was done
is always in the audit log.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

import msgspec

from foxtray.server.http.account_api import device_info, passkey_info
from foxtray.server.http.api import Call, Endpoint, Parameter, delete_player
from foxtray.server.http.services import bearer
from foxtray.server.names import clean_name
from foxtray.server.personal_data import tables_of
from foxtray.server.protocol.messages import (
    AccountData,
    AccountInfo,
    AccountList,
    AccountName,
    AccountSearch,
    AuditLine,
    AuditLog,
    Ban,
    InvitationMade,
    InvitationWish,
    LinkMade,
    PlayerInfo,
    RegistrationInfo,
    RegistrationWish,
    TableClosed,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.statistics import line
from foxtray.server.store import AccountRow, AuditRow, PlayerRow
from foxtray.server.wall_clock import DAY, now

FOUND = 50
LINES = 100
OPERATOR = "Foxtray-Operator"
"""A header with the login name of the host at the machine."""
LINK_LIFETIME = DAY


@dataclass(frozen=True, slots=True)
class Operator:
    """Who acts as host: the one at the machine, or an admin."""

    player: str | None
    name: str


def operator(call: Call) -> Operator:
    """Refuse everybody but the host and the admins."""
    token = bearer(call.request.scope) or ""
    if hmac.compare_digest(token.encode(), call.services.host_token.encode()):
        return Operator(None, call.request.headers.get(OPERATOR, "")[:64])
    if call.player and call.player.admin:
        return Operator(call.player.id, call.player.name)
    raise Refusal("not_admin")


def host(call: Call) -> Operator:
    """Refuse everybody but the host at the machine."""
    found = operator(call)
    if found.player is not None:
        raise Refusal("host_only")
    return found


async def subject(call: Call) -> AccountRow:
    """The player of the path; what concerns admins is the host's to do."""
    by = operator(call)
    found = await call.services.store.accounts.account(call.request.path_params["player"])
    if found is None:
        raise Refusal("no_player")
    if found.admin and by.player is not None:
        raise Refusal("host_only")
    return found


async def note(call: Call, action: str, player: str | None = None, detail: str = "") -> None:
    by = operator(call)
    entry = AuditRow(now(), by.player, by.name, action, player, detail)
    await call.services.store.accounts.note(entry)


def told(row: AccountRow) -> AccountInfo:
    return msgspec.convert(msgspec.structs.asdict(row), AccountInfo)


def told_line(row: AuditRow) -> AuditLine:
    return msgspec.convert(msgspec.structs.asdict(row), AuditLine)


def as_player(row: AccountRow) -> PlayerRow:
    return PlayerRow(row.id, row.name, b"", row.created)


async def changed(call: Call, player: str) -> AccountInfo:
    """A player after a change, which counts from now on wherever they are signed in."""
    call.services.players.forget(player)
    found = await call.services.store.accounts.account(player)
    if found is None:
        raise Refusal("no_player")
    return told(found)


def address(call: Call) -> str:
    """The address for links: what the host at the machine asks by is often of no use to others."""
    by_host = operator(call).player is None
    return (call.services.address if by_host else "") or call.base


# --- players ------------------------------------------------------------------------------------


async def find_players(call: Call) -> AccountList:
    operator(call)
    wish: AccountSearch = call.body
    found = await call.services.store.accounts.find(wish.text, FOUND, exact=wish.exact)
    return AccountList([told(row) for row in found])


async def get_player(call: Call) -> AccountInfo:
    operator(call)
    found = await call.services.store.accounts.account(call.request.path_params["player"])
    if found is None:
        raise Refusal("no_player")
    return told(found)


async def rename_player(call: Call) -> AccountInfo:
    player, name = await subject(call), clean_name(call.body.name)
    await note(call, "rename", player.id, f"{player.name} -> {name}")
    await call.services.store.rename(player.id, name)
    answer = await changed(call, player.id)
    await call.services.registry.renamed(player.id)
    return answer


async def ban_player(call: Call) -> AccountInfo:
    player = await subject(call)
    await note(call, "ban", player.id, call.body.reason)
    await call.services.store.accounts.set_banned(player.id, player.banned or now())
    answer = await changed(call, player.id)
    call.live.expel(player.id)
    await call.services.registry.replace_banned(player.id)
    return answer


async def unban_player(call: Call) -> AccountInfo:
    player = await subject(call)
    await note(call, "unban", player.id)
    await call.services.store.accounts.set_banned(player.id, None)
    return await changed(call, player.id)


async def remove_player(call: Call) -> PlayerInfo:
    player = await subject(call)
    await note(call, "delete", player.id)
    await delete_player(call, as_player(player))
    return PlayerInfo(player.id, "")


async def link_player(call: Call) -> LinkMade:
    player = await subject(call)
    await note(call, "link", player.id)
    code, expires = await call.services.players.make_link(player.id, LINK_LIFETIME)
    return LinkMade(code, f"{address(call)}/link/{code}", expires)


async def grant_admin(call: Call) -> AccountInfo:
    return await set_admin(call, "grant", True)


async def revoke_admin(call: Call) -> AccountInfo:
    return await set_admin(call, "revoke", False)


async def set_admin(call: Call, action: str, admin: bool) -> AccountInfo:
    host(call)
    player = await subject(call)
    await note(call, action, player.id)
    await call.services.store.accounts.set_admin(player.id, admin)
    return await changed(call, player.id)


async def export_player(call: Call) -> AccountData:
    player, store = await subject(call), call.services.store
    await note(call, "export", player.id)
    return AccountData(
        player=told(player),
        devices=[device_info(row) for row in await store.accounts.devices(player.id)],
        passkeys=[passkey_info(row) for row in await store.accounts.passkeys(player.id)],
        games=[line(game, player.id) for game in await store.results_of(player.id)],
        tables=await tables_of(store, player.id),
        audit=[told_line(r) for r in await store.accounts.audit(player=player.id, limit=None)],
    )


# --- the server ---------------------------------------------------------------------------------


async def close_table(call: Call) -> TableClosed:
    operator(call)
    table = call.request.path_params["table"]
    if await call.services.store.table(table) is None:
        raise Refusal("no_table")
    await note(call, "close", detail=table)
    await call.services.registry.remove(table)
    return TableClosed(table)


async def get_registration(call: Call) -> RegistrationInfo:
    operator(call)
    return RegistrationInfo(await call.services.door.mode(), call.services.door.fixed)


async def set_registration(call: Call) -> RegistrationInfo:
    operator(call)
    call.services.door.check_free()
    await note(call, "registration", detail=call.body.mode)
    await call.services.door.set_mode(call.body.mode)
    return await get_registration(call)


async def make_invitation(call: Call) -> InvitationMade:
    operator(call)
    wish: InvitationWish = call.body
    await note(call, "invite", detail=f"uses: {wish.uses}, days: {wish.days}")
    code, expires = await call.services.door.invite(wish.uses, wish.days)
    return InvitationMade(code, f"{address(call)}/invited/{code}", wish.uses, expires)


async def get_log(call: Call) -> AuditLog:
    operator(call)
    count = call.query["count"]
    rows = await call.services.store.accounts.audit(before=call.query["before"], limit=count)
    more = rows[-1].number if len(rows) == count else None
    return AuditLog([told_line(row) for row in rows], more)


def endpoint(
    method: str, path: str, handler: Any, summary: str, answer: Any, body: Any = None, **more: Any
) -> Endpoint:
    return Endpoint(method, f"/api/admin/{path}", handler, summary, answer, body, **more)


PLAYER = "players/{player}"
ENDPOINTS = (
    endpoint("POST", "find", find_players, "Find players", AccountList, AccountSearch),
    endpoint("GET", PLAYER, get_player, "A player", AccountInfo),
    endpoint("DELETE", PLAYER, remove_player, "Delete a player and all their data", PlayerInfo),
    endpoint("PUT", f"{PLAYER}/name", rename_player, "Rename a player", AccountInfo, AccountName),
    endpoint("PUT", f"{PLAYER}/ban", ban_player, "Ban a player", AccountInfo, Ban),
    endpoint("DELETE", f"{PLAYER}/ban", unban_player, "Lift a ban", AccountInfo),
    endpoint("PUT", f"{PLAYER}/admin", grant_admin, "Make a player an admin", AccountInfo),
    endpoint("DELETE", f"{PLAYER}/admin", revoke_admin, "Make an admin a player", AccountInfo),
    endpoint("POST", f"{PLAYER}/link", link_player, "A link to sign a player in", LinkMade),
    endpoint("GET", f"{PLAYER}/export", export_player, "All data about a player", AccountData,
             weight="heavy"),
    endpoint("DELETE", "tables/{table}", close_table, "Close a table", TableClosed),
    endpoint("GET", "registration", get_registration, "Who may become a player",
             RegistrationInfo),
    endpoint("PUT", "registration", set_registration, "Decide who may become a player",
             RegistrationInfo, RegistrationWish),
    endpoint("POST", "invitations", make_invitation, "An invitation to this server",
             InvitationMade, InvitationWish),
    endpoint("GET", "log", get_log, "What was done as host", AuditLog,
             query=(Parameter("before", "continue an earlier answer", 0, 1 << 62, 1 << 62),
                    Parameter("count", "how many", 1, 1000, LINES))),
)  # fmt: skip
