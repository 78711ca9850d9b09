"""Where a player is signed in, and how they come back: devices, recovery code, passkeys."""

from __future__ import annotations

from foxtray.server.http.api import Call, Endpoint, signed_in
from foxtray.server.passkeys import works_at
from foxtray.server.protocol.messages import (
    Device,
    Passkey,
    PasskeyMade,
    PasskeyOptions,
    PasskeyUse,
    PlayerInfo,
    RecoveryMade,
    RecoveryUse,
    SignIns,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import Conflict, DeviceRow, PasskeyRow


def device_info(row: DeviceRow, here: str = "") -> Device:
    return Device(row.id, row.name, row.created, row.seen, row.id == here)


def passkey_info(row: PasskeyRow) -> Passkey:
    return Passkey(row.id, row.name, row.created, row.used)


async def get_devices(call: Call) -> SignIns:
    me, accounts = call.me, call.services.store.accounts
    account = await accounts.account(me.id)
    return SignIns(
        devices=[device_info(row, me.device) for row in await accounts.devices(me.id)],
        recovery=account.recovery if account else None,
        passkeys=[passkey_info(row) for row in await accounts.passkeys(me.id)],
        passkeys_work=works_at(call.base),
    )


async def delete_device(call: Call) -> SignIns:
    me, device = call.me, call.request.path_params["device"]
    await call.services.players.sign_out(me.id, device)
    call.live.expel(me.id, device)
    if device == me.device:
        call.token = ""
    return await get_devices(call)


# --- the recovery code --------------------------------------------------------------------------


async def make_recovery(call: Call) -> RecoveryMade:
    return RecoveryMade(*await call.services.players.make_recovery(call.me))


async def use_recovery(call: Call) -> PlayerInfo:
    call.services.limits.spend("sign_in", call.address)
    return signed_in(call, *await call.services.players.recover(call.body.code, call.device))


# --- passkeys -----------------------------------------------------------------------------------


async def ask_for_passkey(call: Call) -> PasskeyOptions:
    known = await call.services.store.accounts.passkeys(call.me.id)
    await call.services.passkeys.wake()
    return PasskeyOptions(call.services.passkeys.ask_for_new(call.me, call.base, known))


async def add_passkey(call: Call) -> SignIns:
    await call.services.passkeys.wake()
    made = call.services.passkeys.check_new(call.me, call.base, call.body.credential, call.device)
    try:
        await call.services.store.accounts.add_passkey(made)
    except Conflict:
        raise Refusal("bad_passkey") from None
    return await get_devices(call)


async def delete_passkey(call: Call) -> SignIns:
    passkey = call.request.path_params["passkey"]
    if not await call.services.store.accounts.remove_passkey(call.me.id, passkey):
        raise Refusal("no_device")
    return await get_devices(call)


async def ask_to_sign_in(call: Call) -> PasskeyOptions:
    await call.services.passkeys.wake()
    return PasskeyOptions(call.services.passkeys.ask_for_known(call.base))


async def use_passkey(call: Call) -> PlayerInfo:
    services, answer = call.services, call.body.credential
    services.limits.spend("sign_in", call.address)
    await services.passkeys.wake()
    passkey = await services.store.accounts.passkey(services.passkeys.credential_of(answer))
    if passkey is None:
        raise Refusal("bad_passkey")
    count = services.passkeys.check_known(passkey, call.base, answer)
    return signed_in(call, *await services.players.use_passkey(passkey, count, call.device))


ENDPOINTS = (
    Endpoint("GET", "/api/me/devices", get_devices, "Where I am signed in", SignIns),
    Endpoint("DELETE", "/api/me/devices/{device}", delete_device, "Sign out there", SignIns),
    Endpoint("POST", "/api/me/recovery", make_recovery, "A new recovery code", RecoveryMade,
             weight="heavy"),
    Endpoint("POST", "/api/recover", use_recovery, "Sign in with a recovery code", PlayerInfo,
             RecoveryUse),
    Endpoint("POST", "/api/me/passkeys/options", ask_for_passkey, "Options for a new passkey",
             PasskeyOptions, weight="heavy"),
    Endpoint("POST", "/api/me/passkeys", add_passkey, "A new passkey", SignIns, PasskeyMade,
             weight="heavy"),
    Endpoint("DELETE", "/api/me/passkeys/{passkey}", delete_passkey, "Remove a passkey", SignIns),
    Endpoint("POST", "/api/passkey/options", ask_to_sign_in, "Options to sign in with a passkey",
             PasskeyOptions, weight="heavy"),
    Endpoint("POST", "/api/passkey", use_passkey, "Sign in with a passkey", PlayerInfo,
             PasskeyUse),
)  # fmt: skip
