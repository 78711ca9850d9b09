"""Passkeys: what a browser is asked for, and whether its answer is right (WebAuthn)."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import structlog

from foxtray.server.http.hosts import is_address
from foxtray.server.players import new_id
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import PasskeyRow, PlayerRow
from foxtray.server.wall_clock import now

if TYPE_CHECKING:
    from webauthn.helpers.structs import AuthenticationCredential, RegistrationCredential

log = structlog.get_logger()

PASSKEYS = 20
"""So many a player can have."""
LIFETIME = 5 * 60.0
"""Seconds in which a challenge must be answered."""
CHALLENGES = 10_000


def works_at(base: str) -> bool:
    """Whether browsers allow passkeys at an address."""
    url = urlsplit(base)
    host = url.hostname or ""
    local = host == "localhost" or host.endswith(".localhost")
    return not is_address(host) and bool(host) and (url.scheme == "https" or local)


def site_of(base: str) -> str:
    """The name that passkeys of an address belong to."""
    if not works_at(base):
        raise Refusal("no_passkeys")
    return urlsplit(base).hostname or ""


class Challenges:
    """What browsers were asked lately: each question can be answered once, and not for long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def add(self, challenge: bytes, player: str) -> None:
        self._asked[challenge] = player, self._clock() + LIFETIME
        if len(self._asked) > CHALLENGES:
            self._asked.popitem(last=False)

    def take(self, challenge: bytes, player: str) -> None:
        """Refuse an answer to a question that this player was not asked, or long ago."""
        asked, expires = self._asked.pop(challenge, ("", 0.0))
        if asked != player or expires < self._clock():
            raise Refusal("bad_passkey")


NOBODY = "nobody"
"""In the place of a player, for those who are about to sign in."""


class Passkeys:
    """Asks and checks; the caller keeps what is found."""

    def __init__(self, challenges: Challenges | None = None) -> None:
        self._challenges = challenges or Challenges()

    async def wake(self) -> None:
        """Import the library, which takes half a second, when somebody first uses a passkey."""
        await asyncio.to_thread(importlib.import_module, "webauthn")

    def ask_for_new(
        self, player: PlayerRow, base: str, known: Sequence[PasskeyRow]
    ) -> dict[str, Any]:
        """The options to make a passkey that the browser can find by itself later."""
        from webauthn import generate_registration_options
        from webauthn.helpers import options_to_json_dict
        from webauthn.helpers.structs import (
            AuthenticatorSelectionCriteria,
            PublicKeyCredentialDescriptor,
            ResidentKeyRequirement,
        )

        site = site_of(base)
        if len(known) >= PASSKEYS:
            raise Refusal("too_many", f"you have {PASSKEYS} passkeys: remove one first")
        options = generate_registration_options(
            rp_id=site,
            rp_name="Foxtray",
            user_id=player.id.encode(),
            user_name=player.name,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=p.credential) for p in known],
        )
        self._challenges.add(options.challenge, player.id)
        return options_to_json_dict(options)

    def check_new(
        self, player: PlayerRow, base: str, answer: dict[str, Any], name: str
    ) -> PasskeyRow:
        """The passkey that a browser has made."""
        from webauthn import verify_registration_response
        from webauthn.helpers import parse_registration_credential_json

        site = site_of(base)
        try:
            credential = parse_registration_credential_json(answer)
            challenge = self._answered(credential, player.id)
            made = verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site,
                expected_origin=base,
            )
        except Refusal:
            raise
        except Exception as error:  # the library meets malformed answers with errors of all kinds
            raise refused(error) from None
        return PasskeyRow(
            player=player.id,
            id=new_id(),
            credential=made.credential_id,
            key=made.credential_public_key,
            count=made.sign_count,
            name=name,
            created=now(),
        )

    def ask_for_known(self, base: str) -> dict[str, Any]:
        """The options to sign in with any passkey of this site."""
        from webauthn import generate_authentication_options
        from webauthn.helpers import options_to_json_dict

        options = generate_authentication_options(rp_id=site_of(base))
        self._challenges.add(options.challenge, NOBODY)
        return options_to_json_dict(options)

    def credential_of(self, answer: dict[str, Any]) -> bytes:
        """Which passkey an answer claims to come from."""
        from webauthn.helpers import parse_authentication_credential_json

        try:
            return parse_authentication_credential_json(answer).raw_id
        except Exception as error:  # as above
            raise refused(error) from None

    def check_known(self, passkey: PasskeyRow, base: str, answer: dict[str, Any]) -> int:
        """Whether a passkey gave an answer; returns how often it was used by then."""
        from webauthn import verify_authentication_response
        from webauthn.helpers import parse_authentication_credential_json

        site = site_of(base)
        try:
            credential = parse_authentication_credential_json(answer)
            challenge = self._answered(credential, NOBODY)
            checked = verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site,
                expected_origin=base,
                credential_public_key=passkey.key,
                credential_current_sign_count=passkey.count,
            )
        except Refusal:
            raise
        except Exception as error:  # as above
            raise refused(error) from None
        if credential.response.user_handle not in (None, passkey.player.encode()):
            raise Refusal("bad_passkey")
        return checked.new_sign_count

    def _answered(
        self, credential: RegistrationCredential | AuthenticationCredential, player: str
    ) -> bytes:
        """The challenge that an answer is for; it cannot be answered again."""
        from webauthn.helpers import parse_client_data_json

        challenge = parse_client_data_json(credential.response.client_data_json).challenge
        self._challenges.take(challenge, player)
        return challenge


def refused(error: Exception) -> Refusal:
    log.info("passkey_refused", cause=str(error) or repr(error))
    return Refusal("bad_passkey")
