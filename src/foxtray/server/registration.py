"""Who may become a player: everybody, those who are invited, or nobody."""

from __future__ import annotations

from foxtray.server.players import digest, new_key
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import REGISTRATION, Registration
from foxtray.server.store import Store
from foxtray.server.wall_clock import DAY, now

MARK = "registration"


class Door:
    """Lets newcomers in: as the option of the server says, or else as the host last decided."""

    def __init__(self, store: Store, fixed: str = "") -> None:
        self.store = store
        self.fixed = bool(fixed)
        self._mode: Registration | None = next((m for m in REGISTRATION if m == fixed), None)

    async def mode(self) -> Registration:
        if self._mode is None:
            self._mode = REGISTRATION[await self.store.mark(MARK) or 0]
        return self._mode

    def forget(self) -> None:
        """The host may have decided something else, at another server."""
        if not self.fixed:
            self._mode = None

    def check_free(self) -> None:
        """Refuse to decide what an option of the server has decided."""
        if self.fixed:
            raise Refusal("registration_fixed")

    async def set_mode(self, mode: Registration) -> None:
        self.check_free()
        await self.store.set_mark(MARK, REGISTRATION.index(mode))
        self._mode = mode

    async def admit(self, invitation: str) -> str | None:
        """The invitation that a newcomer has to use up, if one is needed."""
        mode = await self.mode()
        if mode == "closed":
            raise Refusal("registration_closed")
        if mode == "invitation" and not invitation:
            raise Refusal("invitation_needed")
        return invitation if mode == "invitation" else None

    async def invite(self, uses: int, days: int) -> tuple[str, int]:
        """The code of an invitation and when it expires."""
        code, expires = new_key(), now() + days * DAY
        await self.store.accounts.add_invitation(digest(code), uses, expires)
        return code, expires
