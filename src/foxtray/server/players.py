"""Who is who: names, tokens and one-time links. Of a token only its hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections import OrderedDict

from foxtray.server.messages import NAME_LENGTH
from foxtray.server.refusals import Refusal
from foxtray.server.store import PlayerRow, Store
from foxtray.server.timing import now

TOKEN_BYTES = 24
CACHED = 20_000
LINK_LIFETIME = 10 * 60 * 1000


def new_key() -> str:
    """Unguessable text for links."""
    return secrets.token_urlsafe(16)


def new_id() -> str:
    """A name for a row that nobody guesses by counting; for a file too, so without a dash first."""
    while (name := secrets.token_urlsafe(9)).startswith("-"):
        pass
    return name


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def clean_name(text: str) -> str:
    """A name as plain text, trimmed; refused if it is empty, too long or unprintable."""
    if len(text) > 20 * NAME_LENGTH:
        raise Refusal("name_too_long")
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise Refusal("name_empty")
    if len(name) > NAME_LENGTH:
        raise Refusal("name_too_long")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in name):
        raise Refusal("name_unprintable")
    return name


class Players:
    """The players of a store; those seen lately are remembered."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._seen: OrderedDict[bytes, PlayerRow] = OrderedDict()
        self._forgotten = 0
        """Grows whenever a token ends: what was read before is not remembered after."""

    async def by_token(self, token: str | None) -> PlayerRow | None:
        """The owner of a token."""
        if not token or len(token) > 128:
            return None
        hashed, forgotten = digest(token), self._forgotten
        player = self._seen.get(hashed) or await self.store.player_by_token(hashed)
        if player is None or not hmac.compare_digest(player.token, hashed):
            return None
        if forgotten == self._forgotten:
            self._remember(player)
        return player

    def _remember(self, player: PlayerRow) -> None:
        self._seen[player.token] = player
        self._seen.move_to_end(player.token)
        if len(self._seen) > CACHED:
            self._seen.popitem(last=False)

    def _forget(self, player: str) -> None:
        self._forgotten += 1
        for token in [t for t, p in self._seen.items() if p.id == player]:
            del self._seen[token]

    async def create(self, name: str) -> tuple[PlayerRow, str]:
        """A new player and its token, which is told only now."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        player = PlayerRow(new_id(), clean_name(name), digest(token), now())
        await self.store.add_player(player)
        self._remember(player)
        return player, token

    async def rename(self, player: PlayerRow, name: str) -> PlayerRow:
        name, forgotten = clean_name(name), self._forgotten
        if name != player.name:
            await self.store.rename(player.id, name)
        changed = PlayerRow(player.id, name, player.token, player.created)
        if forgotten == self._forgotten:
            self._remember(changed)
        else:
            self._seen.pop(player.token, None)
        return changed

    async def delete(self, player: PlayerRow) -> None:
        await self.store.delete_player(player.id)
        self._forget(player.id)

    async def make_link(self, player: PlayerRow) -> tuple[str, int]:
        """The code of a one-time link and when it expires."""
        code, expires = new_key(), now() + LINK_LIFETIME
        await self.store.add_link(digest(code), player.id, expires)
        return code, expires

    async def use_link(self, code: str) -> tuple[PlayerRow, str]:
        """The player of a link, with a new token; the old one no longer works."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        player = await self.store.use_link(digest(code), now(), digest(token))
        if player is None:
            raise Refusal("bad_link")
        self._forget(player.id)
        self._remember(player)
        return player, token
