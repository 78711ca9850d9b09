"""Who is who: tokens, one-time links, recovery codes. Only hashes of them are kept."""

from __future__ import annotations

import base64
import hashlib
import hmac
import random
from collections import OrderedDict
from contextlib import suppress

from msgspec.structs import replace

from foxtray.server import recovery
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.names import RefusedNames, clean_name
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import (
    Conflict,
    NewDevice,
    PasskeyRow,
    PlayerRow,
    StorageFailing,
    Store,
)
from foxtray.server.wall_clock import day_of

TOKEN_BYTES = 24
CACHED = 20_000
LINK_LIFETIME = 10 * 60 * 1000


def unguessable(size: int, rng: random.Random) -> str:
    """Random bytes as text for a URL."""
    return base64.urlsafe_b64encode(rng.randbytes(size)).rstrip(b"=").decode()


def new_key(rng: random.Random = MACHINE.rng) -> str:
    """Unguessable text for links."""
    return unguessable(16, rng)


def new_id(rng: random.Random = MACHINE.rng) -> str:
    """An unguessable id for a row; it is a file name too, so it does not start with a dash."""
    while (name := unguessable(9, rng)).startswith("-"):
        pass
    return name


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def new_token(rng: random.Random) -> str:
    return unguessable(TOKEN_BYTES, rng)


def new_device(name: str, machine: Machine) -> tuple[str, NewDevice]:
    """The token of a device, and what is kept of both."""
    token = new_token(machine.rng)
    return token, NewDevice(new_id(machine.rng), digest(token), name, machine.now())


class Players:
    """The players of a store, with a cache of recently seen ones."""

    def __init__(
        self, store: Store, refused: RefusedNames | None = None, machine: Machine = MACHINE
    ) -> None:
        self.store = store
        self.refused = refused or RefusedNames()
        self.machine = machine
        self._seen: OrderedDict[bytes, PlayerRow] = OrderedDict()
        self._forgotten = 0
        """Increases when a token becomes invalid, so that no earlier read is cached afterwards."""

    async def by_token(self, token: str | None) -> PlayerRow | None:
        """Who is signed in with a token."""
        if not token or len(token) > 128:
            return None
        hashed, forgotten = digest(token), self._forgotten
        player = self._seen.get(hashed) or await self.store.player_by_token(hashed)
        if player is None or not hmac.compare_digest(player.token, hashed):
            return None
        player = await self._note_day(player)
        if forgotten == self._forgotten:
            self._remember(player)
        return player

    async def _note_day(self, player: PlayerRow) -> PlayerRow:
        """Note that a device is used today, once a day."""
        today = day_of(self.machine.now())
        if player.seen >= today:
            return player
        with suppress(StorageFailing):  # the next request tries again
            await self.store.accounts.see(player.id, player.device, today)
            return replace(player, seen=today)
        return player

    def _remember(self, player: PlayerRow) -> None:
        self._seen[player.token] = player
        self._seen.move_to_end(player.token)
        if len(self._seen) > CACHED:
            self._seen.popitem(last=False)

    def forget(self, player: str) -> None:
        """Read a player again before believing a token of theirs."""
        self._forgotten += 1
        for token in [t for t, p in self._seen.items() if p.id == player]:
            del self._seen[token]

    def forget_all(self) -> None:
        """Read everybody again: what other servers said of them may have been missed."""
        self._forgotten += 1
        self._seen.clear()

    def allowed_name(self, name: str) -> str:
        """A name as it is kept, if anybody may have it."""
        name = clean_name(name)
        self.refused.check(name)
        return name

    # --- being somebody ----------------------------------------------------------------------

    async def create(
        self, name: str, device: str = "", invitation: str | None = None
    ) -> tuple[PlayerRow, str]:
        """A new player and the token of their device, which is told only now."""
        name = self.allowed_name(name)
        rng, at = self.machine.rng, self.machine.now()
        token = new_token(rng)
        player = PlayerRow(new_id(rng), name, digest(token), at, new_id(rng), day_of(at))
        try:
            await self.store.add_player(
                player, device, None if invitation is None else digest(invitation)
            )
        except Conflict:
            raise Refusal("invitation_needed") from None
        self._remember(player)
        return player, token

    async def rename(self, player: PlayerRow, name: str) -> PlayerRow:
        name, forgotten = clean_name(name), self._forgotten
        if name != player.name:
            self.refused.check(name)
            await self.store.rename(player.id, name)
        changed = replace(player, name=name)
        if forgotten == self._forgotten:
            self.forget(player.id)
            self._remember(changed)
        else:
            self._seen.pop(player.token, None)
        return changed

    async def delete(self, player: str) -> None:
        await self.store.delete_player(player)
        self.forget(player)

    # --- signing in and out ------------------------------------------------------------------

    async def make_link(self, player: str, lifetime: int = LINK_LIFETIME) -> tuple[str, int]:
        """The code of a one-time link and when it expires."""
        code, expires = new_key(self.machine.rng), self.machine.now() + lifetime
        await self.store.add_link(digest(code), player, expires)
        return code, expires

    async def use_link(self, code: str, device: str = "") -> tuple[PlayerRow, str]:
        """The player of a link, signed in on another device."""
        token, new = new_device(device, self.machine)
        found = await self.store.use_link(digest(code), self.machine.now(), new)
        return self._signed_in(found, "bad_link"), token

    async def make_recovery(self, player: PlayerRow) -> tuple[str, int]:
        """A code to write down, which replaces the one before, and when it was made."""
        code, made = recovery.new_code(), self.machine.now()
        await self.store.accounts.set_recovery(player.id, digest(recovery.plain(code)), made)
        return code, made

    async def recover(self, code: str, device: str = "") -> tuple[PlayerRow, str]:
        """The player who wrote a code down, signed in on another device."""
        token, new = new_device(device, self.machine)
        # Found by its hash: how long that takes tells nothing about the code.
        found = await self.store.accounts.recover(digest(recovery.plain(code)), new)
        return self._signed_in(found, "bad_code"), token

    async def use_passkey(
        self, passkey: PasskeyRow, count: int, device: str = ""
    ) -> tuple[PlayerRow, str]:
        """The owner of a passkey, signed in on another device."""
        token, new = new_device(device, self.machine)
        found = await self.store.accounts.use_passkey(passkey, count, new)
        return self._signed_in(found, "bad_passkey"), token

    def _signed_in(self, player: PlayerRow | None, otherwise: str) -> PlayerRow:
        if player is None:
            raise Refusal(otherwise)
        if player.banned:
            raise Refusal("banned")
        self.forget(player.id)  # a device may have been signed out to make room
        self._remember(player)
        return player

    async def sign_out(self, player: str, device: str) -> None:
        """End the token of a device."""
        if not await self.store.accounts.sign_out(player, device):
            raise Refusal("no_device")
        self.forget(player)
